"""BallThrow: the numbers are the engine's, the optimum is where the slope is 0, and every target is in sight."""

import json
import math
from pathlib import Path

import nbformat
import pytest

from autodiff_lab import grad
from autodiff_lab.lessons.examples.ball import flight, landing
from autodiff_lab.widgets.labs import BallThrow
from autodiff_lab.widgets.labs.ball_throw.lab import FAR, FIELD, FLAT, HIGH, find_furthest

NOTEBOOK = Path(__file__).parents[3] / "notebooks" / "00_start_here.ipynb"


def thrown(**values):
    lab = BallThrow()
    lab.set(**values)
    return lab


@pytest.mark.parametrize("angle", [0.05, 0.2, 0.7, 1.1, 1.55])
@pytest.mark.parametrize("speed", [10, 22, 36])
def test_the_slope_is_that_of_the_flight(angle, speed):
    snap = thrown(angle=angle, speed=speed).snapshot()
    assert snap["landing"] == float(landing(angle, speed))
    h = 1e-6
    assert snap["slope"] == pytest.approx(
        (landing(angle + h, speed) - landing(angle - h, speed)) / (2 * h), rel=1e-4
    )


@pytest.mark.parametrize("speed", [10, 22, 35.5, 36])
def test_the_furthest_throw_is_where_the_slope_is_0(speed):
    angle, furthest = find_furthest(speed)
    assert abs(grad(landing)(angle, speed)) < FLAT
    assert all(
        landing(other, speed) <= furthest + 0.05
        for other in (angle - 0.2, angle - 0.02, angle + 0.02, 1.2)
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"angle": 0.2},
            "short of the target. The slope is 72.7: 0.1 rad more carries the ball about 7.3 m further.",
        ),
        ({"angle": 0.2}, "Aim higher."),
        ({"angle": 0.5}, "Aim lower."),
        ({"angle": 1.3}, "Aim lower."),
        ({"angle": 0.9}, "Aim higher."),
        ({"angle": 0.37}, "it hits the target"),
        ({"angle": 0.37}, "There is a second angle that hits"),
        ({"angle": 0.71}, "The slope is about 0, at the top of the curve"),
        ({"angle": 0.71, "target": 60}, "no other angle reaches the target. Throw faster."),
        (
            {"angle": 0.3, "target": 60},
            "At this speed no angle reaches the target: look where the slope becomes 0.",
        ),
        ({"angle": 1, "target": 60, "speed": 35.5}, "it hits the target"),
    ],
)
def test_the_sentence_says_how_to_aim(settings, said):
    assert said in thrown(**settings).sentence()


def test_every_target_and_every_throw_is_in_sight():
    for speed in (10, 22, 36):
        for angle in (0.05, find_furthest(speed)[0], 1.2):
            x, y = flight(angle, speed)
            assert max(x[:-1]) <= FAR
            assert max(y) <= HIGH or angle == 1.2
    for slider in BallThrow.controls:
        if slider.name == "target":
            assert slider.high <= FAR


def test_the_arrow_shows_the_angle_as_it_is():
    left, top, width, height = FIELD
    assert width / FAR == height / HIGH, "a metre is as long upwards as it is sideways"
    lab = thrown(angle=1.0)
    knobs = lab.picture().split('data-grip="head of the arrow"')[1].split("</g>")[0]
    x, y = (float(knobs.split(f'{name}="')[1].split('"')[0]) for name in ("cx", "cy"))
    assert math.atan2(top + height - y, x - left) == pytest.approx(1.0, abs=0.01)
    json.dumps(lab.snapshot())


def test_the_notebook_throws_the_same_ball():
    cell = next(c for c in nbformat.read(NOTEBOOK, as_version=4).cells if c.id == "throw-program")
    theirs = {"np": __import__("numpy")}
    exec(cell.source, theirs)
    for angle, speed in ((0.2, 22.0), (1.3, 22.0), (1.0, 35.5)):
        assert theirs["landing"](angle, speed) == landing(angle, speed)
