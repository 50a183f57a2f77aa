"""The programs of JacobianPainter, each a function of one array that returns one array."""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

LARGEST = 6


class Program(NamedTuple):
    """A function from array to array, with its formula, a point, and the names of inputs and results."""

    formula: str
    function: Callable[[Any], Any]
    point: tuple[float, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]


def of_document_1(x: Any) -> Any:
    """Return x₁ + x₂ + ln x₁ and x₁/x₂ + (x₁ − x₂)², the two functions of document 1."""
    return np.stack([x[0] + x[1] + np.log(x[0]), x[0] / x[1] + (x[0] - x[1]) ** 2])


def polar(x: Any) -> Any:
    """Convert polar coordinates, radius and angle, to x and y."""
    return np.stack([x[0] * np.cos(x[1]), x[0] * np.sin(x[1])])


def softmax(x: Any) -> Any:
    """Return the softmax of an array: positive numbers that sum to 1."""
    e = np.exp(x)
    return e / np.sum(e)


def standardize(x: Any) -> Any:
    """Shift and scale an array to mean 0 and standard deviation 1."""
    return (x - np.mean(x)) / np.std(x)


LAYER = "a layer, tanh(W x)"
X = ("x₁", "x₂", "x₃", "x₄", "x₅", "x₆")
Y = ("y₁", "y₂", "y₃", "y₄", "y₅", "y₆")
FIXED = {
    "document 1": Program(
        "(x₁ + x₂ + ln x₁,  x₁/x₂ + (x₁ − x₂)²)", of_document_1, (1.0, 2.0), X[:2], Y[:2]
    ),
    "polar map": Program("(r cos φ,  r sin φ)", polar, (2.0, math.pi / 6), ("r", "φ"), ("x", "y")),
    "softmax": Program("exp(x) / Σ exp(x)", softmax, (1.0, 2.0, 3.0), X[:3], Y[:3]),
    "standardize": Program(
        "(x − mean) / standard deviation", standardize, (1.0, 2.0, 4.0, 8.0), X[:4], Y[:4]
    ),
}
NAMES = (LAYER, *FIXED)


@functools.cache
def find_program(name: str, n: int, m: int) -> Program:
    """Find a program by name. Only the layer depends on the numbers n of inputs and m of results.

    >>> find_program("document 1", 2, 2).point, find_program(LAYER, 3, 1).results
    ((1.0, 2.0), ('y₁',))
    """
    if name in FIXED:
        return FIXED[name]
    weights = np.array(
        [[round(math.cos(0.8 + 2.3 * i + 1.7 * j), 1) for j in range(n)] for i in range(m)]
    )

    def layer(x: Any) -> Any:
        return np.tanh(weights @ x)

    point = tuple((0.5, -0.25, 0.75, 1.0, -0.5, 0.25)[:n])
    return Program(f"tanh(W x), W with {m} × {n} weights", layer, point, X[:n], Y[:m])
