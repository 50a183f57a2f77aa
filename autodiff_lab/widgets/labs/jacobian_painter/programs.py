"""The programs of JacobianPainter and the passes through them: one tangent pushed forward, one adjoint pulled back.

A program is a function of one array that returns one array. The work of a pass is not computed by a formula. The engine
takes the derivative while an outer tape is recording, and what that tape has written down is counted.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.transforms.gradients import vjp
from autodiff_lab.transforms.jacobians import linearize
from autodiff_lab.transforms.recording import record

FORWARD, REVERSE = "forward", "reverse"
# The operations that count once for each entry of their result; a product of matrices counts its inner sum too.
BY_ENTRY = ("multiply", "divide", "power")
LARGEST = 6


class Program(NamedTuple):
    """A program whose Jacobian is painted: a function from array to array, its point, and the names of its entries."""

    formula: str
    function: Callable[[Any], Any]
    point: tuple[float, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]


def of_document_1(x: Any) -> Any:
    """The program of document 1 for the Jacobian painter: x₁ + x₂ + ln x₁ and x₁/x₂ + (x₁ − x₂)²."""
    return np.stack([x[0] + x[1] + np.log(x[0]), x[0] / x[1] + (x[0] - x[1]) ** 2])


def polar(x: Any) -> Any:
    """The polar map as a program with a 2 × 2 Jacobian: from radius and angle to x and y."""
    return np.stack([x[0] * np.cos(x[1]), x[0] * np.sin(x[1])])


def softmax(x: Any) -> Any:
    """The softmax of an array as a program with a square Jacobian: positive numbers that sum to 1."""
    e = np.exp(x)
    return e / np.sum(e)


def standardize(x: Any) -> Any:
    """An array moved and stretched to mean 0 and standard deviation 1, as a program with a square Jacobian."""
    return (x - np.mean(x)) / np.std(x)


LAYER = "a layer, tanh(W x)"
X, Y = ("x₁", "x₂", "x₃", "x₄", "x₅", "x₆"), ("y₁", "y₂", "y₃", "y₄", "y₅", "y₆")
FIXED = {
    "document 1": Program("(x₁ + x₂ + ln x₁,  x₁/x₂ + (x₁ − x₂)²)", of_document_1, (1.0, 2.0), X[:2], Y[:2]),
    "polar map": Program("(r cos φ,  r sin φ)", polar, (2.0, math.pi / 6), ("r", "φ"), ("x", "y")),
    "softmax": Program("exp(x) / Σ exp(x)", softmax, (1.0, 2.0, 3.0), X[:3], Y[:3]),
    "standardize": Program("(x − mean) / standard deviation", standardize, (1.0, 2.0, 4.0, 8.0), X[:4], Y[:4]),
}
NAMES = (LAYER, *FIXED)


@functools.cache
def find_program(name: str, n: int, m: int) -> Program:
    """Find the program of a name; a layer's Jacobian has as many columns and rows as it is asked for.

    >>> find_program("document 1", 2, 2).point, find_program(LAYER, 3, 1).results
    ((1.0, 2.0), ('y₁',))
    """
    if name in FIXED:
        return FIXED[name]
    weights = np.array([[round(math.cos(0.8 + 2.3 * i + 1.7 * j), 1) for j in range(n)] for i in range(m)])

    def layer(x: Any) -> Any:
        return np.tanh(weights @ x)

    point = tuple((0.5, -0.25, 0.75, 1.0, -0.5, 0.25)[:n])
    return Program(f"tanh(W x), W with {m} × {n} weights", layer, point, X[:n], Y[:m])


# Passes


class Pass(NamedTuple):
    """One JVP or VJP through a program: its mode, its seed, what came out, and the multiplications it took."""

    mode: str
    seed: tuple[float, ...]
    result: tuple[float, ...]
    multiplications: int

    @property
    def entry(self) -> int | None:
        """The number, from 0, of the basis vector that was the seed of this JVP or VJP; None for another seed."""
        units = [k for k, x in enumerate(self.seed) if x == 1]
        return units[0] if len(units) == 1 and np.count_nonzero(self.seed) == 1 else None


@functools.lru_cache(maxsize=512)
def take_pass(of: Program, mode: str, seed: tuple[float, ...]) -> Pass:
    """Take one JVP or VJP through a program that has been run and recorded already, and count its multiplications.

    >>> take_pass(find_program("document 1", 2, 2), "reverse", (1.0, 0.0)).result
    (2.0, 1.0)
    """

    def derivative(x: Any, seed: Any) -> Any:
        if mode == FORWARD:
            return linearize(of.function, x)[1](seed)
        return vjp(of.function, x)[1](seed)[0]

    result, tape = record(derivative, np.array(of.point), np.array(seed))
    return Pass(mode, seed, tuple(map(float, result)), count_multiplications(tape) - count_run(of))


@functools.cache
def count_run(of: Program) -> int:
    """Count the multiplications of one of JacobianPainter's programs itself, without any JVP or VJP."""
    return count_multiplications(record(of.function, np.array(of.point))[1])


def count_multiplications(tape: Tape) -> int:
    """Count the multiplications on the tape of a run, a JVP or a VJP; a division counts as one, and so does a power.

    >>> count_multiplications(record(lambda x: (x * x) @ x / 2, np.array([1.0, 2.0, 3.0]))[1])
    7
    """
    count = 0
    for op, operands, value in zip(tape.ops, tape.args, tape.values, strict=True):
        if op is not None and op.name in BY_ENTRY:
            count += np.size(value)
        elif op is not None and op.name == "matmul":
            count += np.size(value) * np.shape(operands[0])[-1]
    return count
