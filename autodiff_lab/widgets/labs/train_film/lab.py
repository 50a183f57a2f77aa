"""TrainFilm: how the boundary that a small network draws between two classes moves while it is trained."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.optimize import Adam, GradientDescent, Momentum, Optimizer
from autodiff_lab.systems import perceptron
from autodiff_lab.systems.perceptron import Step, Task
from autodiff_lab.text.notation import number
from autodiff_lab.text.table import Grid
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider
from autodiff_lab.widgets.labs.table import grid

STEPS, EVERY = 300, 5
ROW, CELLS = 3, 64
"""How finely the plane is looked at: the height of a row in the picture, and the places in it that are asked."""


class Case(NamedTuple):
    """A task, where its training begins, and which part of the plane is shown."""

    task: Task
    start: dict[str, np.ndarray]
    x: tuple[float, float]
    y: tuple[float, float]


CASES = {
    "two moons": Case(perceptron.two_moons(), perceptron.random_start(8), (-1.5, 2.5), (-1.25, 1.75)),
    "XOR": Case(perceptron.XOR, perceptron.FIXED_START, (-0.5, 1.5), (-0.5, 1.5)),
}
METHODS: dict[str, Callable[[], Optimizer]] = {
    "gradient descent": lambda: GradientDescent(0.1),
    "momentum": lambda: Momentum(0.1),
    "Adam": lambda: Adam(0.05),
}


class TrainFilm(Lab):
    """A network with one hidden layer, step by step.

    >>> lab = TrainFilm()
    >>> lab.set(task="XOR", method="momentum", step=100)
    >>> snap = lab.snapshot()
    >>> f"{snap['loss']:.6f}", snap["right"], snap["points"]
    ('0.000099', 4, 4)
    """

    title = "TrainFilm"
    about = "Move the step, or press Play. Inside the shaded part the network answers class 1, outside class 0."
    controls = (
        Choice("task", "task", tuple(CASES)),
        Choice("method", "method", tuple(METHODS)),
        Slider("step", "step", 0, STEPS, EVERY),
        Play("forward", 200),
        Button("forward", "A little further"),
        Button("restart", "Back to the start"),
    )

    def __init__(self) -> None:
        self.task, self.method, self.step = "two moons", "gradient descent", 0.0

    def forward(self) -> None:
        """The next frame."""
        self.step = min(self.step + EVERY, STEPS)

    def restart(self) -> None:
        """The first frame."""
        self.step = 0.0

    def can(self, name: str) -> bool:
        """Go forward until the film ends."""
        return self.step > 0 if name == "restart" else self.step < STEPS

    def still(self) -> TrainFilm:
        """The last frame, where none has been chosen."""
        shown = TrainFilm()
        shown.set(task=self.task, method=self.method, step=self.step or STEPS)
        return shown

    @property
    def at(self) -> Step:
        """The training at this step."""
        return trained(self.task, self.method)[int(self.step)]

    def snapshot(self) -> dict[str, Any]:
        """Loss, number of right answers, and the losses of all methods."""
        return {
            "step": int(self.step),
            "loss": float(self.at.loss),
            "right": right_answers(self.task, self.at),
            "points": len(CASES[self.task].task.t),
            "losses": {method: _losses(self.task, method) for method in METHODS},
        }

    def sentence(self) -> str:
        """Where the network is, and where the other methods are at the same step."""
        snap = self.snapshot()
        others = [f"{number(snap['losses'][m][snap['step']])} with {m}" for m in METHODS if m != self.method]
        return (
            f"Step {snap['step']} of {self.method}: the loss is {number(snap['loss'])}, and {snap['right']} of "
            f"{snap['points']} points are on the right side. At the same step it is {' and '.join(others)}."
        )

    def table(self) -> Grid:
        """The way here, in a few steps."""
        steps = sorted({*range(0, int(self.step) + 1, 50), int(self.step)})
        run = trained(self.task, self.method)
        rows = [(str(k), float(run[k].loss), float(right_answers(self.task, run[k]))) for k in steps]
        points = len(CASES[self.task].task.t)
        return grid(f"{self.task}, {self.method}", ("step", "loss", f"right of {points}"), rows)

    def picture(self) -> str:
        """The plane on the left, the losses on the right."""
        sheet = Sheet(
            830, 420, "The two classes, the part of the plane that the network gives to class 1, and the loss"
        )
        self._plane(sheet)
        self._curves(sheet)
        return sheet.svg()

    def _plane(self, sheet: Sheet) -> None:
        plane(sheet, CASES[self.task], self.at.params, (12, 12, 440, 321))
        sheet.dot(20, 357, "tangent", 5, hollow=True)
        sheet.text(32, 362, "class 0", "tangent", size=14)
        sheet.dot(110, 357, "adjoint", 5)
        sheet.text(122, 362, "class 1", "adjoint", size=14)
        sheet.box(200, 348, 26, 18, "line", "faint")
        sheet.text(234, 362, "the network says class 1", size=14)

    def _curves(self, sheet: Sheet) -> None:
        axes = Axes(sheet, (526, 40, 290, 250), (0, STEPS), (-4, 0.5))
        axes.scales(
            [(float(k), str(k)) for k in range(0, STEPS + 1, 100)],
            [(float(k), f"1e{k}" if k else "1") for k in range(-4, 1)],
            "step",
            "loss",
        )
        for row, (method, dash) in enumerate(zip(METHODS, ("", "8 4", "2 3"), strict=True)):
            losses, now = np.log10(_losses(self.task, method)), method == self.method
            role = "value" if now else "soft_ink"
            axes.curve(enumerate(np.maximum(losses, -4)), role, 3 if now else 1.5, dash)
            if now:
                sheet.dot(*axes.at(self.step, losses[int(self.step)]), "value")
            y = 352 + 22 * row
            sheet.path([(526, y - 5), (566, y - 5)], role, 3 if now else 1.5, dash)
            sheet.text(576, y, method, role, size=14, bold=now)


def plane(
    sheet: Sheet,
    case: Case,
    params: dict[str, np.ndarray],
    frame: tuple[float, float, float, float],
    radius: float = 5,
) -> None:
    """The points of a task, over the part of the plane that a network gives to class 1."""
    axes, rows = Axes(sheet, frame, case.x, case.y), int(frame[3]) // ROW
    for x0, x1, y in region(case, params, rows):
        (left, middle), (right, _) = axes.at(x0, y), axes.at(x1, y)
        sheet.box(left, middle - ROW / 2, right - left, ROW + 0.5, "", "faint")
    sheet.box(*frame)
    for (x, y), (t,) in zip(case.task.x, case.task.t, strict=True):
        sheet.dot(*axes.at(x, y), "adjoint" if t else "tangent", radius, hollow=not t)


@functools.cache
def trained(task: str, method: str) -> list[Step]:
    """All steps of a training."""
    case = CASES[task]
    return list(itertools.islice(perceptron.train(case.task, METHODS[method](), case.start), STEPS + 1))


@functools.cache
def _losses(task: str, method: str) -> list[float]:
    return [float(step.loss) for step in trained(task, method)]


def right_answers(task: str, step: Step) -> int:
    """How many points are on the right side of 0.5."""
    x, t = CASES[task].task
    return int(np.sum((perceptron.network(step.params, x) > 0.5) == (t > 0.5)))


def region(case: Case, params: dict[str, np.ndarray], rows: int = 107) -> list[tuple[float, float, float]]:
    """Where the network's output is above 0.5: (from x, to x, y) for each piece of each row."""
    x = np.linspace(*case.x, CELLS)
    step = (case.y[1] - case.y[0]) / rows
    pieces = []
    for y in case.y[0] + step * (np.arange(rows) + 0.5):
        above = perceptron.network(params, np.column_stack([x, np.full(CELLS, y)])).ravel() - 0.5
        crossings = np.flatnonzero(np.sign(above[:-1]) != np.sign(above[1:]))
        # Between two places the output is taken to be straight.
        ends = x[crossings] + (x[1] - x[0]) * above[crossings] / (above[crossings] - above[crossings + 1])
        ends = [*([x[0]] if above[0] > 0 else []), *ends, *([x[-1]] if above[-1] > 0 else [])]
        pieces += [(float(a), float(b), float(y)) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return pieces
