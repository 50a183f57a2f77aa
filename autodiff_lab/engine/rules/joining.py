"""Derivative rules of joining arrays: stack, concatenate, block, array, full, select, choose."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..broadcasting import rank_of, shape_of
from ..errors import UnsupportedError
from ..values import Traced, as_operand
from .table import axis_behind_batch, composed, linear

# Joined


def _span(axis: int, k: int, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The index of the k-th of the concatenated arrays in the result."""
    axis = axis % len(shape_of(arrays[k]))
    start = sum(shape_of(x)[axis] for x in arrays[:k])
    return (slice(None),) * axis + (slice(start, start + shape_of(arrays[k])[axis]),)


linear(
    np.stack,
    lambda k, g, y, *arrays, axis=0: g[(slice(None),) * (axis % len(shape_of(y))) + (k,)],
    call=lambda *arrays, axis=0: np.stack(arrays, axis=axis),
    variadic=True,
    batched=lambda ts, y, axis=0: np.stack(ts, axis=axis_behind_batch(axis)),
)
join = linear(
    "concatenate",
    lambda k, g, y, *arrays, axis=0: g[_span(axis, k, arrays)],
    call=lambda *arrays, axis=0: np.concatenate(arrays, axis=axis),
    variadic=True,
    batched=lambda ts, y, axis=0: np.concatenate(ts, axis=axis_behind_batch(axis)),
)


@composed(np.concatenate)
def _concatenate(arrays: Any, axis: int | None = 0) -> Any:
    return join(*(map(np.ravel, arrays) if axis is None else arrays), axis=axis or 0)


composed(np.vstack)(
    lambda tup: _concatenate([x if rank_of(x) >= 2 else np.atleast_2d(x) for x in tup])
)
composed(np.dstack)(
    lambda tup: _concatenate([x if rank_of(x) >= 3 else np.atleast_3d(x) for x in tup], axis=2)
)
composed(np.append)(lambda arr, values, axis=None: np.concatenate([arr, values], axis=axis))


@composed(np.insert)
def _insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    arr, values = as_operand(arr), as_operand(values)
    if arr.dtype.kind != "f":
        raise UnsupportedError(
            "np.insert would round what it inserts into an array of integers: write arr.astype(float)."
        )
    own = np.arange(np.size(arr)).reshape(shape_of(arr))
    new = np.size(arr) + np.arange(np.size(values)).reshape(shape_of(values))
    positions = np.insert(own, obj, new, axis)
    return np.concatenate([np.ravel(arr), np.ravel(values)])[positions].astype(arr.dtype)


@composed(np.hstack)
def _hstack(tup: Any) -> Any:
    arrays = [x if rank_of(x) >= 1 else np.atleast_1d(x) for x in tup]
    return _concatenate(arrays, axis=0 if rank_of(arrays[0]) == 1 else 1)


@composed(np.column_stack)
def _column_stack(tup: Any) -> Any:
    return _concatenate([np.reshape(x, (-1, 1)) if rank_of(x) < 2 else x for x in tup], axis=1)


@composed(np.block)
def _block(arrays: Any) -> Any:
    def depth_and_rank(part: Any) -> tuple[int, int]:
        if not isinstance(part, list):
            return 0, np.ndim(part)
        depths, ranks = zip(*map(depth_and_rank, part), strict=True)
        if len(set(depths)) > 1:
            raise ValueError(
                "np.block was given lists of different depth: nest each entry in as many lists."
            )
        return depths[0] + 1, max(ranks)

    depth, rank = depth_and_rank(arrays)
    rank = max(depth, rank)

    def join_parts(part: Any, axis: int) -> Any:
        if isinstance(part, list):
            return np.concatenate([join_parts(inner, axis + 1) for inner in part], axis=axis)
        return np.reshape(part, (1,) * (rank - np.ndim(part)) + tuple(np.shape(part)))

    return join_parts(arrays, -depth)


# Made with ``like=``: without it, NumPy doesn't call a traced value's protocol


@composed(np.array, np.asarray)
def _array(object: Any, dtype: Any = None) -> Any:
    if not isinstance(object, list | tuple) or not object:
        return as_operand(object)
    array = np.stack([_array(part) for part in object])
    return array if dtype is None else array.astype(dtype)


@composed(np.full)
def _full(shape: Any, fill_value: Any) -> Any:
    if isinstance(fill_value, Traced):
        return np.broadcast_to(fill_value, shape)
    return np.full(shape, fill_value)


# Chosen


@composed(np.select)
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    operands = map(as_operand, (*choicelist, default))
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    out: Any = default if isinstance(default, Traced) else np.asarray(default, dtype)[()]
    # In reverse order, so that the first condition that holds counts.
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        out = np.where(condition, choice, out)
    return out


@composed(np.piecewise)
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = as_operand(x)
    condlist = condlist if isinstance(condlist, list | tuple) or np.ndim(condlist) else [condlist]
    if any(getattr(condition, "of_many", False) for condition in (condlist, *condlist)):
        raise UnsupportedError(
            "np.piecewise calls each function with the entries of its piece, and in vmap each example has other "
            "entries there. Write np.where(x < 0, f(x), g(x))."
        )
    is_single = np.ndim(condlist[0]) == 0 and np.ndim(x) > 0
    conditions = [condlist] if is_single else list(condlist)
    pieces = list(funclist)
    if len(pieces) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"np.piecewise needs a function for each of {len(conditions)} conditions, or one more for elsewhere; it "
            f"was given {len(pieces)}."
        )
    places = [np.flatnonzero(condition) for condition in conditions]
    if len(pieces) > len(places):
        places.append(np.setdiff1d(np.arange(np.size(x)), np.concatenate(places)))
    entries = np.ravel(x)
    dtype = np.dtype(getattr(x, "dtype", float))
    if dtype.kind != "f":
        raise UnsupportedError(
            "np.piecewise returns integers for integers: write x.astype(float) instead of x."
        )
    parts: list[Any] = [np.zeros(1, dtype)]
    # For each entry of the result, its position in the joined parts. Position 0 is the 0 that belongs to no piece.
    taken = np.zeros(np.size(x), dtype=int)
    joined = 1
    for place, piece in zip(places, pieces, strict=True):
        if len(place) == 0:
            continue
        values = piece(entries[place], *args, **kw) if callable(piece) else as_operand(piece)
        parts.append(np.broadcast_to(values, (len(place),)))
        taken[place] = joined + np.arange(len(place))
        joined += len(place)
    return np.reshape(np.concatenate(parts)[taken].astype(dtype), shape_of(x))


@composed(np.choose)
def _choose(a: Any, choices: Any) -> Any:
    if isinstance(a, Traced):
        raise UnsupportedError(
            "np.choose picks by integers, which have no derivative: use np.where(x > 0, a, b)."
        )
    if not np.all((np.greater_equal(a, 0)) & (np.less(a, len(choices)))):
        raise IndexError(
            f"np.choose was asked for a choice that is not among the {len(choices)} given."
        )
    out = choices[0]
    for k in range(1, len(choices)):
        out = np.where(np.equal(a, k), choices[k], out)
    return out
