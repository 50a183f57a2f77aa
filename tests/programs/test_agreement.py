"""A program finds what the engine finds: random programs, and every sampled call of every row of the table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autodiff_lab import grad, hvp, jvp, value_and_grad
from autodiff_lab.programs import PASSES, program

from ..about import about
from ..engine.jacobians import one_array
from ..engine.programs import programs, run, smooth_here
from ..engine.samples import CALLS, ELEMENTWISE, Call, callable_of, title

LAST_BITS = 1e-14
"""`math` and NumPy may round a function differently, by a unit in the last place, and sums carry it on."""


def leaves(x: Any) -> list[Any]:
    return [y for part in x for y in leaves(part)] if isinstance(x, (list, tuple)) else [x]


def assert_same(got: Any, expected: Any, rtol: float = LAST_BITS) -> None:
    """Leaf by leaf, in type, shape and numbers; where terms cancel, to the size of what cancels."""
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        assert type(a) is type(b)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.max(np.abs(b), initial=1.0))


Case = tuple[Any, tuple[Any, ...]]


@settings(max_examples=120, deadline=None)
@given(programs(), st.sampled_from([PASSES, (), *[(p,) for p in PASSES]]))
def test_random_programs(case: Case, passes: Any) -> None:
    """Compiled at one point and run at another near by, in all modes."""
    instructions, inputs = case
    assume(smooth_here(instructions, inputs))
    f = lambda *xs: run(instructions, *xs)  # noqa: E731
    other = tuple(x * 1.0009765625 for x in inputs)
    options: Any = {"argnums": (0, 1), "passes": passes, "on_branch": "rerecord"}
    p = program(f, *inputs, **options)
    for point in (inputs, other, inputs):
        assert_same(p(*point), value_and_grad(f, (0, 1))(*point), 1e-12)
    forward = program(f, *inputs, mode="forward", **options)
    value, jacobian = forward(*other)
    np.testing.assert_allclose(value, f(*other), rtol=1e-12, atol=1e-12)
    for a, b in zip(jacobian, grad(f, (0, 1))(*other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(programs())
def test_second_order(case: Case) -> None:
    """A program of a Hessian-vector product: what the nesting of the engine records is compiled all the same."""
    instructions, inputs = case
    assume(smooth_here(instructions, inputs))
    f = lambda *xs: run(instructions, *xs)  # noqa: E731
    direction = tuple(
        np.cos(np.arange(1.0, np.size(x) + 1)).reshape(np.shape(x))[()] for x in inputs
    )
    p = program(
        lambda *xs: hvp(f, xs, direction),
        *inputs,
        mode="value",
        on_branch="rerecord",
        argnums=(0, 1),
    )
    other = tuple(x * 1.0009765625 for x in inputs)
    for point in (inputs, other):
        for a, b in zip(p(*point), hvp(f, point, direction), strict=True):
            np.testing.assert_allclose(
                a, b, rtol=1e-9, atol=1e-9 * max(1.0, float(np.max(np.abs(b))))
            )


def total(f: Any) -> Any:
    return lambda *args: np.sum(np.square(one_array(f)(*args)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", list(CALLS), ids=title)
def test_every_call_of_every_row(key: Any) -> None:
    for number, call in enumerate(CALLS[key]):
        with about(f"call {number} of {title(key)}"):
            assert_call_agrees(call)


def assert_call_agrees(call: Call) -> None:
    f, which = one_array(call.f), tuple(range(len(call.args)))
    other = tuple(x * 1.0009765625 for x in call.args)
    value = program(f, *call.args, mode="value", argnums=which, on_branch="rerecord")
    reverse = program(total(f), *call.args, argnums=which, on_branch="rerecord")
    for point in (call.args, other, call.args):
        np.testing.assert_allclose(value(*point), f(*point), rtol=1e-13, atol=1e-13)
        assert_same(reverse(*point), value_and_grad(total(f), which)(*point), 1e-11)


@pytest.mark.parametrize("key", list(ELEMENTWISE), ids=title)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_every_function_of_numbers(key: Any, mode: str) -> None:
    """Numbers go through `math`, and through `np` where `math` has no such function."""
    f, which = callable_of(key), tuple(range(len(ELEMENTWISE[key])))
    point = tuple(float(np.ravel(x)[0]) for x in ELEMENTWISE[key])
    got = program(f, *point, mode=mode, argnums=which)(*point)
    assert_same(got[0], float(f(*point)))
    for k, g in enumerate(got[1]):
        assert type(g) is float
        tangents = tuple(float(j == k) for j in which)
        np.testing.assert_allclose(g, jvp(f, point, tangents)[1], rtol=LAST_BITS)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_stay(dtype: Any) -> None:
    x = np.linspace(0.1, 1.0, 5).astype(dtype)

    def f(x: Any) -> Any:
        return np.sum(np.sin(x) * 0.5 / (x + 1))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, gradient = program(f, x)(x)
    expected, g = value_and_grad(f)(x)
    assert gradient.dtype == g.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    np.testing.assert_allclose(gradient, g, rtol=1e-6)
