"""The controller of the lab TraceTable: fill in the forward trace by guessing its tangents."""

import functools
import math
from typing import Any

from autodiff_lab.lessons.examples.course_function import f
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import factor, format_expression, format_tangent
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Line, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet, draw_heads, draw_rule
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Choice, Entry, Play, SteppedLab
from autodiff_lab.widgets.labs.typed_number import parse_number

POINT = (2.0, 5.0)
SEEDS = {"x1": (1.0, 0.0), "x2": (0.0, 1.0)}
ROW, TOP = 38, 40
LINE, OPERATION, VALUE, HOW, TANGENT = 16, 90, 300, 330, 744
HEADS = (
    (LINE, "line", "start"),
    (OPERATION, "operation", "start"),
    (VALUE, "value", "end"),
    (HOW, "tangent: local partial × tangent of the operand", "start"),
)


class TraceTable(SteppedLab):
    """A lab on forward mode: fill the trace of ln x₁ + x₁x₂ − sin x₂ at (2, 5), for one seed or the other.

    >>> lab = TraceTable()
    >>> lab.set(seed="x2")
    >>> for _ in range(lab.length):
    ...     lab.press("next")
    >>> lab.snapshot()["tangents"][-1]
    1.7163378145367738
    """

    about = "Type the next tangent and press Enter, or let Next fill it in."
    controls = (
        Entry("guess", "the next tangent", "a number"),
        *STEP_BUTTONS,
        Play("next", 1200),
        Choice("seed", "tangent 1 for", tuple(SEEDS)),
    )
    guess: str

    seed: str

    def __init__(self) -> None:
        super().__init__()
        self.done = 3  # the next line is the product, with a term for each factor

    def enter(self, name: str, text: str) -> None:
        """Check a guess of the next tangent; a correct guess fills in its row."""
        if not self.can("next"):
            self.reply = "The table is full. Choose the other seed, or begin again."
            return
        step = self.trace.steps[self.done]
        name = format_tangent(self.trace.lines[step.line].name)
        found = parse_number(text)
        if found is None:
            self.reply = f"{text!r} is not a number. Write 0.5, or 1/2."
        elif _is_close(found, _tangent(step)):
            self.done += 1
            self.reply = f"Right: {name} = {step.tangents[0].text}."
        else:
            self.reply = f"{name} is not {number(found)}. {self._explain_mistake(step, found)}"

    @property
    def length(self) -> int:
        """The number of rows to fill in."""
        return len(self.trace.steps)

    @property
    def trace(self) -> Trace:
        """The forward trace with its tangents, for the chosen seed."""
        return _trace_run(self.seed)

    @property
    def operands(self) -> list[int]:
        """The rows from which the last row was computed."""
        last = self.trace.steps[: self.done][-1:]
        return [parent for step in last for parent in _list_parents(self.trace.lines[step.line])]

    def snapshot(self) -> dict[str, Any]:
        """Return the rows that are filled in, the operands of the last, and the reply to a guess."""
        steps = self.trace.steps[: self.done]
        return {
            "rows": self.done,
            "lines": [self.trace.lines[step.line].name for step in steps],
            "tangents": [_tangent(step) for step in steps],
            "operands": self.operands,
            "verdict": self.reply,
        }

    def sentence(self) -> str:
        """Return the reply to a guess, or describe how the last row was computed."""
        if self.reply:
            return self.reply
        if not self.done:
            return f"The direction is {_write_direction(self.seed)}. What is the tangent of the first line?"
        said = self.trace.steps[self.done - 1].sentence
        if self.done == len(self.trace.steps):
            said += f" So one pass gave the value and the derivative with respect to {self.seed}."
        return said

    def table(self) -> Grid:
        """List the rows of the forward trace, with a dot if a value or tangent isn't filled in yet."""
        rows = []
        for k, step in enumerate(self.trace.steps):
            line = self.trace.lines[step.line]
            computed = (line.value.value, _tangent(step)) if k < self.done else "··"
            rows.append((line.row_name, line.expression, *computed))
        heads = ("line", "operation", "value", "tangent")
        return grid(f"Forward trace, seed {_write_direction(self.seed)}", heads, rows)

    def picture(self) -> str:
        """Draw the forward trace as a table, with a frame around the last row and marks at its operands."""
        steps = self.trace.steps
        sheet = Sheet(780, TOP + ROW * len(steps) + 12, "The forward trace as a table")
        draw_heads(sheet, 24, HEADS)
        draw_rule(sheet, 8, 772, 33)
        for k, step in enumerate(steps):
            self._draw_row(sheet, k, step)
        high = sheet.height
        sheet.fold([(0, 0, 312, high)], [(0, 0, 80, high), (318, 0, 462, high)])
        return sheet.svg()

    def _draw_row(self, sheet: Sheet, k: int, step: Step) -> None:
        line = self.trace.lines[step.line]
        name = format_tangent(line.name)
        y = TOP + ROW * k
        if k in self.operands:
            sheet.box(10, y + 2, 754, ROW - 4, "tangent", width=1.5)
            sheet.text(772, y + 24, "◂", "tangent", "end", 14)
        if k == self.done - 1:
            sheet.box(6, y + 1, 766, ROW - 2, "ink", width=2.5)
        ink = "ink" if k <= self.done else "soft_ink"
        sheet.text(LINE, y + 24, line.row_name, ink, bold=k == self.done - 1)
        sheet.text(OPERATION, y + 24, line.expression, ink)
        if k >= self.done:
            sheet.text(HOW, y + 24, f"{name} = ?" if k == self.done else "·", ink)
            return
        sheet.text(VALUE, y + 24, line.value.text, "value", "end", bold=True)
        sheet.text(HOW, y + 24, f"{name} = {_write_sum(line, self.trace)}", ink)
        sheet.text(TANGENT, y + 24, step.tangents[0].text, "tangent", "end", bold=True)

    def _explain_mistake(self, step: Step, found: float) -> str:
        """Explain a wrong tangent, if it comes from a common mistake."""
        line = self.trace.lines[step.line]
        if line.kind == "input":
            return "This line is an input: the seed says whether it moves, 1 or 0."
        terms = [push.contribution.scalar for push in step.pushes]
        partials = [
            operand.partial.scalar for operand in line.operands if operand.partial is not None
        ]
        moved = [_tangent(self.trace.steps[i]) for i in _list_parents(line)]
        product = math.prod(moved) if len(moved) > 1 else math.nan
        if _is_close(found, line.value.scalar):
            return (
                "That is the value of the line. Its tangent is the other half of the dual number."
            )
        if _is_close(found, -_tangent(step)):
            return "The size is right, the sign is not."
        if _is_close(found, sum(partials)):
            return "You added the local partials alone. Multiply each by the tangent of its operand first."
        if _is_close(found, product):
            return "You multiplied the two tangents. That product belongs to ε², which is 0."
        if _is_close(found, sum(moved)):
            return "You added the operands' tangents unchanged. Multiply each by its local partial first."
        if any(_is_close(found, term) for term in terms):
            return "That is only one of two terms. Each operand that moves contributes one."
        return f"It is {_write_sum(line, self.trace)}."


@functools.cache
def _trace_run(seed: str) -> Trace:
    return Trace.of(f, *POINT, mode="forward", direction=SEEDS[seed])


def _tangent(step: Step) -> float:
    return step.tangents[0].scalar


def _list_parents(line: Line) -> list[int]:
    return [operand.line for operand in line.operands if operand.line is not None]


def _write_sum(line: Line, trace: Trace) -> str:
    """Write the formula of a tangent: a sum of terms local partial · tangent, in names."""
    if line.kind == "input":
        return "the seed"
    terms = [
        f"{factor(format_expression(operand.formula))} · {format_tangent(trace.lines[operand.line].name)}"
        for operand in line.operands
        if operand.line is not None
    ]
    return " + ".join(terms).replace("+ (−1) ·", "−").replace("1 · ", "")


def _write_direction(seed: str) -> str:
    tangents = zip(SEEDS, SEEDS[seed], strict=True)
    return ", ".join(f"{format_tangent(name)} = {number(t)}" for name, t in tangents)


def _is_close(found: float, wanted: float) -> bool:
    """Return True if a guess is correct as computed, or as shown with four decimal places."""
    return math.isclose(found, wanted, rel_tol=1e-6) or abs(found - wanted) <= 0.51e-4
