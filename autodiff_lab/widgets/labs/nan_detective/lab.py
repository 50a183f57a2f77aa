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

# The largest number of rows in the picture.
MOST_ROWS = 7
WIDTH, HEIGHT, TOP, RIGHT = 900, 414, 44, 892
LINE, OPERATION, VALUE, ADJOINT, SENDS = 18, 132, 422, 564, 592
# The number of characters that fit into the last column in the smallest type.
MOST_LETTERS = 39
HEADS = (
    (LINE, "row", "start"),
    (OPERATION, "operation", "start"),
    (VALUE, "value ↓", "end"),
    (ADJOINT, "adjoint ↑", "end"),
    (SENDS, "sends back: adjoint × local partial", "start"),
)


class Program(NamedTuple):
    """A program in which a NaN may appear, the x at which it does, and the other inputs."""

    run: Callable[..., Any]
    trap: float
    others: tuple[float, ...] = ()


def double_where(x: Any) -> Any:
    """Return log x where x > 0, else 0, so that no NaN appears: a second where gives the log a harmless operand."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(safe), 0.0)


# Pairs of the same function: the first program produces a NaN, the second doesn't.
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
    """Run and sweep a program at x, or the typed expression if it isn't empty."""
    traced = _find_program(program, expression, x)
    with np.errstate(all="ignore"):
        return Trace.of(traced.run, x, *traced.others)


def _find_program(program: str, expression: str, x: float) -> Program:
    if expression:
        return Program(parse_expression(expression, ("x",)), x)
    return PROGRAMS[program]


