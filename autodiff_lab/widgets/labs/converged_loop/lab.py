"""The controller of the lab ConvergedLoop: three ways to differentiate a loop, their errors and their costs."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import grad, jvp
from autodiff_lab.transforms.recording import record
from autodiff_lab.widgets.labs.canvas import (
    Axes,
    Sheet,
    draw_bar,
    draw_legend,
    make_power_ticks,
    make_ticks,
)
from autodiff_lab.widgets.labs.lab import Choice, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun, write_error

LARGEST = 60
WAYS = ("unrolled", "one iteration", "implicit")
Step = Callable[[Any, Any], Any]

PLOT = (56.0, 30.0, 440.0, 290.0)
LOOKS = {
    "unrolled": ("adjoint", "", 4.0),
    "one iteration": ("soft_ink", "2 5", 3.0),
    "implicit": ("tangent", "9 4", 3.0),
}
SMALLEST, BARS = -16, 560.0


# The loops, and three ways to differentiate their result


def residual(z: Any, x: Any) -> Any:
    """Return the residual of z = cos(x z), which is 0 at the solution."""
    return z - np.cos(x * z)


def turn_newton(z: Any, x: Any) -> Any:
    """Do one iteration of Newton's method for z = cos(x z)."""
    return z - residual(z, x) / (1 + x * np.sin(x * z))


def halve(ends: Any, x: Any) -> Any:
    """Do one iteration of bisection: halve the interval around the solution.

    The state is the two ends of the interval, and z is its middle.
    """
    low, high = ends
    middle = (low + high) / 2
    return (middle, high) if middle < np.cos(x * middle) else (low, middle)


LOOPS: dict[str, tuple[Step, Any]] = {
    "z ← cos(x z)": (lambda z, x: np.cos(x * z), 1.0),
    "a tenth of that step": (lambda z, x: 0.9 * z + 0.1 * np.cos(x * z), 1.0),
    "Newton's method": (turn_newton, 1.0),
    "bisection": (halve, (0.0, 1.0)),
}


def run(loop: str, iterations: int) -> Callable[[Any], list[Any]]:
    """Make a function of x that runs a loop for some iterations and returns the value of z before and after each."""
    step, start = LOOPS[loop]

    def program(x: Any) -> list[Any]:
        states = [start]
        for _ in range(iterations):
            states.append(step(states[-1], x))
        return [_value(state) for state in states]

    return program


def _value(state: Any) -> Any:
    return (state[0] + state[1]) / 2 if isinstance(state, tuple) else state


@functools.lru_cache(64)
def find_errors(
    loop: str, x: float
) -> tuple[float, tuple[float, ...], dict[str, tuple[float, ...]]]:
    """Find the errors of a loop after each iteration, compared with the converged solution of Newton's method.

    Returns
    -------
    tuple
        The slope at the solution; the errors of the value; and the errors of the slope for each of the `WAYS`.
    """
    solution = run("Newton's method", LARGEST)(x)[-1]
    correct_slope = slope_of_root(solution, x)
    states, unrolled = jvp(run(loop, LARGEST), (x,), (1.0,))
    slopes = {
        "unrolled": unrolled,
        "one iteration": [one_iteration(loop, z, x) for z in states],
        "implicit": [slope_of_root(z, x) for z in states],
    }
    value_errors = tuple(abs(float(z) - solution) for z in states)
    slope_errors = {
        way: tuple(abs(float(slope) - correct_slope) for slope in slopes[way]) for way in WAYS
    }
    return correct_slope, value_errors, slope_errors


def slope_of_root(z: float, x: float) -> float:
    """Find dz/dx by the implicit function theorem, at the value where a loop has stopped."""
    by_z, by_x = grad(residual, argnums=(0, 1))(z, x)
    return float(-by_x / by_z)


def one_iteration(loop: str, z: float, x: float) -> float:
    """Find dz/dx from a single iteration of a loop, with the state as a constant."""
    step, start = LOOPS[loop]
    is_bisection = isinstance(start, tuple)
    if is_bisection:
        return 0.0
    return float(grad(step, argnums=1)(z, x))


@functools.lru_cache(256)
def count_lines(loop: str, iterations: int, x: float) -> dict[str, int]:
    """Count the tape lines that each of the `WAYS` records, without the inputs."""
    _, start = LOOPS[loop]
    _, unrolled = record(lambda x: run(loop, iterations)(x)[-1], x)
    _, one_iteration = record(lambda x: run(loop, 1)(x)[-1], x)
    _, equation = record(residual, _value(start), x)
    tapes = {"unrolled": unrolled, "one iteration": one_iteration, "implicit": equation}
    return {way: len(tapes[way]) - tapes[way].n_inputs for way in WAYS}


