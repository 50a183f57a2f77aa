"""The programs of TransposeBench: equations, and the linear program that a point makes of them."""

import functools
from typing import NamedTuple

import numpy as np

from autodiff_lab.text.notation import format_adjoint, format_name, format_tangent, number
from autodiff_lab.trace.model import Trace

PROGRAMS = {
    "ln x1 + x1 · x2 − sin x2": lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2),
    "(x1 + x2) · sin x1": lambda x1, x2: (x1 + x2) * np.sin(x1),
    "exp(sin(x1 · x2)), a chain": lambda x1, x2: np.exp(np.sin(x1 * x2)),
    "x1 · x1 + x2 · sin x1": lambda x1, x2: x1 * x1 + x2 * np.sin(x1),
}


class Equation(NamedTuple):
    """An equation of a program to be transposed: its value, and the coefficient of each tangent in its linear form."""

    name: str
    text: str
    value: float
    terms: tuple[tuple[float, str], ...]

    @property
    def written(self) -> str:
        """The equation as the program to be transposed has it, before it is linearized."""
        return f"{format_name(self.name)} = {self.text}"

    @property
    def linear(self) -> str:
        """The linear equation, between tangents, that this equation becomes at a point.

        >>> Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))).linear
        'v̇₂ = 5 · ẋ1 + 2 · ẋ2'
        """
        terms = [_multiply(factor, format_tangent(name)) for factor, name in self.terms]
        return f"{format_tangent(self.name)} = {' + '.join(terms)}".replace("+ −", "− ")

    @property
    def transposed(self) -> list[str]:
        """The lines of the transposed program that this equation becomes in turn, between adjoints.

        >>> Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))).transposed
        ['x̄1 += 5 · v̄₂', 'x̄2 += 2 · v̄₂']
        """
        arriving = format_adjoint(self.name)
        return [f"{format_adjoint(to)} += {_multiply(factor, arriving)}" for factor, to in self.terms]


def _multiply(factor: float, name: str) -> str:
    return name if factor == 1 else f"−{name}" if factor == -1 else f"{number(factor)} · {name}"


class Equations(NamedTuple):
    """The equations of a whole program at one point, linearized, and the program's gradient."""

    inputs: tuple[str, ...]
    lines: tuple[Equation, ...]
    gradient: tuple[float, ...]


@functools.lru_cache(maxsize=512)
def linearize_program(name: str, x1: float, x2: float) -> Equations:
    """Linearize a program for the transpose bench: read its linear equations off the engine's local partials."""
    trace = Trace.of(PROGRAMS[name], x1, x2)
    names = [line.label or line.name for line in trace.lines]
    lines = []
    for line in trace.lines[len(trace.inputs) :]:
        terms = tuple((operand.partial.value, names[operand.line]) for operand in line.operands if operand.partial)
        lines.append(Equation(line.name, line.reading, line.value.value, terms))
    return Equations(("x1", "x2"), tuple(lines), tuple(slope.value for slope in trace.gradient))


def sweep_transposed(equations: Equations) -> tuple[float, ...]:
    """Run the transposed program from the seed 1: the adjoints of the inputs.

    >>> sweep_transposed(linearize_program("exp(sin(x1 · x2)), a chain", 1.0, 0.0))
    (0.0, 1.0)
    """
    found = {equations.lines[-1].name: 1.0}
    for line in reversed(equations.lines):
        for factor, to in line.terms:
            found[to] = found.get(to, 0.0) + factor * found[line.name]
    return tuple(found.get(name, 0.0) for name in equations.inputs)
