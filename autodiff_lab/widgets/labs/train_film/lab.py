"""The controller of the lab TrainFilm: a slider through the frames of a training, and the picture of each frame."""

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from autodiff_lab.optimize import Adam, GradientDescent, Momentum, Optimizer
from autodiff_lab.systems import perceptron
from autodiff_lab.systems.perceptron import Step, Task
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import (
    Axes,
    Frame,
    Sheet,
    draw_legend,
    make_power_ticks,
    make_ticks,
)
from autodiff_lab.widgets.labs.contours import find_contours
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Play, Slider

STEPS, EVERY = 300, 5
SAMPLES_PER_ROW = 64
# The height in pixels of a row of samples of the network's output.
ROW = 3


class Case(NamedTuple):
    """A task, the initial parameters of its runs, and the part of the plane that is shown."""

    task: Task
    start: dict[str, np.ndarray]
    x: tuple[float, float]
    y: tuple[float, float]


CASES = {
    "two moons": Case(
        perceptron.two_moons(), perceptron.random_start(8), (-1.5, 2.5), (-1.25, 1.75)
    ),
    "XOR": Case(perceptron.XOR, perceptron.FIXED_START, (-0.5, 1.5), (-0.5, 1.5)),
}
METHODS: dict[str, Callable[[], Optimizer]] = {
    "Adam": lambda: Adam(0.05),
    "momentum": lambda: Momentum(0.1),
    "gradient descent": lambda: GradientDescent(0.1),
}


@functools.cache
def train(task: str, method: str) -> list[Step]:
    """Train on a task with a method, and return all steps."""
    case = CASES[task]
    steps = perceptron.train(case.task, METHODS[method](), case.start)
    return list(itertools.islice(steps, STEPS + 1))


def count_right(task: str, step: Step) -> int:
    """Count the points of a task for which the network's output is on the correct side of 0.5."""
    x, t = CASES[task].task
    predicted = perceptron.network(step.params, x) > 0.5
    return int(np.sum(predicted == (t > 0.5)))


def find_region(
    case: Case, params: dict[str, np.ndarray], rows: int = 107
) -> list[tuple[float, float, float]]:
    """Find the region where the output is above 0.5, class 1, as pieces (from x, to x, y) of rows."""
    x, ys, all_above = _answer_plane(case, params, rows)
    pieces = []
    for y, above in zip(ys, all_above, strict=True):
        crossings = np.flatnonzero(np.sign(above[:-1]) != np.sign(above[1:]))
        # The output is interpolated linearly between two samples.
        drops = above[crossings] - above[crossings + 1]
        ends = list(x[crossings] + (x[1] - x[0]) * above[crossings] / drops)
        if above[0] > 0:
            ends.insert(0, x[0])
        if above[-1] > 0:
            ends.append(x[-1])
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            pieces.append((float(start), float(end), float(y)))
    return pieces


def find_boundary(case: Case, params: dict[str, np.ndarray], rows: int = 107) -> list[np.ndarray]:
    """Find the lines where the network's output is 0.5, as arrays of shape (n, 2)."""
    return find_contours(*_answer_plane(case, params, rows), (0.0,))[0.0]


def draw_plane(
    sheet: Sheet, case: Case, params: dict[str, np.ndarray], frame: Frame, radius: float = 5
) -> None:
    """Draw the points of a task over the region that the network assigns to class 1."""
    axes = Axes(sheet, frame, case.x, case.y)
    rows = int(frame[3]) // ROW
    for x0, x1, y in find_region(case, params, rows):
        left, middle = axes.at(x0, y)
        right, _ = axes.at(x1, y)
        sheet.box(left, middle - ROW / 2, right - left, ROW + 0.5, "", "adjoint_paper")
    for line in find_boundary(case, params, rows):
        axes.curve(line, "ink", 2)
    sheet.box(*frame)
    for (x, y), (t,) in zip(case.task.x, case.task.t, strict=True):
        sheet.dot(*axes.at(x, y), "adjoint" if t else "tangent", radius, hollow=not t)


