"""Samples for `rules/reductions.py`: reductions, running sums, sorting, averages, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

V, M, T = array(3), array(2, 3), array(2, 3, 4)
EMPTY, ONE = np.zeros((0,)), np.array([[3.5]])
POSITIVE = np.abs(M) + 0.3
NO_ROWS, NO_COLUMNS = np.zeros((0, 3)), np.zeros((2, 0))
ZEROS = np.array([[1.5, 0.0, -2.0, 0.7], [0.0, 0.0, 3.0, 1.1], [2.0, 1.0, -1.3, 0.4]])
HOLES = np.array([[1.5, np.nan, -2.0], [0.7, 3.0, np.nan]])
QUANTILE_METHODS = (
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "hazen",
)
QUANTILE_METHODS += (
    "closest_observation",
    "interpolated_inverted_cdf",
    "weibull",
    "median_unbiased",
)


def _with_holes(x: Any) -> Any:
    return np.where(np.isnan(HOLES), np.nan, x)


def _everywhere(f: Any, method: str | None = None) -> list[Call]:
    """The ways of choosing axes that every reduction has."""
    calls = [
        Call(lambda x: f(x), (1.5,)),
        Call(lambda x: f(x), (M,)),
        Call(lambda x: f(x), (ONE,)),
        Call(lambda x: f(x, axis=0), (M,)),
        Call(lambda x: f(x, -1), (M,)),
        Call(lambda x: f(x, axis=(0, -1)), (T,)),
        Call(lambda x: f(x, axis=(1,), keepdims=True), (T,)),
        Call(lambda x: f(x, keepdims=True), (M,)),
        Call(lambda x: f(x, axis=np.int64(1)), (M,)),
        Call(lambda x: f(x, axis=1), (NO_ROWS,)),
    ]
    if method:
        calls += [
            Call(lambda x: getattr(x, method)(), (M,)),
            Call(lambda x: getattr(x, method)(axis=1, keepdims=True), (M,)),
        ]
    return calls


CALLS: dict[Any, list[Call]] = {
    np.sum: [
        *_everywhere(np.sum, "sum"),
        Call(lambda x: np.sum(x), (EMPTY,)),
        Call(lambda x: np.sum(x, axis=()), (M,)),
        Call(lambda x: np.sum(x, axis=0), (NO_ROWS,)),
        Call(lambda x: np.sum(x, axis=1), (NO_COLUMNS,)),
        Call(lambda x: np.add.reduce(x), (M,)),
    ],
    np.mean: _everywhere(np.mean, "mean"),
    np.cumsum: [
        Call(lambda x: np.cumsum(x), (M,)),
        Call(lambda x: np.cumsum(x, axis=0), (M,)),
        Call(lambda x: np.cumsum(x, -1), (T,)),
        Call(lambda x: x.cumsum(1), (M,)),
        Call(lambda x: np.cumsum(x), (1.5,)),
        Call(lambda x: np.cumsum(x, axis=0), (1.5,)),
        Call(lambda x: np.cumsum(x), (EMPTY,)),
        Call(lambda x: np.cumsum(x, axis=0), (NO_ROWS,)),
    ],
    np.prod: [
        *_everywhere(np.prod, "prod"),
        Call(lambda x: np.prod(x), (EMPTY,)),
        Call(lambda x: np.prod(x), (ZEROS[0],)),
        Call(lambda x: np.prod(x), (ZEROS[1],)),
        Call(lambda x: np.prod(x, axis=1), (ZEROS,)),
        Call(lambda x: np.prod(x, axis=0, keepdims=True), (ZEROS,)),
        Call(lambda x: np.prod(x, axis=(0, 2)), (ZEROS.reshape(3, 2, 2),)),
        Call(lambda x: np.prod(x), (0.0,)),
    ],
    np.cumprod: [
        Call(lambda x: np.cumprod(x), (M,)),
        Call(lambda x: np.cumprod(x, axis=0), (1.5,)),
        Call(lambda x: np.cumprod(x, -1), (1.5,)),
        Call(lambda x: np.cumprod(x, axis=0), (M,)),
        Call(lambda x: np.cumprod(x, axis=-1), (ZEROS,)),
        Call(lambda x: x.cumprod(axis=1), (M,)),
        Call(lambda x: np.cumprod(x), (ZEROS[0],)),
        Call(lambda x: np.cumprod(x), (np.array([2.5]),)),
        Call(lambda x: np.cumprod(x), (EMPTY,)),
    ],
    np.max: _everywhere(np.max, "max"),
    np.min: _everywhere(np.min, "min"),
    np.amax: [
        Call(lambda x: np.amax(x), (M,)),
        Call(lambda x: np.amax(x, axis=1, keepdims=True), (M,)),
    ],
    np.amin: [Call(lambda x: np.amin(x), (M,)), Call(lambda x: np.amin(x, axis=(0, 1)), (M,))],
    np.ptp: [c for c in _everywhere(np.ptp) if np.ndim(c.args[0])],
    np.sort: [
        Call(lambda x: np.sort(x), (M,)),
        Call(lambda x: np.sort(x, axis=0), (M,)),
        Call(lambda x: np.sort(x, axis=None), (M,)),
        Call(lambda x: np.sort(x, 1), (T,)),
        Call(lambda x: np.sort(x)[::-1] ** 2, (V,)),
        Call(lambda x: np.sort(x), (np.array([2.5]),)),
        Call(lambda x: np.sort(x), (EMPTY,)),
        Call(lambda x: np.sort(x, axis=0), (NO_ROWS,)),
    ],
    np.median: [
        *(c for c in _everywhere(np.median) if np.size(c.args[0])),
        Call(lambda x: np.median(x), (array(5),)),
        Call(lambda x: np.median(x, axis=0), (array(4, 2),)),
        Call(lambda x: np.median(x, axis=(0, 2), keepdims=True), (T,)),
    ],
    np.quantile: [
        Call(lambda x: np.quantile(x, 0.3), (array(9),)),
        Call(lambda x: np.quantile(x, 0.3), (1.5,)),
        Call(lambda x: np.quantile(x, [[0.0, 0.25], [0.5, 1.0]], axis=0), (M,)),
        Call(lambda x: np.quantile(x, 0.4, axis=(0, 2), keepdims=True), (T,)),
        Call(lambda x: np.quantile(x, [0.2], -1, keepdims=True), (M,)),
        Call(lambda x: np.quantile(x, [], axis=1), (M,)),
        Call(lambda x: np.quantile(x, 0.3, axis=1), (NO_ROWS,)),
        *(
            Call(lambda x, m=m: np.quantile(x, 0.37, method=m), (array(7),))
            for m in QUANTILE_METHODS
        ),
    ],
    np.percentile: [
        Call(lambda x: np.percentile(x, 30), (array(9),)),
        Call(lambda x: np.percentile(x, [10, 95.5], axis=1, method="hazen"), (M,)),
    ],
    np.nanquantile: [
        Call(lambda x: np.nanquantile(x, 0.3), (array(9),)),
        Call(lambda x: np.nanquantile(_with_holes(x), [0.2, 0.5, 1.0], axis=1), (M,)),
        Call(lambda x: np.nanquantile(_with_holes(x), 0.7, keepdims=True), (M,)),
    ],
    np.nanpercentile: [
        Call(lambda x: np.nanpercentile(_with_holes(x), [30, 60], axis=0, keepdims=True), (M,))
    ],
    np.nanmedian: [
        Call(lambda x: np.nanmedian(_with_holes(x)), (M,)),
        Call(lambda x: np.nanmedian(_with_holes(x), axis=-1), (M,)),
    ],
    np.partition: [
        Call(lambda x: np.partition(x, 1), (M,)),
        Call(lambda x: np.sort(np.partition(x, -3)[-3:]), (array(9),)),
        Call(lambda x: np.partition(x, [0, 2], axis=None)[2] ** 2, (M,)),
        Call(lambda x: np.partition(x, 1, axis=0), (M,)),
    ],
    np.cov: [
        Call(lambda x: np.cov(x), (M,)),
        Call(lambda x: np.cov(x), (array(5),)),
        Call(lambda x, y: np.cov(x, y), (M, array(3) ** 2)),
        Call(lambda x: np.cov(x, rowvar=False, bias=True), (array(4, 2),)),
        Call(lambda x: np.cov(x, ddof=0), (M,)),
        Call(lambda y: np.cov([1.0, 2.0, 4.0], y), (V,)),
    ],
    np.corrcoef: [
        Call(lambda x: np.corrcoef(x), (array(3, 5),)),
        Call(lambda x, y: np.corrcoef(x, y), (array(5), array(5) ** 2)),
        Call(lambda x: np.corrcoef(x, rowvar=False)[0], (array(5, 2),)),
        Call(lambda x: np.corrcoef(x) * x[0], (array(5),)),
    ],
    np.average: [
        *(c for c in _everywhere(np.average) if np.size(c.args[0])),
        Call(lambda x, w: np.average(x, axis=1, weights=w), (M, POSITIVE[0])),
        Call(lambda x, w: np.average(x, weights=w), (M, POSITIVE)),
        Call(lambda x, w: np.average(x, 0, w, keepdims=True), (M, POSITIVE)),
        Call(lambda x: np.average(x, axis=-1, weights=[1.0, 2.0, 3.0]), (M,)),
    ],
    np.var: [
        *(c for c in _everywhere(np.var, "var") if np.size(c.args[0])),
        Call(lambda x: np.var(x, axis=0, ddof=1), (array(4, 2),)),
        Call(lambda x: np.var(x, correction=1), (M,)),
        Call(lambda x: x.var(axis=1, ddof=1), (M,)),
    ],
    np.std: [
        *(c for c in _everywhere(np.std, "std") if np.size(c.args[0]) > 1),
        Call(lambda x: np.std(x, axis=1, ddof=1, keepdims=True), (M,)),
        Call(lambda x: np.std(x, correction=1), (M,)),
    ],
    np.nansum: [
        *_everywhere(np.nansum),
        Call(lambda x: np.nansum(_with_holes(x), axis=0), (M,)),
    ],
    np.nanmean: [
        *(c for c in _everywhere(np.nanmean) if np.size(c.args[0])),
        Call(lambda x: np.nanmean(_with_holes(x)), (M,)),
        Call(lambda x: np.nanmean(_with_holes(x), axis=1, keepdims=True), (M,)),
    ],
    **{
        f: [
            *(c for c in _everywhere(f) if np.size(c.args[0])),
            Call(lambda x, f=f: f(_with_holes(x), axis=0), (M,)),
            Call(lambda x, f=f: f(_with_holes(x), axis=(0, 1), keepdims=True), (M,)),
        ]
        for f in (np.nanmax, np.nanmin, np.nanprod, np.nanvar)
    },
    np.nanstd: [
        *(c for c in _everywhere(np.nanstd) if np.size(c.args[0]) > 1),
        Call(lambda x: np.nanstd(_with_holes(x)), (M,)),
        Call(lambda x: np.nanstd(_with_holes(x), axis=(0, 1), ddof=0.5, keepdims=True), (M,)),
        Call(lambda x: np.nanstd(_with_holes(x), correction=1), (M,)),
    ],
    np.nancumsum: [
        Call(lambda x: np.nancumsum(_with_holes(x)), (M,)),
        Call(lambda x: np.nancumsum(x, axis=0), (M,)),
    ],
    np.nancumprod: [
        Call(lambda x: np.nancumprod(_with_holes(x), axis=1), (M,)),
        Call(lambda x: np.nancumprod(x), (M,)),
    ],
    np.linalg.norm: [
        Call(lambda x: np.linalg.norm(x), (V,)),
        Call(lambda x: np.linalg.norm(x), (M,)),
        Call(lambda x: np.linalg.norm(x), (T,)),
        Call(lambda x: np.linalg.norm(x), (1.5,)),
        Call(lambda x: np.linalg.norm(x, axis=1), (M,)),
        Call(lambda x: np.linalg.norm(x, axis=-2, keepdims=True), (T,)),
        Call(lambda x: np.linalg.norm(x, axis=(1, 2)), (T,)),
        Call(lambda x: np.linalg.norm(x, "fro", axis=(0, -1), keepdims=True), (T,)),
        *(
            Call(lambda x, p=p: np.linalg.norm(x, p), (array(5),))
            for p in (1, 2, 3, 0.5, -2, np.inf, -np.inf)
        ),
        *(Call(lambda x, p=p: np.linalg.norm(x, ord=p, axis=-1), (M,)) for p in (1, 2.5, np.inf)),
        *(
            Call(lambda x, p=p: np.linalg.norm(x, p), (M,))
            for p in ("fro", "nuc", 2, -2, 1, -1, np.inf, -np.inf)
        ),
        *(Call(lambda x, p=p: np.linalg.norm(x, p, axis=(0, 2)), (T,)) for p in (2, 1, "nuc")),
        Call(lambda x: np.linalg.norm(x, 2, axis=(0, 1), keepdims=True), (T,)),
        Call(lambda x: np.linalg.norm(x, np.inf, axis=(1, 0), keepdims=True), (T,)),
        Call(lambda x: np.linalg.norm(x), (ONE,)),
    ],
    np.linalg.vector_norm: [
        Call(lambda x: np.linalg.vector_norm(x), (1.5,)),
        Call(lambda x: np.linalg.vector_norm(x), (M,)),
        Call(lambda x: np.linalg.vector_norm(x, axis=-1), (T,)),
        Call(lambda x: np.linalg.vector_norm(x, axis=(0, -1), keepdims=True), (T,)),
        *(
            Call(lambda x, p=p: np.linalg.vector_norm(x, ord=p, axis=(0, 2)), (T,))
            for p in (1, 3, np.inf)
        ),
        Call(lambda x: np.linalg.vector_norm(x, ord=1, keepdims=True), (T,)),
    ],
    # Methods of functions of two numbers
    **{
        f"{name}.reduce": [
            Call(lambda x, f=f: f.reduce(x), (V,)),
            Call(lambda x, f=f: f.reduce(x, axis=1), (M,)),
            Call(lambda x, f=f: f.reduce(x, axis=(0, 2), keepdims=True), (T,)),
            Call(lambda x, f=f: f.reduce(x, None), (M,)),
        ]
        for name, f in {
            "add": np.add,
            "multiply": np.multiply,
            "maximum": np.maximum,
            "minimum": np.minimum,
        }.items()
    },
    "logaddexp.reduce": [
        Call(lambda x: np.logaddexp.reduce(x), (V,)),
        Call(lambda x: np.logaddexp.reduce(x, axis=-1, keepdims=True), (T,)),
        Call(lambda x: np.logaddexp.reduce(1e3 * x, axis=None), (M,)),
    ],
    "add.accumulate": [
        Call(lambda x: np.add.accumulate(x), (M,)),
        Call(lambda x: np.add.accumulate(x, axis=-1), (T,)),
    ],
    "multiply.accumulate": [Call(lambda x: np.multiply.accumulate(x, 1), (M,))],
    **{
        f"{name}.accumulate": [
            Call(lambda x, f=f: f.accumulate(x), (array(9),)),
            Call(lambda x, f=f: f.accumulate(x * x, axis=-1), (T,)),
            Call(lambda x, f=f: f.accumulate(x, 1), (M,)),
            Call(lambda x, f=f: f.accumulate(x), (EMPTY,)),
        ]
        for name, f in {"maximum": np.maximum, "minimum": np.minimum}.items()
    },
}
