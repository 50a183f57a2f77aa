"""TraceTable: the forward trace of a function, value and tangent side by side, one row at a time."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autodiff_lab.text.notation import factor, number, pretty_tangent, readable
from autodiff_lab.text.table import Grid
from autodiff_lab.trace.model import Line, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.expression import typed_number
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Play
from autodiff_lab.widgets.labs.table import grid

POINT = (2.0, 5.0)
SEEDS = {"x1": (1.0, 0.0), "x2": (0.0, 1.0)}
ROW, TOP = 34, 40
COLUMNS = {"line": 16, "operation": 90, "value": 300, "how": 330, "tangent": 744}


def f(x1: Any, x2: Any) -> Any:
    """The function of the course."""
    return np.log(x1) + x1 * x2 - np.sin(x2)


class TraceTable(Lab):
    """Fill the forward trace of ln x₁ + x₁x₂ − sin x₂ at (2, 5), for one seed or the other.

    >>> lab = TraceTable()
    >>> lab.set(seed="x2")
    >>> for _ in range(7):
    ...     lab.press("next")
    >>> lab.snapshot()["tangents"][-1]
    1.7163378145367738
    """

    title = "TraceTable"
    about = "Choose which input moves. Type the next tangent and press Enter, or let Next fill it in."
    controls = (
        Choice("seed", "tangent 1 for", tuple(SEEDS)),
        Entry("guess", "the next tangent", "a number"),
        Button("next", "Next"),
        Button("back", "Back"),
        Button("begin", "Begin again"),
        Play("next", 1200),
    )

    def __init__(self) -> None:
        self._seed, self._verdict, self.rows = "x1", "", 0

    @property
    def seed(self) -> str:
        """The input that moves; another one begins a new table."""
        return self._seed

    @seed.setter
    def seed(self, seed: str) -> None:
        if seed != self._seed:
            self._seed = seed
            self.begin()

    @property
    def guess(self) -> str:
        """Nothing: what was typed is judged at once and does not stay."""
        return ""

    @guess.setter
    def guess(self, text: str) -> None:
        if not self.can("next"):
            self._verdict = "The table is full. Choose the other seed, or begin again."
            return
        step = self.trace.steps[self.rows]
        name = pretty_tangent(self.trace.lines[step.line].name)
        found = typed_number(text)
        if found is None:
            self._verdict = f"{text!r} is not a number. Write 0.5, or 1/2."
        elif _close(found, _tangent(step)):
            self.rows += 1
            self._verdict = f"Right: {name} = {step.tangents[0].text}."
        else:
            self._verdict = f"{name} is not {number(found)}. {self._reason(step, found)}"

    def still(self) -> TraceTable:
        """The table filled in."""
        full = TraceTable()
        full.seed = self.seed
        full.rows = len(full.trace.steps)
        return full

    def next(self) -> None:
        """Fill in one row."""
        self.rows, self._verdict = self.rows + 1, ""

    def back(self) -> None:
        """Take one row away."""
        self.rows, self._verdict = self.rows - 1, ""

    def begin(self) -> None:
        """Empty the table."""
        self.rows, self._verdict = 0, ""

    def can(self, name: str) -> bool:
        """Next while a row is missing, the others while there is one."""
        return self.rows < len(self.trace.steps) if name == "next" else self.rows > 0

    @property
    def trace(self) -> Trace:
        """The whole run with its tangents."""
        return _trace(self._seed)

    @property
    def operands(self) -> tuple[int, ...]:
        """The lines that the last row was computed from."""
        if not self.rows:
            return ()
        line = self.trace.lines[self.trace.steps[self.rows - 1].line]
        return tuple(operand.line for operand in line.operands if operand.line is not None)

    def snapshot(self) -> dict[str, Any]:
        """The rows that are filled in, the operands of the last, and what was said about the last guess."""
        steps = self.trace.steps[: self.rows]
        return {
            "seed": self._seed,
            "rows": self.rows,
            "lines": [self.trace.lines[step.line].name for step in steps],
            "values": [self.trace.lines[step.line].value.value for step in steps],
            "tangents": [_tangent(step) for step in steps],
            "operands": list(self.operands),
            "verdict": self._verdict,
        }

    def sentence(self) -> str:
        """The verdict on a guess, or what the last row did."""
        if self._verdict:
            return self._verdict
        if not self.rows:
            return f"The direction is {_direction(self._seed)}. What is the tangent of the first line?"
        said = self.trace.steps[self.rows - 1].sentence
        if self.rows == len(self.trace.steps):
            said += f" So one pass gave the value and the slope in {self._seed}."
        return said

    def table(self) -> Grid:
        """The same rows, a dot where nothing is filled in yet."""
        rows = []
        for k, step in enumerate(self.trace.steps):
            line = self.trace.lines[step.line]
            filled = k < self.rows
            rows.append((line.shown, line.expression, *((line.value.value, _tangent(step)) if filled else "··")))
        return grid(f"Forward trace, seed {_direction(self._seed)}", ("line", "operation", "value", "tangent"), rows)

    def picture(self) -> str:
        """The table with the last row framed and its operands marked."""
        steps = self.trace.steps
        sheet = Sheet(780, TOP + ROW * len(steps) + 12, "The forward trace as a table")
        for name, heading, anchor in (
            ("line", "line", "start"),
            ("operation", "operation", "start"),
            ("value", "value", "end"),
            ("how", "tangent: local partial × tangent of the operand", "start"),
        ):
            sheet.text(COLUMNS[name], 24, heading, "soft_ink", anchor, 14)
        sheet.path([(8, 33), (772, 33)], "line", 1)
        for k, step in enumerate(steps):
            self._row(sheet, k, step)
        return sheet.svg()

    def _row(self, sheet: Sheet, k: int, step: Step) -> None:
        line, y = self.trace.lines[step.line], TOP + ROW * k
        if k in self.operands:
            sheet.box(10, y + 2, 754, ROW - 4, "tangent", width=1.5)
            sheet.text(772, y + 22, "◂", "tangent", "end", 14)
        if k == self.rows - 1:
            sheet.box(6, y + 1, 766, ROW - 2, "ink", width=2.5)
        ink = "ink" if k <= self.rows else "soft_ink"
        sheet.text(COLUMNS["line"], y + 22, line.shown, ink, bold=k == self.rows - 1)
        sheet.text(COLUMNS["operation"], y + 22, line.expression, ink)
        if k >= self.rows:
            sheet.text(COLUMNS["how"], y + 22, f"{pretty_tangent(line.name)} = ?" if k == self.rows else "·", ink)
            return
        sheet.text(COLUMNS["value"], y + 22, line.value.text, "value", "end", bold=True)
        sheet.text(COLUMNS["how"], y + 22, f"{pretty_tangent(line.name)} = {_how(line, step, self.trace)}", ink)
        sheet.text(COLUMNS["tangent"], y + 22, step.tangents[0].text, "tangent", "end", bold=True)

    def _reason(self, step: Step, found: float) -> str:
        """Which rule a wrong tangent broke, if it is one that people break."""
        line = self.trace.lines[step.line]
        if line.kind == "input":
            return "This line is an input: the seed says whether it moves, 1 or 0."
        terms = [push.contribution.value for push in step.pushes]
        partials = [operand.partial.value for operand in line.operands if operand.partial is not None]
        moved = [_tangent(self.trace.steps[i]) for i in _parents(line)]
        ideas = (
            (line.value.value, "That is the value of the line. Its tangent is the other half of the dual number."),
            (-_tangent(step), "The size is right, the sign is not."),
            (
                sum(partials),
                "You added the local partials alone. Each is multiplied by the tangent of its operand first.",
            ),
            (
                math.prod(moved) if len(moved) > 1 else math.nan,
                "You multiplied the two tangents. That product belongs to ε², which is 0.",
            ),
            (
                sum(moved) if len(moved) > 1 else moved[0],
                "You took the tangents of the operands as they are. Each is multiplied by its local partial.",
            ),
            *((term, "That is one of two terms. Each operand that moves gives one.") for term in terms),
        )
        return next((said for idea, said in ideas if _close(found, idea)), f"It is {_how(line, step, self.trace)}.")


@functools.cache
def _trace(seed: str) -> Trace:
    return Trace.of(f, *POINT, mode="forward", direction=SEEDS[seed])


def _tangent(step: Step) -> float:
    return float(step.tangents[0].value)  # type: ignore[arg-type]


def _parents(line: Line) -> list[int]:
    return [operand.line for operand in line.operands if operand.line is not None]


def _how(line: Line, step: Step, trace: Trace) -> str:
    """Local partial × tangent, in names: what the tangent is made of."""
    if line.kind == "input":
        return "the seed"
    terms = [
        f"{factor(readable(operand.formula))} · {pretty_tangent(trace.lines[operand.line].name)}"
        for operand in line.operands
        if operand.line is not None
    ]
    return " + ".join(terms).replace("+ (−1) ·", "−").replace("1 · ", "")


def _direction(seed: str) -> str:
    return ", ".join(f"{pretty_tangent(name)} = {number(t)}" for name, t in zip(SEEDS, SEEDS[seed], strict=True))


def _close(found: float, wanted: float) -> bool:
    """Right as computed, or as shown: to four places after the point."""
    return math.isclose(found, wanted, rel_tol=1e-6) or abs(found - wanted) <= 0.51e-4
