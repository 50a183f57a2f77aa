"""The controller of the lab NaNDetective: it steps or jumps through a sweep to where its first NaN is born."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import NOT_REACHED, shorten
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.births import is_finite
from autodiff_lab.trace.model import Contribution, Number, Step, Trace
from autodiff_lab.widgets.labs.canvas import Sheet, draw_heads, draw_rule
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Play, SteppedLab
from autodiff_lab.widgets.labs.nan_detective.nan_birth import Birth, find_birth
from autodiff_lab.widgets.labs.typed_number import parse_number

# The rows for which there is room.
MOST_ROWS = 7
WIDTH, HEIGHT, TOP, RIGHT = 900, 414, 44, 892
LINE, OPERATION, VALUE, ADJOINT, SENDS = 18, 132, 422, 564, 592
# For which there is room in the last column, in the smallest type.
MOST_LETTERS = 39
HEADS = (
    (LINE, "row", "start"),
    (OPERATION, "operation", "start"),
    (VALUE, "value ↓", "end"),
    (ADJOINT, "adjoint ↑", "end"),
    (SENDS, "sends back: adjoint × local partial", "start"),
)


class Program(NamedTuple):
    """A program in which a NaN may be born, the x at which that happens, and its inputs beside x."""

    run: Callable[..., Any]
    trap: float
    others: tuple[float, ...] = ()


def double_where(x: Any) -> Any:
    """Return log x where x > 0, else 0, so that no NaN is born: a second where gives the log a harmless operand."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(safe), 0.0)


# Of each pair one makes a NaN, and one of the same function does not.
PROGRAMS = {
    "where(x > 0, log(x), 0)": Program(lambda x: np.where(x > 0, np.log(x), 0.0), 0.0),
    "… with a second where inside": Program(double_where, 0.0),
    "‖(x, y)‖² by the norm, y = 0": Program(lambda x, y: np.sqrt(x * x + y * y) ** 2, 0.0, (0.0,)),
    "‖(x, y)‖² by squares, y = 0": Program(lambda x, y: x * x + y * y, 0.0, (0.0,)),
    "softplus: log(1 + exp(x))": Program(lambda x: np.log(1 + np.exp(x)), 800.0),
    "softplus: logaddexp(0, x)": Program(lambda x: np.logaddexp(0.0, x), 800.0),
    "sigmoid: 1 / (1 + exp(−x))": Program(lambda x: 1 / (1 + np.exp(-x)), -800.0),
    "sigmoid: (1 + tanh(x / 2)) / 2": Program(lambda x: 0.5 * (1 + np.tanh(x / 2)), -800.0),
    "x · log(x)": Program(lambda x: x * np.log(x), 0.0),
}


@functools.lru_cache(maxsize=256)
def trace_program(program: str, expression: str, x: float) -> Trace:
    """Run a program at x and sweep it, for the NaN detective; an expression that was typed goes first."""
    f, _, others = (
        Program(parse_expression(expression, ("x",)), x) if expression else PROGRAMS[program]
    )
    with np.errstate(all="ignore"):
        return Trace.of(f, x, *others)


def find_complaint(expression: str, x: float) -> str:
    """Say why the NaN detective cannot follow an expression that was typed; nothing if it can.

    >>> find_complaint("sqrt(x * x)", 0.0), find_complaint("2.0", 0.0)
    ('', "'2.0' doesn't compute anything from x, so there is nothing to sweep.")
    """
    try:
        trace = trace_program("", expression, x)
    except AutodiffError as problem:
        return str(problem)
    if trace.result is None or trace.lines[trace.result].kind == "input":
        return f"{expression!r} doesn't compute anything from x, so there is nothing to sweep."
    if len(trace.lines) > MOST_ROWS:
        rows = len(trace.lines)
        return (
            f"{expression!r} has {rows} rows, but the lab has room for only {MOST_ROWS}. "
            "Type a shorter one."
        )
    return ""


