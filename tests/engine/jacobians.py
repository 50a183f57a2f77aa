"""Jacobians three ways: by columns, by rows, and by central differences without the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab import check_grads, jvp, vjp


def one_array(f: Any) -> Any:
    """The same function with all its results in one row, if it has several."""

    def flattened(*args: Any) -> Any:
        y = f(*args)
        return np.concatenate([np.ravel(p) for p in y]) if isinstance(y, list | tuple) else y

    return flattened


def jacobian_columns(f: Any, args: tuple[Any, ...], k: int) -> np.ndarray:
    """By forward mode: one column per entry of argument k."""
    x, columns = np.asarray(args[k]), []
    for i in np.ndindex(x.shape):
        tangents = [np.zeros(np.shape(a), dtype=np.asarray(a).dtype)[()] for a in args]
        basis = np.zeros(x.shape, dtype=x.dtype)
        basis[i] = 1
        tangents[k] = basis[()]
        columns.append(np.ravel(jvp(f, args, tangents)[1]))
    return np.array(columns).T


def jacobian_rows(f: Any, args: tuple[Any, ...]) -> list[np.ndarray]:
    """By reverse mode: one row per entry of the result, for every argument."""
    y, pullback = vjp(f, *args)
    rows: list[list[Any]] = [[] for _ in args]
    for i in np.ndindex(np.shape(y)):
        basis = np.zeros(np.shape(y))
        basis[i] = 1
        for row, g in zip(rows, pullback(basis[()]), strict=True):
            row.append(np.ravel(g))
    return [np.array(row) for row in rows]


def jacobian_differences(f: Any, args: tuple[Any, ...], k: int, h: float = 6e-6) -> np.ndarray:
    """By central differences of plain NumPy, without the engine."""
    x, columns = np.asarray(args[k], dtype=float), []
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        plus, minus = (f(*args[:k], v[()], *args[k + 1 :]) for v in (up, down))
        columns.append(np.ravel((np.asarray(plus) - np.asarray(minus)) / (2 * h)))
    return np.array(columns).T


def assert_derivatives(f: Any, args: tuple[Any, ...], plain: Any = None, order: int = 2) -> None:
    """Forward, reverse and central differences agree; then second derivatives in all four nestings."""
    f, plain = one_array(f), one_array(plain or f)
    rows = jacobian_rows(f, args)
    for k, reverse in enumerate(rows):
        forward = jacobian_columns(f, args, k)
        if forward.size and reverse.size:
            # entries that cancel are right to the size of what cancels
            scale = max(1.0, np.max(np.abs(forward)))
            np.testing.assert_allclose(forward, reverse, rtol=1e-12, atol=1e-14 * scale)
            np.testing.assert_allclose(
                reverse, jacobian_differences(plain, args, k), rtol=1e-6, atol=1e-8 * scale
            )
    check_grads(f, args, order=order, modes=("fwd", "rev"))
