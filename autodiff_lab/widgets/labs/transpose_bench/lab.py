"""The controller of the lab TransposeBench: it linearizes the equations, transposes them, and draws both."""

import functools
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import format_adjoint, format_name, format_tangent
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Trace
from autodiff_lab.widgets.labs.canvas import Sheet, draw_rule
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Choice, Play, Slider, SteppedLab
from autodiff_lab.widgets.labs.phrases import count_noun

PROGRAMS = {
    "ln x1 + x1 · x2 − sin x2": lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2),
    "(x1 + x2) · sin x1": lambda x1, x2: (x1 + x2) * np.sin(x1),
    "exp(sin(x1 · x2)), a chain": lambda x1, x2: np.exp(np.sin(x1 * x2)),
    "x1 · x1 + x2 · sin x1": lambda x1, x2: x1 * x1 + x2 * np.sin(x1),
}

WIDTH, HEIGHT = 900, 396
ROW, TOP, TALL = 30, 106, 56
FUNCTION, LINEAR, TRANSPOSED = 14, 296, 596


class Equation(NamedTuple):
    """An equation of a program: its value, and the coefficient of each tangent in its linear form."""

    name: str
    text: str
    value: float
    terms: tuple[tuple[float, str], ...]

    @property
    def written(self) -> str:
        """The equation as it is in the program, before it is linearized."""
        return f"{format_name(self.name)} = {self.text}"

    @property
    def linear(self) -> str:
        """The linearized equation, between tangents.

        >>> Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))).linear
        'v̇₂ = 5 · ẋ1 + 2 · ẋ2'
        """
        terms = [_multiply(factor, format_tangent(name)) for factor, name in self.terms]
        return f"{format_tangent(self.name)} = {' + '.join(terms)}".replace("+ −", "− ")

    @property
    def transposed(self) -> list[str]:
        """The lines of the transposed equation, between adjoints.

        >>> Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))).transposed
        ['x̄1 += 5 · v̄₂', 'x̄2 += 2 · v̄₂']
        """
        arriving = format_adjoint(self.name)
        return [
            f"{format_adjoint(to)} += {_multiply(factor, arriving)}" for factor, to in self.terms
        ]


def _multiply(factor: float, name: str) -> str:
    if factor == 1:
        return name
    if factor == -1:
        return f"−{name}"
    return f"{number(factor)} · {name}"


class Equations(NamedTuple):
    """The equations of a whole program at one point, linearized, and the program's gradient."""

    inputs: tuple[str, ...]
    lines: tuple[Equation, ...]
    gradient: tuple[float, ...]


@functools.lru_cache(maxsize=512)
def linearize_program(name: str, x1: float, x2: float) -> Equations:
    """Linearize a program at a point; the coefficients are the engine's local partials."""
    trace = Trace.of(PROGRAMS[name], x1, x2)
    names = [line.label or line.name for line in trace.lines]
    lines = []
    for line in trace.lines[len(trace.inputs) :]:
        moving = [operand for operand in line.operands if operand.partial]
        terms = tuple((operand.known_partial.scalar, names[operand.parent]) for operand in moving)
        lines.append(Equation(line.name, line.reading, line.value.scalar, terms))
    gradient = tuple(slope.scalar for slope in trace.gradient if slope is not None)
    return Equations(("x1", "x2"), tuple(lines), gradient)


def sweep_transposed(equations: Equations) -> tuple[float, ...]:
    """Run the transposed program from the seed 1, and return the adjoints of the inputs.

    >>> sweep_transposed(linearize_program("exp(sin(x1 · x2)), a chain", 1.0, 0.0))
    (0.0, 1.0)
    """
    found = {equations.lines[-1].name: 1.0}
    for line in reversed(equations.lines):
        for factor, to in line.terms:
            found[to] = found.get(to, 0.0) + factor * found[line.name]
    return tuple(found.get(name, 0.0) for name in equations.inputs)


