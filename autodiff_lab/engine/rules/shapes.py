"""Derivative rules of shapes and indexing (reshape, transpose, ``x[i]``, pad): all linear, so a row is a transpose."""

import math
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from ..broadcasting import align_axes, rank_of, shape_of, unbroadcast
from ..dispatch import TABLE, apply
from ..errors import UnsupportedError
from ..primitives import Op
from ..values import Traced, as_operand
from .table import axis_behind_batch, comparison, composed, linear

# Shape


def _invert_axes(axes: Any) -> Any:
    if axes is None:
        return None
    return tuple(int(i) for i in np.argsort([a % len(axes) for a in axes]))


def _axes_after_batch(axes: Any, y: Any) -> tuple[int, ...]:
    """A permutation that leaves a batch axis in front."""
    n = len(shape_of(y))
    if axes is None:
        axes = range(n - 1, -1, -1)
    return (0, *(a % n + 1 for a in axes))


def _require_order(name: str, order: str) -> None:
    if order not in ("C", "F"):
        raise UnsupportedError(
            f"{name} with order={order!r} depends on the memory layout of the array: write 'C' or 'F'."
        )


def _reshape(x: Any, shape: Any, order: str = "C") -> Any:
    _require_order("np.reshape", order)
    # The default order is left out, so that it isn't shown on a tape.
    return np.reshape(x, shape) if order == "C" else np.reshape(x, shape, order="F")


def _reshape_batch(t: Any, y: Any, shape: Any, order: str = "C") -> Any:
    if order == "C":
        return np.reshape(t, (len(t), *shape_of(y)))
    return np.moveaxis(np.reshape(np.moveaxis(t, 0, -1), (*shape_of(y), len(t)), order="F"), -1, 0)


reshape = linear(
    np.reshape,
    lambda g, y, x, shape, order="C": _reshape(g, shape_of(x), order),
    call=_reshape,
    batched=_reshape_batch,
)
transpose = linear(
    np.transpose,
    lambda g, y, x, axes=None: np.transpose(g, _invert_axes(axes)),
    batched=lambda t, y, axes=None: np.transpose(t, _axes_after_batch(axes, y)),
)
linear(
    np.broadcast_to,
    lambda g, y, x, shape: unbroadcast(g, x),
    batched=lambda t, y, shape: np.broadcast_to(
        align_axes(t, shape_of(t)[1:], shape_of(y)), (len(t), *shape_of(y))
    ),
)
linear(
    "astype",
    lambda g, y, x, dtype: _as_type(g, x.dtype),
    call=lambda x, dtype: _as_type(x, dtype),
    batched=lambda t, y, dtype: _as_type(t, dtype),
)
comparison("as integers", call=lambda x, dtype: _as_type(x, dtype))


composed(np.copy)(lambda a, order="K": a)  # it cannot be written to
composed(np.astype)(lambda x, dtype, copy=True: x.astype(dtype))


def _as_type(x: Any, dtype: Any) -> Any:
    """The same values in another type, without NumPy's dispatch."""
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


def takes_what(function: Callable[..., Any], rule: Callable[..., Any]) -> Callable[..., Any]:
    """Give the rule of a family of functions the signature of one NumPy function."""
    rule.__wrapped__ = function  # type: ignore[attr-defined]  # `inspect.signature` looks there
    return rule


def dummy_array(a: Any) -> Any:
    """A dummy array of the shape of `a`, with one number in memory, to learn from NumPy which shape a result has."""
    return np.broadcast_to(np.float64(0.0), shape_of(a))


def _add_reshaping(function: Callable[..., Any]) -> None:
    """Add a function that only changes the shape: NumPy computes the new shape from a dummy array."""

    def reshaped(*arrays: Any, **options: Any) -> Any:
        if len(arrays) > 1 and function in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
            return tuple(map(function, arrays))
        return np.reshape(arrays[0], function(dummy_array(arrays[0]), *arrays[1:], **options).shape)

    composed(function)(takes_what(function, reshaped))


for reshaping in (np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d):
    _add_reshaping(reshaping)


@composed(np.ravel)
def _ravel(a: Any, order: str = "C") -> Any:
    _require_order("np.ravel", order)
    return np.reshape(np.transpose(a) if order == "F" else a, (-1,))


