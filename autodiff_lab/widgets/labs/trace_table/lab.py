"""The controller of the lab TraceTable: it judges guesses of the next tangent and fills in the forward trace."""

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
        """Judge a guess of the next tangent at once; a right one fills in its row of the trace table."""
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
        """How many rows the trace table has to fill in."""
        return len(self.trace.steps)

    @property
    def trace(self) -> Trace:
        """The forward trace with its tangents, for the chosen seed."""
        return _trace_run(self.seed)

    @property
    def operands(self) -> list[int]:
        """The rows of the trace table from which its last row was computed."""
        last = self.trace.steps[: self.done][-1:]
        return [parent for step in last for parent in _list_parents(self.trace.lines[step.line])]

    def snapshot(self) -> dict[str, Any]:
        """The rows of the trace table that are filled in, the operands of the last, and the verdict on a guess."""
        steps = self.trace.steps[: self.done]
        return {
            "rows": self.done,
            "lines": [self.trace.lines[step.line].name for step in steps],
            "tangents": [_tangent(step) for step in steps],
            "operands": self.operands,
            "verdict": self.reply,
        }

    def sentence(self) -> str:
        """The verdict on the guess of a tangent, or how the last row of the trace table came about."""
        if self.reply:
            return self.reply
        if not self.done:
            return f"The direction is {_write_direction(self.seed)}. What is the tangent of the first line?"
        said = self.trace.steps[self.done - 1].sentence
        if self.done == len(self.trace.steps):
            said += f" So one pass gave the value and the derivative with respect to {self.seed}."
        return said

    def table(self) -> Grid:
        """The rows of the forward trace with value and tangent, a dot where nothing is filled in yet."""
        rows = []
        for k, step in enumerate(self.trace.steps):
            line = self.trace.lines[step.line]
            computed = (line.value.value, _tangent(step)) if k < self.done else "··"
            rows.append((line.row_name, line.expression, *computed))
        heads = ("line", "operation", "value", "tangent")
        return grid(f"Forward trace, seed {_write_direction(self.seed)}", heads, rows)

    def picture(self) -> str:
        """The forward trace as a table, with its last row framed and that row's operands marked."""
        steps = self.trace.steps
        sheet = Sheet(780, TOP + ROW * len(steps) + 12, "The forward trace as a table")
        draw_heads(sheet, 24, HEADS)
        draw_rule(sheet, 8, 772, 33)
        for k, step in enumerate(steps):
            self._draw_row(sheet, k, step)
        sheet.fold(
            [(0, 0, 312, sheet.height)], [(0, 0, 80, sheet.height), (318, 0, 462, sheet.height)]
        )
        return sheet.svg()

    def _draw_row(self, sheet: Sheet, k: int, step: Step) -> None:
        line, y = self.trace.lines[step.line], TOP + ROW * k
        if k in self.operands:
            sheet.box(10, y + 2, 754, ROW - 4, "tangent", width=1.5)
            sheet.text(772, y + 24, "◂", "tangent", "end", 14)
        if k == self.done - 1:
            sheet.box(6, y + 1, 766, ROW - 2, "ink", width=2.5)
        ink = "ink" if k <= self.done else "soft_ink"
        sheet.text(LINE, y + 24, line.row_name, ink, bold=k == self.done - 1)
        sheet.text(OPERATION, y + 24, line.expression, ink)
        if k >= self.done:
            sheet.text(
                HOW, y + 24, f"{format_tangent(line.name)} = ?" if k == self.done else "·", ink
            )
            return
        sheet.text(VALUE, y + 24, line.value.text, "value", "end", bold=True)
        sheet.text(
            HOW, y + 24, f"{format_tangent(line.name)} = {_write_sum(line, self.trace)}", ink
        )
        sheet.text(TANGENT, y + 24, step.tangents[0].text, "tangent", "end", bold=True)

    def _explain_mistake(self, step: Step, found: float) -> str:
        """Say which rule a wrong tangent broke, if it is one that people break."""
        line = self.trace.lines[step.line]
        if line.kind == "input":
            return "This line is an input: the seed says whether it moves, 1 or 0."
        terms = [push.contribution.scalar for push in step.pushes]
        partials = [
            operand.partial.scalar for operand in line.operands if operand.partial is not None
        ]
        moved = [_tangent(self.trace.steps[i]) for i in _list_parents(line)]
        product = math.prod(moved) if len(moved) > 1 else math.nan
        alone = (
            "You added the local partials alone. Multiply each by the tangent of its operand first."
        )
        as_they_are = (
            "You added the operands' tangents unchanged. Multiply each by its local partial first."
        )
        ideas = (
            (
                line.value.scalar,
                "That is the value of the line. Its tangent is the other half of the dual number.",
            ),
            (-_tangent(step), "The size is right, the sign is not."),
            (sum(partials), alone),
            (product, "You multiplied the two tangents. That product belongs to ε², which is 0."),
            (sum(moved), as_they_are),
            *(
                (term, "That is only one of two terms. Each operand that moves contributes one.")
                for term in terms
            ),
        )
        otherwise = f"It is {_write_sum(line, self.trace)}."
        return next((said for idea, said in ideas if _is_close(found, idea)), otherwise)


@functools.cache
def _trace_run(seed: str) -> Trace:
    return Trace.of(f, *POINT, mode="forward", direction=SEEDS[seed])


def _tangent(step: Step) -> float:
    return step.tangents[0].scalar


def _list_parents(line: Line) -> list[int]:
    return [operand.line for operand in line.operands if operand.line is not None]


def _write_sum(line: Line, trace: Trace) -> str:
    """Local partial × tangent, in names: what the tangent is made of."""
    if line.kind == "input":
        return "the seed"
    terms = [
        f"{factor(format_expression(operand.formula))} · {format_tangent(trace.lines[operand.line].name)}"
        for operand in line.operands
        if operand.line is not None
    ]
    return " + ".join(terms).replace("+ (−1) ·", "−").replace("1 · ", "")


def _write_direction(seed: str) -> str:
    return ", ".join(
        f"{format_tangent(name)} = {number(t)}" for name, t in zip(SEEDS, SEEDS[seed], strict=True)
    )


def _is_close(found: float, wanted: float) -> bool:
    """Right as computed, or as shown: to four places after the point."""
    return math.isclose(found, wanted, rel_tol=1e-6) or abs(found - wanted) <= 0.51e-4
