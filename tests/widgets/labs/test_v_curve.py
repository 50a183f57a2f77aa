"""VCurve: the errors that the curriculum names, and which side of the V one is on."""

import re

import numpy as np
import pytest

from autodiff_lab.widgets.labs import VCurve
from autodiff_lab.widgets.labs.v_curve.lab import FLOOR, SMALLEST


def at(h, **values):
    lab = VCurve()
    lab.set(h=h, **values)
    return lab


@pytest.mark.parametrize(
    ("method", "h", "error"), [("forward", 1e-8, 7.5e-9), ("central", 3.2e-5, 2.0e-11)]
)
def test_the_best_step_of_each_difference(method, h, error):
    best = VCurve().snapshot()["best"][method]
    assert best == pytest.approx((h, error), rel=0.02)


@pytest.mark.parametrize(("exponent", "error"), [(-8, 7.5e-9), (-15, 3.5e-2), (-17, 1.0)])
def test_the_forward_error(exponent, error):
    assert at(exponent).snapshot()["errors"]["forward"] == pytest.approx(error, rel=0.01)


def test_the_complex_step_loses_nothing():
    snapshot = at(-20).snapshot()
    assert snapshot["errors"]["complex"] == 0 or snapshot["errors"]["complex"] < 2e-16
    assert snapshot["slopes"]["ad"] == pytest.approx(2 - np.cos(5), rel=1e-15)


@pytest.mark.parametrize(("method", "slope"), [("forward", 1), ("central", 2)])
def test_the_truncation_sides_have_these_slopes(method, slope):
    upper, lower = (at(h).snapshot()["errors"][method] for h in (-2, -3))
    assert np.log10(upper / lower) == pytest.approx(slope, abs=0.05)


def test_a_parabola_has_no_truncation_in_the_middle():
    assert at(0, function="x² at 1").snapshot()["errors"]["central"] == 0
    assert at(0, function="x² at 1").snapshot()["errors"]["forward"] == 0.5


def test_single_precision_has_half_the_digits():
    double, single = (
        at(-4, single=single).snapshot()["best"]["forward"] for single in (False, True)
    )
    assert single[0] >= 1e3 * double[0] and single[1] > 1e3 * double[1]


@pytest.mark.parametrize(
    ("exponent", "said"),
    [(-1, "smaller h helps"), (-8, "best h"), (-12, "smaller h harms"), (-18, "h is lost")],
)
def test_the_sentence_says_which_side_one_is_on(exponent, said):
    assert said in at(exponent).sentence()


def test_the_sentence_names_each_curve_where_they_differ():
    assert (
        "For the forward difference a smaller h helps. For the central difference a smaller h harms"
        in at(-6).sentence()
    )
    assert "For the central difference nothing is left over" in at(0, function="x² at 1").sentence()


def test_the_digits_that_cancel_are_grey():
    few, many = (at(h).picture() for h in (-12, -1))
    assert "4 of 17 digits do not cancel" in few or "5 of 17 digits do not cancel" in few
    assert "15 of 17 digits do not cancel" in many


def test_only_what_is_ticked_is_shown():
    lab = at(-1, forward=False, central=False)
    assert "none is shown" in lab.sentence()
    assert lab.table().rows == ()
    lab.set(ad=True)
    assert len(lab.table().rows) == 1


def test_one_decade_is_as_long_in_the_width_as_in_the_height():
    """So that a slope can be read off; the plot is the first and largest rectangle."""
    width, height = map(
        float,
        re.search(r'<rect [^>]*width="([\d.]+)" height="([\d.]+)"', VCurve().picture()).groups(),
    )
    assert width / (0 - SMALLEST) == height / (1 - FLOOR)
    assert VCurve.controls[0].name == "h"
