"""Linear and multilinear rows: every sampled call, against NumPy and against itself; powers at zero."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp, record, vjp

from .jacobians import assert_derivatives
from .samples import CALLS, Call, title

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong

CASES = pytest.mark.parametrize(
    "call", [pytest.param(c, id=f"{title(k)}-{i}") for k, calls in CALLS.items() for i, c in enumerate(calls)]
)


@CASES
def test_call_against_numpy(call: Call) -> None:
    expected = (call.reference or call.f)(*call.args)
    np.testing.assert_array_equal(record(call.f, *call.args)[0], expected)
    np.testing.assert_array_equal(jvp(call.f, call.args, call.args)[0], expected)


@CASES
def test_call_derivatives(call: Call) -> None:
    assert_derivatives(call.f, call.args, call.reference)


@CASES
def test_call_shapes_and_float32(call: Call) -> None:
    args = tuple(np.asarray(a, dtype=np.float32)[()] for a in call.args)
    y, pullback = vjp(call.f, *args)
    seed = np.ones(np.shape(y), dtype=np.float32)[()]
    assert [np.shape(g) for g in pullback(seed)] == [np.shape(a) for a in args]
    used_constants = any(isinstance(c, np.ndarray) for c in _constants(call.f))
    if not used_constants:
        assert np.asarray(y).dtype == np.float32
        assert [np.asarray(g).dtype for g in pullback(seed)] == [np.float32] * len(args), "reverse"
        assert np.asarray(jvp(call.f, args, args)[1]).dtype == np.float32, "forward"


def _constants(f: Any) -> list[Any]:
    """The float64 arrays that a sample brings along; with them float64 is the right answer."""
    names = f.__code__.co_names
    return [np.zeros(0)] if {"_array", "ones", "M", "V"} & set(names) else []


def test_mean_of_nothing_has_a_gradient_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's own: mean of empty slice
        value, pullback = vjp(np.mean, np.zeros(0))
        assert np.isnan(value)
        assert np.shape(pullback(1.0)[0]) == (0,)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_of_one_variable_twice(axis: int) -> None:
    weights = np.arange(6.0).reshape((2, 3) if axis == 0 else (3, 2))
    gradient = grad(lambda x: np.sum(np.stack([x, x], axis=axis) * weights))(np.ones(3))
    np.testing.assert_array_equal(gradient, weights.sum(axis=axis))


def test_power_with_a_negative_base_and_a_whole_exponent() -> None:
    assert grad(lambda x: x**3)(-1.3) == pytest.approx(3 * 1.3**2, rel=1e-15)
    assert grad(grad(lambda x: x**3))(-1.3) == pytest.approx(-6 * 1.3, rel=1e-15)
    np.testing.assert_allclose(
        grad(lambda x: np.sum(x ** np.array([0, 1, 2])))(np.array([-2.0, -2.0, -2.0])), [0, 1, -4]
    )


@pytest.mark.parametrize("x", [0.0, np.zeros(2)], ids=["number", "array"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 0.0, 2.0])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_powers_at_zero(x: Any, n: float, mode: str) -> None:
    def derivative(f: Any, x: Any) -> Any:
        ones = np.ones(np.shape(x))[()]
        return vjp(f, x)[1](ones)[0] if mode == "reverse" else jvp(f, (x,), (ones,))[1]

    first = derivative(lambda x: x**n, x)
    second = derivative(lambda x: derivative(lambda x: x**n, x), x)
    np.testing.assert_array_equal(first, np.full(np.shape(x), float(n == 1)))
    np.testing.assert_array_equal(second, np.full(np.shape(x), 2.0 * (n == 2)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_every_derivative_of_a_whole_power_at_zero(n: int, order: int) -> None:
    def forward(f: Any) -> Any:
        return lambda x: jvp(f, (x,), (1.0,))[1]

    f: Any = lambda x: x**n  # noqa: E731
    for k in range(order):
        f = grad(f) if k % 2 else forward(f)
    assert f(0.0) == (math.factorial(n) if order == n else 0.0)


def test_zero_to_a_variable_power() -> None:
    assert grad(lambda b: 0.0**b)(2.0) == 0.0
    assert grad(lambda b: np.zeros(2)[0] ** b)(2.0) == 0.0
