"""The network with one hidden layer: the reference case, its gradients, and that it learns."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import check_grads, grad
from autodiff_lab.optimize import Adam, GradientDescent, Momentum
from autodiff_lab.systems.perceptron import (
    FIXED_START,
    XOR,
    loss,
    network,
    random_start,
    train,
    two_moons,
)

CASES = json.loads((Path(__file__).parents[1] / "data" / "reference_cases.json").read_text())[
    "cases"
]
(REFERENCE,) = (case for case in CASES if case["name"] == "mlp_2_3_1")


def test_the_reference_case() -> None:
    assert {name: value.tolist() for name, value in FIXED_START.items()} == REFERENCE["inputs"]
    assert loss(FIXED_START, XOR) == pytest.approx(REFERENCE["value"], rel=1e-12)
    for name, found in grad(lambda params: loss(params, XOR))(FIXED_START).items():
        np.testing.assert_allclose(found, REFERENCE["gradient"][name], rtol=1e-12)


def test_the_gradients_agree_with_finite_differences() -> None:
    moons = two_moons(points=5)
    check_grads(lambda params: loss(params, moons), (random_start(4),), order=2)


@pytest.mark.parametrize("optimizer", [GradientDescent(0.3), Momentum(0.1), Adam(0.05)])
def test_xor_is_learned(optimizer) -> None:
    *_, last = itertools.islice(train(XOR, optimizer, FIXED_START), 301)
    assert last.number == 300 and last.loss < 0.001
    assert ((network(last.params, XOR.x) > 0.5) == XOR.t).all()


def test_two_moons_are_learned_and_always_the_same() -> None:
    moons = two_moons()
    np.testing.assert_array_equal(moons.x, two_moons().x)
    assert moons.x.shape == (80, 2) and moons.t.sum() == 40
    assert not np.array_equal(moons.x, two_moons(seed=13).x)
    *_, last = itertools.islice(train(moons, Adam(0.05), random_start(8)), 301)
    assert ((network(last.params, moons.x) > 0.5) == moons.t).all()


def test_no_straight_line_solves_xor() -> None:
    """The best linear output is 0.5 everywhere: least squares says so."""
    inputs = np.column_stack([XOR.x, np.ones(4)])
    best, *_ = np.linalg.lstsq(inputs, XOR.t, rcond=None)
    np.testing.assert_allclose(inputs @ best, 0.5)


def test_with_zeros_the_hidden_units_stay_alike() -> None:
    equal = {**{name: np.full_like(value, 0.3) for name, value in FIXED_START.items()}}
    *_, last = itertools.islice(train(XOR, GradientDescent(0.3), equal), 50)
    assert np.ptp(last.params["W2"]) < 1e-12 and np.ptp(last.params["W1"], axis=1).max() < 1e-12
    assert last.loss > 0.2
