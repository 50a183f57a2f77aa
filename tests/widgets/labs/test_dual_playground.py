"""DualPlayground: the slopes that the curriculum names, and an ε² bin that adds up."""

import math
import re

import numpy as np
import pytest

from autodiff_lab import hessian
from autodiff_lab.widgets.labs import DualPlayground
from autodiff_lab.widgets.labs.dual_playground.lab import MAP, f, find_levels


def turned(**values):
    lab = DualPlayground()
    lab.set(**values)
    return lab


@pytest.mark.parametrize(
    ("angle", "tangent"), [(0, 5.5), (90, 1.7163378145367738), (45, 5.102721403991862), (180, -5.5)]
)
def test_the_tangent_in_a_direction(angle, tangent):
    assert turned(angle=angle).snapshot()["tangent"] == pytest.approx(tangent, rel=1e-14)


def test_the_steepest_direction_and_the_level_one():
    lab = DualPlayground()
    lab.press("steepest")
    assert lab.angle == pytest.approx(17.331128695564335, rel=1e-14)
    assert lab.snapshot()["tangent"] == pytest.approx(5.761580989069655, rel=1e-14)
    lab.press("level")
    assert lab.snapshot()["tangent"] == pytest.approx(0, abs=1e-13)
    assert "level curve" in lab.sentence()


def test_the_tangent_is_linear_in_the_seed():
    for length in (0, 0.5, 1.7, 2):
        assert turned(angle=45, length=length).snapshot()["tangent"] == pytest.approx(
            length * 5.102721403991862
        )


def test_the_bin_holds_half_the_second_derivatives():
    """Each line drops its own ε²; the product drops ẋ₁ẋ₂."""
    snapshot = turned(angle=30).snapshot()
    d1, d2 = snapshot["seed"]
    named = dict(zip(snapshot["lines"], snapshot["dropped"], strict=True))
    assert named["v2"] == pytest.approx(d1 * d2)
    assert named["v1"] == pytest.approx(-((d1 / 2) ** 2) / 2)
    assert named["v4"] == pytest.approx(-math.sin(5) * d2**2 / 2)
    assert named["v3"] == named["v5"] == named["v0"] == 0
    # What the result would have before ε²: the rows of the bin, with the signs they enter with.
    h = hessian(lambda x: f(x[0], x[1]))(np.array([2.0, 5.0]))
    assert named["v1"] + named["v2"] - named["v4"] == pytest.approx(
        0.5 * np.array([d1, d2]) @ h @ np.array([d1, d2])
    )


def test_the_circle_of_the_seed_ends_with_the_map():
    lab = turned(x1=5.5, x2=6.5, length=2)
    left, top, width, height = MAP
    circle = next(
        line
        for line in re.findall(r'<polyline points="([^"]*)"[^>]*stroke="#808080"', lab.picture())
    )
    for place in circle.split():
        x, y = map(float, place.split(","))
        assert left <= x <= left + width and top <= y <= top + height


def test_what_the_pass_keeps_and_drops_is_in_the_picture():
    assert "f = 11.6521 + 5.1027 ε" in turned(angle=45).picture()
    assert "0.5 ε²" in turned(angle=45).picture() and ">nothing<" in turned(length=0).picture()


def test_the_level_curves_are_level():
    assert len(find_levels()) > 5
    for level, line in find_levels():
        for x1, x2 in line[2:-2:5]:
            assert f(x1, x2) == pytest.approx(level, abs=0.1)
