"""Small programs of cells: each is run on the learner's cells, and on the engine's numbers.

A program's first argument `use` has the names that it uses: `use.Cell`, `use.sin`, `use.log`. The others are its
inputs. With `NUMPYS` as `use`, it is an ordinary function, which the engine can differentiate.
"""

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_lab.transforms.gradients import grad

Program = Callable[..., Any]
# A program, and its inputs.
Case = tuple[Program, tuple[float, ...]]

DOUBLINGS = 18
DOUBLED = f"x doubled {DOUBLINGS} times"
# The names that a program uses, for running it on the engine.
NUMPYS = SimpleNamespace(sin=np.sin, log=np.log, Cell=float)


def olah(use: Any, a: Any, b: Any) -> Any:
    """The program (a + b)(b + 1)."""
    return (a + b) * (b + use.Cell(1))


def course(use: Any, x1: Any, x2: Any) -> Any:
    """The program ln x₁ + x₁x₂ − sin x₂."""
    return use.log(x1) + x1 * x2 - use.sin(x2)


def twice_squared(use: Any, x: Any) -> Any:
    """The program (x²)² + (x²)²; every square is a product of a cell with itself."""
    a = x * x
    return a * a + a * a


def with_a_dead_end(use: Any, x: Any, y: Any) -> Any:
    """A program with a product that the result does not use."""
    _ = x * y
    return x + y


def with_a_dead_end_after(use: Any, x: Any, y: Any) -> Any:
    """A program that computes a product after its result, which does not use it."""
    result = x + y
    _ = x * y
    return result


def doubled(use: Any, x: Any) -> Any:
    """A program that doubles x again and again: few cells, but too many paths to follow one by one."""
    for _ in range(DOUBLINGS):
        x = x + x
    return x


SWEPT: dict[str, Case] = {
    "(a + b) * (b + 1) at (2, 1)": (olah, (2.0, 1.0)),
    "log(x1) + x1 * x2 - sin(x2) at (2, 5)": (course, (2.0, 5.0)),
    "x + y, and x * y for nothing, at (3, 1)": (with_a_dead_end, (3.0, 1.0)),
    "x + y, and then x * y for nothing, at (3, 1)": (with_a_dead_end_after, (3.0, 1.0)),
    "a * a + a * a with a = x * x, at 2": (twice_squared, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}


def find_slopes(cases: dict[str, Case]) -> dict[str, tuple[float, ...]]:
    """Compute the slopes of each program with respect to its inputs, with the engine.

    >>> find_slopes(SWEPT)["(a + b) * (b + 1) at (2, 1)"]
    (2.0, 5.0)
    """
    slopes = {}
    for case, (program, at) in cases.items():
        compute = functools.partial(program, NUMPYS)
        every_input = tuple(range(len(at)))
        gradient = grad(compute, argnums=every_input)(*at)
        slopes[case] = tuple(float(slope) for slope in gradient)
    return slopes
