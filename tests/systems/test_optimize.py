"""Optimizers: the formulas, the regression of the second document, and that both styles give the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.optimize import Adam, GradientDescent, Momentum, Optimizer
from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant

METHODS: dict[str, Callable[[], Optimizer]] = {
    "descent": lambda: GradientDescent(learning_rate=0.1),
    "momentum": lambda: Momentum(learning_rate=0.05, momentum=0.8),
    "adam": lambda: Adam(learning_rate=0.3),
}


# The regression of the document, without noise

X = np.array([-1.0, 1.0])
Y = X * 3 + 2


def loss_of(w: Any, b: Any) -> Any:
    error = X * w + b - Y
    return np.mean(np.square(error))


def test_the_regression_of_the_document() -> None:
    """The loss falls to 0.64 of itself in each step: both curvatures are 2, and (1 − 0.1 · 2)² is 0.64."""
    weight, bias = Variable(5.0), Variable(10.0)
    optimizer = GradientDescent(learning_rate=0.1)
    losses = [loss_of(weight, bias).numpy()]
    for _ in range(20):
        optimizer.minimize(lambda: loss_of(weight, bias))
        losses.append(loss_of(weight, bias).numpy())
    assert losses == pytest.approx([68 * 0.64**k for k in range(21)], rel=1e-12)
    assert weight.numpy() == pytest.approx(3.023058430092137, rel=1e-14)
    assert bias.numpy() == pytest.approx(2.0922337203685477, rel=1e-14)
    assert losses[20] == pytest.approx(0.0090387503713374, rel=1e-12)
    assert optimizer.state == {}
    assert f"Final loss: {loss_of(weight, bias):.3f}" == "Final loss: 0.009"


def test_the_same_regression_without_tensors() -> None:
    params: dict[str, float] = {"w": 5.0, "b": 10.0}
    descent = ad.value_and_grad(lambda p: loss_of(p["w"], p["b"]))
    optimizer = GradientDescent(0.1)
    for k in range(20):
        value, grads = descent(params)
        assert value == pytest.approx(68 * 0.64**k, rel=1e-12)
        params = optimizer.update(params, grads)
    assert params == pytest.approx({"w": 3.023058430092137, "b": 2.0922337203685477}, rel=1e-14)


def test_minimize_is_compute_and_apply() -> None:
    weight, bias = Variable(5.0), Variable(10.0)
    optimizer = GradientDescent(0.1)
    pairs = optimizer.compute_gradients(lambda: loss_of(weight, bias))
    assert [(g.numpy(), id(v)) for g, v in pairs] == [(4.0, id(weight)), (16.0, id(bias))]
    assert (weight.numpy(), bias.numpy()) == (5.0, 10.0)
    assert optimizer.apply_gradients(pairs) is None
    assert (weight.numpy(), bias.numpy()) == pytest.approx((4.6, 8.4))


def test_only_what_is_listed_moves() -> None:
    weight, bias, fixed = Variable(5.0), Variable(10.0), Variable(1.0, trainable=False)
    optimizer = GradientDescent(0.1)
    optimizer.minimize(lambda: loss_of(weight, bias) * fixed, var_list={"listed": [bias]})
    assert (weight.numpy(), bias.numpy(), fixed.numpy()) == pytest.approx((5.0, 8.4, 1.0))
    optimizer.minimize(lambda: loss_of(weight, bias) * fixed)
    assert fixed.numpy() == 1.0
    optimizer.minimize(lambda: loss_of(weight, bias) * fixed, [fixed])
    assert fixed.numpy() != 1.0


# The formulas, by hand


def test_momentum_by_hand() -> None:
    """From x = 1 along g = 2x, η = 0.1, μ = 0.5: a = 2, x = 0.8; a = 1 + 1.6, x = 0.54; a = 1.3 + 1.08, x = 0.302."""
    optimizer, x = Momentum(0.1, momentum=0.5), 1.0
    for a, expected in [(2.0, 0.8), (2.6, 0.54), (2.38, 0.302)]:
        x = optimizer.update(x, 2 * x)
        assert x == pytest.approx(expected, rel=1e-14)
        assert optimizer.state["params"]["accumulated"] == pytest.approx(a, rel=1e-14)


def test_momentum_by_hand_when_the_rate_changes() -> None:
    optimizer = Momentum(0.1, momentum=0.5)
    x = optimizer.update(1.0, 2.0)
    optimizer.learning_rate = 0.01
    assert optimizer.update(x, 2.0) == pytest.approx(0.8 - 0.01 * 3.0)


def test_adam_by_hand() -> None:
    """η = 0.1, β₁ = 0.5, β₂ = 0.75, ε = 1, gradients 4 and −2.

    m = 2, v = 4, m̂ = 4, v̂ = 16: x = 1 − 0.1 · 4/5. Then m = 0, v = 4: x stays. Then −2 again: m = −1, v = 4,
    m̂ = −1/(7/8), v̂ = 4/(37/64).
    """
    optimizer = Adam(0.1, beta_1=0.5, beta_2=0.75, epsilon=1.0)
    x = optimizer.update(1.0, 4.0)
    assert x == pytest.approx(0.92, rel=1e-14)
    x = optimizer.update(x, -2.0)
    assert x == pytest.approx(0.92, rel=1e-14)
    assert optimizer.state["params"] == {"m": 0.0, "v": 4.0, "steps": 2}
    x = optimizer.update(x, -2.0)
    assert x == pytest.approx(0.92 + 0.1 * (8 / 7) / ((256 / 37) ** 0.5 + 1), rel=1e-14)


def test_the_first_step_of_adam_has_the_length_of_the_rate() -> None:
    start = np.array([1.0, 1.0, 1.0])
    moved = Adam(0.01).update(start, np.array([1e-3, -5.0, 0.0]))
    assert moved - start == pytest.approx(np.array([-0.01, 0.01, 0.0]), rel=1e-4)


def rosenbrock(x: Any) -> Any:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.parametrize(
    ("optimizer", "steps"),
    [(Momentum(1e-3, momentum=0.95), 2500), (Adam(0.05), 2500)],
    ids=["momentum", "adam"],
)
def test_down_the_valley_of_rosenbrock(optimizer: Optimizer, steps: int) -> None:
    x, slope = np.array([-1.2, 1.0]), ad.grad(rosenbrock)
    for _ in range(steps):
        x = optimizer.update(x, slope(x))
    assert x == pytest.approx(np.ones(2), abs=1e-5)


def test_the_function_of_the_first_graph() -> None:
    """log((x − 7)² + 10) from 1: descent goes to 7."""
    x, optimizer = Variable(1.0), GradientDescent(2.0)
    for _ in range(60):
        optimizer.minimize(lambda: np.log((x - 7) ** 2 + 10))
    assert x.numpy() == pytest.approx(7.0, abs=1e-9)
    assert np.log((x - 7) ** 2 + 10).numpy() == pytest.approx(2.302585092994046, abs=1e-15)


# Two styles, one set of numbers


class Layer(NamedTuple):
    w: Any
    b: Any


def network(p: Any) -> Any:
    x = np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    for layer in p["layers"]:
        x = np.tanh(x @ layer.w + layer.b)
    return np.mean((x * p["scale"] - 0.5) ** 2)


def start() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    layers = [
        Layer(rng.normal(size=(2, 4)), np.zeros(4)),
        Layer(rng.normal(size=(4, 1)), np.zeros(1)),
    ]
    return {"layers": layers, "scale": 1.0}


@pytest.mark.parametrize("make", METHODS.values(), ids=METHODS)
def test_both_styles_give_the_same_numbers(make: Callable[[], Optimizer]) -> None:
    from autodiff_lab.transforms import pytree

    params, variables = start(), pytree.map_leaves(Variable, start())
    first, second = make(), make()
    before, slope = network(params), ad.value_and_grad(network)
    for _ in range(8):
        value, grads = slope(params)
        params = first.update(params, grads)
        second.minimize(lambda: network(variables))
    assert value < before
    assert type(params["layers"][0]) is Layer and type(params["scale"]) is float
    for plain, variable in zip(pytree.flatten(params), pytree.flatten(variables), strict=True):
        assert np.array_equal(plain, variable.numpy())
    assert list(first.state) in ([], pytree.paths("params", params))
    for a, b in zip(first.state.values(), second.state.values(), strict=True):
        assert a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


@pytest.mark.parametrize("make", METHODS.values(), ids=METHODS)
def test_old_parameters_and_gradients_are_not_touched(make: Callable[[], Optimizer]) -> None:
    optimizer, params, grads = make(), {"a": np.ones(3)}, {"a": np.full(3, 2.0)}
    after = optimizer.update(params, grads)
    optimizer.update(after, grads)
    assert params["a"].tolist() == [1.0] * 3 and grads["a"].tolist() == [2.0] * 3
    assert make().update({"a": np.ones(3, np.float32)}, grads)["a"].dtype == np.float32


# State


@pytest.mark.parametrize("make", [METHODS["momentum"], METHODS["adam"]], ids=["momentum", "adam"])
def test_state_survives_and_can_be_reset(make: Callable[[], Optimizer]) -> None:
    optimizer, w = make(), Variable(1.0, name="w")
    optimizer.minimize(lambda: w**2 + w)
    first = w.numpy()
    remembered = dict(optimizer.state[w])
    assert all(np.all(value != 0) for value in remembered.values())
    optimizer.minimize(lambda: w**2 + w, [w])  # listed or found, it is the same Variable
    second = w.numpy()
    optimizer.reset()
    assert optimizer.state == {}
    w.assign(first)
    optimizer.minimize(lambda: w**2 + w)
    assert w.numpy() != second  # without what it remembered
    w.assign(1.0)
    optimizer.reset()
    optimizer.minimize(lambda: w**2 + w)
    assert w.numpy() == first and optimizer.state[w] == remembered


def test_a_parameter_without_a_gradient_stays_with_its_state() -> None:
    optimizer = Adam(0.1)
    params = optimizer.update({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": None})
    assert params["b"] == 2.0 and list(optimizer.state) == ["params['a']"]
    params = optimizer.update(params, {"a": 1.0, "b": 1.0})
    assert [optimizer.state[f"params['{k}']"]["steps"] for k in "ab"] == [2, 1]
    assert params["b"] == pytest.approx(1.9)  # its own first step


def test_variables_without_a_gradient_stay() -> None:
    used, unused, whole = Variable(1.0), Variable(2.0), Variable(3)
    optimizer = Momentum(0.1)
    with pytest.warns(UserWarning, match="int64"):
        optimizer.minimize(lambda: used**2, [unused, used, whole])
    assert (used.numpy(), unused.numpy(), whole.numpy()) == (0.8, 2.0, 3)
    assert [id(v) for v in optimizer.state] == [id(used)]


def test_gradients_may_come_from_anywhere() -> None:
    w, optimizer = Variable([1.0, 2.0]), GradientDescent(0.5)
    with GradientTape() as tape:
        y = np.sum(w**2)
    optimizer.apply_gradients([(tape.gradient(y, w), w)])
    assert w.numpy().tolist() == [0.0, 0.0]
    optimizer.apply_gradients(zip([np.array([2.0, 4.0])], [w], strict=True))
    assert w.numpy().tolist() == [-1.0, -2.0]
    assert optimizer.update(1.0, constant(2.0)) == 0.0
