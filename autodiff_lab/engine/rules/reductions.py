"""Derivative rules of reductions along axes (sum, mean, prod, max, var, norm), running sums, and sorting."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcasting import keepdims_shape, normalize_axes, shape_of, sum_axes
from ..errors import UnsupportedError
from ..primitives import unit_partial
from ..values import Traced, as_operand
from .kinks import everywhere, is_nowhere, mean_of_equals, over_length, tie_weights, unless
from .table import axis_behind_batch, composed, linear, reduction

# Sums and means


reduction(np.sum, unit_partial, call=sum_axes)
reduction(np.mean, lambda y, x, axis: np.size(y) / max(np.size(x), 1))
linear(
    np.cumsum,
    lambda g, y, x, axis=None: _reversed_cumsum(g, x, axis),
    batched=lambda t, y, axis=None: _cumsum_of_each(t, y, axis),
)


def _cumsum_of_each(t: Any, y: Any, axis: int | None) -> Any:
    """The running sums of each example in a batch. For single numbers NumPy returns an array of one entry."""
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
    original_order = tuple(int(i) for i in np.argsort(order))
    return np.transpose(np.reshape(products, shape_of(slices)), original_order)


reduction(np.prod, _products_of_others)


@composed(np.cumprod)
def _cumprod(a: Any, axis: int | None = None) -> Any:
    if axis is None or (shape_of(a) == () and axis in (0, -1)):
        a, axis = np.reshape(a, (-1,)), 0
    rows = np.moveaxis(a, axis, -1)[..., None, :]
    n = shape_of(rows)[-1]
    return np.moveaxis(np.prod(np.where(np.tri(n, dtype=bool), rows, 1.0), axis=-1), -1, axis)


# Maximum and minimum: a tie is split evenly


for extremum in (np.max, np.min, np.amax, np.amin):
    reduction(extremum, tie_weights)


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
    rows = np.reshape(last, (*shape_of(last)[: len(shape) - len(axes)], n))
    return rows, keepdims_shape(shape, axes)


# Order statistics


def _order_statistics(rows: Any, positions: Any) -> Any:
    """The entries of sorted rows at positions, plain or one for each row; a tie is split evenly among its entries."""
    if isinstance(positions, int):
        picked = rows[..., positions]
    else:
        picked = np.take_along_axis(rows, positions[..., None], axis=-1)[..., 0]
    return mean_of_equals(rows, picked)


@composed(np.median)
def _median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    if np.size(a) == 0:
        return np.mean(a, axis=axis, keepdims=keepdims)  # NaN, as in NumPy
    return np.quantile(a, 0.5, axis=axis, keepdims=keepdims)


@composed(np.quantile)
def _quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Any = None,
) -> Any:
    _require_plain_quantile("np.quantile", q, weights)
    rows, kept = _in_rows(a, axis)
    rows = np.sort(rows, axis=-1)
    n = shape_of(rows)[-1]
    # Whatever the method, a quantile of 0, 1, …, n - 1 is the position between order statistics.
    places = np.quantile(np.arange(float(n)), q, method=method)
    found = []
    for place in np.ravel(places):
        low = int(np.floor(place))
        y = _order_statistics(rows, low)
        if place != low:
            part = float(place - low)
            y = y * (1 - part) + _order_statistics(rows, low + 1) * part
        found.append(y)
    last = rows[..., -1]  # NaN is sorted to the end, and makes a quantile NaN
    found = [unless(np.isnan(last), np.nan, y) for y in found]
    return _arrange_quantiles(found, np.shape(places), kept if keepdims else shape_of(last))


def _require_plain_quantile(name: str, q: Any, weights: Any) -> None:
    """Refuse what makes a quantile more than a choice of entries, with what to write instead."""
    if isinstance(q, Traced):
        raise UnsupportedError(
            f"{name} has a derivative with respect to the data, not to q. The default method is a linear "
            "interpolation: write np.interp(q, np.linspace(0, 1, np.size(a)), np.sort(a, axis=None))."
        )
    if weights is not None:
        raise UnsupportedError(
            f"{name} with weights has no derivative rule. Repeat entries, or leave `weights` out."
        )


def _arrange_quantiles(found: list[Any], of_q: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Arrange the quantiles found for each entry of q: the axes of q come first."""
    if not of_q:
        return np.reshape(found[0], shape)
    if not found:
        return np.zeros((*of_q, *shape))
    return np.reshape(np.stack(found), (*of_q, *shape))


