"""Derivatives of derivatives: every composition of modes agrees, to order three."""

from __future__ import annotations

import itertools
from functools import reduce
from typing import Any

import numpy as np
import pytest

from autodiff_lab import check_grads, grad, jvp, vjp

from .jacobians import one_array
from .samples import CALLS, ELEMENTWISE, callable_of, title

MODES = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
}
ALL = [modes for order in (1, 2, 3) for modes in itertools.product(MODES, repeat=order)]


def nested(f: Any, modes: tuple[str, ...]) -> Any:
    return reduce(lambda f, mode: lambda x: MODES[mode](f, x), modes, f)


@pytest.mark.parametrize(
    "f,derivatives",
    [
        (
            lambda x: np.sin(x) * x,
            lambda x: (
                np.cos(x) * x + np.sin(x),
                2 * np.cos(x) - np.sin(x) * x,
                -3 * np.sin(x) - np.cos(x) * x,
            ),
        ),
        (lambda x: x**3 - 2 / x, lambda x: (3 * x**2 + 2 / x**2, 6 * x - 4 / x**3, 6 + 12 / x**4)),
        (
            lambda x: np.exp(2 * x),
            lambda x: (2 * np.exp(2 * x), 4 * np.exp(2 * x), 8 * np.exp(2 * x)),
        ),
        (
            lambda x: np.sum(np.stack([x, x * x])[::-1] ** 2),
            lambda x: (2 * x + 4 * x**3, 2 + 12 * x**2, 24 * x),
        ),
        (
            lambda x: (np.reshape(x, (1, 1)) @ np.stack([x, x**2])[None])[0, 1],
            lambda x: (3 * x**2, 6 * x, 6.0),
        ),
        (lambda x: np.where(x > 0, x**4, 1.0), lambda x: (4 * x**3, 12 * x**2, 24 * x)),
        (lambda x: np.mean(np.broadcast_to(x**3, (2, 3)).T), lambda x: (3 * x**2, 6 * x, 6.0)),
        (lambda x: 5.0, lambda x: (0.0, 0.0, 0.0)),
    ],
    ids=["sin", "powers", "exp", "stack", "matmul", "where", "broadcast", "constant"],
)
def test_all_compositions_on_a_number(f: Any, derivatives: Any) -> None:
    for modes in ALL:
        got = nested(f, modes)(0.7)
        assert got == pytest.approx(derivatives(0.7)[len(modes) - 1], rel=1e-12), modes
        assert type(got) is float, modes


@pytest.mark.parametrize("key", list(ELEMENTWISE), ids=title)
def test_third_derivatives_of_every_elementwise_row(key: Any) -> None:
    args, f = [np.array(v)[:2] for v in ELEMENTWISE[key]], callable_of(key)
    assert_compositions_agree(lambda x: np.sum(f(*[a * x for a in args])), 1.01)


# One call of each row, and one of each kind of rule at the edge: a stack of matrices, an empty array
CALLED = [pytest.param(calls[len(calls) // 3], id=title(key)) for key, calls in CALLS.items()]


@pytest.mark.parametrize("call", CALLED)
def test_third_derivatives_of_every_row(call: Any) -> None:
    """Along a curve through the sample, so that every operand moves at once and not in a straight line."""
    f = one_array(call.f)
    assert_compositions_agree(
        lambda x: np.sum(f(*[a * (1 + 0.1 * np.sin(x) * a) for a in call.args]) ** 2), 0.01
    )


def assert_compositions_agree(f: Any, x: float) -> None:
    for order in (2, 3):
        results = {
            modes: nested(f, modes)(x) for modes in itertools.product(["grad", "jvp"], repeat=order)
        }
        first = next(iter(results.values()))
        for modes, got in results.items():
            assert got == pytest.approx(first, rel=1e-9, abs=1e-9), modes
    check_grads(f, (x,), order=1)


@pytest.mark.parametrize("modes", list(itertools.product(["fwd", "rev"], repeat=2)), ids="-".join)
def test_hessian_vector_products_on_arrays(modes: tuple[str, str]) -> None:
    a = np.array([[2.0, 0.5], [0.5, 3.0]])

    def f(x: Any) -> Any:
        return 0.5 * (x @ a @ x) + np.sum(np.sin(x)) * np.mean(x)

    x, v = np.array([0.3, -1.2]), np.array([1.0, 2.0])
    wanted = a @ v + (-np.diag(np.sin(x)) * x.mean() + np.add.outer(np.cos(x), np.cos(x)) / 2) @ v

    def gradient(x: Any) -> Any:
        if modes[0] == "rev":
            return grad(f)(x)
        return np.stack([jvp(f, (x,), (e,))[1] for e in np.eye(2)])

    by_mode = {
        "fwd": lambda x: jvp(gradient, (x,), (v,))[1],
        "rev": grad(lambda x: np.sum(gradient(x) * v)),
    }
    np.testing.assert_allclose(by_mode[modes[1]](x), wanted, rtol=1e-13)
