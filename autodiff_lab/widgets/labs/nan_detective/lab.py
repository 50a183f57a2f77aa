"""NaNDetective: walk a tape backwards to the cell in which the first NaN or infinity is born."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.text.notation import NOT_REACHED, number
from autodiff_lab.text.table import Grid
from autodiff_lab.trace.model import Number, Send, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.expression import typed_number
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Play
from autodiff_lab.widgets.labs.nan_detective.programs import MOST, PROGRAMS, complaint, followed
from autodiff_lab.widgets.labs.table import grid

ROW, TOP = 42, 46
LEFT = {"row": 18, "operation": 78, "value": 390, "adjoint": 500, "sends": 526}
RIGHT = 818


class Birth(NamedTuple):
    """The product that is the first adjoint not to be finite."""

    step: int
    """Which step of the sweep forms it."""
    line: int
    adjoint: Number
    partial: Number | None
    send: Send


class NaNDetective(Lab):
    """Step a reverse sweep backwards along the tape, or jump to where its first NaN or infinity is formed.

    >>> lab = NaNDetective()
    >>> lab.press("jump")
    >>> guilty = lab.snapshot()["guilty"]
    >>> guilty["row"], guilty["operation"], guilty["adjoint"], guilty["partial"]
    ('v1', 'log(v0)', 0.0, inf)
    """

    title = "NaNDetective"
    about = (
        "Choose a program. Say which row makes the first NaN or infinity among the adjoints, then step back or jump."
    )
    controls = (
        Choice("program", "program", tuple(PROGRAMS)),
        Entry("expression", "or type one in x", "sqrt(x * x)"),
        Entry("x", "x", "a number"),
        Button("back", "Step back"),
        Button("jump", "Jump to first non-finite"),
        Button("begin", "Begin again"),
        Play("back", 1200),
    )

    def __init__(self) -> None:
        self._program, self._typed, self._verdict = next(iter(PROGRAMS)), "", ""
        self._x, self.done = PROGRAMS[self._program].trap, 0

    @property
    def program(self) -> str:
        """What runs, unless something was typed; another one begins where it is worth looking."""
        return self._program

    @program.setter
    def program(self, program: str) -> None:
        if program != self._program or self._typed:
            self._program, self._typed, self._x = program, "", PROGRAMS[program].trap
            self.begin()

    @property
    def expression(self) -> str:
        """What was typed, to run in the program's place."""
        return self._typed

    @expression.setter
    def expression(self, text: str) -> None:
        text = text.strip()
        self._verdict = complaint(text, self._x) if text else ""
        if not self._verdict:
            self._typed = text
            self.begin()

    @property
    def _called(self) -> str:
        return self._typed or self._program

    @property
    def x(self) -> str:
        """Where it runs."""
        return number(self._x)

    @x.setter
    def x(self, text: str) -> None:
        found = typed_number(text)
        if found is None:
            self._verdict = f"{text!r} is not a number. Write 0.5, or 1/2."
            return
        self._x = found
        self.begin()

    @property
    def trace(self) -> Trace:
        """The run and its sweep."""
        return followed(self._program, self._typed, self._x)

    @property
    def _sweep(self) -> list[Step]:
        return [step for step in self.trace.steps if step.phase == "sweep"]

    @property
    def _birth(self) -> Birth | None:
        """The guilty product, whether the sweep has come to it or not."""
        for place, step in enumerate(self._sweep, 1):
            for send in step.sends:
                if not (_finite(send.contribution) and _finite(send.after)):
                    assert step.adjoint is not None
                    partial = self.trace.lines[step.line].operands[send.slot].partial
                    return Birth(place, step.line, step.adjoint, partial, send)
        return None

    def back(self) -> None:
        """Let one more row send."""
        self.done, self._verdict = self.done + 1, ""

    def jump(self) -> None:
        """Go where the first adjoint that is not finite is formed."""
        birth = self._birth
        self.done, self._verdict = birth.step if birth else len(self._sweep), ""

    def begin(self) -> None:
        """Go back to the seed."""
        self.done, self._verdict = 0, ""

    def can(self, name: str) -> bool:
        """Step while a row has not sent; jump unless this is the place."""
        if name == "jump":
            return self.done != (self._birth.step if self._birth else len(self._sweep))
        return self.done < len(self._sweep) if name == "back" else self.done > 0

    def still(self) -> NaNDetective:
        """The place that is looked for."""
        found = NaNDetective()
        found._program, found._typed, found._x = self._program, self._typed, self._x
        found.jump()
        return found

    def _adjoints(self) -> list[Number | None]:
        before = len(self.trace.steps) - len(self._sweep)
        return self.trace.adjoints_at(before + self.done - 1)

    def snapshot(self) -> dict[str, Any]:
        """Values, adjoints so far, and the guilty product once the sweep has formed it."""
        lines, birth = self.trace.lines, self._birth
        found = birth is not None and self.done >= birth.step
        return {
            "program": self._called,
            "x": self._x,
            "done": self.done,
            "of": len(self._sweep),
            "rows": [line.name for line in lines],
            "operations": [line.text or line.label for line in lines],
            "values": [line.value.value for line in lines],
            "adjoints": [None if adjoint is None else adjoint.value for adjoint in self._adjoints()],
            "guilty": _told(birth, self.trace) if birth and found else None,
            "result": self.trace.value.value,
        }

    def sentence(self) -> str:
        """What the last row sent; at the guilty one, both factors."""
        if self._verdict:
            return self._verdict
        birth, lines = self._birth, self.trace.lines
        if not self.done:
            odd = [f"{line.shown} = {line.value.text}" for line in lines if not _finite(line.value)]
            values = f"Not finite: {', '.join(odd)}." if odd else "All values are finite."
            return (
                f"The program has run at x = {self.x}; its result is {self.trace.value.text}. {values} Now the sweep."
            )
        if birth and self.done == birth.step:
            line = lines[birth.line]
            return (
                f"Born here: {line.shown} = {line.expression} sends {birth.send.term} = {birth.send.contribution.text} "
                f"to {lines[birth.send.parent].called}. {_why(birth, line.shown)}"
            )
        said = self._sweep[self.done - 1].sentence
        if self.done == len(self._sweep) and not birth:
            odd = any(not _finite(line.value) for line in lines)
            said += f" The sweep is over: every adjoint was finite{', though not every value' if odd else ''}."
        return said

    def table(self) -> Grid:
        """One row for each row of the tape."""
        adjoints, sent = self._adjoints(), self._sent()
        rows = [
            (
                line.shown,
                line.expression or line.label,
                line.value.text,
                NOT_REACHED if adjoints[k] is None else adjoints[k].text,
                sent[k],
            )
            for k, line in enumerate(self.trace.lines)
        ]
        return grid(f"{self._called} at x = {self.x}", ("row", "operation", "value", "adjoint", "sends"), rows)

    def _sent(self) -> list[str]:
        """What each row has sent so far."""
        lines, told = self.trace.lines, [""] * len(self.trace.lines)
        birth = self._birth
        for place, step in enumerate(self._sweep[: self.done], 1):
            sends = [f"{s.term or 'passes'} = {s.contribution.text} to {lines[s.parent].called}" for s in step.sends]
            here = "  ← first non-finite" if birth and place == birth.step else ""
            told[step.line] = "; ".join(sends) + here
        return told

    def picture(self) -> str:
        """The tape with its adjoints; the last row framed, the guilty product in a frame of its own."""
        sheet = Sheet(830, TOP + ROW * MOST + 34, "A tape with values, adjoints and what each row sends back")
        for name, heading, anchor in (
            ("row", "row", "start"),
            ("operation", "operation", "start"),
            ("value", "value ↓", "end"),
            ("adjoint", "adjoint ↑", "end"),
            ("sends", "sends back: adjoint × local partial", "start"),
        ):
            sheet.text(LEFT[name], 26, heading, "soft_ink", anchor, 14)
        sheet.path([(8, 36), (RIGHT + 4, 36)], "line", 1)
        adjoints = self._adjoints()
        for k in range(len(self.trace.lines)):
            self._row(sheet, k, adjoints[k])
        sheet.text(LEFT["row"], TOP + ROW * MOST + 22, "⚠ not finite      ✗ born here", "soft_ink", size=14)
        return sheet.svg()

    def _row(self, sheet: Sheet, k: int, adjoint: Number | None) -> None:
        line, y = self.trace.lines[k], TOP + ROW * k
        step = next((step for step in self._sweep[: self.done] if step.line == k), None)
        now = self.done and self._sweep[self.done - 1].line == k
        if now:
            sheet.box(8, y + 2, RIGHT - 4, ROW - 4, "ink", width=2)
        sheet.text(LEFT["row"], y + 26, line.shown, bold=bool(now))
        sheet.text(LEFT["operation"], y + 26, line.expression or line.label)
        sheet.text(LEFT["value"], y + 26, _marked(line.value), "value", "end", bold=True)
        told = NOT_REACHED if adjoint is None else _marked(adjoint)
        sheet.text(LEFT["adjoint"], y + 26, told, "soft_ink" if adjoint is None else "adjoint", "end", bold=True)
        if step is None:
            return
        birth = self._birth
        guilty = birth is not None and birth.line == k
        if guilty:
            sheet.box(LEFT["sends"] - 8, y + 5, RIGHT - LEFT["sends"] + 4, ROW - 10, "adjoint", "adjoint_paper", 3)
            sheet.text(RIGHT - 12, y + 27, "✗", "adjoint", "end", 18, bold=True)
        shown = [birth.send] if guilty and birth else step.sends
        words = [f"{s.term or 'passes'} = {s.contribution.text} → {self.trace.lines[s.parent].called}" for s in shown]
        sheet.text(LEFT["sends"], y + 26, ",  ".join(dict.fromkeys(words)), "adjoint" if guilty else "ink", size=14)