@composed(np.nanquantile)
def _nanquantile(
    a: Any,
    q: Any,
    axis: Any = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    weights: Any = None,
) -> Any:
    _require_plain_quantile("np.nanquantile", q, weights)
    if method != "linear":
        raise UnsupportedError(
            f"np.nanquantile with method={method!r} has no derivative rule; 'linear' has one. Take the entries that "
            "are not NaN: np.quantile(x[~np.isnan(x)], q, method=…), which has all methods."
        )
    rows, kept = _in_rows(a, axis)
    rows = np.sort(rows, axis=-1)
    count = np.sum(np.logical_not(np.isnan(rows)).astype(int), axis=-1)
    found = []
    for share in np.ravel(q):
        place = share * np.maximum(count - 1, 0)
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        part = (place - low).astype(rows.dtype)
        first, second = _order_statistics(rows, low), _order_statistics(rows, high)
        # Where `part` is 0, the second doesn't count; it may be infinite.
        found.append(unless(np.equal(part, 0), first, first * (1 - part) + second * part))
    return _arrange_quantiles(found, np.shape(q), kept if keepdims else shape_of(count))


def _add_percentile(percentile: Callable[..., Any], quantile: Callable[..., Any]) -> None:
    """Add a percentile: a quantile whose share is given in percent."""

    def of_percent(
        a: Any,
        q: Any,
        axis: Any = None,
        *,
        method: str = "linear",
        keepdims: bool = False,
        weights: Any = None,
    ) -> Any:
        _require_plain_quantile(f"np.{percentile.__name__}", q, weights)
        return quantile(a, np.true_divide(q, 100), axis=axis, method=method, keepdims=keepdims)

    composed(percentile)(of_percent)


_add_percentile(np.percentile, np.quantile)
_add_percentile(np.nanpercentile, np.nanquantile)


