"""Samples for `rules/elementwise.py`: elementwise functions, step functions, comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

ELEMENTWISE: dict[Any, tuple[list[float], ...]] = {
    # One list of values per operand: inside the domain, and at least 0.1 away from kinks and ties, also between any
    # value of one operand and any value of the other, because the tests broadcast them against each other.
    np.add: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.subtract: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.multiply: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.divide: ([1.25, -0.5, 2.0], [0.75, 3.0, -1.5]),
    np.power: ([0.7, 1.3, 2.5], [1.7, -0.6, 2.0]),
    np.remainder: ([4.1, -3.3, 7.7], [1.6, 2.4, -0.9]),
    np.fmod: ([4.1, -3.3, 7.7], [1.6, 2.4, -0.9]),
    np.negative: ([0.7, -1.3, 2.0],),
    np.positive: ([0.7, -1.3, 2.0],),
    np.square: ([0.7, -1.3, 2.0],),
    np.reciprocal: ([0.7, -1.3, 2.0],),
    np.exp: ([0.3, -1.2, 1.5],),
    np.exp2: ([0.3, -1.2, 1.5],),
    np.expm1: ([0.3, -1.2, 1.5],),
    np.log: ([0.3, 1.2, 4.0],),
    np.log2: ([0.3, 1.2, 4.0],),
    np.log10: ([0.3, 1.2, 4.0],),
    np.log1p: ([0.3, -0.4, 4.0],),
    np.logaddexp: ([0.3, -1.2, 1.5], [0.7, 2.1, -0.4]),
    np.logaddexp2: ([0.3, -1.2, 1.5], [0.7, 2.1, -0.4]),
    np.sqrt: ([0.3, 1.2, 4.0],),
    np.cbrt: ([0.3, -1.2, 4.0],),
    np.hypot: ([0.3, -1.2, 4.0], [0.7, 2.1, -0.4]),
    np.sin: ([0.8, -2.5, 5.0],),
    np.cos: ([0.8, -2.5, 5.0],),
    np.tan: ([0.8, -0.4, 2.5],),
    np.arcsin: ([0.3, -0.6, 0.8],),
    np.arccos: ([0.3, -0.6, 0.8],),
    np.arctan: ([0.3, -1.6, 4.0],),
    np.arctan2: ([0.3, -1.2, 4.0], [0.7, 2.1, -0.4]),
    np.sinh: ([0.5, -1.2, 2.0],),
    np.cosh: ([0.5, -1.2, 2.0],),
    np.tanh: ([0.5, -1.2, 2.0],),
    np.arcsinh: ([0.5, -1.2, 2.0],),
    np.arccosh: ([1.5, 2.2, 4.0],),
    np.arctanh: ([0.3, -0.6, 0.8],),
    np.deg2rad: ([30.0, -75.0, 200.0],),
    np.radians: ([30.0, -75.0, 200.0],),
    np.rad2deg: ([0.5, -1.2, 2.0],),
    np.degrees: ([0.5, -1.2, 2.0],),
    np.absolute: ([0.7, -1.3, 2.0],),
    np.fabs: ([0.7, -1.3, 2.0],),
    np.maximum: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    np.minimum: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    np.fmax: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    np.fmin: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    np.copysign: ([1.0, 3.0, -2.0], [0.5, -2.0, -3.0]),
    np.heaviside: ([1.0, 3.0, -2.0], [0.5, 2.0, -3.0]),
    "clip": ([0.4, -1.7, 3.1], [-1.0, -0.6, -0.2], [1.4, 2.0, 0.9]),
}

SMALL_WHOLE_NUMBERS = {np.arcsin, np.arccos, np.arctanh}  # only 0 lies inside

FLAT: dict[Any, tuple[list[float], ...]] = {
    # Of each entry, and flat: a step, a comparison, or a question of shape. No values at a step.
    np.sign: ([0.7, -1.3, 2.0],),
    np.floor: ([0.7, -1.3, 2.4],),
    np.ceil: ([0.7, -1.3, 2.4],),
    np.rint: ([0.7, -1.3, 2.4],),
    np.trunc: ([0.7, -1.3, 2.4],),
    np.round: ([0.7, -1.3, 2.4],),
    np.around: ([0.7, -1.3, 2.4],),
    np.floor_divide: ([4.1, -3.3, 7.7], [1.6, 2.4, -0.9]),
    np.less: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.less_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.greater: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.greater_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.not_equal: ([1.0, 3.0, -2.0], [0.5, 3.0, 2.0]),
    np.isfinite: ([0.7, np.inf, np.nan],),
    np.isnan: ([0.7, np.inf, np.nan],),
    np.isinf: ([0.7, np.inf, np.nan],),
    np.signbit: ([0.7, -1.3, -0.0],),
    np.logical_and: ([1.0, 0.0, -2.0], [0.0, 0.0, 2.0]),
    np.logical_or: ([1.0, 0.0, -2.0], [0.0, 0.0, 2.0]),
    np.logical_xor: ([1.0, 0.0, -2.0], [0.0, 0.0, 2.0]),
    np.logical_not: ([1.0, 0.0, -2.0],),
    np.isclose: ([1.0, 3.0, -2.0], [1.0, 3.0 + 1e-12, 2.0]),
    np.shape: ([0.7, -1.3, 2.0],),
    np.size: ([0.7, -1.3, 2.0],),
    np.ndim: ([0.7, -1.3, 2.0],),
    np.zeros_like: ([0.7, -1.3, 2.0],),
    np.ones_like: ([0.7, -1.3, 2.0],),
    np.iscomplexobj: ([0.7, -1.3, 2.0],),
    np.isrealobj: ([0.7, -1.3, 2.0],),
}

V, M = array(5), array(3, 4)
SORTED = np.array([-2.0, -0.5, 0.4, 1.5])

QUESTIONS: dict[Any, list[Call]] = {
    "as integers": [
        Call(lambda x: x.astype(int), (M,)),
        Call(lambda x: x.astype(np.int8), (np.float64(1.5),)),
        Call(lambda x: np.floor(x).astype(int), (M,)),
        Call(lambda x: int(np.floor(x)), (1.5,)),
        Call(lambda x: int(np.rint(x * 3) * 2 + 1), (1.5,)),
        Call(lambda x: float(np.sign(x)), (1.5,)),
        Call(lambda x: x.astype(bool), (M,)),
    ],
    np.bitwise_and: [
        Call(lambda x: (x > 0) & (x < 1), (M,)),
        Call(lambda x: np.bitwise_and(x > 0, x < 1), (M,)),
    ],
    np.bitwise_or: [Call(lambda x: (x < 0) | (x > 1), (M,))],
    np.bitwise_xor: [
        Call(lambda x: (x < 0) ^ (x < 1), (M,)),
        Call(lambda x: x.astype(int) ^ 5, (M,)),
    ],
    np.invert: [Call(lambda x: ~(x > 0), (M,)), Call(lambda x: np.invert(x.astype(int)), (M,))],
    # Of a whole array, and discrete: the answer is plain, and it is NumPy's.
    np.any: [
        Call(lambda x: np.any(x > 0), (M,)),
        Call(lambda x: np.any(x), (M,)),
        Call(lambda x: np.any(x, axis=0, keepdims=True), (M,)),
        Call(lambda x: x.any(axis=-1), (M,)),
        Call(lambda x: np.any(x), (np.zeros(0),)),
    ],
    np.all: [
        Call(lambda x: np.all(x), (M,)),
        Call(lambda x: np.all(x, axis=(0, 1)), (M,)),
        Call(lambda x: x.all(), (M,)),
        Call(lambda x: np.all(x), (1.5,)),
    ],
    np.argmax: [
        Call(lambda x: np.argmax(x), (M,)),
        Call(lambda x: np.argmax(x, axis=1, keepdims=True), (M,)),
        Call(lambda x: x.argmax(-1), (M,)),
    ],
    np.argmin: [Call(lambda x: np.argmin(x, 0), (M,)), Call(lambda x: x.argmin(), (M,))],
    np.argsort: [
        Call(lambda x: np.argsort(x), (M,)),
        Call(lambda x: np.argsort(x, axis=None, kind="stable"), (M,)),
        Call(lambda x: x.argsort(axis=0), (M,)),
    ],
    np.argpartition: [Call(lambda x: np.sort(np.argpartition(x, 2)[:2]), (V,))],
    np.nonzero: [Call(lambda x: np.nonzero(x), (M,))],
    np.flatnonzero: [Call(lambda x: np.flatnonzero(x), (M,))],
    np.argwhere: [Call(lambda x: np.argwhere(x), (M,))],
    np.count_nonzero: [
        Call(lambda x: np.count_nonzero(x), (M,)),
        Call(lambda x: np.count_nonzero(x, axis=1), (M,)),
    ],
    np.allclose: [
        Call(lambda x: np.allclose(x, x + 1e-12), (M,)),
        Call(lambda x: np.allclose(x, 0.0), (M,)),
    ],
    np.array_equal: [
        Call(lambda x: np.array_equal(x, x), (M,)),
        Call(lambda x: np.array_equal(x, x[:1]), (M,)),
    ],
    np.searchsorted: [
        Call(lambda x: np.searchsorted(SORTED, x), (V,)),
        Call(lambda x: np.searchsorted(x, 0.3, side="right"), (SORTED,)),
    ],
    np.digitize: [Call(lambda x: np.digitize(x, SORTED), (V,))],
    np.empty_like: [Call(lambda x: np.shape(np.empty_like(x)), (M,))],
}

CALLS: dict[Any, list[Call]] = {
    # Functions of each entry that are made of other rows
    np.float_power: [
        Call(lambda a, b: np.float_power(a, b), (np.abs(M) + 0.3, M)),
        Call(lambda a: np.float_power(a, 2), (M,)),
    ],
    np.ldexp: [
        Call(lambda x: np.ldexp(x, 3), (M,)),
        Call(lambda x: np.ldexp(x, np.arange(4) - 2), (M,)),
        Call(lambda x: np.ldexp(x, [[1], [-2]]), (1.5,)),
        Call(lambda x: np.ldexp(x, np.floor(x).astype(int)), (M,)),
    ],
    np.sinc: [
        Call(lambda x: np.sinc(x), (M,)),
        Call(lambda x: np.sinc(x), (1.3,)),
        Call(lambda x: np.sinc(x), (np.array([0.0, 1e-9, -3e-3, 0.0099, 0.0101]),)),
        Call(lambda x: np.sinc(x), (0.0,)),
        Call(lambda x: np.sinc(x), (np.zeros(0),)),
    ],
    np.clip: [
        Call(lambda x: np.clip(x, -0.5, 0.6), (M,)),
        Call(lambda x: np.clip(x, None, 0.6), (M,)),
        Call(lambda x: np.clip(x, a_min=-0.5, a_max=None), (M,)),
        Call(lambda x: np.clip(x, min=-0.5, max=0.6), (M,)),
        Call(lambda x: x.clip(-0.5, 0.6), (M,)),
        Call(lambda x, lo, hi: np.clip(x, lo, hi), (M, array(4) - 1.8, 1.2)),
        Call(lambda x: np.clip(x, 0.0, 1.0), (0.3,)),
        Call(lambda x: np.clip(x, 0.0, 1.0), (np.zeros((0, 2)),)),
    ],
    np.nan_to_num: [
        Call(lambda x: np.nan_to_num(x), (M,)),
        Call(lambda x: np.nan_to_num(x * x), (1.5,)),
    ],
    np.full_like: [
        Call(lambda x: x * np.full_like(x, 2.5), (M,)),
        Call(lambda x, y: x * np.full_like(x, y), (M, 1.5)),
    ],
    np.floor_divide: [Call(lambda x: (x // 0.3) * x, (M,)), Call(lambda x: (7.0 // x) * x, (M,))],
    np.remainder: [
        Call(lambda x: x % 0.7, (M,)),
        Call(lambda x: 7.3 % x, (np.abs(M) + 0.25,)),
        Call(lambda x: np.mod(x, 0.7), (M,)),
    ],
    np.sign: [Call(lambda x: np.round(x * 2.9, 1) * x, (M,)), Call(lambda x: x.round() * x, (M,))],
}
