"""Functions that the tests of the player run: one of each kind of picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def f(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def square(x):
    return x * x


def constant(x1, x2):
    unused = 3 * x1  # noqa: F841
    return 42.0


def model(X, w, y):
    p = np.tanh(X @ w)
    r = p - y
    return (r * r).mean()


def recurrent(x, w):
    h = 0.5 * x
    for _ in range(20):
        h = np.tanh(w * h + x)
    return h


def identity(x):
    return x


exec(compile("def hidden(x):\n    return np.exp(x) * x", "<nowhere>", "exec"))

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "seed": (f, (2.0, 5.0)),
    "square": (square, (3.0,)),
    "constant": (constant, (2.0, 5.0)),
    "arrays": (
        model,
        (
            np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
            np.array([0.5, -1.0]),
            np.array([0.0, 1.0, -1.0]),
        ),
    ),
    "sixty": (recurrent, (0.7, 1.3)),
    "identity": (identity, (3.0,)),
    "no_source": (globals()["hidden"], (1.0,)),
}
