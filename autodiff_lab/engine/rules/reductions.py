"""Derivative rules of reductions along axes (sum, mean, prod, max, var, norm), running sums, and sorting."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcasting import keepdims_shape, normalize_axes, shape_of, sum_axes
from ..errors import UnsupportedError
from ..primitives import unit_partial
from .table import (
    axis_behind_batch,
    composed,
    everywhere,
    is_nowhere,
    linear,
    over_length,
    reduction,
    share_between_equals,
    unless,
)

# Sums and means


reduction(np.sum, unit_partial, call=sum_axes)
reduction(np.mean, lambda y, x, axis: np.size(y) / max(np.size(x), 1))
linear(
    np.cumsum,
    lambda g, y, x, axis=None: _reversed_cumsum(g, x, axis),
    batched=lambda t, y, axis=None: _cumsum_of_each(t, y, axis),
)


def _cumsum_of_each(t: Any, y: Any, axis: int | None) -> Any:
    """Sum each example of a batch; NumPy makes a row of one entry of a number, with any axis."""
    is_of_numbers = len(shape_of(t)) == 1
    if axis is None or is_of_numbers:
        return np.cumsum(np.reshape(t, (len(t), *shape_of(y))), axis=1)
    return np.cumsum(t, axis=axis_behind_batch(axis))


def _reversed_cumsum(g: Any, x: Any, axis: int | None) -> Any:
    if axis is None or shape_of(x) == ():
        return np.reshape(np.flip(np.cumsum(np.flip(g))), shape_of(x))
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


# Products


def _products_of_others(y: Any, x: Any, axis: Any) -> Any:
    """For each entry the product of all others of its slice; exact also where some are zero."""
    if everywhere(x != 0):
        return y / x
    shape = shape_of(x)
    reduced = normalize_axes(axis, len(shape))
    order = tuple(a for a in range(len(shape)) if a not in reduced) + reduced
    slices = np.transpose(x, order)
    kept = shape_of(slices)[: len(shape) - len(reduced)]
    n = int(np.prod([shape[a] for a in reduced]))
    rows = np.reshape(slices, (*kept, 1, n))
    products = np.prod(np.where(np.eye(n, dtype=bool), 1.0, rows), axis=-1)
    return np.transpose(np.reshape(products, shape_of(slices)), tuple(int(i) for i in np.argsort(order)))


reduction(np.prod, _products_of_others)


@composed(np.cumprod)
def _cumprod(a: Any, axis: int | None = None) -> Any:
    if axis is None or (shape_of(a) == () and axis in (0, -1)):
        a, axis = np.reshape(a, (-1,)), 0
    rows = np.moveaxis(a, axis, -1)[..., None, :]
    n = shape_of(rows)[-1]
    return np.moveaxis(np.prod(np.where(np.tri(n, dtype=bool), rows, 1.0), axis=-1), -1, axis)


# Largest and smallest: a tie is split evenly


def _tie_weights(y: Any, x: Any, axis: Any) -> Any:
    won = x == y
    if type(won) is np.ndarray and np.count_nonzero(won) == np.count_nonzero(y == y) == np.size(y):
        return won  # no tie, and no NaN: nothing to split
    return won / np.sum(won, axis=axis, keepdims=True)


for largest in (np.max, np.min, np.amax, np.amin):
    reduction(largest, _tie_weights)


@composed(np.ptp)
def _ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@composed(np.sort)
def _sort(a: Any, axis: int | None = -1) -> Any:
    if axis is None:
        a, axis = np.reshape(a, (-1,)), -1
    return np.take_along_axis(a, np.argsort(a, axis=axis, kind="stable"), axis)


def _in_rows(a: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """The entries along one or more axes as rows, and the shape of one number per row that keeps these axes."""
    shape = shape_of(a)
    axes = normalize_axes(axis, len(shape))
    last = np.moveaxis(a, axes, range(len(shape) - len(axes), len(shape)))
    n = int(np.prod([shape[i] for i in axes]))
    return np.reshape(last, (*shape_of(last)[: len(shape) - len(axes)], n)), keepdims_shape(shape, axes)


@composed(np.median)
def _median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    rows, kept = _in_rows(a, axis)
    rows, n = np.sort(rows, axis=-1), shape_of(rows)[-1]
    rows = share_between_equals(rows, rows)  # as in max and min, a tie is split evenly
    middle = np.mean(rows[..., (n - 1) // 2 : n // 2 + 1], axis=-1)
    return np.reshape(middle, kept) if keepdims else middle


# Methods of NumPy's functions of two numbers: ``np.add.reduce``


def _add_method(name: str, function: Callable[..., Any]) -> None:
    """A method that is a function of its own; along axis 0, where the function takes all axes."""

    def reduced(array: Any, axis: Any = 0, keepdims: bool = False) -> Any:
        return function(array, axis=axis, keepdims=keepdims)

    def accumulated(array: Any, axis: int = 0) -> Any:
        return function(array, axis=axis)

    method = reduced if name.endswith("reduce") else accumulated
    method.__name__, method.__module__ = name, "numpy"
    composed(name)(method)


log_sum_exp = reduction(
    "logsumexp",
    lambda y, x, axis: np.exp(x - y),
    call=lambda a, axis, keepdims: np.logaddexp.reduce(a, axis=axis, keepdims=keepdims),
)

METHODS: dict[str, Callable[..., Any]] = {
    "add.reduce": np.sum,
    "multiply.reduce": np.prod,
    "maximum.reduce": np.max,
    "minimum.reduce": np.min,
    "logaddexp.reduce": log_sum_exp,
    "add.accumulate": np.cumsum,
    "multiply.accumulate": np.cumprod,
}
for name, function in METHODS.items():
    _add_method(name, function)


# Averages, spreads, norms


@composed(np.average)
def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        return (mean, np.full(shape_of(mean), np.size(a) / max(np.size(mean), 1))) if returned else mean
    shape = shape_of(a)
    if shape_of(weights) != shape and axis is not None:  # they belong to the axes named, in that order
        axes = normalize_axes(axis, len(shape))
        weights = np.transpose(weights, [int(k) for k in np.argsort(axes)])
        weights = np.reshape(weights, [n if i in axes else 1 for i, n in enumerate(shape)])
    total = np.sum(np.broadcast_to(weights, shape), axis=axis, keepdims=keepdims)
    mean = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


@composed(np.var)
def _var(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False, correction: float | None = None) -> Any:
    centred = a - np.mean(a, axis=axis, keepdims=True)
    count = np.size(a) / int(np.prod(keepdims_shape(shape_of(a), axis)))
    total = np.sum(centred * centred, axis=axis, keepdims=keepdims)
    return total / (count - (ddof if correction is None else correction))


@composed(np.std)
def _std(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False, correction: float | None = None) -> Any:
    variance = np.var(a, axis=axis, ddof=ddof if correction is None else correction, keepdims=keepdims)

    def of_equals() -> Any:
        rows, kept = _in_rows(a - np.mean(a, axis=axis, keepdims=True), axis)
        y = length(rows, axis=-1)
        return np.reshape(y, kept) if keepdims else y

    return _root(variance, 0.5, of_equals)


def _root(sum_of_powers: Any, exponent: float, at_zero: Callable[[], Any]) -> Any:
    """The root that makes a length of a sum; where that is 0, a length `at_zero` that is 0, with its derivatives."""
    zero = sum_of_powers == 0
    positive = unless(zero, 1.0, sum_of_powers)
    root = np.sqrt(positive) if exponent == 0.5 else positive**exponent
    return root if is_nowhere(zero, root) else unless(zero, at_zero(), root)


@composed(np.nansum)
def _nansum(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@composed(np.nanmean)
def _nanmean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    there = np.logical_not(np.isnan(a))
    return np.nansum(a, axis=axis, keepdims=keepdims) / np.sum(there.astype(a.dtype), axis=axis, keepdims=keepdims)


length = reduction("norm", lambda y, x, axis: over_length(x, y), call=np.linalg.norm)


@composed(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    matrix = (isinstance(axis, tuple) and len(axis) == 2) or (axis is None and np.ndim(x) == 2)
    if ord is None or ord == "fro" or (ord == 2 and not matrix):
        return np.absolute(x) if np.ndim(x) == 0 else length(x, axis=axis, keepdims=keepdims)
    if matrix:
        rows, columns = axis or (0, 1)
        if ord in (2, -2, "nuc"):
            values = np.linalg.svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))
            y = np.sum(values, axis=-1) if ord == "nuc" else (np.max if ord > 0 else np.min)(values, axis=-1)
            return np.reshape(y, keepdims_shape(shape_of(x), (rows, columns))) if keepdims else y
        if ord in (1, -1, np.inf, -np.inf):
            first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
            sums = np.sum(np.absolute(x), axis=first, keepdims=True)
            both = (np.max if ord > 0 else np.min)(sums, axis=second, keepdims=True)
            return both if keepdims else np.squeeze(both, axis=(rows, columns))
    elif ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(np.absolute(x), axis=axis, keepdims=keepdims)
    elif isinstance(ord, int | float) and ord != 0:
        if ord == 1:
            return np.sum(np.absolute(x), axis=axis, keepdims=keepdims)
        total = np.sum(np.absolute(x) ** ord, axis=axis, keepdims=keepdims)
        return _root(total, 1 / ord, lambda: length(x, axis=axis, keepdims=keepdims))
    raise UnsupportedError(f"np.linalg.norm with ord={ord!r} has no derivative rule for this operand.")


@composed(np.linalg.vector_norm)
def _vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    rows, kept = _in_rows(x, axis)
    y = np.linalg.norm(rows, ord, axis=-1)
    return np.reshape(y, kept) if keepdims else y
