"""The results of derivatives: plain numbers, and arrays that the caller may change, in the type of the inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, jvp, record, value_and_grad, vjp

A = np.array([[1.0, 2.0], [3.0, 4.0]])
V = np.array([1.0, -2.0, 3.0])


def test_results_are_plain() -> None:
    value, gradient = value_and_grad(lambda x: x * x)(3)
    assert repr((value, gradient)) == "(9.0, 6.0)"
    assert repr(vjp(lambda x, y: x * y, 2.0, 5.0)[1](1.0)) == "(5.0, 2.0)"
    assert repr(jvp(lambda x: x * x, (2,), (1,))) == "(4.0, 4.0)"
    assert repr(record(lambda x: x * x, 3)[0]) == "9.0"
    assert type(grad(lambda x: np.sum(x**2))(V)) is np.ndarray
    assert grad(lambda x: x[()] * 2)(np.array(3.0)) == 2.0
    assert np.shape(grad(lambda x: x * 2)(np.array(3.0))) == ()


GRADIENTS = {
    "sum": lambda: [grad(np.sum)(V.copy())],
    "mean along an axis": lambda: [vjp(lambda x: np.mean(x, axis=0), A.copy())[1](np.ones(2))[0]],
    "a + b": lambda: list(grad(lambda a, b: np.sum(a + b), (0, 1))(V.copy(), V.copy())),
    "a + b with a cotangent": lambda: list(vjp(lambda a, b: a + b, V, V)[1](np.ones(3))),
    "stack": lambda: list(vjp(lambda a, b: np.stack([a, b]), V, V)[1](np.ones((2, 3)))),
    "one leaf used twice": lambda: list(grad(lambda p: np.sum(p[0] + p[1]))([V.copy(), V.copy()])),
    "unused": lambda: list(grad(lambda a, b: 1.0, (0, 1))(V.copy(), V.copy())),
    "jvp": lambda: list(jvp(lambda x: x, (V.copy(),), (V.copy(),))),
    "jvp of a broadcast": lambda: list(
        jvp(lambda x: np.broadcast_to(x, (2, 3)), (V.copy(),), (V.copy(),))
    ),
}


@pytest.mark.parametrize("name", list(GRADIENTS))
def test_gradients_may_be_changed_in_place(name: str) -> None:
    """``g *= rate`` in the learner's own loop: the arrays are theirs, writable, and share nothing."""
    arrays = GRADIENTS[name]()
    before = [a.copy() for a in arrays]
    for k, array in enumerate(arrays):
        array *= 10.0
        for other, old in zip(arrays[k + 1 :], before[k + 1 :], strict=True):
            np.testing.assert_array_equal(other, old)


def test_a_gradient_shares_no_memory_with_cotangent_or_input() -> None:
    x, c = V.copy(), np.ones(3)
    for f in (lambda x: x, lambda x: x + 1.0, lambda x: np.reshape(x, (3,)), lambda x: x[:]):
        value, pullback = vjp(f, x)
        assert not np.shares_memory(pullback(c)[0], c)
        assert not np.shares_memory(value, x)
        assert not np.shares_memory(jvp(f, (x,), (c,))[1], c)


def test_a_derivative_survives_a_later_change_of_its_input() -> None:
    x = V.copy()
    _, pullback = vjp(lambda x: np.tanh(x) * x, x)
    expected = pullback(np.ones(3))[0].copy()
    x[:] = 0.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], expected)


def test_changing_the_value_does_not_change_the_derivative() -> None:
    value, pullback = vjp(np.tanh, V)
    expected = pullback(np.ones(3))[0].copy()
    value *= 0.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], expected)


@pytest.mark.parametrize("mode", ["float tangent", "float cotangent", "float64 array"])
def test_float32_stays_float32_beside_a_plain_direction(mode: str) -> None:
    x = np.float32(0.5)
    if mode == "float tangent":
        assert type(jvp(np.sin, (x,), (1.0,))[1]) is np.float32
    elif mode == "float cotangent":
        assert type(vjp(np.sin, x)[1](1.0)[0]) is np.float32
    else:
        assert vjp(np.sin, np.ones(3, np.float32))[1](np.ones(3))[0].dtype == np.float32


def test_lists_are_containers_and_arrays_are_arrays() -> None:
    assert grad(lambda p: sum(v * v for v in p))([1.0, 2.0]) == [2.0, 4.0]
    assert grad(lambda p: sum(v * v for v in p))([1, 2]) == [2.0, 4.0]
    assert isinstance(grad(lambda p: np.sum(p * p))(np.array([1, 2])), np.ndarray)


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.longdouble, np.int8, np.uint8, np.int64, ">f8"], ids=str
)
def test_any_real_dtype_may_enter(dtype: Any) -> None:
    x = np.array([1, 2, 3], dtype=dtype)
    np.testing.assert_array_equal(grad(lambda x: np.sum(x * x))(x), [2, 4, 6])
    np.testing.assert_array_equal(jvp(lambda x: np.sum(x * x), (x,), (x,))[1], 28)


def test_arrays_of_any_memory_layout() -> None:
    x = np.arange(12.0).reshape(3, 4)
    for y in (x.T, x[::2], x[:, ::-1], np.asfortranarray(x), np.broadcast_to(x[0], (2, 4))):
        np.testing.assert_array_equal(grad(lambda y: np.sum(y * y))(y), 2 * y)
