"""The controller of the lab SwellMeter, which compares the size of a derivative's formula with the work of AD."""

import functools
import textwrap
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.recording import record
from autodiff_lab.transforms.symbol import Symbol
from autodiff_lab.widgets.labs.canvas import Sheet, draw_bar
from autodiff_lab.widgets.labs.lab import Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun

LARGEST = 6
LINES, WIDTH = 15, 58


def logistic(n: int) -> Any:
    """Make the iterated logistic map as a function of x: l₁ = x and lₙ₊₁ = 4 lₙ (1 − lₙ)."""

    def iterate(x: Any) -> Any:
        for _ in range(n - 1):
            x = 4 * x * (1 - x)
        return x

    return iterate


class Swell(NamedTuple):
    """The size of the derivative of lₙ as a formula, and the number of operations that AD needs for it."""

    formula_size: int
    derivative: Symbol
    derivative_size: int
    operations: int
    sweep: int


class SwellMeter(Lab):
    """A lab on expression swell: the derivative of the iterated logistic map, as a formula and by AD.

    >>> lab = SwellMeter()
    >>> lab.set(n=4, x=0.3)
    >>> round(lab.snapshot()["slope"], 12)
    1.3090816
    """

    about = "Move n. The formula of the derivative swells; the work of AD does not."
    controls = (Slider("n", "n", 1, LARGEST, 1, 5), Slider("x", "x", 0.05, 0.95, 0.05, 0.3))
    n: int
    x: float

    def snapshot(self) -> dict[str, Any]:
        """Return value and slope of lₙ, the size of the derivative's formula, and the operations of AD."""
        swell = measure_swell(self.n)
        return {
            "value": float(logistic(self.n)(self.x)),
            "slope": float(grad(logistic(self.n))(self.x)),
            "slope_of_formula": float(eval(swell.derivative.python(), {"np": np, "x": self.x})),
            "derivative_size": swell.derivative_size,
            "characters": len(swell.derivative.text()),
            "operations": swell.operations,
            "sweep": swell.sweep,
        }

    def sentence(self) -> str:
        """Describe the size of the derivative's formula, and the operations of AD."""
        snap = self.snapshot()
        parts = count_noun(snap["derivative_size"], "part")
        characters = count_noun(snap["characters"], "character")
        ratio = ""
        if snap["operations"]:
            ratio = f", {number(snap['sweep'] / snap['operations'])} for each of its own"
        return (
            f"l{_subscript(self.n)}′({number(self.x)}) = {number(snap['slope'])}. Written as a formula, the derivative "
            f"has {parts} and {characters}. The program has {snap['operations']} operations, and the sweep adds "
            f"{snap['sweep']}{ratio}."
        )

    def table(self) -> Grid:
        """Compare the size of the formula with the operations of AD, for every n up to this one."""
        rows = []
        for n in range(1, self.n + 1):
            formula_size, _, derivative_size, operations, sweep = measure_swell(n)
            rows.append((str(n), formula_size, derivative_size, operations, operations + sweep))
        heads = ("n", "parts of lₙ", "parts of lₙ′", "operations of the program", "with the sweep")
        return grid("How large the derivative is", heads, rows)

    def picture(self) -> str:
        """Draw the derivative's formula as far as it fits, and bars for its parts and for the work of AD."""
        sheet = Sheet(
            900, 416, "The formula of the derivative, and bars for the size of formula and of AD"
        )
        text = measure_swell(self.n).derivative.text().replace("-", "−").replace("*", "·")
        lines = textwrap.wrap(text, WIDTH)
        sheet.text(12, 22, f"l{_subscript(self.n)}′(x) as a formula", "soft_ink", size=14)
        for k, line in enumerate(lines[:LINES]):
            sheet.code(12, 52 + 23 * k, [(line, "ink")], size=14)
        left_out = len(lines) - LINES
        if left_out > 0:
            rest = f"… and {left_out} more lines like these"
            sheet.text(12, 52 + 23 * LINES, rest, "adjoint", bold=True)
        self._draw_bars(sheet, 546, 342)
        sheet.cut(530)
        return sheet.svg()

    def _draw_bars(self, sheet: Sheet, left: float, width: float) -> None:
        sheet.text(left, 22, "parts of the formula lₙ′", "adjoint", size=14)
        sheet.text(left, 44, "operations of AD: program and sweep", "tangent", size=14)
        largest = measure_swell(LARGEST).derivative_size
        for n in range(1, LARGEST + 1):
            y = 66 + 60 * (n - 1)
            now = n == self.n
            sheet.text(left, y + 24, f"n = {n}", "ink" if now else "soft_ink", bold=now)
            if n > self.n:
                continue
            swell = measure_swell(n)
            ad = swell.operations + swell.sweep
            for top, amount, role in (
                (y, swell.derivative_size, "adjoint"),
                (y + 21, ad, "tangent"),
            ):
                length = (width - 104) * amount / largest
                draw_bar(sheet, left + 52, top, length, role, str(amount))


@functools.cache
def measure_swell(n: int) -> Swell:
    """Measure the expression swell of lₙ, which is differentiated line by line, with formulas inserted as by hand."""
    _, tape = record(logistic(n), 0.3)
    formula, derivative = differentiate(tape, "x")
    sends = [send for step in Trace.of(logistic(n), 0.3).steps for send in step.sends]
    # Each contribution takes a multiplication, and an addition if it isn't the first.
    sweep = len(sends) + sum(send.before is not None for send in sends)
    return Swell(
        formula_size=count_parts(formula),
        derivative=derivative,
        derivative_size=count_parts(derivative),
        operations=len(tape) - tape.n_inputs,
        sweep=sweep,
    )


def differentiate(tape: Tape, name: str) -> tuple[Symbol, Symbol]:
    """Write out the formula that a tape with one input computes, and the formula of its derivative.

    Nothing is shared: a value that is used twice is written out twice, as on paper.
    """
    formulas: list[Any] = [Symbol(name)]
    slopes: list[Any] = [1.0]
    for i in range(1, len(tape)):
        op = tape.operation(i)
        constants = tape.args[i]
        parents = list(enumerate(tape.parents[i]))
        operands = [formulas[j] if j >= 0 else constants[k] for k, j in parents]
        formulas.append(op.fn(*operands))
        slope: Any = 0
        for k, j in parents:
            if j >= 0:
                slope = slope + op.local_partial(k, formulas[i], *operands) * slopes[j]
        slopes.append(slope)
    derivative = slopes[tape.output_line]
    if not isinstance(derivative, Symbol):
        derivative = Symbol(number(derivative))
    return formulas[tape.output_line], derivative


def count_parts(formula: Symbol | float) -> int:
    """Count the parts of a formula: its numbers, names and operations.

    >>> count_parts(3 * Symbol("x") + 1)
    5
    """
    if not isinstance(formula, Symbol):
        return 1
    return 1 + sum(count_parts(operand) for operand in formula.operands)


def _subscript(n: int) -> str:
    return "₀₁₂₃₄₅₆"[n]
