"""Runs that every picture, film and handout must be able to show."""

import functools

import numpy as np

from autodiff_lab import Trace

from .example import example


def chain(count):
    def f(x):
        for k in range(count):
            x = np.sin(x) if k % 2 else x * 1.1
        return x

    return f


def swing(x, y):
    for _ in range(100):
        x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
    return x * x + y


def layer(W, x):
    return np.sum(np.tanh(W @ x) ** 2)


def named(name):
    def f(x):
        return x * x

    f.__name__ = name
    return f


def through_nan(x):
    with np.errstate(invalid="ignore"):
        return np.log(x) * x


RUNS = {
    "smallest": lambda: Trace.of(lambda x: x, 2.0),
    "constant": lambda: Trace.of(lambda x: 3.0, 2.0),
    "example": lambda: Trace.of(example, 2.0, 5.0),
    "forward": lambda: Trace.of(example, 2.0, 5.0, mode="forward", direction="all"),
    "faulty": lambda: Trace.of(lambda x: x * x + x, 3.0, fault="overwrite"),
    "nan": lambda: Trace.of(through_nan, -1.0),
    "arrays": lambda: Trace.of(layer, np.arange(6.0).reshape(2, 3) / 5, np.ones(3)),
    "60 operations": lambda: Trace.of(chain(60), 0.5),
    "500 operations": lambda: Trace.of(swing, 0.5, 0.3),
    "<script>": lambda: Trace.of(named('<script>alert("1")</script>&'), 2.0),
}
RUNS = {name: functools.cache(run) for name, run in RUNS.items()}
