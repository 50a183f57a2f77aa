"""NewtonHVP: steps down a curve that has one minimum and is not convex, with and without its second derivative."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.lab import Button, Choice, Play, Slider, SteppedLab
from autodiff_lab.widgets.labs.newton_hvp.methods import METHODS, MINIMUM, Place, Walk, walk
from autodiff_lab.widgets.labs.newton_hvp.picture import draw
from autodiff_lab.widgets.labs.table import Grid, grid

SHOWN = 10
"""How many of the last places the table lists."""
RATED = "gradient descent"
ENDS = {
    "arrived": "The path has arrived.",
    "ran away": "The next step leads out of sight: the path runs away.",
    "to and fro": "From here on the path jumps to and fro between two places.",
    "on its way": "The path is still on its way.",
}


class NewtonHVP(SteppedLab):
    """A lab on second derivatives: steps down ln((x − 7)² + 10) by gradient descent or by Newton's method.

    >>> lab = NewtonHVP()
    >>> lab.set(start=5.5, method="Newton")
    >>> for _ in range(3):
    ...     lab.press("step")
    >>> [round(x, 6) for x in lab.snapshot()["path"]]
    [5.5, 7.870968, 6.857013, 7.000586]
    """

    title = "NewtonHVP"
    about = "Before each Step, say on which side of the minimum it will land."
    controls = (
        Button("step", "Step"),
        Play("step", 900),
        Slider("start", "start", -2, 16, 0.1, 1.0),
        Slider("rate", "learning rate", 0.5, 12, 0.5, 2.0),
        Choice("method", "method", tuple(METHODS), "Newton"),
        Button("begin", "Begin again"),
        Button("back", "Back", more=True),
    )

    def change(self, name: str) -> None:
        """Begin again; who moves the learning rate wants the method that has one."""
        if name == "rate":
            self.method = RATED
        super().change(name)

    step, forward = SteppedLab.next, "step"

    @property
    def length(self) -> int:
        """How many steps the path has."""
        return len(self.walk.places) - 1

    def slider_text(self, name: str) -> str:
        """The learning rate, which is gradient descent's alone."""
        return super().slider_text(name) if name != "rate" or self.method == RATED else "not used"

    def still(self) -> NewtonHVP:
        """One step, where none has been taken: by Newton's method from the document's start it goes uphill."""
        return self if self.done else self.copy("step")

    @property
    def walk(self) -> Walk:
        """The whole path from this start."""
        return walk(self.method, self.start, self.rate if self.method == RATED else 0.0)

    @property
    def places(self) -> tuple[Place, ...]:
        """The start, and where each step has landed."""
        return self.walk.places[: self.done + 1]

    def snapshot(self) -> dict[str, Any]:
        """The path so far, and how it ends."""
        return {"path": [at.x for at in self.places], "fate": self.walk.fate, "finished": not self.can("step")}

    def sentence(self) -> str:
        """The last step in words, and how the path ends once it has."""
        here, end = self.places[-1], "" if self.can("step") else f" {ENDS[self.walk.fate]}"
        if not self.done:
            rate = f" with the learning rate {number(self.rate)}" if self.method == RATED else ""
            return _describe(here) + (end or f" Where will a step of {self.method}{rate} land?")
        before = self.places[-2]
        downhill = "downhill" if here.value < before.value else "uphill" if here.value > before.value else "level"
        nearer = "nearer to" if abs(here.x - MINIMUM) < abs(before.x - MINIMUM) else "further from"
        return (
            f"{_describe(before)} Step {self.done} goes {downhill} to x = {number(here.x)}, {nearer} "
            f"{number(MINIMUM)}.{end}"
        )

    def table(self) -> Grid:
        """The last places of the path."""
        rows = [(str(k), *at) for k, at in enumerate(self.places)][-SHOWN:]
        return grid(f"{self.method} from x = {number(self.start)}", ("step", "x", "f", "f′", "f″"), rows)

    def picture(self) -> str:
        """The curve with the path on it, its slope below, and the last step's arithmetic between them."""
        return draw(self.places, self.method, self.rate)


def _describe(at: Place) -> str:
    bend = "upwards" if at.curvature > 0 else "downwards"
    return f"At x = {number(at.x)} the slope is {number(at.slope)} and f″ = {number(at.curvature)}: it bends {bend}."