def _add_permuting(function: Callable[..., Any]) -> None:
    """Add a function that only reorders axes. NumPy shows the order with an array whose axes have different lengths."""

    @lru_cache(maxsize=64, typed=True)
    def order(rank: int, *args: Any, **options: Any) -> tuple[int, ...]:
        lengths = range(2, rank + 2)
        moved = function(np.broadcast_to(np.float64(0.0), tuple(lengths)), *args, **options).shape
        return tuple(n - 2 for n in moved)

    def permuted(a: Any, *args: Any, **options: Any) -> Any:
        try:
            axes = order(rank_of(a), *args, **options)
        except TypeError:  # axes in a list can't be a cache key
            axes = order.__wrapped__(rank_of(a), *args, **options)
        return transpose(a, axes=axes)

    composed(function)(takes_what(function, permuted))


for permuting in (np.swapaxes, np.moveaxis, np.rollaxis):
    _add_permuting(permuting)

# Rolling entries: the adjoint rolls back


def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    if isinstance(shift, Traced):
        shift = np.asarray(shift)  # a count has no derivative: this raises the error
    return np.roll(a, shift, axis)


def _opposite(shift: Any) -> Any:
    # Converted to int, because -np.uint8(1) is 255.
    return -int(shift) if np.ndim(shift) == 0 else tuple(-int(n) for n in shift)


