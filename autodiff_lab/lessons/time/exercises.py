"""The exercises of `time`: the learner's solver steps and their derivatives, compared with the engine's.

The expected numbers come from the solver in this file (`rk4_step`, `solve`), differentiated by the engine.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_lab import grad, record, vjp
from autodiff_lab.lessons.checks import plain, run_cases

Field = Callable[[Any, Any, Any], Any]
Step = Callable[[Field, Any, Any, Any, Any], Any]


def pendulum(t: float, y: Any, friction: Any) -> Any:
    """The rates of a pendulum's angle and speed, for a length of one metre; angles in radians, time in seconds."""
    angle, speed = y
    return np.stack((speed, -9.81 * np.sin(angle) - friction * speed))


def driven(t: float, y: Any, p: Any) -> Any:
    """The rates of a driven oscillator, which depend on the time and on two parameters."""
    a, b = y
    return np.stack((p[0] * b + np.cos(t), p[1] * a - a * b))


def rk4_step(f: Field, t: Any, y: Any, p: Any, h: Any) -> Any:
    """One step of the classical Runge-Kutta method (Kutta, 1901): from `y` at `t` to `t + h`."""
    a = f(t, y, p)
    b = f(t + h / 2, y + h / 2 * a, p)
    c = f(t + h / 2, y + h / 2 * b, p)
    d = f(t + h, y + h * c, p)
    return y + h / 6 * (a + 2 * b + 2 * c + d)


def euler_step(f: Field, t: Any, y: Any, p: Any, h: Any) -> Any:
    """One step of Euler's method."""
    return y + h * f(t, y, p)


def solve(step: Step, f: Field, y: Any, p: Any, times: Sequence[float]) -> list[Any]:
    """The states at these times, starting with the state `y` at the first; the times may decrease."""
    path = [y]
    for t, after in pairwise(times):
        y = step(f, t, y, p, after - t)
        path.append(y)
    return path


HANGING = "the pendulum, at (1, 0.5)"
DRIVEN = "two driven numbers, at (0.3, −0.8)"
STATES: dict[str, tuple[Field, float, Any, Any]] = {
    HANGING: (pendulum, 0.0, np.array([1.0, 0.5]), 0.35),
    DRIVEN: (driven, 0.7, np.array([0.3, -0.8]), np.array([1.5, -0.5])),
}


# 1. Runge and Kutta


def expected_steps() -> dict[str, Any]:
    """Exercise 1: one step of size 0.1 for each of the two equations."""
    return {case: plain(rk4_step(f, t, y, p, 0.1)) for case, (f, t, y, p) in STATES.items()}


def run_steps(rk4_step: Any) -> Any:
    """Exercise 1: the same steps by the learner's `rk4_step`."""
    return run_cases(
        lambda names, f, t, y, p: plain(rk4_step(f, t, y, p, 0.1)),
        STATES,
        rk4_step,
        listing=("np",),
    )


# 2. One step of Euler, backward

ADJOINT = np.array([2.0, -1.0])


def expected_backs() -> dict[str, Any]:
    """Exercise 2: the adjoints before a step of size 0.1, if the adjoint after it is (2, −1)."""
    found = {}
    for case, (f, t, y, p) in STATES.items():
        _, pullback = vjp(lambda y, f=f, t=t, p=p: euler_step(f, t, y, p, 0.1), y)
        found[case] = plain(pullback(ADJOINT)[0])
    return found


def run_backs(euler_back: Any) -> Any:
    """Exercise 2: the same adjoints by the learner's `euler_back`."""

    def run(names: dict[str, Any], f: Field, t: float, y: Any, p: Any) -> Any:
        return plain(euler_back(f, t, y, p, 0.1, ADJOINT))

    return run_cases(run, STATES, euler_back, listing=("ad", "np"))


# 3. The equation backward


def expected_rates() -> dict[str, Any]:
    """Exercise 3: the rates of the state, of the adjoint (2, −1), and of the slope with respect to the parameter."""
    found = {}
    for case, (f, t, y, p) in STATES.items():
        value, pullback = vjp(lambda y, p, f=f, t=t: f(t, y, p), y, p)
        by_y, by_p = pullback(ADJOINT)
        found[case] = plain((value, -by_y, -by_p))
    return found


def run_rates(rates: Any) -> Any:
    """Exercise 3: the same rates by the learner's `rates`."""

    def run(names: dict[str, Any], f: Field, t: float, y: Any, p: Any) -> Any:
        return plain(rates(f, t, y, ADJOINT, p))

    return run_cases(run, STATES, rates, listing=("ad", "np"))


# 4. How far back

REACHES = {
    "a rate of 10 per second, 6 digits": (10.0, 6),
    "a rate of 0.35 per second, 6 digits": (0.35, 6),
    "a rate of 100 per second, 1 digit": (100.0, 1),
}


def expected_reaches() -> dict[str, float]:
    """Exercise 4: the times in which an error of 1e-16 grows until it reaches the last digit that is required."""
    return {case: (16 - digits) * math.log(10.0) / rate for case, (rate, digits) in REACHES.items()}


def run_reaches(longest: Any) -> Any:
    """Exercise 4: the same times by the learner's `longest`."""
    return run_cases(
        lambda names, rate, digits: longest(rate, digits), REACHES, longest, listing=("np",)
    )


# 5. In segments


def _end_and_slope(segmented: Any, times: Any, every: int) -> Any:
    def end(friction: Any) -> Any:
        return segmented(rk4_step, pendulum, np.array([1.0, 0.0]), friction, times, every)[0]

    return float(end(0.35)), float(grad(end)(0.35))


def _pieces(segmented: Any, times: Any, every: int) -> int:
    """The number of pieces that the tape of a run keeps: two lines for each of several pieces are accepted."""

    def end(y: Any, friction: Any) -> Any:
        return segmented(euler_step, pendulum, y, friction, times, every)

    _, tape = record(end, np.array([1.0, 0.0]), 0.35)
    lines = len(tape) - 2  # without the two inputs
    steps = len(times) - 1
    for pieces in (1, math.ceil(steps / every), steps):
        if lines <= (1 if pieces == 1 else 2 * pieces):
            return pieces
    return lines


TWELVE = "12 steps, in segments of 4: the angle at the end, and its slope"
TEN = "10 steps, in segments of 4: the angle at the end, and its slope"
KEPT = "12 steps, in segments of 4: how many pieces the tape keeps"
SEGMENTS = {
    TWELVE: (_end_and_slope, np.linspace(0.0, 1.2, 13), 4),
    TEN: (_end_and_slope, np.linspace(0.0, 1.0, 11), 4),
    KEPT: (_pieces, np.linspace(0.0, 1.2, 13), 4),
}


def _in_one_go(step: Step, f: Field, y: Any, p: Any, times: Sequence[float], every: int) -> Any:
    return solve(step, f, y, p, times)[-1]


def expected_segments() -> dict[str, Any]:
    """Exercise 5: the values and the slopes of the same steps without segments, and the number of pieces."""
    ends = {
        case: look(_in_one_go, times, every)
        for case, (look, times, every) in SEGMENTS.items()
        if case != KEPT
    }
    return {**ends, KEPT: 3}


def run_segments(segmented: Any) -> Any:
    """Exercise 5: the same values, slopes and number by the learner's `segmented`."""

    def run(names: dict[str, Any], look: Any, times: Any, every: int) -> Any:
        return look(segmented, times, every)

    return run_cases(run, SEGMENTS, segmented, listing=("ad", "np", "pairwise", "solve"))
