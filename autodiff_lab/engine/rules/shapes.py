"""Rules of shape and indexing functions. All of them are linear, so a row gives the transpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..broadcasting import shape_of, unbroadcast
from ..dispatch import TABLE, Traced, apply
from ..errors import UnsupportedError
from .rows import comparison, composed, linear

# Shape


def _invert_axes(axes: Any) -> Any:
    return None if axes is None else tuple(int(i) for i in np.argsort([a % len(axes) for a in axes]))


def _axes_behind_batch(axes: Any, y: Any) -> tuple[int, ...]:
    """A permutation that leaves a batch axis in front."""
    n = len(shape_of(y))
    return (0, *(a % n + 1 for a in (range(n - 1, -1, -1) if axes is None else axes)))


linear(
    np.reshape,
    lambda g, y, x, shape: np.reshape(g, shape_of(x)),
    batched=lambda t, y, shape: np.reshape(t, (len(t), *shape_of(y))),
)
linear(
    np.transpose,
    lambda g, y, x, axes=None: np.transpose(g, _invert_axes(axes)),
    batched=lambda t, y, axes=None: np.transpose(t, _axes_behind_batch(axes, y)),
)
linear(np.broadcast_to, lambda g, y, x, shape: unbroadcast(g, x))
linear(
    "astype",
    lambda g, y, x, dtype: as_type(g, x.dtype),
    call=lambda x, dtype: as_type(x, dtype),
    batched=lambda t, y, dtype: as_type(t, dtype),
)
comparison("as integers", call=lambda x, dtype: as_type(x, dtype))


@composed(np.astype)
def _astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    return x.astype(dtype)


def as_type(x: Any, dtype: Any) -> Any:
    """The same values in another type."""
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


def dummy_array(a: Any) -> Any:
    """An array of the shape of `a` that holds one number: for asking NumPy about shapes."""
    return np.broadcast_to(np.float64(0.0), shape_of(a))


def _add_reshaping(function: Callable[..., Any]) -> None:
    """A function that only changes the shape: NumPy says to which."""

    def reshaped(*arrays: Any, **options: Any) -> Any:
        if len(arrays) > 1 and function in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
            return tuple(map(function, arrays))
        return np.reshape(arrays[0], function(dummy_array(arrays[0]), *arrays[1:], **options).shape)

    composed(function)(reshaped)


for reshaping in (
    np.squeeze,
    np.expand_dims,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
):
    _add_reshaping(reshaping)


@composed(np.ravel)
def _ravel(a: Any, order: str = "C") -> Any:
    return np.reshape(np.transpose(a) if order == "F" else a, (-1,))


def _add_permuting(function: Callable[..., Any]) -> None:
    """A function that only reorders axes: NumPy says how, on an array whose axes have different lengths."""

    def permuted(a: Any, *args: Any, **options: Any) -> Any:
        lengths = range(2, np.ndim(a) + 2)
        moved = function(np.broadcast_to(np.float64(0.0), tuple(lengths)), *args, **options).shape
        return np.transpose(a, tuple(n - 2 for n in moved))

    composed(function)(permuted)


for permuting in (np.swapaxes, np.moveaxis, np.rollaxis):
    _add_permuting(permuting)

# Picking entries


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape`, with `g` added at `index`: the transpose of ``x[index]``, repeated indices included."""
    if isinstance(g, Traced):
        return apply(TABLE["scatter"], (g,), {"index": index, "shape": shape})
    out = np.zeros(shape, dtype=getattr(g, "dtype", float))
    if type(index) is slice:
        out[index] = g
        return out
    parts = index if isinstance(index, tuple) else (index,)
    if all(isinstance(i, (int, slice, np.integer)) or i is None or i is Ellipsis for i in parts):
        out[index] = g
    else:
        np.add.at(out, index, g)
    return out


def _index_behind(index: Any) -> tuple[Any, ...] | None:
    """The same index behind a batch axis; None where that would move axes (index arrays with a slice between)."""
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [k for k, i in enumerate(parts) if isinstance(i, (list, np.ndarray))]
    if arrays:
        picked = [k for k, i in enumerate(parts) if isinstance(i, (int, np.integer, list, np.ndarray))]
        if picked[-1] - picked[0] + 1 != len(picked):
            return None
    return (slice(None), *parts)


