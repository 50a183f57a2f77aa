"""Sample arguments for every row of the table. A row without an entry here fails the suite.

To add a rule, add its row to the table and one entry here, under the same key; the tests find both by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.dispatch import TABLE

ELEMENTWISE: dict[Any, tuple[list[float], ...]] = {
    # One list of values per operand: inside the domain, and at least 0.2 away from kinks and ties, also between any
    # value of one operand and any value of the other, because the tests broadcast them against each other.
    np.add: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.subtract: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.multiply: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.divide: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.power: ([0.7, 1.3, 2.5], [1.7, -0.6, 2.0]),
    np.negative: ([0.7, -1.3, 2.0],),
    np.square: ([0.7, -1.3, 2.0],),
    np.reciprocal: ([0.7, -1.3, 2.0],),
    np.exp: ([0.3, -1.2, 1.5],),
    np.log: ([0.3, 1.2, 4.0],),
    np.sqrt: ([0.3, 1.2, 4.0],),
    np.sin: ([0.8, -2.5, 5.0],),
    np.cos: ([0.8, -2.5, 5.0],),
    np.tan: ([0.8, -0.4, 2.5],),
    np.tanh: ([0.5, -1.2, 2.0],),
    np.absolute: ([0.7, -1.3, 2.0],),
    np.maximum: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    np.minimum: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
}

FLAT: dict[Any, tuple[list[float], ...]] = {
    np.sign: ([0.7, -1.3, 2.0],),
    np.less: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.less_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.greater: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.greater_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.not_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.shape: ([0.7, -1.3, 2.0],),
    np.size: ([0.7, -1.3, 2.0],),
    np.ndim: ([0.7, -1.3, 2.0],),
    np.zeros_like: ([0.7, -1.3, 2.0],),
    np.ones_like: ([0.7, -1.3, 2.0],),
}


class Call(NamedTuple):
    """One way to call a row that is not elementwise."""

    f: Callable[..., Any]  # as a learner writes it, of the operands alone
    args: tuple[Any, ...]
    reference: Callable[..., Any] | None = None  # the value by NumPy, where NumPy itself cannot run `f`


def _array(*shape: int) -> Any:
    """Distinct, unround numbers of both signs."""
    n = int(np.prod(shape))
    return (np.sin(1.7 * np.arange(1, n + 1)) * 2 + 0.1).reshape(shape)


def _scattered(index: Any, shape: tuple[int, ...]) -> Callable[..., Any]:
    def reference(g: Any) -> Any:
        out = np.zeros(shape, dtype=getattr(g, "dtype", float))
        np.add.at(out, index, g)
        return out

    return reference


V, M, T = _array(3), _array(2, 3), _array(2, 3, 4)
EMPTY = np.zeros((0,))
YES = np.array([True, False, True])
REPEATED = np.array([0, 2, 2, 0])

CALLS: dict[Any, list[Call]] = {
    np.sum: [
        Call(lambda x: np.sum(x), (1.5,)),
        Call(lambda x: np.sum(x), (M,)),
        Call(lambda x: np.sum(x), (EMPTY,)),
        Call(lambda x: np.sum(x, axis=0), (M,)),
        Call(lambda x: np.sum(x, -1), (M,)),
        Call(lambda x: np.sum(x, axis=(0, -1)), (T,)),
        Call(lambda x: np.sum(x, axis=(1,), keepdims=True), (T,)),
        Call(lambda x: np.sum(x, axis=()), (M,)),
        Call(lambda x: np.sum(x, keepdims=True), (M,)),
        Call(lambda x: x.sum(), (M,)),
        Call(lambda x: x.sum(axis=1, keepdims=True), (M,)),
        Call(lambda x: np.sum(x, axis=0), (np.zeros((0, 3)),)),
        Call(lambda x: np.sum(x, axis=1), (np.zeros((2, 0)),)),
        Call(lambda x: np.add.reduce(x), (M,)),
    ],
    np.mean: [
        Call(lambda x: np.mean(x), (1.5,)),
        Call(lambda x: np.mean(x), (M,)),
        Call(lambda x: np.mean(x, axis=0), (M,)),
        Call(lambda x: np.mean(x, axis=(0, -1), keepdims=True), (T,)),
        Call(lambda x: x.mean(), (M,)),
        Call(lambda x: x.mean(axis=-1), (M,)),
        Call(lambda x: np.mean(x), (np.array([[3.5]]),)),
        Call(lambda x: np.mean(x, axis=1), (np.zeros((0, 3)),)),
    ],
    np.reshape: [
        Call(lambda x: np.reshape(x, (3, 2)), (M,)),
        Call(lambda x: np.reshape(x, -1), (T,)),
        Call(lambda x: np.reshape(x, (1, 1)), (1.5,)),
        Call(lambda x: np.reshape(x, ()), (np.array([2.5]),)),
        Call(lambda x: x.reshape(3, -1), (M,)),
        Call(lambda x: x.reshape((6,)), (M,)),
        Call(lambda x: x.reshape(0, 2), (EMPTY,)),
    ],
    np.transpose: [
        Call(lambda x: np.transpose(x), (M,)),
        Call(lambda x: np.transpose(x, (2, 0, 1)), (T,)),
        Call(lambda x: np.transpose(x, (-1, 0, 1)), (T,)),
        Call(lambda x: x.T, (T,)),
        Call(lambda x: x.transpose(1, 2, 0), (T,)),
        Call(lambda x: x.transpose((1, 2, 0)), (T,)),
        Call(lambda x: x.transpose(), (M,)),
        Call(lambda x: np.transpose(x), (V,)),
        Call(lambda x: np.transpose(x), (np.zeros((0, 2)),)),
        Call(lambda x: np.transpose(x), (1.5,)),
    ],
    np.swapaxes: [
        Call(lambda x: np.swapaxes(x, 0, 2), (T,)),
        Call(lambda x: np.swapaxes(x, -1, 0), (M,)),
        Call(lambda x: np.swapaxes(x, 0, 1), (np.zeros((0, 2)),)),
    ],
    np.broadcast_to: [
        Call(lambda x: np.broadcast_to(x, (2, 3)), (V,)),
        Call(lambda x: np.broadcast_to(x, (2, 3)), (1.5,)),
        Call(lambda x: np.broadcast_to(x, (4, 2, 3)), (_array(2, 1),)),
        Call(lambda x: np.broadcast_to(x, 3), (_array(1),)),
        Call(lambda x: np.broadcast_to(x, (0, 3)), (V,)),
    ],
    np.stack: [
        Call(lambda a, b: np.stack([a, b]), (1.5, -0.5)),
        Call(lambda a, b: np.stack((a, b), axis=1), (V, _array(3) + 1)),
        Call(lambda a, b: np.stack([a, b, a], axis=-1), (M, _array(2, 3) + 1)),
        Call(lambda a: np.stack([a, np.ones(3), a]), (V,)),
        Call(lambda a: np.stack([a]), (EMPTY,)),
    ],
    np.where: [
        Call(lambda a, b: np.where(YES, a, b), (V, _array(3) + 1)),
        Call(lambda a: np.where(YES, a, 0.0), (V,)),
        Call(lambda a: np.where(YES, 0.0, a), (M,)),
        Call(lambda a, b: np.where(a > 0, a, b), (V, 1.5)),
        Call(lambda a, b: np.where(a > 0, a * b, b), (1.5, 2.5)),
        Call(lambda a: np.where(True, a, a), (V,)),
        Call(lambda a, b: np.where(YES[:, None], a, b), (M[:1], _array(3, 1))),
        Call(lambda a: np.where(a > 0, a, 0.0), (EMPTY,)),
    ],
    "getitem": [
        Call(lambda x: x[1], (V,)),
        Call(lambda x: x[-1, 1:], (M,)),
        Call(lambda x: x[..., None, ::-1], (M,)),
        Call(lambda x: x[1][2], (M,)),
        Call(lambda x: x[YES], (V,)),
        Call(lambda x: x[x > 0], (V,)),
        Call(lambda x: x[REPEATED], (V,)),
        Call(lambda x: x[[0, 1], [2, 2]], (M,)),
        Call(lambda x: x[:, REPEATED, None], (M,)),
        Call(lambda x: x[np.int64(1)], (V,)),
        Call(lambda x: x[5:], (V,)),
        Call(lambda x: x[:], (EMPTY,)),
        Call(lambda x: x[()], (np.float64(1.5),)),
        Call(lambda x: x[None], (np.float64(1.5),)),
        Call(lambda x: list(x)[1], (M,)),
    ],
    "scatter": [
        Call(lambda g: TABLE["scatter"](g, index=REPEATED, shape=(3,)), (_array(4),), _scattered(REPEATED, (3,))),
        Call(lambda g: TABLE["scatter"](g, index=1, shape=(3,)), (2.5,), _scattered(1, (3,))),
        Call(
            lambda g: TABLE["scatter"](g, index=np.s_[:, 1], shape=(2, 3)),
            (_array(2),),
            _scattered(np.s_[:, 1], (2, 3)),
        ),
    ],
    "unless": [
        Call(lambda a, b: TABLE["unless"](YES, a, b), (V, _array(3) + 1), lambda a, b: np.where(YES, a, b)),
        Call(lambda a, b: TABLE["unless"](False, a, b), (1.5, 2.5), lambda a, b: b),
        Call(lambda a, b: TABLE["unless"](a > 0, a, b), (1.5, 2.5), lambda a, b: a),
    ],
    np.matmul: [
        Call(lambda a, b: a @ b, (V, _array(3) + 1)),
        Call(lambda a, b: a @ b, (M, V)),
        Call(lambda a, b: a @ b, (_array(2), M)),
        Call(lambda a, b: a @ b, (M, _array(3, 4))),
        Call(lambda a, b: np.matmul(a, b), (T, _array(2, 4, 2))),
        Call(lambda a, b: a @ b, (T, _array(4))),
        Call(lambda a, b: a @ b, (_array(3), T)),
        Call(lambda a, b: a @ b, (T, _array(4, 2))),
        Call(lambda a, b: a @ b, (_array(1, 3, 4), _array(5, 1, 4, 2))),
        Call(lambda a: a @ _array(3, 2), (M,)),
        Call(lambda b: M @ b, (V,)),
        Call(lambda a: a @ a, (V,)),
        Call(lambda a: a @ a, (_array(3, 3),)),
        Call(lambda a: a.T @ a, (M,)),
        Call(lambda a, b: a @ b, (np.zeros((2, 0)), np.zeros((0, 3)))),
        Call(lambda a, b: a @ b, (_array(1, 1), _array(1, 1))),
    ],
}


def title(key: Any) -> str:
    """A row's key as the name of a test."""
    return key if isinstance(key, str) else key.__name__
