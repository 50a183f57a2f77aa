"""A list of closures, differentiated again and again: the whole scalar table to third order, against the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.systems.closures import Recording, Variable, grad

ELEMENTWISE = [
    key for key, op in TABLE.items() if op.kind == "elementwise" and isinstance(key, np.ufunc)
]


def seed(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def derivative(f: Any, inputs: tuple[float, ...], *which: int) -> float:
    """A derivative of `f` by the closures: with respect to inputs `which`, one after the other."""
    tape = Recording(show=None)
    variables = [tape.constant(x) for x in inputs]
    result = f(*variables)
    for k in which:
        (result,) = grad(result, [variables[k]])
    return float(result.value)


def by_the_engine(f: Any, inputs: tuple[float, ...], *which: int) -> float:
    for k in which:
        f = ad.grad(f, argnums=k)
    return float(f(*inputs))


def test_the_hessian_is_exact() -> None:
    tape = Recording(show=None)
    x, y = tape.constant(2.0), tape.constant(5.0)
    f = seed(x, y)
    hessian = [[float(h.value) for h in grad(g, [x, y])] for g in grad(f, [x, y])]
    assert hessian == [[-0.25, 1], [1, -0.9589242746631385]]


@pytest.mark.parametrize("which", [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)])
def test_third_derivatives_of_the_documents_function(which: tuple[int, ...]) -> None:
    assert derivative(seed, (2.0, 5.0), *which) == pytest.approx(
        by_the_engine(seed, (2.0, 5.0), *which), rel=1e-14
    )


def test_a_cube_until_nothing_is_left() -> None:
    found = [derivative(lambda x: x * x * x, (3.0,), *[0] * order) for order in range(5)]
    assert found == [27, 27, 18, 6, 0]


@pytest.mark.parametrize("key", ELEMENTWISE, ids=lambda key: key.__name__)
def test_every_row_of_the_table_to_third_order(key: Any) -> None:
    both = range(key.nin)
    inputs = (0.3, 0.7)[: key.nin] if key is not np.arccosh else (1.5,)
    for which in (
        [(j,) for j in both]
        + [(j, k) for j in both for k in both]
        + [(j, k, j) for j in both for k in both]
    ):
        expected = by_the_engine(key, inputs, *which)
        assert np.isfinite(expected)
        assert derivative(key, inputs, *which) == pytest.approx(expected, rel=1e-11, abs=1e-13), (
            which
        )


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.clip(x, -1.0, 3.0) * x,
        lambda x: np.sinc(x),
        lambda x: np.where(x > 1, x**3, -x),
        lambda x: np.floor(x) * x + np.sign(x),
        lambda x: x**2.5 + x**2 + 2**x + x**-1,
        lambda x: abs(-x) * (+x),
        lambda x: x**3 if x > 1 else x,
        lambda x: np.tanh(np.exp(-x * x) / (1 + x)) - np.hypot(x, 2 * x),
        lambda x: Variable.arctan(x) if isinstance(x, Variable) else np.arctan(x),
    ],
)
def test_what_is_made_of_rows_and_control_flow(f: Any) -> None:
    for order in range(1, 4):
        expected = by_the_engine(f, (1.3,), *[0] * order)
        assert derivative(f, (1.3,), *[0] * order) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_recordings_nest() -> None:
    outer, inner = Recording(show=None), Recording(show=None)
    x, y = outer.constant(2.0, "x"), inner.constant(3.0, "y")
    (dy,) = grad(x * y * y, [y])
    (dxdy,) = grad(dy.value, [x])
    assert (float(dy.value.value), float(dxdy.value)) == (12.0, 6.0)
