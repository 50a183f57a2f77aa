"""Broadcasting and its transpose: that of broadcasting is a sum, and that of a sum is broadcasting."""

from typing import Any

import numpy as np


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape that a number, an array or a traced value broadcasts with; () for a Python number."""
    return getattr(x, "shape", ())


def rank_of(x: Any) -> int:
    """The number of axes that an operand broadcasts with: ``np.ndim``, for traced values without NumPy's dispatch."""
    rank = getattr(x, "ndim", None)
    return np.ndim(x) if rank is None else rank


def unbroadcast(g: Any, x: Any, batch: int | None = None) -> Any:
    """Undo broadcasting: give the adjoint `g` the shape and type of the operand `x`.

    `g` is summed over the axes along which `x` was broadcast; an axis that is shorter in `g` is broadcast.
    With `batch`, `g` has an additional leading axis of that length.
    """
    have, want = shape_of(g), shape_of(x)
    if batch is not None:
        want = (batch, *want)
    if have != want:
        extra = len(have) - len(want)
        if extra > 0:
            # The rows of a large matrix are added faster by BLAS, as a product with ones.
            is_large = extra == 1 and type(g) is np.ndarray and g.ndim == 2 and g.size > 1000
            g = np.ones(len(g), g.dtype) @ g if is_large else sum_axes(g, axis=tuple(range(extra)))
            have = have[extra:]
        if extra >= 0:
            axes = tuple([i for i, n in enumerate(want) if n == 1 and have[i] != 1])
            if axes:
                g = sum_axes(g, axis=axes, keepdims=True)
        if shape_of(g) != want:
            g = np.broadcast_to(g, want)
    if (
        type(x) in (np.ndarray, np.float32)
        and type(g) in (np.ndarray, np.float64)
        and g.dtype != x.dtype
    ):
        g = g.astype(x.dtype)
    return g


def sum_axes(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Sum over axes when broadcasting is undone: ``np.sum``, for an array without the cost of NumPy's dispatch."""
    if type(x) is np.ndarray:
        return np.add.reduce(x, axis=axis, keepdims=keepdims)
    return np.sum(x, axis=axis, keepdims=keepdims)


def align_axes(t: Any, shape: tuple[int, ...], full: tuple[int, ...]) -> Any:
    """Insert axes of length 1 into a batch of tangents of `shape`, so that it broadcasts against the shape `full`."""
    missing = len(full) - len(shape)
    if not missing:
        return t
    return np.reshape(t, (*shape_of(t)[:1], *(1,) * missing, *shape))


def normalize_axes(axis: Any, n: int) -> tuple[int, ...]:
    """Convert an ``axis=`` argument to a tuple of axes counted from the front; None means all `n`."""
    if not n:
        return ()
    if axis is None:
        return tuple(range(n))
    if hasattr(axis, "__index__"):
        return (axis % n,)
    return tuple(a % n for a in axis)


def keepdims_shape(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """The shape that broadcasts against `shape`: with ``keepdims=True`` the reduced axes stay, each of length 1."""
    if axis is None:
        return (1,) * len(shape)
    axes = normalize_axes(axis, len(shape))
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def spread(g: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Broadcast the adjoint of a sum back to the shape of its operand `x`, along the reduced axes."""
    shape = shape_of(x)
    if shape == shape_of(g):
        return g
    if not keepdims and axis is not None:
        g = np.reshape(g, keepdims_shape(shape, axis))
    if type(g) is np.ndarray or type(g) is np.float64:  # six times as fast as broadcast_to
        full = np.empty(shape, g.dtype)
        full[...] = g
        return full
    return np.broadcast_to(g, shape)
