"""The training runs of TrainFilm: two tasks, three methods, and the plane with what the network says of it."""

import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autodiff_lab.optimize import Adam, GradientDescent, Momentum, Optimizer
from autodiff_lab.systems import perceptron
from autodiff_lab.systems.perceptron import Step, Task
from autodiff_lab.widgets.labs.canvas import Axes, Frame, Sheet

STEPS, EVERY = 300, 5
SAMPLES_PER_ROW = 64
ROW = 3
"""How high a row of the plane is in which the network's answer is looked at."""


class Case(NamedTuple):
    """A task of the train film, the parameters that its runs start from, and the part of the plane that is shown."""

    task: Task
    start: dict[str, np.ndarray]
    x: tuple[float, float]
    y: tuple[float, float]


CASES = {
    "two moons": Case(perceptron.two_moons(), perceptron.random_start(8), (-1.5, 2.5), (-1.25, 1.75)),
    "XOR": Case(perceptron.XOR, perceptron.FIXED_START, (-0.5, 1.5), (-0.5, 1.5)),
}
METHODS: dict[str, Callable[[], Optimizer]] = {
    "Adam": lambda: Adam(0.05),
    "momentum": lambda: Momentum(0.1),
    "gradient descent": lambda: GradientDescent(0.1),
}


@functools.cache
def train(task: str, method: str) -> list[Step]:
    """Run a training for the train film, by one method on one task; all steps are kept."""
    case = CASES[task]
    return list(itertools.islice(perceptron.train(case.task, METHODS[method](), case.start), STEPS + 1))


def count_right(task: str, step: Step) -> int:
    """Count the points that the network of a run has on the right side of 0.5."""
    x, t = CASES[task].task
    return int(np.sum((perceptron.network(step.params, x) > 0.5) == (t > 0.5)))


def find_region(case: Case, params: dict[str, np.ndarray], rows: int = 107) -> list[tuple[float, float, float]]:
    """Find where a run's network gives class 1, above 0.5: (from x, to x, y) for each piece of each row."""
    x, ys, all_above = _answer_plane(case, params, rows)
    pieces = []
    for y, above in zip(ys, all_above, strict=True):
        crossings = np.flatnonzero(np.sign(above[:-1]) != np.sign(above[1:]))
        # Between two places the output is taken to be straight.
        ends = x[crossings] + (x[1] - x[0]) * above[crossings] / (above[crossings] - above[crossings + 1])
        ends = [*([x[0]] if above[0] > 0 else []), *ends, *([x[-1]] if above[-1] > 0 else [])]
        pieces += [(float(a), float(b), float(y)) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    return pieces


def find_boundary(case: Case, params: dict[str, np.ndarray], rows: int = 107) -> list[np.ndarray]:
    """Find the boundary that a run's network draws: the lines on which its output is 0.5, as arrays of places."""
    from contourpy import contour_generator

    return contour_generator(*_answer_plane(case, params, rows)).lines(0.0)


def draw_plane(sheet: Sheet, case: Case, params: dict[str, np.ndarray], frame: Frame, radius: float = 5) -> None:
    """Draw the points of the train film's task, over the part of the plane that a network gives to class 1."""
    axes, rows = Axes(sheet, frame, case.x, case.y), int(frame[3]) // ROW
    for x0, x1, y in find_region(case, params, rows):
        (left, middle), (right, _) = axes.at(x0, y), axes.at(x1, y)
        sheet.box(left, middle - ROW / 2, right - left, ROW + 0.5, "", "adjoint_paper")
    for line in find_boundary(case, params, rows):
        axes.curve(line, "ink", 2)
    sheet.box(*frame)
    for (x, y), (t,) in zip(case.task.x, case.task.t, strict=True):
        sheet.dot(*axes.at(x, y), "adjoint" if t else "tangent", radius, hollow=not t)


def _answer_plane(case: Case, params: dict[str, np.ndarray], rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ask the network at a grid over the plane: x, y, and how far its output is above 0.5 there."""
    x, height = np.linspace(*case.x, SAMPLES_PER_ROW), (case.y[1] - case.y[0]) / rows
    y = case.y[0] + height * (np.arange(rows) + 0.5)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return x, y, perceptron.network(params, places).reshape(rows, SAMPLES_PER_ROW) - 0.5
