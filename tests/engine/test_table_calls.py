"""Every sampled call of every row: against NumPy, against finite differences, and through every transformation."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab import check_grads, checkpoint, grad, jacfwd, jacrev, jvp, linearize, record, vjp
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import MutationError

from ..about import about
from .jacobians import assert_derivatives, one_array
from .samples import CALLS, Call, title

pytestmark = pytest.mark.filterwarnings("error")  # a rule that warns at an ordinary point is wrong

EXACT = {"linear", "multilinear", "elementwise"}  # kinds whose value is NumPy's own, bit by bit


def every_call(check: Callable[[Any, Call], None]) -> Callable[[Any], None]:
    """Make one test a row, which checks every sampled call of it and says at which it failed."""

    @pytest.mark.parametrize("key", [key for key, calls in CALLS.items() if calls], ids=title)
    def test_row(key: Any) -> None:
        for number, call in enumerate(CALLS[key]):
            with about(f"{title(key)}-{number}"):
                check(key, call)

    return test_row


def leaves(x: Any) -> list[np.ndarray]:
    return (
        [y for part in x for y in leaves(part)] if isinstance(x, list | tuple) else [np.asarray(x)]
    )


def assert_close(got: Any, expected: Any, rtol: float = 1e-12, atol: float = 1e-13) -> None:
    """Leaf by leaf, in shape and numbers; entries that cancel are right to the size of what cancels."""
    for a, b in zip(leaves(got), leaves(expected), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol * np.max(np.abs(b), initial=1.0))


@every_call
def test_call_against_numpy(key: Any, call: Call) -> None:
    expected = (call.reference or call.f)(*call.args)
    for got in (vjp(call.f, *call.args)[0], jvp(call.f, call.args, call.args)[0]):
        for a, b in zip(leaves(got), leaves(expected), strict=True):
            is_reduction = TABLE[key].weights is not None
            if TABLE[key].kind in EXACT or is_reduction:
                np.testing.assert_array_equal(a, b, strict=True)
            else:
                assert a.shape == b.shape
                np.testing.assert_allclose(
                    a, b, rtol=1e-12, atol=1e-14 * np.max(np.abs(b), initial=1.0)
                )


@every_call
def test_call_derivatives(_: Any, call: Call) -> None:
    assert_derivatives(call.f, call.args, call.reference)


@every_call
def test_third_order(_: Any, call: Call) -> None:
    check_grads(call.f, call.args, order=3, step=1e-4)


@every_call
def test_jacobians_and_linear_map(_: Any, call: Call) -> None:
    which = tuple(range(len(call.args)))
    columns, rows = jacfwd(call.f, which)(*call.args), jacrev(call.f, which)(*call.args)
    assert_close(columns, rows, rtol=1e-11, atol=1e-12)
    value, push = linearize(call.f, *call.args)
    tangents = tuple(
        np.cos(np.arange(1.0, np.size(x) + 1)).reshape(np.shape(x))[()] for x in call.args
    )
    expected = jvp(call.f, call.args, tangents)
    assert_close(value, expected[0])
    assert_close(push(*tangents), expected[1])


def total(f: Any) -> Any:
    return lambda *args: np.sum(np.square(one_array(f)(*args)))


@every_call
def test_replay_and_checkpoint(_: Any, call: Call) -> None:
    f, which = one_array(call.f), tuple(range(len(call.args)))
    other = tuple(x * 1.0009765625 for x in call.args)  # near enough to go the same way everywhere
    _, tape = record(f, *call.args)
    assert_close(tape.replay(*call.args), f(*call.args))
    assert_close(tape.replay(*other), f(*other))
    expected = grad(total(f), which)(*other)
    assert_close(grad(total(tape.replay), which)(*other), expected)
    assert_close(grad(total(checkpoint(f)), which)(*other), expected)
    assert_close(jvp(total(checkpoint(f)), other, other), jvp(total(f), other, other))


@every_call
def test_shapes_and_types(_: Any, call: Call) -> None:
    """Gradients have the shape and type of the inputs, and float32 gives what it gives in NumPy."""
    args = tuple(np.asarray(a, dtype=np.float32)[()] for a in call.args)
    f = one_array(call.f)
    expected = one_array(call.reference or call.f)(*args)
    y, pullback = vjp(f, *args)
    assert np.asarray(y).dtype in (np.float32, np.asarray(expected).dtype)
    gradients = pullback(np.ones(np.shape(y), dtype=np.asarray(y).dtype)[()])
    assert [(np.shape(g), np.asarray(g).dtype) for g in gradients] == [
        (np.shape(a), np.float32) for a in args
    ]
    value, tangent = jvp(f, args, args)
    assert np.asarray(value).dtype == np.asarray(y).dtype
    if np.asarray(expected).dtype == np.float32:
        assert np.asarray(tangent).dtype == np.float32, "forward"


def test_mean_of_nothing_has_a_gradient_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's own: mean of empty slice
        value, pullback = vjp(np.mean, np.zeros(0))
        assert np.isnan(value)
        assert np.shape(pullback(1.0)[0]) == (0,)


# `out` is refused, wherever NumPy has it

X, SQUARE = np.array([[0.5, 0.2, 0.8], [0.3, 0.6, 0.1]]), np.array([[2.0, 0.5], [0.3, 1.5]])
WITH_OUT: dict[Any, tuple[Any, ...]] = {
    np.clip: (X, 0.0, 1.0),
    np.take: (X, [0, 1]),
    np.choose: (np.array([0, 1]), None),
    np.dot: (X, X.T),
    np.outer: (X, X),
    np.matmul: (X, X.T),
    np.einsum: ("ij->i", X),
    np.stack: ((X, X),),
    np.concatenate: ((X, X),),
    np.vstack: ((X, X),),
    np.linalg.multi_dot: ((X, X.T),),
    **dict.fromkeys((np.quantile, np.percentile, np.nanquantile, np.nanpercentile), (X, 0.5)),
}


def _has_out(key: Any) -> bool:
    try:
        return isinstance(key, np.ufunc) or "out" in inspect.signature(key).parameters
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize(
    "key", [k for k in TABLE if not isinstance(k, str) and _has_out(k)] + [np.einsum], ids=title
)
@pytest.mark.parametrize("way", ["reverse", "forward"])
def test_out_is_refused(key: Any, way: str) -> None:
    def f(x: Any) -> Any:
        args = WITH_OUT.get(key, (X,) * key.nin if isinstance(key, np.ufunc) else (X,))
        traced = [
            x if a is X else tuple(x if b is X else b for b in a) if type(a) is tuple else a
            for a in args
        ]
        if key is np.choose:
            traced = [args[0], [x[:, 0], x[:, 1]]]
        return np.sum(key(*traced, out=np.full((9, 9), 7.0)))

    with pytest.raises(MutationError, match=r"existing array"):
        grad(f)(X) if way == "reverse" else jvp(f, (X,), (X,))
