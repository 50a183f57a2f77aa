"""NewtonHVP: steps down a curve that has one minimum and is not convex, with and without its second derivative."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.newton_hvp.methods import (
    METHODS,
    MINIMUM,
    Place,
    Walk,
    convex_between,
    newton_between,
    walk,
)
from autodiff_lab.widgets.labs.newton_hvp.picture import drawn
from autodiff_lab.widgets.labs.table import grid

SHOWN = 10
"""How many of the last places the table lists."""
RATED = "gradient descent"
ENDS = {
    "arrived": "The path has arrived.",
    "ran away": "The next step leads out of sight: the path runs away.",
    "to and fro": "From here on the path jumps to and fro between two places.",
    "on its way": "The path is still on its way.",
}


class NewtonHVP(Lab):
    """Walk down ln((x − 7)² + 10) by gradient descent, by Newton's method, or by a damped one.

    >>> lab = NewtonHVP()
    >>> lab.set(start=5.5, method="Newton")
    >>> for _ in range(3):
    ...     lab.press("step")
    >>> [round(x, 6) for x in lab.snapshot()["path"]]
    [5.5, 7.870968, 6.857013, 7.000586]
    """

    title = "NewtonHVP"
    about = "Choose a start and a method. Before each Step say on which side it will land."
    controls = (
        Slider("start", "start", -2, 16, 0.1),
        Slider("rate", "learning rate", 0.5, 12, 0.5),
        Choice("method", "method", tuple(METHODS)),
        Button("step", "Step"),
        Button("back", "Back"),
        Button("begin", "Begin again"),
        Play("step", 900),
    )

    def __init__(self) -> None:
        self.start, self.rate, self.method = 1.0, 2.0, RATED
        self._steps, self._of = 0, self.settings

    @property
    def settings(self) -> tuple[float, float, str]:
        """Where the controls stand: another setting is another path."""
        return self.start, self.rate, self.method

    @property
    def steps(self) -> int:
        """How many steps of this path have been taken."""
        if self._of != self.settings:
            self._steps, self._of = 0, self.settings
        return self._steps

    def step(self) -> None:
        """One step more."""
        self._steps = self.steps + 1

    def back(self) -> None:
        """One step less."""
        self._steps = self.steps - 1

    def begin(self) -> None:
        """Back to the start."""
        self._steps, self._of = 0, self.settings

    def can(self, name: str) -> bool:
        """Step while the path goes on, the others when a step has been taken."""
        return self.steps < len(self.walk.places) - 1 if name == "step" else self.steps > 0

    def shown(self, name: str) -> str:
        """The learning rate is gradient descent's alone."""
        return super().shown(name) if name != "rate" or self.method == RATED else "not used"

    def still(self) -> NewtonHVP:
        """Newton's first step from the founding document's start."""
        if self.steps:
            return self
        taken = NewtonHVP()
        taken.set(start=self.start, rate=self.rate, method="Newton")
        taken.step()
        return taken

    @property
    def walk(self) -> Walk:
        """The whole path from this start."""
        return walk(self.method, self.start, self.rate if self.method == RATED else 0.0)

    @property
    def places(self) -> tuple[Place, ...]:
        """The start, and where each step has landed."""
        return self.walk.places[: self.steps + 1]

    def snapshot(self) -> dict[str, Any]:
        """The path so far, how it ends, and the two intervals."""
        here = self.places[-1]
        return {
            "method": self.method,
            "path": [at.x for at in self.places],
            "value": here.value,
            "slope": here.slope,
            "curvature": here.curvature,
            "fate": self.walk.fate,
            "finished": not self.can("step"),
            "convex_between": convex_between(),
            "newton_between": newton_between(),
        }

    def sentence(self) -> str:
        """The last step in words, and how the path ends once it has."""
        here = self.places[-1]
        if not self.steps and not self.can("step"):
            return f"{_described(here)} {ENDS[self.walk.fate]}"
        if not self.steps:
            rate = f" with the learning rate {number(self.rate)}" if self.method == RATED else ""
            return f"{_described(here)} Where will a step of {self.method}{rate} land?"
        before = self.places[-2]
        downhill = "downhill" if here.value < before.value else "uphill" if here.value > before.value else "level"
        nearer = "nearer to" if abs(here.x - MINIMUM) < abs(before.x - MINIMUM) else "further from"
        end = "" if self.can("step") else f" {ENDS[self.walk.fate]}"
        return (
            f"{_described(before)} Step {self.steps} goes {downhill} to x = {number(here.x)}, {nearer} "
            f"{number(MINIMUM)}.{end}"
        )

    def table(self) -> Grid:
        """The last places of the path."""
        first = max(0, len(self.places) - SHOWN)
        rows = [(str(k), *at) for k, at in enumerate(self.places) if k >= first]
        return grid(f"{self.method} from x = {number(self.start)}", ("step", "x", "f", "f′", "f″"), rows)

    def picture(self) -> str:
        """The curve with the path on it, its slope below, and the last places beside it."""
        return drawn(self.places, self.method, convex_between(), newton_between())


def _described(at: Place) -> str:
    bend = "upwards" if at.curvature > 0 else "downwards"
    return f"At x = {number(at.x)} the slope is {number(at.slope)} and f″ = {number(at.curvature)}: it bends {bend}."