def _why(birth: Birth, row: str) -> str:
    """What is special about the two factors."""
    if _finite(birth.send.contribution):
        return "It is finite; the sum with what was there already is not."
    if birth.partial is None:
        return ""
    factors = {"adjoint": birth.adjoint, "local partial": birth.partial}
    odd = [name for name, factor in factors.items() if not _finite(factor)]
    if np.any(np.isnan(birth.send.contribution.value)) and odd:
        return (
            f"What arrived at {row} is {birth.adjoint.text}, its local partial is {birth.partial.text}: 0 × ∞ is NaN."
        )
    return f"Its {' and its '.join(odd)} is not finite." if odd else "Both are finite, and their product overflows."


def _told(birth: Birth, trace: Trace) -> dict[str, Any]:
    line = trace.lines[birth.line]
    return {
        "row": line.name,
        "operation": line.text,
        "adjoint": birth.adjoint.value,
        "partial": None if birth.partial is None else birth.partial.value,
        "product": birth.send.contribution.value,
        "to": trace.lines[birth.send.parent].name,
    }


def _finite(x: Number) -> bool:
    return bool(np.all(np.isfinite(np.asarray(x.value, dtype=float))))


def _marked(x: Number) -> str:
    return x.text if _finite(x) else f"⚠ {x.text}"
