"""ConvergedLoop: the equation has the slope as soon as the value is right, whatever loop has found it."""

import numpy as np
import pytest

from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs import ConvergedLoop
from autodiff_lab.widgets.labs.converged_loop.lab import LARGEST, LOOPS, WAYS, run

PLAIN, DAMPED, NEWTON, BISECTION = LOOPS


def at(loop=PLAIN, iterations=LARGEST, x=1.0):
    lab = ConvergedLoop()
    lab.set(loop=loop, iterations=iterations, x=x)
    return lab.snapshot()


def error(snap, way):
    return snap["errors"][way][snap["iterations"]]


@pytest.mark.parametrize("x", [0.5, 1.0, 1.2])
@pytest.mark.parametrize("loop", LOOPS)
def test_the_implicit_slope_is_as_good_as_the_value(loop, x):
    snap = at(loop, x=x)
    assert error(snap, "implicit") <= 2 * snap["value_error"] + 1e-15


@pytest.mark.parametrize("x", [0.5, 1.0, 1.2])
def test_the_slope_is_that_of_finite_differences(x):
    def solve(x):
        return run(NEWTON, 20)(x)[-1]

    assert at(x=x)["slope"] == pytest.approx((solve(x + 1e-5) - solve(x - 1e-5)) / 2e-5, rel=1e-9)


def test_unrolled_lags_behind():
    for iterations in (10, 20, 40):
        snap = at(iterations=iterations)
        assert error(snap, "unrolled") > 10 * error(snap, "implicit")


def test_bisection_has_no_slope_at_all():
    snap = at(BISECTION)
    assert snap["value_error"] < 1e-15
    assert error(snap, "unrolled") == error(snap, "one iteration") == abs(snap["slope"])


def test_four_turns_of_newton_are_enough_for_all():
    """The notebook says so."""
    early, done = at(NEWTON, 3), at(NEWTON, 4)
    assert max(error(early, way) for way in WAYS) > 1e-13 > max(error(done, way) for way in WAYS)


def test_one_turn_is_enough_for_newton_alone():
    assert error(at(NEWTON), "one iteration") < 1e-15
    for loop in (PLAIN, DAMPED, BISECTION):
        assert error(at(loop), "one iteration") > 0.1


@pytest.mark.parametrize("loop", [PLAIN, DAMPED, NEWTON])
@pytest.mark.parametrize("iterations", [1, 7])
def test_the_unrolled_slope_is_that_of_the_engine(loop, iterations):
    snap = at(loop, iterations)
    slope = grad(lambda x: run(loop, iterations)(x)[-1])(1.0)
    assert error(snap, "unrolled") == pytest.approx(abs(slope - snap["slope"]), abs=1e-15)


def test_the_tape_of_the_equation_does_not_grow():
    few, many = at(iterations=2), at(iterations=50)
    assert many["lines"]["unrolled"] == 25 * few["lines"]["unrolled"]
    assert many["lines"]["implicit"] == few["lines"]["implicit"]
    assert many["work"]["implicit"] < many["work"]["unrolled"]


def test_the_picture_has_a_curve_and_bars_for_each_way():
    svg = ConvergedLoop().picture()
    assert all(svg.count(f">{way}<") == 3 for way in WAYS)
    assert np.isfinite(ConvergedLoop().snapshot()["slope"])