def find_complaint(expression: str, x: float) -> str:
    """Explain why a typed expression can't be used; empty if it can.

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
        """The program to search; another one begins at the x at which its NaN appears."""
        return self._program

    @program.setter
    def program(self, program: str) -> None:
        if program != self._program or self.expression:
            self._program = program
            self._x = PROGRAMS[program].trap
            self.expression = ""
            self.reply = ""
            self.begin()

    @property
    def x(self) -> str:
        """The x at which the program runs, as text."""
        return number(self._x)

    def enter(self, name: str, text: str) -> None:
        """Search at the typed x, or in the typed expression."""
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
        """The run of the program with its sweep."""
        return trace_program(self._program, self.expression, self._x)

    @property
    def length(self) -> int:
        """The number of steps in the sweep."""
        return len(self._sweep)

    @property
    def _sweep(self) -> list[Step]:
        return [step for step in self.trace.steps if step.phase == "sweep"]

    @property
    def _birth(self) -> Birth | None:
        """The first NaN or infinity of the whole sweep, even if the sweep has not reached it yet."""
        return find_birth(self.trace, self._sweep)

    @property
    def _aim(self) -> int:
        return self._birth.place if self._birth else self.length

    back = SteppedLab.next
    forward = "back"

    def jump(self) -> None:
        """Jump to the step in which the first adjoint becomes NaN or infinite, or to the end of the sweep."""
        self.done = self._aim

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: a step is left, or the first NaN is elsewhere."""
        if name == "jump":
            return self.done != self._aim
        return super().can(name)

    def still(self) -> Self:
        """Return a lab for a static page, at the step in which the first NaN appears."""
        found = type(self)()
        found._program = self._program
        found._x = self._x
        found.expression = self.expression
        found.jump()
        return found

    def _adjoints(self) -> list[Number | None]:
        before = len(self.trace.steps) - len(self._sweep)
        return self.trace.adjoints_at(before + self.done - 1)

    def snapshot(self) -> dict[str, Any]:
        """Return values, adjoints so far, and the product that is the first NaN once the sweep has reached it."""
        birth = self._birth
        guilty = None
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
        """Describe what the sweep sent last, or the two factors of the first NaN."""
        if self.reply:
            return self.reply
        trace = self.trace
        lines = trace.lines
        birth = self._birth
        if not self.done:
            odd = [
                f"{line.display_name} = {line.value.text}"
                for line in lines
                if not is_finite(line.value)
            ]
            values = f"Not finite: {', '.join(odd)}." if odd else "All values are finite."
            return f"The program has run at x = {self.x}; its result is {trace.value.text}. {values} Now the sweep."
        if birth and self.done == birth.place:
            line = lines[birth.step.line]
            to = lines[birth.send.parent].label_or_name
            return (
                f"Born here: {line.display_name} = {line.expression} sends {birth.send.term} = "
                f"{birth.send.contribution.text} to {to}. {birth.step.birth}"
            )
        said = self._sweep[self.done - 1].sentence
        if self.done == self.length and not birth:
            all_finite = all(is_finite(line.value) for line in lines)
            values = "" if all_finite else ", though not every value"
            said += f" The sweep is over: every adjoint was finite{values}."
        return said

    def table(self) -> Grid:
        """List the rows of the tape with value, adjoint and contributions, and a mark at the first NaN."""
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
            operation = line.expression or line.label
            rows.append((line.row_name, operation, line.value.text, arrived, "; ".join(sent)))
        heads = ("row", "operation", "value", "adjoint", "sends")
        return grid(f"{self.expression or self._program} at x = {self.x}", heads, rows)

    def picture(self) -> str:
        """Draw the tape with its adjoints, and frames around the last row and around the first NaN."""
        trace = self.trace
        sweep = self._sweep[: self.done]
        birth = self._birth
        sheet = Sheet(WIDTH, HEIGHT, "A tape with values, adjoints and what each row sends back")
        row = min(108, (HEIGHT - TOP - 34) / len(trace.lines))
        size = 15 if row < 60 else 19
        draw_heads(sheet, 24, HEADS)
        draw_rule(sheet, 8, RIGHT, 36)
        for k, (line, adjoint) in enumerate(zip(trace.lines, self._adjoints(), strict=True)):
            y = TOP + row * (k + 0.5)
            now = bool(sweep) and sweep[-1].line == k
            if now:
                sheet.box(8, y - row / 2 + 2, RIGHT - 8, row - 4, "ink", width=2)
            text, role = NOT_REACHED, "soft_ink"
            if adjoint is not None:
                text, role = _mark(adjoint), "adjoint"
            sheet.text(LINE, y + 5, line.row_name, size=size, bold=now)
            sheet.text(OPERATION, y + 5, line.expression or line.label, size=size)
            sheet.text(VALUE, y + 5, _mark(line.value), "value", "end", size, bold=True)
            sheet.text(ADJOINT, y + 5, text, role, "end", size, bold=True)
            sends = [send for step in sweep if step.line == k for send in step.sends]
            guilty = birth is not None and birth.send in sends
            if guilty:
                box = (SENDS - 10, y - row / 2 + 6, RIGHT - SENDS + 4, row - 12)
                sheet.box(*box, "adjoint", "adjoint_paper", 3)
                sheet.text(RIGHT - 18, y + 6, "✗", "adjoint", "end", 20, bold=True)
            written = [birth.send] if birth is not None and guilty else sends
            _write_sent(sheet, y + 5, trace, written, size, guilty)
        sheet.text(LINE, HEIGHT - 10, "⚠ not finite      ✗ born here", "soft_ink", size=14)
        sheet.fold([(0, 0, 580, HEIGHT)], [(0, 0, 110, HEIGHT), (582, 0, 318, HEIGHT)])
        return sheet.svg()


# The picture


def _write_sent(
    sheet: Sheet, y: float, trace: Trace, sends: Sequence[Contribution], size: float, guilty: bool
) -> None:
    """Write what a row has sent, in smaller type if the text is long."""
    words = [
        f"{s.term or 'passes'} = {s.contribution.text} → {trace.lines[s.parent].label_or_name}"
        for s in sends
    ]
    text = shorten(",  ".join(dict.fromkeys(words)), MOST_LETTERS)
    role = "adjoint" if guilty else "ink"
    fitting = size - 1 if len(text) < 32 else 14
    sheet.text(SENDS, y, text, role, size=fitting, bold=guilty)


def _mark(x: Number) -> str:
    return x.text if is_finite(x) else f"⚠ {x.text}"