def _get_batch(t: Any, y: Any, index: Any) -> Any:
    behind = _index_behind(index)
    return None if behind is None else t[behind]


def _scatter_batch(t: Any, y: Any, index: Any, shape: tuple[int, ...]) -> Any:
    behind = _index_behind(index)
    return None if behind is None else TABLE["scatter"](t, index=behind, shape=(len(t), *shape))


linear(
    "getitem",
    lambda g, y, x, index: _scatter(g, index, shape_of(x)),
    call=lambda x, index: x[index],
    batched=_get_batch,
)
linear("scatter", lambda g, y, x, index, shape: g[index], call=_scatter, batched=_scatter_batch)


def _add_gathering(function: Callable[..., Any]) -> None:
    """A function whose result is entries of its operand: NumPy says which, on the positions of the entries."""

    def gathered(a: Any, *args: Any, **options: Any) -> Any:
        for x in (*args, *options.values()):
            if isinstance(x, Traced):
                np.asarray(x)  # a count has no derivative: this says so
        positions = function(np.arange(np.size(a)).reshape(shape_of(a)), *args, **options)
        flat = np.ravel(a)
        return [flat[p] for p in positions] if isinstance(positions, list) else flat[positions]

    composed(function)(gathered)


for gathering in (
    *(
        np.flip,
        np.fliplr,
        np.flipud,
        np.rot90,
        np.roll,
        np.tile,
        np.repeat,
        np.resize,
        np.delete,
    ),
    *(
        np.take,
        np.take_along_axis,
        np.diagonal,
        np.split,
        np.array_split,
        np.hsplit,
        np.vsplit,
        np.dsplit,
    ),
):
    _add_gathering(gathering)


def _add_filling(function: Callable[..., Any]) -> None:
    """A function whose result is entries of its operand and zeros: position 0 stands for the zero."""

    def filled(a: Any, *args: Any, **options: Any) -> Any:
        positions = function(np.arange(1, np.size(a) + 1).reshape(shape_of(a)), *args, **options)
        return np.concatenate([np.zeros(1, dtype=a.dtype), np.ravel(a)])[positions]

    composed(function)(filled)


for filling in (np.diag, np.diagflat, np.tril, np.triu):
    _add_filling(filling)


@composed(np.pad)
def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    if mode == "constant":
        constant = options.get("constant_values", 0.0)
        if np.ndim(constant):
            raise UnsupportedError("np.pad with several constant_values is not followed: pad with one at a time.")
        positions = np.pad(np.arange(1, np.size(array) + 1).reshape(shape_of(array)), pad_width)
        if not isinstance(constant, Traced):
            constant = array.dtype.type(constant)
        return np.concatenate([np.reshape(constant, (1,)), np.ravel(array)])[positions]
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise UnsupportedError(
            f"np.pad with mode={mode!r} is not followed; constant, edge, reflect, symmetric, wrap are."
        )
    if options.pop("reflect_type", "even") != "even":  # its entries are differences of entries
        raise UnsupportedError("np.pad with reflect_type='odd' is not followed; 'even' is.")
    positions = np.pad(
        np.arange(np.size(array)).reshape(shape_of(array)),
        pad_width,
        mode=mode,
        **options,
    )
    return np.ravel(array)[positions]


@composed(np.trace)
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


@composed(np.choose)
def _choose(a: Any, choices: Any) -> Any:
    if isinstance(a, Traced):
        raise UnsupportedError("np.choose picks by whole numbers, which have no derivative: use np.where(x > 0, a, b).")
    if not np.all((np.greater_equal(a, 0)) & (np.less(a, len(choices)))):
        raise IndexError(f"np.choose was asked for a choice that is not among the {len(choices)} given.")
    out = choices[0]
    for k in range(1, len(choices)):
        out = np.where(np.equal(a, k), choices[k], out)
    return out


# Putting together


