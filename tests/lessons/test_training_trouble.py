"""`training_trouble`: the patients have the bugs that the text finds, and its sliders lead to the answers."""

import itertools

import numpy as np
import pytest

from autodiff_lab import grad, hessian
from autodiff_lab.data import load_iris
from autodiff_lab.lessons import training_trouble as check
from autodiff_lab.lessons.learning.exercises import cross_entropy, iris_run
from autodiff_lab.lessons.training_trouble.exercises import measure_start, sharpness
from autodiff_lab.lessons.training_trouble.patients import (
    PATIENTS,
    Patient,
    measure,
    start,
    take_readings,
)


def saturated(spread, scale):
    """The percentage of hidden outputs beyond ±0.99, for weights of this spread."""
    x = load_iris().train.features
    if scale:
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    return 100 * np.mean(np.abs(np.tanh(x @ start(spread, 1.0)["W1"])) > 0.99)


@pytest.mark.parametrize(("scale", "largest", "too_large"), [(False, 0.1, 0.2), (True, 0.5, 1.0)])
def test_the_spread_slider_has_the_answer_of_the_fold(scale, largest, too_large):
    assert saturated(largest, scale) < 5 < saturated(too_large, scale)


def test_the_rate_slider_has_the_answer_of_the_text():
    """Nothing rises at 0.085, and something at 0.09; the limit 2/λ lies between."""

    def rises(rate):
        losses = [epoch.loss for epoch in iris_run(rate, 161)]
        return sum(after > before for before, after in itertools.pairwise(losses[100:]))

    assert rises(0.085) == 0 < rises(0.09)
    assert 0.085 < 2 / sharpness(iris_run(0.05, 161)[160].parameters) < 0.09


def test_each_patient_is_found_by_its_reading():
    readings = {name: measure(name) for name in PATIENTS}
    first = {name: reading.at_the_start for name, reading in readings.items()}
    assert max(first, key=first.get) == "R" and readings["R"].saturated > 0.8
    assert first["S"] == pytest.approx(np.log(3), abs=1e-12)
    floor = np.log(1 + 2 / np.e)
    assert floor < readings["Q"].four_flowers < floor + 0.01
    assert readings["P"].four_flowers < 0.01 and readings["P"].all_flowers > 0.9


def test_a_patient_without_its_fault_is_well():
    """Labels that belong to the flowers, one softmax, a smaller start: each patient but for the fault learns both."""
    right, well = PATIENTS["Q"].truth, PATIENTS["P"]
    mended = Patient(cross_entropy, well.start, well.x, right, well.rate)
    reading = take_readings(mended)
    assert reading.four_flowers < 0.01 and reading.all_flowers < 0.1


@pytest.mark.parametrize("seed", range(4))
def test_no_right_start_is_refused_by_chance(seed):
    """The spread is measured of a draw: from any seed it counts as 1."""
    for draw in (
        lambda rows, columns, rng: (
            np.random.default_rng(seed).normal(size=(rows, columns)) / np.sqrt(rows)
        ),
        lambda rows, columns, rng: (
            np.random.default_rng(seed).uniform(-1, 1, (rows, columns)) * np.sqrt(3 / rows)
        ),
    ):
        assert measure_start(draw) == check.ex_2.expected


def test_a_start_that_raises_or_returns_one_number_gets_a_sentence():
    for broken in (
        lambda rows, columns, rng: 1 / 0,
        lambda rows, columns, rng: 0.5,
        lambda rows: rows,
    ):
        reply = check.ex_2(broken)
        assert reply.status == "not yet" and len(reply.text) > 40


def test_half_the_curvature_says_where_the_rate_is_too_long():
    """On the parabola that the loss is nearly, a rate a little below 2/λ comes closer, a little above goes away."""
    bend = sharpness(iris_run(0.1, 161)[160].parameters)
    for rate, comes_closer in ((0.99 * 2 / bend, True), (1.01 * 2 / bend, False)):
        assert (abs(1 - rate * bend) < 1) is comes_closer
    factor, letter = check.ex_5.expected
    assert factor == pytest.approx(1 - 0.2 * bend) and letter == "b" and factor < -1


@pytest.mark.parametrize(("share", "stays"), [(0.5, True), (1.5, False)])
def test_steps_below_inverse_curvature_stay_on_their_side(share, stays):
    """On the loss itself: from a little beside a place on the run, along the direction that bends most."""
    iris, at = load_iris(), iris_run(0.1, 161)[160].parameters
    truth = np.eye(3)[iris.train.labels]

    def bent(theta):
        z = iris.train.features @ theta[:12].reshape(3, 4).T + theta[12:]
        return cross_entropy(z, truth)

    theta = np.concatenate([at.w.ravel(), at.b])
    values, vectors = np.linalg.eigh(hessian(bent)(theta))
    along, rate, bottom = vectors[:, -1], share / values[-1], grad(bent)(theta)

    def slope(d):
        return (grad(bent)(theta + d * along) - bottom) @ along

    assert (slope(1e-3 - rate * slope(1e-3)) > 0) == stays
    assert "Up to 1/λ a step stays on its side, up to 2/λ it goes over" in check.ex_5.praise
