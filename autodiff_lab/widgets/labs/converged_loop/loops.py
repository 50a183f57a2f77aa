"""Four loops that find the same solution of z = cos(x z), and three ways to its derivative after each turn."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.transforms.gradients import grad, jvp, record

LARGEST = 60
WAYS = ("unrolled", "one turn", "implicit")
Turn = Callable[[Any, Any], Any]


def residual(z: Any, x: Any) -> Any:
    """The equation z = cos(x z) that all loops solve: 0 at the solution."""
    return z - np.cos(x * z)


def turn_newton(z: Any, x: Any) -> Any:
    """Take one turn of the loop that solves z = cos(x z) by Newton's method."""
    return z - residual(z, x) / (1 + x * np.sin(x * z))


def halve(ends: Any, x: Any) -> Any:
    """Take one turn of the bisection loop: halve the interval with the solution, whose middle is the state."""
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
    """Make a program of x that runs one of the loops and returns the state at the beginning and after each turn."""
    turn, start = TURNS[loop]

    def program(x: Any) -> list[Any]:
        states = [start]
        for _ in range(turns):
            states.append(turn(states[-1], x))
        return [_value(state) for state in states]

    return program


def _value(state: Any) -> Any:
    return (state[0] + state[1]) / 2 if isinstance(state, tuple) else state


class Slopes(NamedTuple):
    """The errors of a loop after each number of turns: of the value, and of the slope by each of the `WAYS`."""

    value: tuple[float, ...]
    slopes: dict[str, tuple[float, ...]]
    right: float


@functools.lru_cache(64)
def find_errors(loop: str, x: float) -> Slopes:
    """Find a loop's errors after each turn, by the solution that Newton's method finds in the end."""
    solution = run("Newton's method", LARGEST)(x)[-1]
    right = slope_of_root(solution, x)
    states, unrolled = jvp(run(loop, LARGEST), (x,), (1.0,))
    ways = (unrolled, [one_turn(loop, z, x) for z in states], [slope_of_root(z, x) for z in states])
    slopes = {way: tuple(abs(float(s) - right) for s in found) for way, found in zip(WAYS, ways, strict=True)}
    return Slopes(tuple(abs(float(z) - solution) for z in states), slopes, right)


def slope_of_root(z: float, x: float) -> float:
    """Find dz/dx by the implicit function theorem, wherever the loop has stopped."""
    along_z, along_x = grad(residual, argnums=(0, 1))(z, x)
    return float(-along_x / along_z)


def one_turn(loop: str, z: float, x: float) -> float:
    """Find dz/dx by one turn of the loop alone, with the state as a constant."""
    turn, start = TURNS[loop]
    return 0.0 if isinstance(start, tuple) else float(grad(turn, argnums=1)(z, x))


@functools.lru_cache(256)
def count_lines(loop: str, turns: int, x: float) -> dict[str, int]:
    """Count the tape lines of a loop's slope by each of the `WAYS`, without the inputs."""
    unrolled, one_turn = (record(lambda x, n=n: run(loop, n)(x)[-1], x)[1] for n in (turns, 1))
    equation = record(residual, _value(TURNS[loop][1]), x)[1]
    tapes = (unrolled, one_turn, equation)
    return {way: len(tape) - tape.n_inputs for way, tape in zip(WAYS, tapes, strict=True)}


def count_work(lines: dict[str, int]) -> dict[str, int]:
    """Count operations for a loop's slope by each of the `WAYS`: the loop, what it records beside it, and the sweep.

    A sweep goes back over a line for each line that was recorded.
    """
    loop = lines["unrolled"]
    return {way: 2 * loop if way == "unrolled" else loop + 2 * recorded for way, recorded in lines.items()}