@composed(np.nanmedian)
def _nanmedian(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.nanquantile(a, 0.5, axis=axis, keepdims=keepdims)


@composed(np.partition)
def _partition(a: Any, kth: Any, axis: int | None = -1) -> Any:
    if axis is None:
        a, axis = np.reshape(a, (-1,)), -1
    return np.take_along_axis(a, np.argpartition(a, kth, axis=axis), axis)


# Methods of NumPy's functions of two numbers: ``np.add.reduce``


def _add_method(name: str, function: Callable[..., Any]) -> None:
    """Add a ufunc's method as a call of a NumPy function, by default along axis 0 instead of all axes."""

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


def _accumulate_extremum(a: Any, axis: int, beats: Callable[..., Any]) -> Any:
    """The entry so far that beats all before it, found in steps of 1, 2, 4, …; a tie is split evenly.

    `count` is the number of equal entries among which the derivative of each result is split.
    """
    y = np.moveaxis(a, axis, 0)
    count = np.ones(shape_of(y), dtype=y.dtype)
    step = 1
    while step < shape_of(y)[0]:
        before, here = y[:-step], y[step:]
        of_before, of_here = count[:-step], count[step:]
        won = np.logical_or(beats(before, here), np.isnan(before))
        tied = np.equal(before, here)
        new = np.where(won, before, here)
        if isinstance(tied, Traced) or np.any(tied):
            finite = np.isfinite(here)
            # The gap's value is 0 where they are tied; only its derivative counts.
            gap = np.where(finite, before, 0.0) - np.where(finite, here, 0.0)
            new = new + np.where(tied, gap * (of_before / (of_before + of_here)), 0.0)
        of_new = np.where(tied, of_before + of_here, np.where(won, of_before, of_here))
        y = np.concatenate([y[:step], new])
        count = np.concatenate([count[:step], of_new])
        step *= 2
    return np.moveaxis(y, 0, axis)


METHODS: dict[str, Callable[..., Any]] = {
    "add.reduce": np.sum,
    "multiply.reduce": np.prod,
    "maximum.reduce": np.max,
    "minimum.reduce": np.min,
    "logaddexp.reduce": log_sum_exp,
    "add.accumulate": np.cumsum,
    "multiply.accumulate": np.cumprod,
    "maximum.accumulate": lambda a, axis: _accumulate_extremum(a, axis, np.greater),
    "minimum.accumulate": lambda a, axis: _accumulate_extremum(a, axis, np.less),
}
for name, function in METHODS.items():
    _add_method(name, function)


# Averages, spreads, norms


@composed(np.average)
def _average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    if weights is None:
        mean = np.mean(a, axis=axis, keepdims=keepdims)
        if not returned:
            return mean
        return mean, np.full(shape_of(mean), np.size(a) / max(np.size(mean), 1))
    shape = shape_of(a)
    # Weights of another shape belong to the axes named, in that order.
    if shape_of(weights) != shape and axis is not None:
        axes = normalize_axes(axis, len(shape))
        weights = np.transpose(weights, [int(k) for k in np.argsort(axes)])
        weights = np.reshape(weights, [n if i in axes else 1 for i, n in enumerate(shape)])
    total = np.sum(np.broadcast_to(weights, shape), axis=axis, keepdims=keepdims)
    mean = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


@composed(np.var)
def _var(
    a: Any,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    centred = a - np.mean(a, axis=axis, keepdims=True)
    count = np.size(a) / int(np.prod(keepdims_shape(shape_of(a), axis)))
    total = np.sum(centred * centred, axis=axis, keepdims=keepdims)
    return total / (count - (ddof if correction is None else correction))


def _length_along(deviations: Any, axis: Any, keepdims: bool) -> Any:
    """The Euclidean length of deviations along some axes."""
    rows, kept = _in_rows(deviations, axis)
    y = length(rows, axis=-1)
    return np.reshape(y, kept) if keepdims else y


@composed(np.std)
def _std(
    a: Any,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    variance = np.var(
        a, axis=axis, ddof=ddof if correction is None else correction, keepdims=keepdims
    )

    def length_at_zero() -> Any:
        return _length_along(a - np.mean(a, axis=axis, keepdims=True), axis, keepdims)

    return _root(variance, 0.5, length_at_zero)


def _root(sum_of_powers: Any, exponent: float, at_zero: Callable[[], Any]) -> Any:
    """The root that turns a sum of powers into a length; where the sum is 0, `at_zero` computes the length instead."""
    zero = sum_of_powers == 0
    positive = unless(zero, 1.0, sum_of_powers)
    root = np.sqrt(positive) if exponent == 0.5 else positive**exponent
    return root if is_nowhere(zero, root) else unless(zero, at_zero(), root)


@composed(np.nansum)
def _nansum(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@composed(np.nanmean)
def _nanmean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.nansum(a, axis=axis, keepdims=keepdims) / _count_numbers(a, axis, keepdims)


def _count_numbers(a: Any, axis: Any, keepdims: bool) -> Any:
    """How many entries along the axes are not NaN."""
    is_number = np.logical_not(np.isnan(a))
    return np.sum(is_number.astype(a.dtype), axis=axis, keepdims=keepdims)


def _fill_holes(a: Any, number: float) -> Any:
    """The array with a number in place of each NaN, through which no derivative flows."""
    return np.where(np.isnan(a), number, a)


def _add_ignoring_nan(
    function: Callable[..., Any], of_all: Callable[..., Any], instead: float
) -> None:
    """Add a maximum or minimum that ignores NaN: the result is NaN only where every entry is."""

    def extremum_of_numbers(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        y = of_all(_fill_holes(a, instead), axis=axis, keepdims=keepdims)
        return unless(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, y)

    composed(function)(extremum_of_numbers)


_add_ignoring_nan(np.nanmax, np.max, -np.inf)
_add_ignoring_nan(np.nanmin, np.min, np.inf)


@composed(np.nanprod)
def _nanprod(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.prod(_fill_holes(a, 1.0), axis=axis, keepdims=keepdims)


@composed(np.nancumsum)
def _nancumsum(a: Any, axis: int | None = None) -> Any:
    return np.cumsum(_fill_holes(a, 0.0), axis=axis)


@composed(np.nancumprod)
def _nancumprod(a: Any, axis: int | None = None) -> Any:
    return np.cumprod(_fill_holes(a, 1.0), axis=axis)


@composed(np.nanvar)
def _nanvar(
    a: Any,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    centred = _fill_holes(a - np.nanmean(a, axis=axis, keepdims=True), 0.0)
    total = np.sum(centred * centred, axis=axis, keepdims=keepdims)
    count = _count_numbers(a, axis, keepdims) - (ddof if correction is None else correction)
    return unless(np.less_equal(count, 0), np.nan, total / count)


@composed(np.nanstd)
def _nanstd(
    a: Any,
    axis: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    variance = np.nanvar(
        a, axis=axis, ddof=ddof if correction is None else correction, keepdims=keepdims
    )

    def length_at_zero() -> Any:
        return _length_along(
            _fill_holes(a - np.nanmean(a, axis=axis, keepdims=True), 0.0), axis, keepdims
        )

    return _root(variance, 0.5, length_at_zero)


# Covariances


@composed(np.cov)
def _cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Any:
    if fweights is not None or aweights is not None:
        raise UnsupportedError(
            "np.cov with fweights or aweights has no derivative rule. Write d = x - np.average(x, axis=1, weights=w, "
            "keepdims=True), and then (w * d) @ d.T / np.sum(w), with the factor that you want."
        )
    rows = [_in_variables(x, rowvar) for x in (m, y) if x is not None]
    x = rows[0] if len(rows) == 1 else np.concatenate(rows, axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    centred = x - np.mean(x, axis=1, keepdims=True)
    return np.squeeze(centred @ centred.T / max(shape_of(x)[1] - ddof, 0))


def _in_variables(x: Any, rowvar: bool) -> Any:
    """The observations with one row for each variable, as the rule of np.cov is written."""
    x = as_operand(x)
    if np.ndim(x) > 2:
        raise ValueError(
            "np.cov takes a vector or a matrix: a row for each variable, a column for each observation."
        )
    if np.ndim(x) < 2:
        return np.reshape(x, (1, -1))
    return x if rowvar or shape_of(x)[0] == 1 else x.T


@composed(np.corrcoef)
def _corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    covariance = np.cov(x, y, rowvar)
    if np.ndim(covariance) == 0:
        return covariance / covariance
    spread = np.sqrt(np.diagonal(covariance))
    # NumPy clips this to 1, which would lose second derivatives.
    return covariance / spread[:, None] / spread[None, :]


length = reduction("norm", lambda y, x, axis: over_length(x, y), call=np.linalg.norm)


@composed(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    is_matrix = (isinstance(axis, tuple) and len(axis) == 2) or (axis is None and np.ndim(x) == 2)
    if ord is None or ord == "fro" or (ord == 2 and not is_matrix):
        return np.absolute(x) if np.ndim(x) == 0 else length(x, axis=axis, keepdims=keepdims)
    if is_matrix:
        rows, columns = axis or (0, 1)
        if ord in (2, -2, "nuc"):
            values = np.linalg.svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))
            if ord == "nuc":
                y = np.sum(values, axis=-1)
            else:
                y = np.max(values, axis=-1) if ord > 0 else np.min(values, axis=-1)
            return np.reshape(y, keepdims_shape(shape_of(x), (rows, columns))) if keepdims else y
        if ord in (1, -1, np.inf, -np.inf):
            first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
            sums = np.sum(np.absolute(x), axis=first, keepdims=True)
            extreme = (np.max if ord > 0 else np.min)(sums, axis=second, keepdims=True)
            return extreme if keepdims else np.squeeze(extreme, axis=(rows, columns))
    elif ord in (np.inf, -np.inf):
        return (np.max if ord > 0 else np.min)(np.absolute(x), axis=axis, keepdims=keepdims)
    elif isinstance(ord, int | float) and ord != 0:
        if ord == 1:
            return np.sum(np.absolute(x), axis=axis, keepdims=keepdims)
        total = np.sum(np.absolute(x) ** ord, axis=axis, keepdims=keepdims)
        return _root(total, 1 / ord, lambda: length(x, axis=axis, keepdims=keepdims))
    raise UnsupportedError(
        f"np.linalg.norm with ord={ord!r} has no derivative rule for this operand."
    )


@composed(np.linalg.vector_norm)
def _vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    rows, kept = _in_rows(x, axis)
    y = np.linalg.norm(rows, ord, axis=-1)
    return np.reshape(y, kept) if keepdims else y
