"""The programs of TapeCompiler, each with the input where it is recorded first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def course(x: Any, y: Any) -> Any:
    """The function of the course."""
    return np.log(x) + x * y - np.sin(y)


def twice(x: Any, y: Any) -> Any:
    """The same exponential, written twice."""
    return (np.exp(x * y) + np.exp(x * y)) * x


def unused(x: Any, y: Any) -> Any:
    """Two operations that nobody asks for, and a factor of 1."""
    _ = np.sqrt(x) * 3.0
    return np.tanh(1.0 * x) + y


def until_ten(x: Any, y: Any) -> Any:
    """Multiply by x until 10 is reached."""
    p = x
    while p < 10:
        p = p * x
    return p * y


class Example(NamedTuple):
    """A program, and where it is recorded."""

    f: Callable[[Any, Any], Any]
    at: float
    y: float


EXAMPLES = {
    "log(x) + x * y - sin(y)": Example(course, 2.0, 5.0),
    "(exp(x * y) + exp(x * y)) * x": Example(twice, 0.5, 1.0),
    "sqrt(x) * 3, unused; tanh(1.0 * x) + y": Example(unused, 1.0, 2.0),
    "while p < 10: p = p * x": Example(until_ten, 1.5, 1.0),
}
