"""Small programs of cells: each is run on the learner's cells, and on the engine's numbers.

A program is called with the names it uses (`Cell`, `sin`, `log`) and with its inputs. With `NUMPYS` as these names
it is an ordinary function, which the engine can differentiate.
"""

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_lab.transforms.gradients import grad

Program = Callable[..., Any]
# A program, and where it is run.
Case = tuple[Program, tuple[float, ...]]

DOUBLINGS = 18
DOUBLED = f"x doubled {DOUBLINGS} times"
# What the names that a program uses mean on the engine's side.
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


def with_an_end_behind(use: Any, x: Any, y: Any) -> Any:
    """A program that computes a product for nothing after its result."""
    result = x + y
    _ = x * y
    return result


def doubled(use: Any, x: Any) -> Any:
    """A program that doubles x again and again: a few cells, and more paths than anybody can follow."""
    for _ in range(DOUBLINGS):
        x = x + x
    return x


SWEPT: dict[str, Case] = {
    "(a + b) * (b + 1) at (2, 1)": (olah, (2.0, 1.0)),
    "log(x1) + x1 * x2 - sin(x2) at (2, 5)": (course, (2.0, 5.0)),
    "x + y, and x * y for nothing, at (3, 1)": (with_a_dead_end, (3.0, 1.0)),
    "x + y, and then x * y for nothing, at (3, 1)": (with_an_end_behind, (3.0, 1.0)),
    "a * a + a * a with a = x * x, at 2": (twice_squared, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}


def find_slopes(cases: dict[str, Case]) -> dict[str, tuple[float, ...]]:
    """Find the slopes of each program with respect to its inputs, by the engine.

    >>> find_slopes(SWEPT)["(a + b) * (b + 1) at (2, 1)"]
    (2.0, 5.0)
    """
    slopes = {}
    for case, (program, at) in cases.items():
        compute = functools.partial(program, NUMPYS)
        found = grad(compute, argnums=tuple(range(len(at))))(*at)
        slopes[case] = tuple(float(slope) for slope in found)
    return slopes
