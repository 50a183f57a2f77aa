"""NewtonHVP: where Newton's method converges, from which starts, and where other methods go from the same start."""

import json
import math
from pathlib import Path

import pytest

from autodiff_lab import grad
from autodiff_lab.widgets.labs import NewtonHVP
from autodiff_lab.widgets.labs.lab import Button
from autodiff_lab.widgets.labs.newton_hvp.lab import (
    METHODS,
    f,
    find_convex_interval,
    find_newton_interval,
    find_place,
    walk,
)

SERIES = json.loads((Path(__file__).parents[2] / "data" / "reference_cases.json").read_text())[
    "series"
]
DESCENT = SERIES["seed1_gradient_descent"]


def walked(steps, **values):
    lab = NewtonHVP()
    lab.set(**values)
    for _ in range(steps):
        lab.press("step")
    return lab


def test_newton_from_1_goes_uphill():
    lab = walked(1, method="Newton", start=1.0)
    assert lab.snapshot()["path"][1] == pytest.approx(DESCENT["newton_step_from_1"], rel=1e-13)
    assert lab.snapshot()["path"][1] == pytest.approx(-9.615384615384615, rel=1e-13)
    assert lab.snapshot()["fate"] == "ran away" and "uphill" in lab.sentence()


def test_newton_from_5_5():
    path = walked(3, method="Newton", start=5.5).snapshot()["path"]
    assert path == pytest.approx(
        [5.5, 7.870967741935484, 6.857012614824689, 7.000585884501171], rel=1e-13
    )


@pytest.mark.parametrize(
    ("start", "fate"), [(5.1, "ran away"), (5.2, "arrived"), (8.8, "arrived"), (8.9, "ran away")]
)
def test_where_newton_arrives_from(start, fate):
    assert walked(0, method="Newton", start=start).snapshot()["fate"] == fate


def test_the_interval_of_convergence():
    assert find_newton_interval() == pytest.approx(
        (5.174258141649446, 8.825741858350554), rel=1e-12
    )
    assert find_newton_interval() == pytest.approx(
        (7 - math.sqrt(10 / 3), 7 + math.sqrt(10 / 3)), rel=1e-12
    )


def test_the_interval_of_convexity_is_wider():
    assert find_convex_interval() == pytest.approx(tuple(DESCENT["convex_interval"]), rel=1e-14)
    assert (
        find_convex_interval()[0] < find_newton_interval()[0]
        and find_newton_interval()[1] < find_convex_interval()[1]
    )


def test_gradient_descent_is_that_of_the_reference():
    path = walked(30, method="gradient descent", start=1.0, rate=2.0).snapshot()["path"]
    assert path == pytest.approx(DESCENT["x"], rel=1e-12)


def test_damped_newton_arrives_from_everywhere_and_never_climbs():
    for k in range(181):
        start = round(-2 + 0.1 * k, 12)
        found = walk("damped Newton", start)
        values = [at.value for at in found.places]
        assert found.fate == "arrived" and values == sorted(values, reverse=True), f"from {start}"


def test_a_rate_that_is_too_large_jumps_to_and_fro():
    lab = walked(0, method="gradient descent", start=1.0, rate=12.0)
    assert lab.snapshot()["fate"] == "to and fro"


@pytest.mark.parametrize("x", [-2.0, 1.0, 3.9, 7.0, 15.5])
def test_the_curvature_is_the_second_derivative(x):
    u = x - 7
    assert find_place(x).curvature == pytest.approx(
        (20 - 2 * u * u) / (u * u + 10) ** 2, rel=1e-12, abs=1e-15
    )
    assert find_place(x).curvature == pytest.approx(grad(grad(f))(x), rel=1e-12)


def test_a_path_that_is_over_cannot_go_on():
    for method in METHODS:
        lab = walked(60, method=method, start=1.0)
        assert lab.snapshot()["finished"] and not lab.can("step")
        assert len(lab.table().rows) <= 10
    assert "runs away" in walked(60, method="Newton", start=1.0).sentence()
    assert "has arrived" in walked(0, method="Newton", start=7.0).sentence()


def test_another_setting_is_another_path():
    lab = walked(3, method="Newton", start=5.5)
    lab.set(start=5.6)
    assert lab.snapshot()["path"] == [5.6]
    lab.press("step")
    lab.press("back")
    assert lab.snapshot()["path"] == [5.6]


@pytest.mark.parametrize(
    ("method", "asked", "answered"),
    [
        ("gradient descent", "= 1 − 2 · (−0.2609) = ?", "= 1 − 2 · (−0.2609) = 1.5217"),
        ("Newton", "= 1 − (−0.2609) / (−0.0246) = ?", "= 1 − (−0.2609) / (−0.0246) = −9.6154"),
        (
            "damped Newton",
            "= 1 − t · (−0.2609) / 0.0246 = ?",
            "= 1 − 1 · (−0.2609) / 0.0246 = 11.6154",
        ),
    ],
)
def test_the_step_is_asked_and_then_written_out(method, asked, answered):
    assert (
        asked in walked(0, method=method).picture()
        and answered in walked(1, method=method).picture()
    )
    assert answered in walked(0, method=method).still().picture()


def test_who_moves_the_learning_rate_wants_gradient_descent():
    lab = walked(1, method="Newton")
    lab.set(rate=12.0)
    assert lab.method == "gradient descent" and lab.snapshot()["path"] == [1.0]
    lab.set(method="Newton")
    assert lab.method == "Newton" and lab.copy().settings == lab.settings


def test_it_opens_one_press_before_newton_climbs():
    assert type(NewtonHVP.controls[0]) is Button and "goes uphill" in walked(1).sentence()


def test_a_step_that_was_damped_says_by_how_much():
    assert (
        "= 11.6154 − 0.5 · 0.2949 / 0.0231 = 5.2239" in walked(2, method="damped Newton").picture()
    )


def test_what_is_out_of_the_picture_is_named():
    assert "← x = −62.5444" in walked(3, method="Newton", start=1.0).picture()
