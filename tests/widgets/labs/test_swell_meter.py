"""SwellMeter: the formula swells, the work of AD does not."""

import itertools

import pytest

from autodiff_lab.widgets.labs import SwellMeter
from autodiff_lab.widgets.labs.swell_meter.lab import LARGEST


def at(n, x=0.3):
    lab = SwellMeter()
    lab.set(n=n, x=x)
    return lab.snapshot()


def test_the_formula_strictly_grows_and_by_a_factor():
    sizes = [at(n)["derivative_size"] for n in range(1, 7)]
    assert all(larger > 2 * smaller for smaller, larger in itertools.pairwise(sizes))


def test_the_work_of_ad_is_a_bounded_multiple():
    for n in range(2, 7):
        assert at(n)["operations"] == 3 * (n - 1)
        assert at(n)["sweep"] <= 2 * at(n)["operations"]


def test_the_numbers_of_the_curriculum():
    assert at(4)["value"] == pytest.approx(0.99434496, rel=1e-15)
    assert at(4)["slope"] == pytest.approx(1.3090816, rel=1e-14)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("x", [0.05, 0.3, 0.5, 0.95])
def test_the_formula_and_ad_give_one_number(n, x):
    assert at(n, x)["slope_of_formula"] == pytest.approx(at(n, x)["slope"], rel=1e-11, abs=1e-11)


def test_what_does_not_fit_is_counted():
    lab = SwellMeter()
    lab.set(n=6)
    assert "more lines like these" in lab.picture()
    lab.set(n=2)
    assert "more lines like these" not in lab.picture()


def test_opens_where_the_formula_no_longer_fits():
    """With one turn left to move."""
    lab = SwellMeter()
    assert "more lines like these" in lab.picture() and lab.n == LARGEST - 1
    assert str(lab.still()) == str(lab)