class TransposeBench(SteppedLab):
    """A lab on reverse mode as a transpose: linearize each equation, then transpose each linear one.

    >>> lab = TransposeBench()
    >>> while lab.can("next"):
    ...     lab.press("next")
    >>> lab.snapshot()["linear"][1], lab.snapshot()["transposed"][0]
    ('v̇₂ = 5 · ẋ1 + 2 · ẋ2', 'v̄₃ += v̄₅')
    >>> lab.snapshot()["gradient"]
    (5.5, 1.7163378145367738)
    """

    about = "Say the next line, then press Next: first each equation is linearized, then each linear line transposed."
    controls = (
        STEP_BUTTONS[0],
        Choice("program", "program", tuple(PROGRAMS)),
        *STEP_BUTTONS[1:],
        Play("next", 1500),
        Slider("x1", "x1", 0.5, 4, 0.5, 2.0, more=True),
        Slider("x2", "x2", 0.5, 6, 0.5, 5.0, more=True),
    )
    program: str
    x1: float
    x2: float

    @property
    def equations(self) -> Equations:
        """The equations of the chosen program at this point."""
        return linearize_program(self.program, self.x1, self.x2)

    @property
    def length(self) -> int:
        """The number of steps: each equation is linearized, then transposed."""
        return 2 * len(self.equations.lines)

    def change(self, name: str) -> None:
        """Begin again with another program; at another point, only the coefficients change."""
        if name == "program":
            self.begin()

    @property
    def counts(self) -> tuple[int, int]:
        """The number of equations that are linearized so far, and the number that are transposed."""
        count = len(self.equations.lines)
        return min(self.done, count), max(self.done - count, 0)

    def snapshot(self) -> dict[str, Any]:
        """Return the linear and the transposed lines so far, and at the end the gradient."""
        found = self.equations
        linearized, transposed = self.counts
        turned = list(reversed(found.lines))[:transposed]
        return {
            "linear": [line.linear for line in found.lines[:linearized]],
            "transposed": [text for line in turned for text in line.transposed],
            "gradient": sweep_transposed(found) if self.done == self.length else None,
            "engine": found.gradient,
        }

    def sentence(self) -> str:
        """Describe the last linearized or transposed equation, and at the end the gradient."""
        found = self.equations
        linearized, transposed = self.counts
        if not linearized:
            asked = format_tangent(found.lines[0].name)
            return (
                f"{found.lines[0].written} is the first equation. What is its linear line, {asked}?"
            )
        if not transposed:
            line = found.lines[linearized - 1]
            said = f"At this point {line.written} becomes {line.linear}."
            if linearized < len(found.lines):
                return said
            return (
                f"{said} The linear program is complete. Now transpose it, from its last line up."
            )
        line = found.lines[-transposed]
        terms = count_noun(len(line.terms), "term")
        became = " and ".join(line.transposed)
        said = f"{line.linear} has {terms} and becomes {became}."
        if self.done < self.length:
            return said
        slopes = zip(found.inputs, sweep_transposed(found), strict=True)
        gradient = " and ".join(
            f"{format_adjoint(name)} = {number(slope)}" for name, slope in slopes
        )
        return f"{said} All lines are transposed: {gradient}, the gradient."

    def table(self) -> Grid:
        """List each equation with its linear form and its transposed lines."""
        found = self.equations
        linearized, transposed = self.counts
        rows = [
            (
                line.written,
                number(line.value),
                line.linear if k < linearized else "",
                ", ".join(line.transposed) if k >= len(found.lines) - transposed else "",
            )
            for k, line in enumerate(found.lines)
        ]
        heads = ("equation", "value", "linear", "transposed")
        return grid(f"{self.program}, line by line", heads, rows)

    def picture(self) -> str:
        """Draw three columns: the equations, the linear program of their tangents, and its transpose."""
        lines = self.equations.lines
        linearized, transposed = self.counts
        title = "Equations, the linear program of their tangents, and its transpose"
        sheet = Sheet(WIDTH, HEIGHT, title)
        point = f"at x1 = {number(self.x1)}, x2 = {number(self.x2)}  ↓"
        heads = (
            (FUNCTION, "equations", point, "value"),
            (LINEAR, "linear program", "tangents in, tangents out  ↓", "tangent"),
            (TRANSPOSED, "transposed", "from the last line up  ↑", "adjoint"),
        )
        for x, head, below, role in heads:
            sheet.text(x, 24, head, role, size=16, bold=True)
            sheet.text(x, 46, below, "soft_ink", size=14)
        draw_rule(sheet, 8, WIDTH - 8, 60)
        seed = f"{format_adjoint(lines[-1].name)} = 1, the seed"
        sheet.text(TRANSPOSED, TOP - 22, seed, "soft_ink", size=14)
        for k, line in enumerate(lines):
            y = TOP + TALL * k
            sheet.text(FUNCTION, y, f"{line.written} = {number(line.value)}", "value", size=15)
            waiting = f"{format_tangent(line.name)} = ?" if k == linearized else "·"
            linear, role = (line.linear, "tangent") if k < linearized else (waiting, "soft_ink")
            sheet.text(LINEAR, y, linear, role, size=15)
        y = TOP + 8
        for k in range(len(lines) - 1, len(lines) - 1 - transposed, -1):
            became = lines[k].transposed
            for row, text in enumerate(became):
                sheet.text(TRANSPOSED + 8, y + ROW * row, text, "adjoint", size=15)
            if k == len(lines) - transposed:
                sheet.box(TRANSPOSED, y - 20, 290, ROW * len(became) - 2, "adjoint", width=2)
                middle = y + ROW * (len(became) - 1) / 2 - 5
                _point(sheet, LINEAR, TOP + TALL * k, TRANSPOSED, middle, "adjoint")
            y += ROW * len(became)
        if linearized and not transposed:
            y = TOP + TALL * (linearized - 1)
            _point(sheet, FUNCTION, y, LINEAR, y - 5, "tangent")
        sheet.cut(284, 580)
        return sheet.svg()


# The picture


def _point(sheet: Sheet, x: float, y: float, to: float, height: float, role: str) -> None:
    """Frame a line, and draw an arrow from it to its linear or transposed form."""
    right = to - 46 if to == TRANSPOSED else to - 34
    sheet.box(x - 8, y - 22, right - x + 8, 32, role, width=2)
    sheet.arrow((right + 2, y - 5), (to - 4, height), role)