def _roll_batch(t: Any, y: Any, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        rows = np.reshape(t, (len(t), -1))
        return np.reshape(np.roll(rows, int(np.sum(shift)), axis=1), shape_of(t))
    several = isinstance(axis, (tuple, list))
    return np.roll(
        t, shift, tuple(map(axis_behind_batch, axis)) if several else axis_behind_batch(axis)
    )


linear(
    np.roll,
    lambda g, y, a, shift, axis=None: np.roll(g, _opposite(shift), axis),
    call=_roll,
    batched=_roll_batch,
)

# Picking entries


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape`, with `g` added at `index`: the transpose of ``x[index]``, repeated indices included."""
    if isinstance(g, Traced):
        return apply(TABLE["scatter"], (g,), {"index": index, "shape": shape})
    out = np.zeros(shape, dtype=getattr(g, "dtype", float))
    if type(index) is slice or is_basic_index(index):
        out[index] = g
    else:
        np.add.at(out, index, g)
    return out


def is_basic_index(index: Any) -> bool:
    """Whether an index ``x[…]`` is basic, made of numbers and slices: it then picks no entry twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(isinstance(i, (int, slice, np.integer)) or i is None or i is Ellipsis for i in parts)


def _index_after_batch(index: Any) -> tuple[Any, ...] | None:
    """The same index after a batch axis; None if that would move axes (index arrays with a slice in between)."""
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [k for k, i in enumerate(parts) if isinstance(i, (list, np.ndarray))]
    if arrays:
        picked = [
            k for k, i in enumerate(parts) if isinstance(i, (int, np.integer, list, np.ndarray))
        ]
        if picked[-1] - picked[0] + 1 != len(picked):
            return None
    return (slice(None), *parts)


def _get_batch(t: Any, y: Any, index: Any) -> Any:
    shifted = _index_after_batch(index)
    return None if shifted is None else t[shifted]


def _scatter_batch(t: Any, y: Any, index: Any, shape: tuple[int, ...]) -> Any:
    shifted = _index_after_batch(index)
    return None if shifted is None else _scatter(t, shifted, (len(t), *shape))


linear(
    "getitem",
    lambda g, y, x, index: _scatter(g, index, shape_of(x)),
    call=lambda x, index: x[index],
    batched=_get_batch,
)
linear("scatter", lambda g, y, x, index, shape: g[index], call=_scatter, batched=_scatter_batch)


def _take_along(x: Any, positions: Any) -> Any:
    """Pick entries along the last axis, at positions of their own in each row."""
    if isinstance(x, Traced) or isinstance(positions, Traced):
        return apply(taken_along, (x, positions))
    return np.take_along_axis(x, positions, -1)


def _put_along(x: Any, positions: Any, n: int) -> Any:
    """Rows of `n` zeros, with `x` added at positions of their own: the transpose of `_take_along`."""
    if isinstance(x, Traced) or isinstance(positions, Traced):
        return apply(put_along, (x, positions), {"n": n})
    out = np.zeros((*shape_of(x)[:-1], n), dtype=getattr(x, "dtype", float))
    np.add.at(out, (*np.indices(shape_of(x), sparse=True)[:-1], positions), x)
    return out


# For positions that are traced themselves, as only in vmap. All other positions are recorded as an ordinary index.
taken_along = Op(
    "take_along_axis",
    _take_along,
    "linear",
    (lambda g, y, x, i: _put_along(g, i, shape_of(x)[-1]), None),
)
put_along = Op(
    "put_along_axis", _put_along, "linear", (lambda g, y, x, i, n: _take_along(g, i), None)
)


@composed(np.take_along_axis)
def _take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    if not getattr(indices, "of_many", False):
        return _gather(np.take_along_axis, arr, indices, axis=axis)
    if axis is None:
        arr, axis = np.ravel(arr), -1
    rows, picked = np.moveaxis(as_operand(arr), axis, -1), np.moveaxis(indices, axis, -1)
    rows = np.broadcast_to(rows, (*shape_of(picked)[:-1], shape_of(rows)[-1]))
    return np.moveaxis(_take_along(rows, picked), -1, axis)


def _gather(function: Callable[..., Any], a: Any, *args: Any, **options: Any) -> Any:
    # A count has no derivative: np.asarray raises the error, or notes the count's value in a recorded program.
    args = tuple(np.asarray(x) if isinstance(x, Traced) else x for x in args)
    options = {name: np.asarray(x) if isinstance(x, Traced) else x for name, x in options.items()}
    shape = shape_of(a)
    positions = function(np.arange(math.prod(shape)).reshape(shape), *args, **options)
    flat = reshape(a, shape=(-1,))
    return [flat[p] for p in positions] if isinstance(positions, list) else flat[positions]


# For arrays up to this size the positions are cached: finding them takes longer than picking the entries.
MAX_CACHED_POSITIONS = 1024


def _add_gathering(function: Callable[..., Any]) -> None:
    """Add a function that only picks entries of its operand: NumPy picks from an array of their positions."""

    @lru_cache(maxsize=64, typed=True)
    def find_few(shape: tuple[int, ...], *args: Any, **options: Any) -> Any:
        return function(np.arange(math.prod(shape)).reshape(shape), *args, **options)

    def find(positions: np.ndarray, *args: Any, **options: Any) -> Any:
        if positions.size <= MAX_CACHED_POSITIONS:
            with suppress(TypeError):  # a list among the arguments can't be a cache key
                return find_few(positions.shape, *args, **options)
        return function(positions, *args, **options)

    def gathered(a: Any, *args: Any, **options: Any) -> Any:
        return _gather(find, a, *args, **options)

    composed(function)(takes_what(function, gathered))


for gathering in (
    *(np.flip, np.fliplr, np.flipud, np.rot90, np.tile, np.repeat, np.resize, np.delete),
    *(np.take, np.diagonal, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit),
    np.lib.stride_tricks.sliding_window_view,
):
    _add_gathering(gathering)


def _add_filling(function: Callable[..., Any]) -> None:
    """Add a function that picks entries of its operand, and zeros: position 0 stands for a zero."""

    def filled(a: Any, *args: Any, **options: Any) -> Any:
        positions = function(np.arange(1, np.size(a) + 1).reshape(shape_of(a)), *args, **options)
        return np.concatenate([np.zeros(1, dtype=a.dtype), np.ravel(a)])[positions]

    composed(function)(takes_what(function, filled))


for filling in (np.diag, np.diagflat, np.tril, np.triu):
    _add_filling(filling)


@composed(np.pad)
def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    if mode == "constant":
        constant = options.get("constant_values", 0.0)
        if np.ndim(constant):
            raise UnsupportedError(
                "np.pad with several constant_values has no derivative rule: pad with one at a time."
            )
        positions = np.pad(np.arange(1, np.size(array) + 1).reshape(shape_of(array)), pad_width)
        if not isinstance(constant, Traced):
            constant = array.dtype.type(constant)
        return np.concatenate([np.reshape(constant, (1,)), np.ravel(array)])[positions]
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(
            f"np.pad with mode={mode!r} has no derivative rule. Use constant, edge, reflect, symmetric or wrap."
        )
    if options.pop("reflect_type", "even") != "even":  # 'odd' computes differences of entries
        raise UnsupportedError("np.pad with reflect_type='odd' has no derivative rule; 'even' has.")
    positions = np.pad(
        np.arange(np.size(array)).reshape(shape_of(array)), pad_width, mode=mode, **options
    )
    return np.ravel(array)[positions]


@composed(np.trace)
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)
