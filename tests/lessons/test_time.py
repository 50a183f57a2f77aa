"""`time`: two ways to compute a gradient agree with each other and with differences, where the text says so."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.lessons import time as lesson
from autodiff_lab.lessons.time.exercises import driven, pendulum, rk4_step, solve

from ..notebooks.reading import listing

STARTS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "pendulum": (pendulum, np.array([1.0, 0.0]), np.array([0.35])),
    "driven": (driven, np.array([0.3, -0.8]), np.array([1.5, -0.5])),
}


@pytest.fixture
def names() -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": "__main__"}
    exec(listing("time"), found)
    for exercise in (lesson.ex_1, lesson.ex_2, lesson.ex_3):
        exec(exercise.reference, found)
    return found


@pytest.mark.parametrize("case", STARTS)
def test_program_equation_and_differences_agree(case: str, names: dict[str, Any]) -> None:
    f, start, p = STARTS[case]
    times = np.linspace(0.0, 1.5, 801)

    def last(start: Any, p: Any) -> Any:
        end = solve(
            rk4_step, lambda t, y, p: f(t, y, p[0] if case == "pendulum" else p), start, p, times
        )[-1]
        return np.sum(end * np.array([1.0, -2.0]))

    by_start, by_p = ad.grad(last, argnums=(0, 1))(start, p)
    ad.check_grads(last, (start, p), modes=("rev",))

    field = (lambda t, y, p: f(t, y, p[0])) if case == "pendulum" else f
    end = solve(rk4_step, field, start, p, times)[-1]
    state, adjoint, slope = names["backward"](rk4_step, field, end, np.array([1.0, -2.0]), p, times)
    assert np.allclose(state, start, atol=1e-8)
    assert np.allclose(adjoint, by_start, rtol=1e-8, atol=1e-8)
    assert np.allclose(slope, by_p, rtol=1e-8, atol=1e-8)


def test_the_sweep_of_euler_is_exercise_2_again_and_again(names: dict[str, Any]) -> None:
    euler_step, euler_back = names["euler_step"], names["euler_back"]
    times, start = np.linspace(0.0, 2.0, 21), np.array([1.0, 0.0])
    path = solve(euler_step, pendulum, start, 0.35, times)
    adjoint = np.array([1.0, 0.0])
    for k in reversed(range(20)):
        adjoint = euler_back(pendulum, times[k], path[k], 0.35, times[k + 1] - times[k], adjoint)
    by_tape = ad.grad(lambda start: solve(euler_step, pendulum, start, 0.35, times)[-1][0])(start)
    assert np.allclose(adjoint, by_tape, rtol=1e-13)


def test_a_stiff_path_cannot_be_retraced_and_segments_can(names: dict[str, Any]) -> None:
    times, start = np.linspace(0.0, 4.0, 1601), np.array([1.0, 0.0])

    def last(friction: Any) -> Any:
        return solve(rk4_step, pendulum, start, friction, times)[-1][0]

    exec(lesson.ex_5.reference, names)
    in_segments = ad.grad(lambda c: names["segmented"](rk4_step, pendulum, start, c, times, 40)[0])(
        16.0
    )
    assert in_segments == pytest.approx(ad.grad(last)(16.0), rel=1e-12)
    end = solve(rk4_step, pendulum, start, 16.0, times)[-1]
    state, _, _ = names["backward"](rk4_step, pendulum, end, np.array([1.0, 0.0]), 16.0, times)
    assert abs(state[0]) > 1e6