class NaNDetective(SteppedLab):
    """A lab on NaN: a reverse sweep, product by product, to where its first NaN or infinity is formed.

    >>> lab = NaNDetective()
    >>> lab.press("jump")
    >>> guilty = lab.snapshot()["guilty"]
    >>> guilty["row"], guilty["operation"], guilty["adjoint"], guilty["partial"]
    ('v1', 'log(v0)', 0.0, inf)
    """

    about = "Which row produces the first NaN or infinity in an adjoint? Decide, then jump there."
    controls = (
        Button("jump", "Jump to first non-finite"),
        Button("back", "Step back"),
        Choice("program", "program", tuple(PROGRAMS)),
        Entry("x", "x", "a number"),
        Entry("expression", "or type one in x", "sqrt(x * x)", more=True),
        Button("begin", "Begin again", more=True),
        Play("back", 1200, more=True),
    )
    expression: str

    _program = next(iter(PROGRAMS))
    _x = PROGRAMS[_program].trap

    @property
    def program(self) -> str:
        """The program in which the NaN detective searches; another one begins at the x that makes its NaN."""
        return self._program

    @program.setter
    def program(self, program: str) -> None:
        if program != self._program or self.expression:
            self._program, self.expression, self._x = program, "", PROGRAMS[program].trap
            self.reply = ""
            self.begin()

    @property
    def x(self) -> str:
        """The x, as text, at which the NaN detective runs its program."""
        return number(self._x)

    def enter(self, name: str, text: str) -> None:
        """Look for a NaN at the x, or in the expression, that was typed."""
        text = text.strip()
        if name == "x":
            found = parse_number(text)
            if found is None:
                self.reply = f"{text!r} is not a number. Write 0.5, or 1/2."
                return
            self._x = found
        else:
            complaint = find_complaint(text, self._x) if text else ""
            if complaint:
                self.reply = complaint
                return
            self.expression = text
        self.reply = ""
        self.begin()

    @property
    def trace(self) -> Trace:
        """The run of the suspected program with its reverse sweep."""
        return trace_program(self._program, self.expression, self._x)

    @property
    def length(self) -> int:
        """How many steps the reverse sweep has in which the NaN detective looks for a NaN."""
        return len(self._sweep)

    @property
    def _sweep(self) -> list[Step]:
        return [step for step in self.trace.steps if step.phase == "sweep"]

    @property
    def _birth(self) -> Birth | None:
        """The guilty product, whether the sweep has come to it or not."""
        return find_birth(self.trace, self._sweep)

    @property
    def _aim(self) -> int:
        return self._birth.place if self._birth else self.length

    back, forward = SteppedLab.next, "back"

    def jump(self) -> None:
        """Jump to the step of the sweep in which the first adjoint becomes NaN or infinite."""
        self.done = self._aim

    def can(self, name: str) -> bool:
        """Whether the NaN detective can step on in the sweep, or jump to the first NaN."""
        return self.done != self._aim if name == "jump" else super().can(name)

    def still(self) -> Self:
        """The NaN detective for paper: at the place where the first NaN is born."""
        found = type(self)()
        found._program, found.expression, found._x = self._program, self.expression, self._x
        found.jump()
        return found

    def _adjoints(self) -> list[Number | None]:
        before = len(self.trace.steps) - len(self._sweep)
        return self.trace.adjoints_at(before + self.done - 1)

    def snapshot(self) -> dict[str, Any]:
        """Values, adjoints so far, and the product that makes the first NaN once the sweep has come to it."""
        birth, guilty = self._birth, None
        if birth and self.done >= birth.place:
            line = self.trace.lines[birth.step.line]
            guilty = {
                "row": line.name,
                "operation": line.text,
                "adjoint": birth.adjoint.value,
                "partial": None if birth.partial is None else birth.partial.value,
                "product": birth.send.contribution.value,
                "to": self.trace.lines[birth.send.parent].name,
            }
        return {
            "program": self.expression or self._program,
            "x": self._x,
            "done": self.done,
            "of": self.length,
            "adjoints": [
                None if adjoint is None else adjoint.value for adjoint in self._adjoints()
            ],
            "guilty": guilty,
            "result": self.trace.value.value,
        }

    def sentence(self) -> str:
        """What the sweep sent last; where the first NaN is born, both factors of the guilty product."""
        if self.reply:
            return self.reply
        trace, birth, lines = self.trace, self._birth, self.trace.lines
        if not self.done:
            odd = [
                f"{line.display_name} = {line.value.text}"
                for line in lines
                if not is_finite(line.value)
            ]
            values = f"Not finite: {', '.join(odd)}." if odd else "All values are finite."
            return f"The program has run at x = {self.x}; its result is {trace.value.text}. {values} Now the sweep."
        if birth and self.done == birth.place:
            line, to = lines[birth.step.line], lines[birth.send.parent].label_or_name
            return (
                f"Born here: {line.display_name} = {line.expression} sends {birth.send.term} = "
                f"{birth.send.contribution.text} to {to}. {birth.step.birth}"
            )
        said = self._sweep[self.done - 1].sentence
        if self.done == self.length and not birth:
            other = (
                ", though not every value"
                if any(not is_finite(line.value) for line in lines)
                else ""
            )
            said += f" The sweep is over: every adjoint was finite{other}."
        return said

    def table(self) -> Grid:
        """Each row of the tape with its value, its adjoint, what it sends back, and a mark at the first NaN."""
        lines = self.trace.lines
        birth = self._birth
        rows = []
        for k, (line, adjoint) in enumerate(zip(lines, self._adjoints(), strict=True)):
            sent = []
            for step in self._sweep[: self.done]:
                if step.line != k:
                    continue
                mark = "  ← first non-finite" if birth and step is birth.step else ""
                for send in step.sends:
                    to = lines[send.parent].label_or_name
                    sent.append(f"{send.term or 'passes'} = {send.contribution.text} to {to}{mark}")
            arrived = NOT_REACHED if adjoint is None else adjoint.text
            rows.append(
                (
                    line.row_name,
                    line.expression or line.label,
                    line.value.text,
                    arrived,
                    "; ".join(sent),
                )
            )
        heads = ("row", "operation", "value", "adjoint", "sends")
        return grid(f"{self.expression or self._program} at x = {self.x}", heads, rows)

    def picture(self) -> str:
        """The tape with its adjoints; the last row is framed, and so is the product that makes the first NaN."""
        trace, sweep, birth = self.trace, self._sweep[: self.done], self._birth
        sheet = Sheet(WIDTH, HEIGHT, "A tape with values, adjoints and what each row sends back")
        row = min(108, (HEIGHT - TOP - 34) / len(trace.lines))
        size = 15 if row < 60 else 19
        draw_heads(sheet, 24, HEADS)
        draw_rule(sheet, 8, RIGHT, 36)
        for k, (line, adjoint) in enumerate(zip(trace.lines, self._adjoints(), strict=True)):
            y, now = TOP + row * (k + 0.5), bool(sweep) and sweep[-1].line == k
            if now:
                sheet.box(8, y - row / 2 + 2, RIGHT - 8, row - 4, "ink", width=2)
            text = NOT_REACHED if adjoint is None else _mark(adjoint)
            sheet.text(LINE, y + 5, line.row_name, size=size, bold=now)
            sheet.text(OPERATION, y + 5, line.expression or line.label, size=size)
            sheet.text(VALUE, y + 5, _mark(line.value), "value", "end", size, bold=True)
            sheet.text(
                ADJOINT,
                y + 5,
                text,
                "soft_ink" if adjoint is None else "adjoint",
                "end",
                size,
                bold=True,
            )
            sends = [send for step in sweep if step.line == k for send in step.sends]
            guilty = birth is not None and birth.send in sends
            if guilty:
                sheet.box(
                    SENDS - 10,
                    y - row / 2 + 6,
                    RIGHT - SENDS + 4,
                    row - 12,
                    "adjoint",
                    "adjoint_paper",
                    3,
                )
                sheet.text(RIGHT - 18, y + 6, "✗", "adjoint", "end", 20, bold=True)
            _write_sent(
                sheet, y + 5, trace, [birth.send] if birth and guilty else sends, size, guilty
            )
        sheet.text(LINE, HEIGHT - 10, "⚠ not finite      ✗ born here", "soft_ink", size=14)
        sheet.fold([(0, 0, 580, HEIGHT)], [(0, 0, 110, HEIGHT), (582, 0, 318, HEIGHT)])
        return sheet.svg()


# What is drawn


def _write_sent(
    sheet: Sheet, y: float, trace: Trace, sends: Sequence[Contribution], size: float, guilty: bool
) -> None:
    """Write what a row has sent, in the smallest type where it is long; of the guilty row, the product."""
    words = [
        f"{s.term or 'passes'} = {s.contribution.text} → {trace.lines[s.parent].label_or_name}"
        for s in sends
    ]
    text = shorten(",  ".join(dict.fromkeys(words)), MOST_LETTERS)
    sheet.text(
        SENDS,
        y,
        text,
        "adjoint" if guilty else "ink",
        size=size - 1 if len(text) < 32 else 14,
        bold=guilty,
    )


def _mark(x: Number) -> str:
    return x.text if is_finite(x) else f"⚠ {x.text}"
