"""The controller of the lab ConvergedLoop: errors and costs of its slope in three ways, turn by turn."""

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
WAYS = ("unrolled", "one turn", "implicit")
Turn = Callable[[Any, Any], Any]

PLOT = (56.0, 30.0, 440.0, 290.0)
LOOKS = {
    "unrolled": ("adjoint", "", 4.0),
    "one turn": ("soft_ink", "2 5", 3.0),
    "implicit": ("tangent", "9 4", 3.0),
}
SMALLEST, BARS = -16, 560.0


# The loops, and three ways to the derivative of what they find


def residual(z: Any, x: Any) -> Any:
    """The residual of z = cos(x z): it is 0 where the lab's loops have converged."""
    return z - np.cos(x * z)


def turn_newton(z: Any, x: Any) -> Any:
    """Take one turn of the Newton loop that converges to the solution of z = cos(x z)."""
    return z - residual(z, x) / (1 + x * np.sin(x * z))


def halve(ends: Any, x: Any) -> Any:
    """Take one turn of the loop that converges by bisection: halve the interval around the solution.

    The state is its ends; their middle counts as z.
    """
    low, high = ends
    middle = (low + high) / 2
    return (middle, high) if middle < np.cos(x * middle) else (low, middle)


TURNS: dict[str, tuple[Turn, Any]] = {
    "z ← cos(x z)": (lambda z, x: np.cos(x * z), 1.0),
    "a tenth of that turn": (lambda z, x: 0.9 * z + 0.1 * np.cos(x * z), 1.0),
    "Newton's method": (turn_newton, 1.0),
    "bisection": (halve, (0.0, 1.0)),
}


def run(loop: str, turns: int) -> Callable[[Any], list[Any]]:
    """Make a program of x that runs one of ConvergedLoop's loops and returns the states, from the first to the last."""
    turn, start = TURNS[loop]

    def program(x: Any) -> list[Any]:
        states = [start]
        for _ in range(turns):
            states.append(turn(states[-1], x))
        return [_value(state) for state in states]

    return program


def _value(state: Any) -> Any:
    return (state[0] + state[1]) / 2 if isinstance(state, tuple) else state


@functools.lru_cache(64)
def find_errors(
    loop: str, x: float
) -> tuple[float, tuple[float, ...], dict[str, tuple[float, ...]]]:
    """Find the errors of a loop after each turn, by the solution to which Newton's method has converged.

    Returns
    -------
    tuple
        The slope at the solution; the errors of the value; and by each of the `WAYS` the errors of the slope.
    """
    solution = run("Newton's method", LARGEST)(x)[-1]
    right = slope_of_root(solution, x)
    states, unrolled = jvp(run(loop, LARGEST), (x,), (1.0,))
    ways = (unrolled, [one_turn(loop, z, x) for z in states], [slope_of_root(z, x) for z in states])
    slopes = {
        way: tuple(abs(float(s) - right) for s in found)
        for way, found in zip(WAYS, ways, strict=True)
    }
    return right, tuple(abs(float(z) - solution) for z in states), slopes


def slope_of_root(z: float, x: float) -> float:
    """Find dz/dx by the implicit function theorem, wherever the converged loop has stopped."""
    along_z, along_x = grad(residual, argnums=(0, 1))(z, x)
    return float(-along_x / along_z)


def one_turn(loop: str, z: float, x: float) -> float:
    """Find dz/dx by one turn of the converged loop alone, with the state as a constant."""
    turn, start = TURNS[loop]
    return 0.0 if isinstance(start, tuple) else float(grad(turn, argnums=1)(z, x))


@functools.lru_cache(256)
def count_lines(loop: str, turns: int, x: float) -> dict[str, int]:
    """Count the tape lines of the slope by each of ConvergedLoop's `WAYS`, without the inputs."""
    unrolled, one_turn = (record(lambda x, n=n: run(loop, n)(x)[-1], x)[1] for n in (turns, 1))
    equation = record(residual, _value(TURNS[loop][1]), x)[1]
    tapes = (unrolled, one_turn, equation)
    return {way: len(tape) - tape.n_inputs for way, tape in zip(WAYS, tapes, strict=True)}


