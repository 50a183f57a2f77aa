"""Derivative rules of functions on grids: linspace, meshgrid, diff, gradient, trapezoid, polyval, interp."""

from typing import Any

import numpy as np

from ..broadcasting import keepdims_shape, shape_of
from ..errors import UnsupportedError
from ..values import Traced, as_operand
from .kinks import unless
from .table import composed

# Points


@composed(np.linspace)
def _linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    *,
    axis: int = 0,
) -> Any:
    start, stop = as_operand(start), as_operand(stop)
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in (start, stop)), 1.0)
    share = np.linspace(0.0, 1.0, num, endpoint, dtype=dtype)
    share = np.reshape(share, (num,) + (1,) * max(np.ndim(start), np.ndim(stop)))
    points = np.moveaxis(start * (1 - share) + stop * share, 0, axis)
    intervals = num - 1 if endpoint else num
    if not retstep:
        return points
    return points, (stop - start) / (intervals or np.nan)


@composed(np.meshgrid)
def _meshgrid(
    *xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True
) -> tuple[Any, ...]:
    shapes = np.meshgrid(*(np.empty(np.size(x)) for x in xi), indexing=indexing, sparse=True)
    full = np.broadcast_shapes(*(s.shape for s in shapes))
    grids = (np.reshape(x, s.shape) for x, s in zip(xi, shapes, strict=True))
    return tuple(x if sparse else np.broadcast_to(x, full) for x in grids)


# Functions given by their values


@composed(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    unit_shape = list(keepdims_shape(shape_of(a), axis))
    given = (x for x in (prepend, a, append) if x is not None)
    parts = [np.broadcast_to(x, unit_shape) if np.ndim(x) == 0 else x for x in given]
    joined = np.concatenate(parts, axis=axis) if len(parts) > 1 else a
    x = np.moveaxis(joined, axis, -1)
    for _ in range(n):
        x = x[..., 1:] - x[..., :-1]
    return np.moveaxis(x, -1, axis)


def _axes_of_gradient(axis: Any, n: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(n))
    if np.ndim(axis) == 0:
        return (axis,)
    return tuple(axis)


@composed(np.gradient)
def _gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    axes = _axes_of_gradient(axis, np.ndim(f))
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    out = []
    for a, step in zip(axes, steps, strict=True):
        if isinstance(step, Traced):
            raise UnsupportedError(
                "np.gradient is differentiable in the values, not in the spacing: divide by it yourself."
            )
        stencil = np.gradient(
            np.eye(shape_of(f)[a], dtype=f.dtype), step, axis=0, edge_order=edge_order
        )
        out.append(np.moveaxis(np.tensordot(stencil, f, axes=(1, a)), 0, a))
    return out[0] if len(out) == 1 else tuple(out)


@composed(np.trapezoid)
def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = np.moveaxis(as_operand(y), axis, -1)
    if x is not None:
        x = as_operand(x)
        dx = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    return np.sum(dx * (y[..., 1:] + y[..., :-1]), axis=-1) / 2


@composed(np.polyval)
def _polyval(p: Any, x: Any) -> Any:
    x = as_operand(x)
    y = np.zeros_like(x) + 0.0
    for coefficient in p:  # Horner's scheme
        y = y * x + coefficient
    return y


@composed(np.interp)
def _interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    if period is not None:
        raise UnsupportedError(
            "np.interp with a period has no derivative rule: wrap x with np.mod first."
        )
    x, xp, fp = (np.asarray(z) if isinstance(z, list | tuple) else z for z in (x, xp, fp))

    def entries(values: Any, positions: Any) -> Any:
        if not getattr(positions, "of_many", False):
            return values[positions]
        return np.reshape(np.take_along_axis(values, np.ravel(positions)), shape_of(positions))

    i = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(len(xp) - 2, 0))
    j = np.minimum(i + 1, len(xp) - 1)  # the same as i, if there is only one point
    start = entries(xp, i)
    width = entries(xp, j) - start
    # The width is 0 only from the last point on (j = i), where the weight 1 picks the last value.
    w = unless(width == 0, 1.0, (x - start) / unless(width == 0, 1.0, width))
    inside = entries(fp, i) * (1 - w) + entries(fp, j) * w
    y = np.where(np.less(x, xp[0]), fp[0] if left is None else left, inside)
    return np.where(np.greater(x, xp[-1]), fp[-1] if right is None else right, y)