def _answer_plane(
    case: Case, params: dict[str, np.ndarray], rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Evaluate the network on a grid over the plane: return x, y, and the output minus 0.5."""
    x = np.linspace(*case.x, SAMPLES_PER_ROW)
    height = (case.y[1] - case.y[0]) / rows
    y = case.y[0] + height * (np.arange(rows) + 0.5)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    outputs = perceptron.network(params, places).reshape(rows, SAMPLES_PER_ROW)
    return x, y, outputs - 0.5


class TrainFilm(Lab):
    """A lab on training: a network with one hidden layer, step by step, as the frames of a film.

    >>> lab = TrainFilm()
    >>> lab.set(task="XOR", method="momentum", step=100)
    >>> snap = lab.snapshot()
    >>> f"{snap['loss']:.6f}", snap["right"], snap["points"]
    ('0.000099', 4, 4)
    """

    about = "Drag the step in the plot of the loss, or press Play: the line is where the network is undecided."
    controls = (
        Slider("step", "step", 0, STEPS, EVERY),
        Play("forward", 200),
        Choice("method", "method", tuple(METHODS)),
        Choice("task", "task", tuple(CASES)),
        Button("restart", "Back to the start"),
        Button("forward", "A little further", more=True),
    )
    step: int
    method: str
    task: str

    def forward(self) -> None:
        """Show the next frame."""
        self.step += EVERY

    def restart(self) -> None:
        """Go back to the first frame."""
        self.step = 0

    def can(self, name: str) -> bool:
        """Return True if the film can go forward, or back to its start."""
        return self.step > 0 if name == "restart" else self.step < STEPS

    def still(self) -> Self:
        """Return a lab for a static page: the last frame, if none has been chosen."""
        shown = self.copy()
        shown.step = self.step or STEPS
        return shown

    @property
    def at(self) -> Step:
        """The training step that this frame shows."""
        return train(self.task, self.method)[self.step]

    def snapshot(self) -> dict[str, Any]:
        """Return the loss and the correct answers in this frame, and the losses of all methods."""
        return {
            "loss": float(self.at.loss),
            "right": count_right(self.task, self.at),
            "points": len(CASES[self.task].task.t),
            "losses": {
                method: [float(step.loss) for step in train(self.task, method)]
                for method in METHODS
            },
        }

    def sentence(self) -> str:
        """Compare the loss in this frame with that of the other methods at the same step."""
        snap = self.snapshot()
        others = [
            f"{number(snap['losses'][m][self.step])} with {m}" for m in METHODS if m != self.method
        ]
        return (
            f"Step {self.step} of {self.method}: the loss is {number(snap['loss'])}, and {snap['right']} of "
            f"{snap['points']} points are on the right side. At the same step it is {' and '.join(others)}."
        )

    def table(self) -> Grid:
        """List loss and correct answers in some frames up to this one."""
        steps = sorted({*range(0, self.step + 1, 50), self.step})
        run = train(self.task, self.method)
        rows = [(str(k), run[k].loss, count_right(self.task, run[k])) for k in steps]
        heads = ("step", "loss", f"right of {len(CASES[self.task].task.t)}")
        return grid(f"{self.task}, {self.method}", heads, rows)

    def picture(self) -> str:
        """Draw the plane with the network's boundary, and the loss of each method."""
        title = (
            "The two classes, the part of the plane that the network gives to class 1, and the loss"
        )
        sheet = Sheet(900, 412, title)
        draw_plane(sheet, CASES[self.task], self.at.params, (4, 4, 506, 378))
        sheet.dot(12, 400, "tangent", 5, hollow=True)
        sheet.text(24, 405, "class 0", "tangent", size=15)
        sheet.dot(108, 400, "adjoint", 5)
        sheet.text(120, 405, "class 1", "adjoint", size=15)
        sheet.box(212, 392, 26, 17, "ink", "adjoint_paper", 2)
        sheet.text(246, 405, "the network says class 1", size=15)
        axes = Axes(sheet, (572, 32, 310, 262), (0, STEPS), (-4, 0.5))
        axes.scales(
            make_ticks(range(0, STEPS + 1, 100)),
            [*make_power_ticks(range(-4, 0)), (0.0, "1")],
            "step",
            "loss",
        )
        for row, (name, dash) in enumerate(zip(METHODS, ("", "8 4", "2 3"), strict=True)):
            losses = [step.loss for step in train(self.task, name)]
            curve = np.maximum(np.log10(losses), -4)
            now = name == self.method
            role, width = ("value", 3) if now else ("soft_ink", 1.5)
            axes.curve(enumerate(curve), role, width, dash)
            if now:
                sheet.dot(*axes.at(self.step, curve[self.step]), "value")
                axes.marker(self.step, "line")
                axes.slide("step, in the plot of the loss", self.step, axes.across("step"))
            label = f"{name}: {number(losses[self.step])}"
            draw_legend(sheet, 572, 358 + 23 * row, label, role, width, dash, bold=now)
        sheet.cut(516)
        return sheet.svg()
