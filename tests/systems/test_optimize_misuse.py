"""What optimizers refuse: settings, structures, losses without a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.optimize import Adam, GradientDescent, Momentum, Optimizer
from autodiff_lab.systems.gradient_tape import Variable, constant


@pytest.mark.parametrize(
    "rate", [-0.1, float("nan"), float("inf"), "0.1", None, 1j, True, np.ones(2)]
)
@pytest.mark.parametrize("method", [GradientDescent, Momentum, Adam])
def test_wrong_learning_rate(method: type[Optimizer], rate: Any) -> None:
    with pytest.raises(InputError, match=r"learning_rate is .*finite number, from 0"):
        method(rate)
    optimizer = method(0.1)
    with pytest.raises(InputError, match="learning_rate"):
        optimizer.learning_rate = rate
    assert optimizer.learning_rate == 0.1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Momentum(0.1, momentum=1.0),
        lambda: Momentum(0.1, momentum=-0.1),
        lambda: Adam(beta_1=1.0),
        lambda: Adam(beta_2=1.5),
        lambda: Adam(epsilon=0.0),
    ],
)
def test_wrong_settings(make: Callable[[], Optimizer]) -> None:
    with pytest.raises(
        InputError, match=r"(momentum|beta_1|beta_2|epsilon) is .*finite number, from"
    ):
        make()


@pytest.mark.parametrize(
    ("grads", "says"),
    [
        ({"w": np.ones(2)}, r"grads does not have the structure.*\['w', 'b'\]"),
        ([np.ones(2), 1.0], "structure"),
        ({"w": np.ones(3), "b": 1.0}, r"the gradient of params\['w'\] has shape \(3,\).*\(2,\)"),
        ({"w": 1.0, "b": 1.0}, r"params\['w'\] has shape \(\)"),
    ],
)
def test_wrong_structure(grads: Any, says: str) -> None:
    optimizer = Momentum(0.1)
    with pytest.raises(ShapeError, match=says):
        optimizer.update({"w": np.ones(2), "b": 0.0}, grads)
    assert optimizer.state == {}


def test_a_step_that_is_refused_moves_nothing() -> None:
    a, b = Variable(1.0), Variable([1.0, 2.0], name="b")
    optimizer = Momentum(0.1)
    with pytest.raises(ShapeError, match="the gradient of b has shape"):
        optimizer.apply_gradients([(1.0, a), (np.ones(3), b)])
    assert a.numpy() == 1.0 and optimizer.state == {}


def test_another_shape_needs_another_state() -> None:
    optimizer = Momentum(0.1)
    optimizer.update(1.0, 1.0)
    with pytest.raises(ShapeError, match=r"params had another shape before\. Call reset\(\)"):
        optimizer.update(np.ones(2), np.ones(2))


def test_no_gradient_at_all() -> None:
    w, other = Variable(1.0, name="w"), Variable(2.0, name="other")
    optimizer = GradientDescent(0.1)
    with pytest.raises(
        InputError, match="No gradient for any of w: the loss does not depend on them"
    ):
        optimizer.minimize(lambda: other**2, [w])
    with pytest.raises(InputError, match="there are none"):
        optimizer.minimize(lambda: constant(2.0) * 3)
    with pytest.raises(InputError, match=r"No gradient for any of params\['a'\], params\['b'\]"):
        optimizer.update({"a": 1.0, "b": 2.0}, {"a": None, "b": None})


def test_wrong_loss() -> None:
    w, optimizer = Variable([1.0, 2.0]), GradientDescent(0.1)
    with pytest.raises(InputError, match="must be a function"):
        optimizer.minimize(np.sum(w))
    with pytest.raises(ShapeError, match=r"returned an array of shape \(2,\).*np\.mean"):
        optimizer.minimize(lambda: w**2)
    with pytest.raises(InputError, match="a tape records only tensors and Variables"):
        optimizer.minimize(lambda: float(np.sum(w.numpy())))
    with pytest.raises(InputError, match=r"objects\[0\] is 3\.0"):
        optimizer.minimize(lambda: np.sum(w), [3.0])


def test_wrong_pairs() -> None:
    w, optimizer = Variable(1.0, name="w"), GradientDescent(0.1)
    with pytest.raises(InputError, match=r"pairs \(gradient, Variable\)"):
        optimizer.apply_gradients([(w, 1.0)])
    with pytest.raises(InputError, match="A Variable comes twice among w, w"):
        optimizer.apply_gradients([(1.0, w), (1.0, w)])
    with pytest.raises(InputError, match=r"params\['w'\] is Variable.*apply_gradients"):
        optimizer.update({"w": w}, {"w": 1.0})
