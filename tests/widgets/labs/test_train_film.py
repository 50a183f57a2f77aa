"""TrainFilm: the losses are those of the training, and the shaded part is where the network says class 1."""

import base64
import itertools
import re

import numpy as np
import pytest

from autodiff_lab.systems import perceptron
from autodiff_lab.widgets.labs import TrainFilm
from autodiff_lab.widgets.labs.train_film.lab import (
    CASES,
    METHODS,
    STEPS,
    find_boundary,
    find_region,
)
from autodiff_lab.widgets.labs.train_strip.lab import TrainStrip


def at(**settings):
    lab = TrainFilm()
    lab.set(**settings)
    return lab


@pytest.mark.parametrize("task", CASES)
@pytest.mark.parametrize("method", METHODS)
def test_the_losses_are_those_of_the_training(task, method):
    case = CASES[task]
    run = itertools.islice(perceptron.train(case.task, METHODS[method](), case.start), 51)
    shown = at(task=task, method=method, step=50).snapshot()
    assert shown["losses"][method][:51] == pytest.approx([step.loss for step in run], rel=1e-9)
    assert shown["loss"] == shown["losses"][method][50]


@pytest.mark.parametrize("task", CASES)
def test_methods_share_a_start_and_two_classify_every_point(task):
    assert len({at(task=task, method=method).snapshot()["loss"] for method in METHODS}) == 1
    for method in ("momentum", "Adam"):
        end = at(task=task, method=method, step=STEPS).snapshot()
        assert end["right"] == end["points"]
    assert at(task=task, step=0).snapshot()["right"] < end["points"]


@pytest.mark.parametrize("step", [0, 100, STEPS])
@pytest.mark.parametrize("task", CASES)
def test_the_shaded_part_is_where_the_network_says_class_1(task, step):
    lab = at(task=task, method="momentum", step=step)
    case = CASES[task]
    pieces = find_region(case, lab.at.params)
    rows = sorted({y for _, _, y in pieces})
    assert rows
    for y in rows[:: max(1, len(rows) // 8)]:
        for x in np.linspace(*case.x, 37):
            out = float(perceptron.network(lab.at.params, np.array([[x, y]]))[0, 0])
            inside = any(a <= x <= b for a, b, row in pieces if row == y)
            assert inside == (out > 0.5) or abs(out - 0.5) < 0.02


@pytest.mark.parametrize("step", [0, STEPS])
@pytest.mark.parametrize("task", CASES)
def test_the_network_is_undecided_on_the_boundary(task, step):
    lab = at(task=task, step=step)
    lines = find_boundary(CASES[task], lab.at.params)
    out = perceptron.network(lab.at.params, np.array([place for line in lines for place in line]))
    assert lines and out == pytest.approx(0.5, abs=0.02)


def test_it_opens_one_press_before_the_classes_separate():
    lab = TrainFilm()
    assert lab.can("forward") and f"Adam: {lab.snapshot()['loss']:.4f}" in lab.picture()
    assert "80 of 80 points are on the right side" in lab.still().sentence()


def test_aregion_that_reaches_both_sides_and_one_that_is_empty():
    case = CASES["XOR"]
    everywhere = {**case.start, "W2": np.zeros((3, 1)), "b2": np.array([1.0])}
    assert {(a, b) for a, b, _ in find_region(case, everywhere)} == {case.x}
    assert find_region(case, {**everywhere, "b2": np.array([0.0])}) == []


def test_the_classes_differ_in_form_and_the_film_ends():
    lab = at(task="XOR")
    circles = re.findall(r'<circle [^>]*fill="(\w+|#\w+)"', lab.picture())
    assert circles.count("none") == 2 + 1 + 1, (
        "two points, the legend, and the handle that can be dragged"
    )
    lab.set(step=STEPS)
    assert not lab.can("forward")
    lab.press("restart")
    assert lab.step == 0 and not lab.can("restart")


def test_the_table_follows_the_slider():
    assert len(at(step=0).table().text().splitlines()) == 4
    assert "80" in at(step=STEPS, method="Adam").table().text()


def test_a_strip_shows_the_frames_of_the_film():
    strip = TrainStrip("two moons", "momentum", (0, 40, 100, 300))
    for step in strip.steps:
        snap = at(task="two moons", method="momentum", step=step).snapshot()
        assert f"step {step}<" in strip.svg()
        assert f"{snap['right']} of 80 right" in strip.description
    data = strip._repr_mimebundle_()
    assert strip.description in data["text/plain"] and "prefers-color-scheme" in unpacked(
        data["text/html"]
    )
    assert 'alt="two moons, momentum. Step 0: loss 0.3546' in data["text/html"]


def unpacked(html):
    return base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