def count_work(lines: dict[str, int]) -> dict[str, int]:
    """Count operations for the slope by each of ConvergedLoop's `WAYS`: loop, what it records beside it, and the sweep.

    A sweep goes back over a line for each line that was recorded.
    """
    loop = lines["unrolled"]
    return {
        way: 2 * loop if way == "unrolled" else loop + 2 * recorded
        for way, recorded in lines.items()
    }


# The lab


class ConvergedLoop(Lab):
    """A lab on implicit differentiation: four loops to the solution of z = cos(x z), and three derivatives of it.

    >>> lab = ConvergedLoop()
    >>> lab.set(turns=60)
    >>> lab.snapshot()["lines"]
    {'unrolled': 120, 'one turn': 2, 'implicit': 3}
    """

    about = "Drag the turns in the plot, and choose another loop. All four look for the solution of z = cos(x z)."
    controls = (
        Choice("loop", "loop", tuple(TURNS)),
        Slider("turns", "turns", 0, LARGEST, 1, 20),
        Slider("x", "x", 0.5, 1.2, 0.05, 1.0),
    )
    loop: str
    turns: int
    x: float

    def snapshot(self) -> dict[str, Any]:
        """The converged loop's data: the errors after each turn; tape lines and operations after these turns."""
        slope, value_errors, errors = find_errors(self.loop, self.x)
        lines = count_lines(self.loop, self.turns, self.x)
        return {
            "loop": self.loop,
            "turns": self.turns,
            "slope": slope,
            "value_error": value_errors[self.turns],
            "errors": errors,
            "lines": lines,
            "work": count_work(lines),
        }

    def sentence(self) -> str:
        """What the lab says of its converged loop: the three errors at this moment, and the two tapes."""
        snap = self.snapshot()
        off = {way: write_error(errors[self.turns]) for way, errors in snap["errors"].items()}
        return (
            f"After {count_noun(self.turns, 'turn')} of “{self.loop}” the value is off by "
            f"{write_error(snap['value_error'])}. The slope {number(round(snap['slope'], 6))} is off by "
            f"{off['unrolled']} unrolled, by {off['one turn']} from one turn, and by {off['implicit']} from the "
            f"equation. The tape of the loop has {count_noun(snap['lines']['unrolled'], 'line')}, that of the equation "
            f"{snap['lines']['implicit']}."
        )

    def table(self) -> Grid:
        """The converged loop's table: errors, tape lines and operations of the three ways side by side."""
        snap = self.snapshot()
        rows = [
            (
                way,
                write_error(snap["errors"][way][self.turns]),
                snap["lines"][way],
                snap["work"][way],
            )
            for way in LOOKS
        ]
        heads = ("way", "error of the slope", "lines on the tape", "operations, with the sweep")
        return grid(f"“{self.loop}” after {count_noun(self.turns, 'turn')}", heads, rows)

    def picture(self) -> str:
        """The converged loop's picture: the slope's error after each turn, and beside it what each way costs."""
        snap = self.snapshot()
        sheet = Sheet(
            900,
            400,
            "Error of the slope over the turns of the loop, and bars for tape lines and operations",
        )
        axes = Axes(sheet, PLOT, (0, LARGEST), (SMALLEST, 1))
        axes.scales(
            make_ticks(range(0, LARGEST + 1, 10)),
            make_power_ticks(range(SMALLEST, 1, 4)),
            "turns of the loop",
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
            sheet.dot(*axes.at(snap["turns"], errors[snap["turns"]]), role, 5)
            draw_legend(sheet, PLOT[0] + 150 * k, 392, way, role, width, dash)
        axes.marker(snap["turns"])
        axes.slide("turns, in the plot", snap["turns"], axes.across("turns"))
        _draw_bars(sheet, 20, "lines on the tape", snap["lines"])
        _draw_bars(sheet, 206, "operations, with the sweep", snap["work"])
        sheet.cut(530)
        return sheet.svg()


def _draw_bars(sheet: Sheet, top: float, title: str, amounts: dict[str, int]) -> None:
    sheet.text(BARS, top, title, "soft_ink", size=14)
    largest = max(*amounts.values(), 1)
    for k, (way, amount) in enumerate(amounts.items()):
        y, role = top + 16 + 48 * k, LOOKS[way][0]
        sheet.text(BARS, y + 14, way, role, size=14)
        draw_bar(sheet, BARS + 80, y, 200 * amount / largest, role, str(amount), 20)