def _span(axis: int, k: int, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Where the k-th of concatenated arrays lies."""
    axis = axis % len(shape_of(arrays[k]))
    start = sum(shape_of(x)[axis] for x in arrays[:k])
    return (slice(None),) * axis + (slice(start, start + shape_of(arrays[k])[axis]),)


def _behind_one(axis: int) -> int:
    return axis if axis < 0 else axis + 1


linear(
    np.stack,
    lambda k, g, y, *arrays, axis=0: g[(slice(None),) * (axis % len(shape_of(y))) + (k,)],
    call=lambda *arrays, axis=0: np.stack(arrays, axis=axis),
    variadic=True,
    batched=lambda ts, y, axis=0: np.stack(ts, axis=_behind_one(axis)),
)
join = linear(
    "concatenate",
    lambda k, g, y, *arrays, axis=0: g[_span(axis, k, arrays)],
    call=lambda *arrays, axis=0: np.concatenate(arrays, axis=axis),
    variadic=True,
    batched=lambda ts, y, axis=0: np.concatenate(ts, axis=_behind_one(axis)),
)


@composed(np.concatenate)
def _concatenate(arrays: Any, axis: int | None = 0) -> Any:
    return join(*(map(np.ravel, arrays) if axis is None else arrays), axis=axis or 0)


composed(np.vstack)(lambda tup: np.concatenate([np.atleast_2d(x) for x in tup], axis=0))
composed(np.dstack)(lambda tup: np.concatenate([np.atleast_3d(x) for x in tup], axis=2))
composed(np.append)(lambda arr, values, axis=None: np.concatenate([arr, values], axis=axis))


@composed(np.hstack)
def _hstack(tup: Any) -> Any:
    arrays = [np.atleast_1d(x) for x in tup]
    return np.concatenate(arrays, axis=0 if np.ndim(arrays[0]) == 1 else 1)


@composed(np.column_stack)
def _column_stack(tup: Any) -> Any:
    return np.concatenate([np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x for x in tup], axis=1)


@composed(np.meshgrid)
def _meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> tuple[Any, ...]:
    shapes = np.meshgrid(*(np.empty(np.size(x)) for x in xi), indexing=indexing, sparse=True)
    full = np.broadcast_shapes(*(s.shape for s in shapes))
    grids = (np.reshape(x, s.shape) for x, s in zip(xi, shapes, strict=True))
    return tuple(x if sparse else np.broadcast_to(x, full) for x in grids)


# Differences


@composed(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    parts = [a]
    for extra, place in ((prepend, 0), (append, len(parts))):
        if extra is not None:
            one_wide = kept = list(shape_of(a))
            kept[axis] = 1
            parts.insert(
                place if place == 0 else len(parts),
                np.broadcast_to(extra, one_wide) if np.ndim(extra) == 0 else extra,
            )
    x = np.moveaxis(np.concatenate(parts, axis=axis) if len(parts) > 1 else a, axis, -1)
    for _ in range(n):
        x = x[..., 1:] - x[..., :-1]
    return np.moveaxis(x, -1, axis)


@composed(np.gradient)
def _gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    axes = tuple(range(np.ndim(f))) if axis is None else (axis,) if np.ndim(axis) == 0 else tuple(axis)
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    out = []
    for a, step in zip(axes, steps, strict=True):
        if isinstance(step, Traced):
            raise UnsupportedError("np.gradient is followed in its values, not in the spacing: divide by it yourself.")
        stencil = np.gradient(np.eye(shape_of(f)[a], dtype=f.dtype), step, axis=0, edge_order=edge_order)
        out.append(np.moveaxis(np.tensordot(stencil, f, axes=(1, a)), 0, a))
    return out[0] if len(out) == 1 else tuple(out)


@composed(np.interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is not None:
        raise UnsupportedError("np.interp with a period is not followed: wrap x with np.mod first.")
    x, xp, fp = (np.asarray(z) if isinstance(z, list | tuple) else z for z in (x, xp, fp))
    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    low, high = xp[i], xp[i + 1]
    w = (x - low) / (high - low)
    inside = fp[i] * (1 - w) + fp[i + 1] * w
    y = np.where(np.less(x, xp[0]), fp[0] if left is None else left, inside)
    return np.where(np.greater(x, xp[-1]), fp[-1] if right is None else right, y)
