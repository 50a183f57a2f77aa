"""The programs of TransposeBench: equations, and the linear program that a point makes of them."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.text.notation import format_adjoint, format_name, format_tangent
from autodiff_lab.trace.model import Trace

PROGRAMS = {
    "ln x1 + x1 · x2 − sin x2": lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2),
    "(x1 + x2) · sin x1": lambda x1, x2: (x1 + x2) * np.sin(x1),
    "exp(sin(x1 · x2)), a chain": lambda x1, x2: np.exp(np.sin(x1 * x2)),
    "x1 · x1 + x2 · sin x1": lambda x1, x2: x1 * x1 + x2 * np.sin(x1),
}


class Equation(NamedTuple):
    """One equation, its value, and the coefficient of each tangent in the linear equation that it becomes."""

    name: str
    text: str
    value: float
    terms: tuple[tuple[float, str], ...]

    @property
    def tangent(self) -> str:
        """The name of its tangent."""
        return format_tangent(self.name)


class Equations(NamedTuple):
    """A whole program at one point, and its gradient."""

    inputs: tuple[str, ...]
    lines: tuple[Equation, ...]
    gradient: tuple[float, ...]


@functools.lru_cache(maxsize=512)
def linearize_program(name: str, x1: float, x2: float) -> Equations:
    """Record a program and read its linear equations off the engine's local partials."""
    trace = Trace.of(PROGRAMS[name], x1, x2)
    names = [line.label or f"v{k + 1 - len(trace.inputs)}" for k, line in enumerate(trace.lines)]
    lines = [
        Equation(
            names[k],
            line.reading,
            _number(line.value),
            tuple((_number(operand.partial), names[operand.line]) for operand in line.operands if operand.partial),
        )
        for k, line in enumerate(trace.lines)
        if line.operands
    ]
    gradient = tuple(_number(slope) for slope in trace.gradient)
    return Equations(tuple(names[k] for k in trace.inputs), tuple(lines), gradient)


def _number(found: Any) -> float:
    return float(found.value)


def transpose_equation(line: Equation) -> list[tuple[str, float, str]]:
    """The lines that a linear equation becomes: for each tangent on its right side one, (to, coefficient, from).

    >>> transpose_equation(Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))))
    [('x1', 5.0, 'v2'), ('x2', 2.0, 'v2')]
    """
    return [(operand, factor, line.name) for factor, operand in line.terms]


def sweep_adjoints(equations: Equations, done: int) -> dict[str, float]:
    """The adjoints after the last `done` linear equations have been transposed, from the seed 1."""
    found = {equations.lines[-1].name: 1.0}
    for line in list(reversed(equations.lines))[:done]:
        for to, factor, source in transpose_equation(line):
            found[to] = found.get(to, 0.0) + factor * found[source]
    return found


def spell(name: str, kind: str = "value") -> str:
    """Write a name as people do: ``x1``, ``v₂``; with a dot for a tangent, a bar for an adjoint."""
    return {"value": format_name, "tangent": format_tangent, "adjoint": format_adjoint}[kind](name)
