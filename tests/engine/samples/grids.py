"""Samples for `rules/grids.py`: points, differences, integrals, interpolation, polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

V, M, T = array(3), array(2, 3), array(2, 3, 4)

CALLS: dict[Any, list[Call]] = {
    np.linspace: [
        Call(lambda a, b: np.linspace(a, b), (1.5, -0.5)),
        Call(lambda a: np.linspace(a, 4.0, 5, endpoint=False), (1.5,)),
        Call(lambda b: np.linspace(0, b, num=4), (V,)),
        Call(lambda a, b: np.linspace(a, b, 3, axis=-1), (M, V)),
        Call(lambda a, b: list(np.linspace(a, b, 4, retstep=True)), (V, V * 2 + 1)),
        Call(lambda a: np.linspace(a, 2.0, 1), (1.5,)),
        Call(lambda a: np.linspace([1.0, 2.0, 3.0], a, 3), (1.5,)),
    ],
    np.meshgrid: [
        Call(lambda a, b: list(np.meshgrid(a, b)), (V, array(2))),
        Call(lambda a, b: list(np.meshgrid(a, b, indexing="ij")), (V, array(2))),
        Call(lambda a, b: list(np.meshgrid(a, b, sparse=True)), (V, array(2))),
        Call(lambda a, b: list(np.meshgrid(a, b, b)), (V, array(2))),
    ],
    np.diff: [
        Call(lambda x: np.diff(x), (M,)),
        Call(lambda x: np.diff(x, 2, axis=1), (M,)),
        Call(lambda x: np.diff(x, axis=0), (T,)),
        Call(lambda x: np.diff(x, prepend=0.0, append=1.0), (M,)),
        Call(lambda x, a: np.diff(x, axis=0, prepend=a), (M, array(1, 3))),
        Call(lambda x, a: np.diff(x, append=a), (V, 1.5)),
        Call(lambda x: np.diff(x, n=0), (V,)),
    ],
    np.gradient: [
        Call(lambda x: np.gradient(x), (array(5),)),
        Call(lambda x: list(np.gradient(x)), (M,)),
        Call(lambda x: np.gradient(x, axis=1), (M,)),
        Call(lambda x: np.gradient(x, 0.5, edge_order=2), (array(5),)),
        Call(lambda x: np.gradient(x, np.array([0.0, 0.3, 1.0, 1.2, 2.0])), (array(5),)),
        Call(lambda x: list(np.gradient(x, 0.5, 2.0)), (M,)),
        Call(lambda x: list(np.gradient(x, 0.5, axis=(0, 2))), (T,)),
    ],
    np.interp: [
        Call(lambda fp: np.interp([-1, 0.2, 0.5, 1.7, 9], [0, 0.4, 1, 2, 3.0], fp), (array(5),)),
        Call(lambda x: np.interp(x, np.array([-1.0, 0.33, 1, 2]), array(4)), (M,)),
        Call(lambda x, fp: np.interp(x, [-1.0, 0.33, 1, 2], fp), (0.5, array(4))),
        Call(lambda x, fp: np.interp(x, [-1.0, 0.33, 1], fp, left=7.0, right=-7.0), (M, V)),
    ],
    np.trapezoid: [
        Call(lambda y: np.trapezoid(y), (V,)),
        Call(lambda y: np.trapezoid(y, dx=0.5, axis=0), (T,)),
        Call(lambda y, x: np.trapezoid(y, x), (M, V)),
        Call(lambda y, x: np.trapezoid(y, x, axis=1), (T, array(3))),
        Call(lambda y, x: np.trapezoid(y, x, axis=0), (T, T * 2 + 1)),
        Call(lambda x: np.trapezoid([1.0, 2.0, 5.0], x), (V,)),
        Call(lambda y, dx: np.trapezoid(y, dx=dx), (V, 0.5)),
    ],
    np.polyval: [
        Call(lambda p, x: np.polyval(p, x), (V, 1.5)),
        Call(lambda p, x: np.polyval(p, x), (array(4), M)),
        Call(lambda x: np.polyval([2.0, -1.0, 3.0], x), (M,)),
        Call(lambda p: np.polyval(p, [0.5, 2.0]), (V,)),
        Call(lambda a, x: np.polyval([a, 1.0, a * a], x), (0.7, 1.5)),
    ],
}
