"""Samples for `rules/joining.py`: joining, filling and choosing arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

V, M, T = array(3), array(2, 3), array(2, 3, 4)
EMPTY = np.zeros((0,))
YES = np.array([True, False, True])

CALLS: dict[Any, list[Call]] = {
    np.stack: [
        Call(lambda a, b: np.stack([a, b]), (1.5, -0.5)),
        Call(lambda a, b: np.stack((a, b), axis=1), (V, array(3) + 1)),
        Call(lambda a, b: np.stack([a, b, a], axis=-1), (M, array(2, 3) + 1)),
        Call(lambda a: np.stack([a, np.ones(3), a]), (V,)),
        Call(lambda a: np.stack([a]), (EMPTY,)),
    ],
    np.concatenate: [
        Call(lambda a, b: np.concatenate([a, b]), (V, array(2))),
        Call(lambda a, b: np.concatenate((a, b, a), axis=1), (M, array(2, 1))),
        Call(lambda a, b: np.concatenate([a, b], axis=-2), (T, array(2, 1, 4))),
        Call(lambda a, b: np.concatenate([a, b], axis=None), (M, V)),
        Call(lambda a: np.concatenate([a, np.ones(2), a]), (V,)),
        Call(lambda a: np.concatenate([a, [1.0]]), (EMPTY,)),
    ],
    np.vstack: [
        Call(lambda a, b: np.vstack([a, b]), (V, V + 1)),
        Call(lambda a, b: np.vstack([a, b]), (M, V)),
    ],
    np.hstack: [
        Call(lambda a, b: np.hstack([a, b]), (V, 1.5)),
        Call(lambda a, b: np.hstack((a, b)), (M, M + 1)),
    ],
    np.dstack: [
        Call(lambda a, b: np.dstack([a, b]), (V, V + 1)),
        Call(lambda a, b: np.dstack([a, b]), (M, M + 1)),
    ],
    np.column_stack: [
        Call(lambda a, b: np.column_stack([a, b]), (V, V + 1)),
        Call(lambda a, b: np.column_stack([a, b]), (M, array(2))),
    ],
    np.append: [
        Call(lambda a, b: np.append(a, b), (M, V)),
        Call(lambda a, b: np.append(a, b, axis=0), (M, array(1, 3))),
        Call(lambda a: np.append(a, 2.0), (V,)),
        Call(lambda b: np.append(np.ones(2), b), (1.5,)),
    ],
    np.insert: [
        Call(lambda a, b: np.insert(a, 1, b), (V, 1.5)),
        Call(lambda a: np.insert(a, [0, 2], 7.0, axis=1), (M,)),
        Call(lambda a, b: np.insert(a, 1, b, axis=0), (M, V)),
        Call(lambda b: np.insert([1.0, 2.0], [0, 2, 2], b), (V,)),
        Call(lambda a: np.insert(a, slice(0, 2), a[0, 0] ** 2), (M,)),
    ],
    np.piecewise: [
        Call(lambda a: np.piecewise(a, [a < 0, a >= 0], [lambda z: -z, lambda z: z**2]), (V,)),
        Call(lambda a: np.piecewise(a, [a < 0, a < 0.5], [np.sin, 7.0, lambda z: z**3]), (M,)),
        Call(lambda a: np.piecewise(a, a < 0, [lambda z: z * np.sum(z)]), (V,)),
        Call(
            lambda a: np.piecewise(
                a, [a < 2, a < 1.7], [1.0, lambda z, k, n=1: k * z**n], 3.0, n=2
            ),
            (1.5,),
        ),
        Call(lambda a, b: np.piecewise(a, [a < 0], [lambda z: z * b, b]), (M, 1.5)),
    ],
    np.choose: [
        Call(lambda a, b: np.choose(np.array([0, 1, 1]), [a, b]), (V, V * 2)),
        Call(lambda a: np.choose(np.array([[2], [0]]), [a, 1.0, a * a]), (V,)),
    ],
    np.block: [
        Call(lambda a, b: np.block([[a, -b], [b, a]]), (1.5, -0.5)),
        Call(lambda a, b: np.block([[a, np.ones((2, 1))], [b, 2.0]]), (M, V)),
        Call(lambda a, b: np.block([a, b]), (V, 1.5)),
        Call(lambda a: np.block([[[a], [a * a]]]), (M,)),
        Call(lambda a, b: np.block([[a, b], [b, a]]), (T, array(2, 3, 4) + 1)),
        Call(lambda a: np.block(a), (V,)),
    ],
    # Without `like` NumPy asks nobody; with it the plain function needs an array to be like.
    np.array: [
        Call(lambda a: np.array([[a[0], 1.0], [a[1], a[0] * a[1]]], like=a), (V,)),
        Call(lambda a: np.array([a, 2 * a], like=a), (M,)),
        Call(lambda a: np.array((a, [1, 2, 3]), dtype=float, like=a), (V,)),
        Call(lambda a: np.array(a, like=a), (V,)),
    ],
    np.asarray: [Call(lambda a: np.asarray([a, a * a], like=a), (V,))],
    np.full: [
        Call(lambda a: np.full((2, 3), a[0], like=a), (V,)),
        Call(lambda a: np.full((2, 3), a, like=a), (V,)),
        Call(lambda a: np.full(3, 2.0, like=a) * a, (V,)),
    ],
    np.select: [
        Call(lambda a, b: np.select([a > 0.5, a < -0.5], [a * a, b], default=a * b), (M, 1.5)),
        Call(lambda a: np.select([YES, ~YES], [a, 0.0]), (V,)),
        Call(lambda a: np.select([YES, YES, [False] * 3], [a, a * a, 1.0], 7.0), (M,)),
        Call(lambda a, b: np.select([a > 0], [b]), (1.5, 2.5)),
    ],
}
