"""GradcheckBench: a right rule is green, a bug is red, and both ways in which a check can be wrong are to be seen."""

import math

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.widgets.labs import GradcheckBench
from autodiff_lab.widgets.labs.gradcheck_bench.lab import (
    BUGS,
    DIRECTIONS,
    DTYPES,
    SAMPLES,
    adjoint_of_bias,
    loss,
    relative_error,
)

*SMOOTH, RELU = SAMPLES
RANDOM, FIRST = DIRECTIONS


def at(**settings):
    lab = GradcheckBench()
    lab.set(**settings)
    return lab


@pytest.mark.parametrize("op", SAMPLES)
def test_without_a_bug_the_rule_is_the_engines_gradient(op):
    sample = SAMPLES[op]
    by_engine = grad(lambda b: loss(sample, sample.batch, b))(sample.bias)
    np.testing.assert_allclose(
        adjoint_of_bias(sample, sample.batch, sample.bias), by_engine, rtol=1e-14
    )


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("op", SMOOTH)
def test_clean_and_smooth_is_green(op, direction):
    snap = at(op=op, direction=direction).snapshot()
    assert snap["error"] <= 1e-7 and snap["verdict"] == "right"
    assert "✓" in at(op=op).sentence()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug != "none"])
@pytest.mark.parametrize("op", SAMPLES)
def test_every_injected_bug_is_red(op, bug, direction, dtype):
    lab = at(op=op, bug=bug, direction=direction, dtype=dtype)
    assert lab.snapshot()["verdict"] == "wrong"
    assert lab.sentence().startswith("✗ wrong")


@pytest.mark.parametrize("op", SMOOTH)
def test_a_wrong_sign_is_an_error_of_two(op):
    assert at(op=op, bug="wrong sign").snapshot()["error"] == pytest.approx(2)


@pytest.mark.parametrize("op", SMOOTH)
def test_a_missing_sum_is_red_by_its_shape_alone(op):
    """Multiplying by the direction broadcasts, so the numbers agree: the reason to compare shapes first."""
    snap = at(op=op, bug="no sum-back").snapshot()
    assert snap["error"] <= 1e-7 and snap["verdict"] == "wrong"
    assert snap["shape"] == (3, 2) != snap["shape_of_b"]
    assert "Compare shapes first" in at(op=op, bug="no sum-back").sentence()


def test_relu_beside_its_kink():
    lab = at(op=RELU, direction=FIRST)
    snap = lab.snapshot()
    assert snap["h"] == 1e-5 and snap["slope"] == 1
    assert snap["quotient"] == pytest.approx(0.505)
    assert snap["verdict"] == "wrong", "the rule is right all the same"
    assert "reaches across the kink" in lab.sentence()
    lab.set(h=-8)
    assert lab.snapshot()["verdict"] == "right"


def test_a_bug_that_one_direction_does_not_see():
    lab = at(op=RELU, direction=FIRST, bug="missing factor", h=-8)
    assert lab.snapshot()["verdict"] == "right" and "don't reveal it" in lab.sentence()
    lab.set(direction=RANDOM)
    assert lab.snapshot()["verdict"] == "wrong"


def test_an_unlucky_random_direction_and_the_next_one():
    lab = at(op="log", bug="missing factor")
    seen = []
    for _ in range(8):
        seen.append(lab.snapshot()["verdict"])
        if seen[-1] == "look closer":
            assert "nearly blind" in lab.sentence()
        lab.press("another")
    assert seen.count("look closer") == 1 and seen.count("wrong") == 7


def test_both_sides_of_the_v_and_single_precision():
    errors = {h: at(h=h).snapshot()["error"] for h in (-1, -5, -11)}
    assert errors[-5] < errors[-1] and errors[-5] < errors[-11]
    assert "Make h smaller" in at(h=-1).sentence() and "Make h larger" in at(h=-11).sentence()
    single = at(dtype="float32")
    assert single.snapshot()["error"] > 1e-3 and "float32 has 7 digits" in single.sentence()


def test_a_step_out_of_the_domain_is_said_and_does_not_pass():
    lab = at(op="log", h=-0.5, direction=FIRST)
    snap = lab.snapshot()
    assert math.isnan(snap["quotient"]) and snap["verdict"] == "wrong"
    assert "leaves the domain" in lab.sentence()


def test_a_direction_has_length_one_and_another_is_another():
    lab = GradcheckBench()
    first = lab.snapshot()["along"]
    lab.press("another")
    second = lab.snapshot()["along"]
    assert math.hypot(*first) == pytest.approx(1) == math.hypot(*second)
    assert first != second
    assert at(direction=FIRST).snapshot()["along"] == [1, 0]


def test_every_check_leaves_one_mark_until_it_is_forgotten():
    lab = GradcheckBench()
    assert len(lab.snapshot()["history"]) == 1 and not lab.can("forget")
    for h in (-4, -3, -4):
        lab.set(h=h)
    history = lab.snapshot()["history"]
    assert [round(math.log10(h)) for h, _, _ in history] == [-5, -3, -4]
    assert history[-1][1] == lab.snapshot()["error"]
    lab.press("forget")
    assert len(lab.snapshot()["history"]) == 1 and not lab.can("forget")
    for k in range(400):
        lab.set(h=-12 + k % 20 / 2, op=SMOOTH[k % 5])
        lab.press("another")
    assert len(lab.snapshot()["history"]) == 300


def test_each_verdict_has_a_shape_a_sign_and_a_word():
    marks = {}
    for verdict, settings in {
        "right": {},
        "look closer": {"h": -1},
        "wrong": {"bug": "wrong sign"},
    }.items():
        lab = at(**settings)
        lab.press("forget")
        assert (
            lab.snapshot()["verdict"] == verdict
            and verdict in lab.sentence()
            and verdict in str(lab)
        )
        plot = lab.picture()[lab.picture().index("relative error of every check") :]
        marks[verdict] = tuple(
            plot.count(shape) for shape in ("<circle", "<polygon", 'stroke-width="2.5"')
        )
    assert len(set(marks.values())) == 3, marks


def test_relative_error_of_infinity_and_nan_is_not_small():
    assert relative_error(0.0, 0.0) == 0
    assert not relative_error(math.nan, 1.0) <= 1e-2
    assert not relative_error(1.0, math.nan) <= 1e-2


def test_the_whole_v_is_seen_at_once_and_a_bug_has_none():
    lab = GradcheckBench()
    errors = [error for _, error in lab.snapshot()["curve"]]
    assert len(errors) == 24 and min(errors) < 1e-9 < 1e-4 < errors[-1]
    lab.set(bug="wrong sign")
    assert min(error for _, error in lab.snapshot()["curve"]) > 1
    assert lab.controls[0].name == "bug" and lab.snapshot()["h"] == 1e-5, (
        "one touch from the green light to the red"
    )