def count_work(lines: dict[str, int]) -> dict[str, int]:
    """Count the operations of each of the `WAYS`: the loop, everything else that is recorded, and the sweep.

    A sweep is counted as one operation for each recorded line.
    """
    loop = lines["unrolled"]
    work = {way: loop + 2 * recorded for way, recorded in lines.items()}
    work["unrolled"] = 2 * loop  # the loop itself is what is recorded
    return work


# The lab


class ConvergedLoop(Lab):
    """A lab on implicit differentiation: four loops to the solution of z = cos(x z), and three derivatives of it.

    >>> lab = ConvergedLoop()
    >>> lab.set(iterations=60)
    >>> lab.snapshot()["lines"]
    {'unrolled': 120, 'one iteration': 2, 'implicit': 3}
    """

    about = "Drag the iterations in the plot, and choose another loop. All four look for the solution of z = cos(x z)."
    controls = (
        Choice("loop", "loop", tuple(LOOPS)),
        Slider("iterations", "iterations", 0, LARGEST, 1, 20),
        Slider("x", "x", 0.5, 1.2, 0.05, 1.0),
    )
    loop: str
    iterations: int
    x: float

    def snapshot(self) -> dict[str, Any]:
        """Return the errors after each iteration, and the tape lines and operations of the chosen number."""
        slope, value_errors, errors = find_errors(self.loop, self.x)
        lines = count_lines(self.loop, self.iterations, self.x)
        return {
            "loop": self.loop,
            "iterations": self.iterations,
            "slope": slope,
            "value_error": value_errors[self.iterations],
            "errors": errors,
            "lines": lines,
            "work": count_work(lines),
        }

    def sentence(self) -> str:
        """Describe the three errors after these iterations, and the lengths of two tapes."""
        snap = self.snapshot()
        off = {way: write_error(errors[self.iterations]) for way, errors in snap["errors"].items()}
        return (
            f"After {count_noun(self.iterations, 'iteration')} of “{self.loop}” the value is off by "
            f"{write_error(snap['value_error'])}. The slope {number(round(snap['slope'], 6))} is off by "
            f"{off['unrolled']} unrolled, by {off['one iteration']} from one iteration, and by {off['implicit']} "
            f"from the equation. The tape of the loop has {count_noun(snap['lines']['unrolled'], 'line')}, that of the "
            f"equation {snap['lines']['implicit']}."
        )

    def table(self) -> Grid:
        """Compare errors, tape lines and operations of the three ways."""
        snap = self.snapshot()
        rows = [
            (
                way,
                write_error(snap["errors"][way][self.iterations]),
                snap["lines"][way],
                snap["work"][way],
            )
            for way in LOOKS
        ]
        heads = ("way", "error of the slope", "lines on the tape", "operations, with the sweep")
        return grid(f"“{self.loop}” after {count_noun(self.iterations, 'iteration')}", heads, rows)

    def picture(self) -> str:
        """Draw the error of the slope after each iteration, and next to it the cost of each way."""
        snap = self.snapshot()
        sheet = Sheet(
            900,
            400,
            "Error of the slope over the iterations of the loop, and bars for tape lines and operations",
        )
        axes = Axes(sheet, PLOT, (0, LARGEST), (SMALLEST, 1))
        axes.scales(
            make_ticks(range(0, LARGEST + 1, 10)),
            make_power_ticks(range(SMALLEST, 1, 4)),
            "iterations of the loop",
        )
        sheet.text(PLOT[0], 20, "error of the slope dz/dx", "soft_ink", size=14)
        for k, (way, (role, dash, width)) in enumerate(LOOKS.items()):
            errors = [
                max(math.log10(error), SMALLEST) if error else SMALLEST
                for error in snap["errors"][way]
            ]
            axes.curve(
                [(float(n), min(error, 1.0)) for n, error in enumerate(errors)], role, width, dash
            )
            sheet.dot(*axes.at(snap["iterations"], errors[snap["iterations"]]), role, 5)
            draw_legend(sheet, PLOT[0] + 150 * k, 392, way, role, width, dash)
        axes.marker(snap["iterations"])
        axes.slide("iterations, in the plot", snap["iterations"], axes.across("iterations"))
        _draw_bars(sheet, 20, "lines on the tape", snap["lines"])
        _draw_bars(sheet, 206, "operations, with the sweep", snap["work"])
        sheet.cut(530)
        return sheet.svg()


def _draw_bars(sheet: Sheet, top: float, title: str, amounts: dict[str, int]) -> None:
    sheet.text(BARS, top, title, "soft_ink", size=14)
    largest = max(*amounts.values(), 1)
    for k, (way, amount) in enumerate(amounts.items()):
        y = top + 16 + 48 * k
        role = LOOKS[way][0]
        sheet.text(BARS, y + 14, way, role, size=14)
        draw_bar(sheet, BARS + 80, y, 200 * amount / largest, role, str(amount), 20)
