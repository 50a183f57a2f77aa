"""Functions to plot."""

import numpy as np

from autodiff_lab import grad


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x))


def valley(x, y):
    return (1 - x) ** 2 + 20 * (y - x * x) ** 2


def tridiagonal(x):
    n = len(x)
    return np.stack([x[k] ** 2 - sum(x[j] for j in (k - 1, k + 1) if 0 <= j < n) for k in range(n)])


def two(x1, x2):
    return np.stack([x1 + x2 + np.log(x1), x1 / x2 + (x1 - x2) ** 2])


def downhill(f, start, rate, steps):
    path = [start]
    for _ in range(steps):
        slopes = grad(f, tuple(range(len(start))))(*path[-1])
        path.append(tuple(x - rate * g for x, g in zip(path[-1], slopes, strict=True)))
    return path
