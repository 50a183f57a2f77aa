"""Samples for `rules/shapes.py`: reshaping and indexing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.engine.dispatch import TABLE

from .call import Call, array

V, M, T = array(3), array(2, 3), array(2, 3, 4)
EMPTY = np.zeros((0,))
YES = np.array([True, False, True])
REPEATED = np.array([0, 2, 2, 0])


def _scattered(index: Any, shape: tuple[int, ...]) -> Callable[..., Any]:
    def reference(g: Any) -> Any:
        out = np.zeros(shape, dtype=getattr(g, "dtype", float))
        np.add.at(out, index, g)
        return out

    return reference


def _scatter(index: Any, shape: tuple[int, ...], g: Any) -> Call:
    return Call(
        lambda g: TABLE["scatter"](g, index=index, shape=shape), (g,), _scattered(index, shape)
    )


def _pieces(f: Callable[..., Any]) -> Callable[..., Any]:
    """The pieces of a split, squared, so that they do not fit together into a linear map."""
    return lambda x: [p * p for p in f(x)]


CALLS: dict[Any, list[Call]] = {
    np.reshape: [
        Call(lambda x: np.reshape(x, (3, 2)), (M,)),
        Call(lambda x: np.reshape(x, -1), (T,)),
        Call(lambda x: np.reshape(x, (1, 1)), (1.5,)),
        Call(lambda x: np.reshape(x, ()), (np.array([2.5]),)),
        Call(lambda x: x.reshape(3, -1), (M,)),
        Call(lambda x: x.reshape((6,)), (M,)),
        Call(lambda x: x.reshape(0, 2), (EMPTY,)),
        Call(lambda x: np.reshape(x, (4, -1), order="F"), (T,)),
        Call(lambda x: x.reshape(3, 2, order="F"), (M,)),
        Call(lambda x: np.reshape(x.T, (3, 2), "F"), (M,)),
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
    np.copy: [Call(lambda x: np.copy(x) * x, (M,)), Call(lambda x: np.copy(x, order="C"), (1.5,))],
    "astype": [
        # To a longer type, which rounds nothing: differences of rounded numbers say little. See test_types.py.
        Call(lambda x: x.astype(np.longdouble).astype(float) * x, (M,)),
        Call(lambda x: x.astype("g").astype(float), (T,)),
        Call(lambda x: x.astype("g").astype(float), (np.float64(1.5),)),
        Call(lambda x: x.astype("g").astype(float), (EMPTY,)),
    ],
    np.astype: [Call(lambda x: np.astype(x, np.longdouble).astype(float), (M,))],
    np.swapaxes: [
        Call(lambda x: np.swapaxes(x, 0, 2), (T,)),
        Call(lambda x: np.swapaxes(x, -1, 0), (M,)),
        Call(lambda x: x.swapaxes(0, 1), (M,)),
        Call(lambda x: np.swapaxes(x, 0, 1), (np.zeros((0, 2)),)),
    ],
    np.moveaxis: [
        Call(lambda x: np.moveaxis(x, 0, -1), (T,)),
        Call(lambda x: np.moveaxis(x, (0, 1), (-1, 0)), (T,)),
    ],
    np.rollaxis: [
        Call(lambda x: np.rollaxis(x, 2), (T,)),
        Call(lambda x: np.rollaxis(x, 1, 3), (T,)),
    ],
    np.squeeze: [
        Call(lambda x: np.squeeze(x), (array(1, 3, 1),)),
        Call(lambda x: np.squeeze(x, axis=-1), (array(1, 3, 1),)),
        Call(lambda x: x.squeeze((0, 2)), (array(1, 3, 1),)),
        Call(lambda x: np.squeeze(x), (array(1, 1),)),
    ],
    np.expand_dims: [
        Call(lambda x: np.expand_dims(x, 1), (M,)),
        Call(lambda x: np.expand_dims(x, (0, -1)), (M,)),
        Call(lambda x: np.expand_dims(x, 0), (1.5,)),
    ],
    np.atleast_1d: [Call(lambda x: np.atleast_1d(x) * 2, (x,)) for x in (1.5, V, M)],
    np.atleast_2d: [Call(lambda x: np.atleast_2d(x) * 2, (x,)) for x in (1.5, V, T)],
    np.atleast_3d: [Call(lambda x: np.atleast_3d(x) * 2, (x,)) for x in (1.5, V, M, T)],
    np.ravel: [
        Call(lambda x: np.ravel(x), (M,)),
        Call(lambda x: x.ravel(), (T,)),
        Call(lambda x: x.flatten(), (M,)),
        Call(lambda x: np.ravel(x, order="F"), (T,)),
        Call(lambda x: np.ravel(x), (1.5,)),
    ],
    np.broadcast_to: [
        Call(lambda x: np.broadcast_to(x, (2, 3)), (V,)),
        Call(lambda x: np.broadcast_to(x, (2, 3)), (1.5,)),
        Call(lambda x: np.broadcast_to(x, (4, 2, 3)), (array(2, 1),)),
        Call(lambda x: np.broadcast_to(x, 3), (array(1),)),
        Call(lambda x: np.broadcast_to(x, (0, 3)), (V,)),
    ],
    "getitem": [
        Call(lambda x: x[1], (V,)),
        Call(lambda x: x[-1, 1:], (M,)),
        Call(lambda x: x[..., None, ::-1], (M,)),
        Call(lambda x: x[1][2], (M,)),
        Call(lambda x: x[YES], (V,)),
        Call(lambda x: x[x > 0], (V,)),
        Call(lambda x: x[x > 0], (M,)),
        Call(lambda x: x[:, YES], (M,)),
        Call(lambda x: x[REPEATED], (V,)),
        Call(lambda x: x[[0, 1], [2, 2]], (M,)),
        Call(lambda x: x[:, REPEATED, None], (M,)),
        Call(lambda x: x[0, :, [1, 2, 1]], (T,)),
        Call(lambda x: x[[0, 1], :, [1, 2]], (T,)),
        Call(lambda x: x[..., [[0, 1], [1, 1]]], (T,)),
        Call(lambda x: x[np.ix_([0, 1], [2, 0])], (M,)),
        Call(lambda x: x[np.int64(1)], (V,)),
        Call(lambda x: x[np.argsort(x)], (V,)),
        Call(lambda x: x[np.argmax(x)], (V,)),
        Call(lambda x: x[5:], (V,)),
        Call(lambda x: x[[]], (V,)),
        Call(lambda x: x[:], (EMPTY,)),
        Call(lambda x: x[()], (np.float64(1.5),)),
        Call(lambda x: x[None], (np.float64(1.5),)),
        Call(lambda x: list(x)[1], (M,)),
    ],
    "scatter": [
        _scatter(REPEATED, (3,), array(4)),
        _scatter(1, (3,), 2.5),
        _scatter(np.s_[:, 1], (2, 3), array(2)),
        _scatter((np.array([0, 1, 1]), slice(None), np.array([2, 0, 0])), (2, 3, 4), array(3, 3)),
    ],
    np.where: [
        Call(lambda a, b: np.where(YES, a, b), (V, array(3) + 1)),
        Call(lambda a: np.where(YES, a, 0.0), (V,)),
        Call(lambda a: np.where(YES, 0.0, a), (M,)),
        Call(lambda a, b: np.where(a > 0, a, b), (V, 1.5)),
        Call(lambda a, b: np.where(a > 0, a * b, b), (1.5, 2.5)),
        Call(lambda a: np.where(True, a, a), (V,)),
        Call(lambda a, b: np.where(YES[:, None], a, b), (M[:1], array(3, 1))),
        Call(lambda a: np.where(a > 0, a, 0.0), (EMPTY,)),
    ],
    "unless": [
        Call(
            lambda a, b: TABLE["unless"](YES, a, b),
            (V, array(3) + 1),
            lambda a, b: np.where(YES, a, b),
        ),
        Call(lambda a, b: TABLE["unless"](False, a, b), (1.5, 2.5), lambda a, b: b),
        Call(lambda a, b: TABLE["unless"](a > 0, a, b), (1.5, 2.5), lambda a, b: a),
    ],
    np.flip: [
        Call(lambda x: np.flip(x), (M,)),
        Call(lambda x: np.flip(x, -1), (M,)),
        Call(lambda x: np.flip(x, axis=(0, 2)), (T,)),
    ],
    np.fliplr: [Call(lambda x: np.fliplr(x), (M,))],
    np.flipud: [Call(lambda x: np.flipud(x), (V,))],
    np.rot90: [
        Call(lambda x: np.rot90(x), (M,)),
        Call(lambda x: np.rot90(x, -1, axes=(1, 2)), (T,)),
    ],
    np.roll: [
        Call(lambda x: np.roll(x, 2), (M,)),
        Call(lambda x: np.roll(x, -1, axis=1), (M,)),
        Call(lambda x: np.roll(x, (1, 2), axis=(0, 1)), (M,)),
    ],
    np.tile: [Call(lambda x: np.tile(x, 2), (V,)), Call(lambda x: np.tile(x, (2, 1, 2)), (M,))],
    np.repeat: [
        Call(lambda x: np.repeat(x, 2), (M,)),
        Call(lambda x: x.repeat(2, axis=1), (M,)),
        Call(lambda x: np.repeat(x, [1, 2, 0], axis=-1), (M,)),
        Call(lambda x: np.repeat(x, 3), (1.5,)),
    ],
    np.resize: [Call(lambda x: np.resize(x, (3, 3)), (M,))],
    np.lib.stride_tricks.sliding_window_view: [
        Call(lambda x: np.lib.stride_tricks.sliding_window_view(x, 2), (V,)),
        Call(lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)) ** 2, (M,)),
        Call(lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, axis=-1), (T,)),
        Call(
            lambda x: np.lib.stride_tricks.sliding_window_view(x, window_shape=(2, 3), axis=(0, 2)),
            (T,),
        ),
    ],
    np.delete: [
        Call(lambda x: np.delete(x, 1), (V,)),
        Call(lambda x: np.delete(x, [0, 2], axis=1), (M,)),
    ],
    np.take: [
        Call(lambda x: np.take(x, [0, 2, 0], axis=1), (M,)),
        Call(lambda x: np.take(x, [4, 1]), (M,)),
        Call(lambda x: x.take([[0, 1], [1, 1]], axis=-1), (M,)),
        Call(lambda x: np.take(x, [7, -1], mode="wrap"), (V,)),
        Call(lambda x: np.take(x, 1), (V,)),
    ],
    np.take_along_axis: [
        Call(lambda x: np.take_along_axis(x, np.array([[0, 0], [1, 2]]), 1), (M,)),
        Call(lambda x: np.take_along_axis(x, np.argsort(x, axis=0), axis=0), (M,)),
    ],
    np.diagonal: [
        Call(lambda x: np.diagonal(x), (M,)),
        Call(lambda x: x.diagonal(1), (M,)),
        Call(lambda x: np.diagonal(x, 1, 0, 2), (T,)),
    ],
    np.split: [
        Call(_pieces(lambda x: np.split(x, 3, axis=1)), (M,)),
        Call(_pieces(lambda x: np.split(x, [1, 2])), (V,)),
    ],
    np.array_split: [Call(_pieces(lambda x: np.array_split(x, 2)), (V,))],
    np.hsplit: [Call(_pieces(lambda x: np.hsplit(x, 3)), (M,))],
    np.vsplit: [Call(_pieces(lambda x: np.vsplit(x, 2)), (M,))],
    np.dsplit: [Call(_pieces(lambda x: np.dsplit(x, 2)), (T,))],
    np.diag: [
        Call(lambda x: np.diag(x), (V,)),
        Call(lambda x: np.diag(x), (M,)),
        Call(lambda x: np.diag(x, -1), (V,)),
        Call(lambda x: np.diag(x, k=1), (M,)),
    ],
    np.diagflat: [
        Call(lambda x: np.diagflat(x), (array(2, 2),)),
        Call(lambda x: np.diagflat(x, 1), (V,)),
    ],
    np.tril: [Call(lambda x: np.tril(x), (M,)), Call(lambda x: np.tril(x, -1), (T,))],
    np.triu: [Call(lambda x: np.triu(x), (M,)), Call(lambda x: np.triu(x, k=1), (T,))],
    np.pad: [
        Call(lambda x: np.pad(x, 1), (M,)),
        Call(lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=2.0), (M,)),
        Call(lambda x, c: np.pad(x, (1, 2), constant_values=c), (V, 1.5)),
        *(
            Call(lambda x, m=m: np.pad(x, 1, mode=m), (M,))
            for m in ("edge", "reflect", "symmetric", "wrap")
        ),
        Call(lambda x: np.pad(x, ((0, 0), (3, 2)), "reflect"), (M,)),
    ],
    np.trace: [
        Call(lambda x: np.trace(x), (M,)),
        Call(lambda x: x.trace(1), (M,)),
        Call(lambda x: np.trace(x, axis1=1, axis2=-1), (T,)),
    ],
}
