"""Jacobians three ways: by columns, by rows, and by central differences without the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab import check_grads, jvp, vjp


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


def jacobian_rows(f: Any, args: tuple[Any, ...], k: int) -> np.ndarray:
    """By reverse mode: one row per entry of the result."""
    y, pullback = vjp(f, *args)
    rows = []
    for i in np.ndindex(np.shape(y)):
        basis = np.zeros(np.shape(y))
        basis[i] = 1
        rows.append(np.ravel(pullback(basis[()])[k]))
    return np.array(rows)


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


def assert_derivatives(f: Any, args: tuple[Any, ...], plain: Any = None) -> None:
    """Forward, reverse and central differences agree; then second derivatives in all four nestings."""
    for k in range(len(args)):
        forward, reverse = jacobian_columns(f, args, k), jacobian_rows(f, args, k)
        if forward.size and reverse.size:
            np.testing.assert_allclose(forward, reverse, rtol=1e-12, atol=1e-14)
            np.testing.assert_allclose(reverse, jacobian_differences(plain or f, args, k), rtol=1e-6, atol=1e-8)
    check_grads(f, args, order=2, modes=("fwd", "rev"))
