"""The controller of the lab TapeCompiler, with its programs: it compiles a tape by the passes that are switched on."""

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import BranchChanged
from autodiff_lab.programs import Program, program
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import shorten
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import value_and_grad
from autodiff_lab.widgets.labs.canvas import Sheet, draw_rule
from autodiff_lab.widgets.labs.lab import Button, Choice, Lab, Slider, Toggle

WIDTH, HEIGHT = 940, 442
MOST_ROWS, FEWEST_ROWS, TOP, GLYPH = 20, 13, 71, 8.43
FORWARD, BACK, PROGRAM = 12, 182, 476
WIDEST = 54


def course(x: Any, y: Any) -> Any:
    """The course's function ln x + xy − sin y, to be recorded and compiled by the tape compiler."""
    return np.log(x) + x * y - np.sin(y)


def twice(x: Any, y: Any) -> Any:
    """A program for the tape compiler to shorten by sharing: the same exponential, written twice."""
    return (np.exp(x * y) + np.exp(x * y)) * x


def unused(x: Any, y: Any) -> Any:
    """A program with dead code for the tape compiler: two operations that nobody asks for, and a factor of 1."""
    _ = np.sqrt(x) * 3.0
    return np.tanh(1.0 * x) + y


def until_ten(x: Any, y: Any) -> Any:
    """A loop for the tape compiler, which needs a guard: multiply by x until 10 is reached."""
    p = x
    while p < 10:
        p = p * x
    return p * y


class Example(NamedTuple):
    """A program that the tape compiler records and compiles, and the inputs at which it does so first."""

    f: Callable[[Any, Any], Any]
    at: float
    y: float


EXAMPLES = {
    "log(x) + x * y - sin(y)": Example(course, 2.0, 5.0),
    "(exp(x * y) + exp(x * y)) * x": Example(twice, 0.5, 1.0),
    "sqrt(x) * 3, unused; tanh(1.0 * x) + y": Example(unused, 1.0, 2.0),
    "while p < 10: p = p * x": Example(until_ten, 1.5, 1.0),
}

# The passes of the package that each toggle stands for.
TOGGLES = {"dead": ("dead code",), "ones": ("constants", "identities"), "shared": ("sharing",)}

# What the picture says about a line that a pass has removed.
WORDS = {"constants": "×1", "identities": "×1", "sharing": "shared", "dead code": "dead"}

NEVER_ENDS = (
    "At x ≤ 1 the loop would never end, so it cannot be recorded here. "
    "The compiled program has no loop: its guard raises an error instead."
)


class TapeCompiler(Lab):
    """A lab on compilation: a derivative recorded at one input, compiled, and run at another.

    >>> lab = TapeCompiler()
    >>> lab.snapshot()["recorded"], lab.snapshot()["operations"]
    ((5, 10), (5, 5))
    >>> lab.set(program="while p < 10: p = p * x")
    >>> lab.set(x=1.6)
    >>> lab.snapshot()["guard"]
    'v4 < 10 was True, and is False'
    """

    about = (
        "Say which lines a pass has removed, and switch it off. Then find out how far x may move."
    )
    controls = (
        Toggle("ones", "×1 folding", True),
        Toggle("shared", "sharing (CSE)", True),
        Toggle("dead", "dead code", True),
        Choice("program", "program", tuple(EXAMPLES)),
        Slider("x", "run at x", 0.5, 3, 0.1, 2.0),
        Button("record", "Record again here"),
    )
    ones: bool
    shared: bool
    dead: bool
    program: str
    x: float

    def begin(self) -> None:
        """Let the tape compiler record and compile the chosen program at the program's own first input."""
        self.x = self.recorded_at = EXAMPLES[self.program].at

    def change(self, name: str) -> None:
        """Let the tape compiler begin with another program; a pass that is switched on or off keeps the input."""
        if name == "program":
            self.begin()

    def record(self) -> None:
        """Let the tape compiler record the program again, and compile it, at the input that the slider is at."""
        self.recorded_at = self.x

    @property
    def never_ends(self) -> bool:
        """Whether the loop that the tape compiler is to record would never end at this input."""
        return EXAMPLES[self.program].f is until_ten and self.x <= 1

    def can(self, name: str) -> bool:
        """Whether the tape compiler can record the program again: at another input than before, where its loop ends."""
        return self.x != self.recorded_at and not self.never_ends

    def snapshot(self) -> dict[str, Any]:
        """The tape with what each pass took, the compiled source, and what it or its guard answers at this x."""
        passes = tuple(p for name, passes in TOGGLES.items() if getattr(self, name) for p in passes)
        made, example = _compile(self.program, self.recorded_at, passes), EXAMPLES[self.program]
        lines = [
            line for line in made.lines if not re.search(r" (<|>|<=|>=|==|!=) ", line.recorded)
        ]
        answer, guard = _run(made, self.x, example.y)
        return {
            "tape": [
                {
                    "name": line.name,
                    "recorded": line.recorded,
                    "backward": line.backward,
                    "removed": WORDS.get(line.removed_by, ""),
                }
                for line in lines
            ],
            "removed": {
                name: sum(line.removed_by in TOGGLES[name] for line in lines) for name in TOGGLES
            },
            "source": made.source,
            "recorded": tuple(sum(line.backward == way for line in lines) for way in (False, True)),
            "operations": (
                made.operations.forward - len(made.lines) + len(lines),
                made.operations.backward,
            ),
            "answer": answer,
            "engine": None
            if self.never_ends
            else value_and_grad(example.f, argnums=(0, 1))(self.x, example.y),
            "guard": guard,
        }

    def sentence(self) -> str:
        """How many lines the passes took from the tape, and what the compiled program or its guard answers."""
        snap = self.snapshot()
        took = ", ".join(
            f"{label} took {snap['removed'][name]}" if getattr(self, name) else f"{label} is off"
            for name, label in (
                (control.name, control.label)
                for control in self.controls
                if control.name in TOGGLES
            )
        )
        counts = f"Of {sum(snap['recorded'])} recorded lines {sum(snap['operations'])} operations are left: {took}."
        if snap["guard"]:
            end = (
                NEVER_ENDS
                if self.never_ends
                else "This input needs another tape: record again here."
            )
            return f"The guard stops at x = {number(self.x)}: {snap['guard']}. {end} {counts}"
        (value, (dx, dy)), (same, slopes) = snap["answer"], snap["engine"]
        close = np.allclose([value, dx, dy], [same, *slopes], rtol=1e-12, atol=1e-12)
        agrees = "as the engine finds" if close else "which is not what the engine finds"
        return (
            f"{counts} At x = {number(self.x)} the program gives {number(value)}, and the slopes {number(dx)} and "
            f"{number(dy)}, {agrees}."
        )

    def table(self) -> Grid:
        """Each line of the tape, and which pass of the compiler has removed it."""
        rows = [
            (
                line["name"],
                line["recorded"],
                "back" if line["backward"] else "forward",
                line["removed"] or "kept",
            )
            for line in self.snapshot()["tape"]
        ]
        return grid(
            f"The tape, recorded at x = {number(self.recorded_at)}",
            ("line", "operation", "way", "fate"),
            rows,
        )

    def picture(self) -> str:
        """The tape, with the lines that passes took struck out, beside the Python it was compiled into."""
        snap = self.snapshot()
        sheet = Sheet(WIDTH, HEIGHT, "A tape beside the program that it was compiled into")
        recorded, here, y = map(number, (self.recorded_at, self.x, EXAMPLES[self.program].y))
        counts, (forward, backward) = snap["recorded"], snap["operations"]
        said = (
            f"guard at x = {here}: {snap['guard']}"
            if snap["guard"]
            else f"runs at x = {here}, y = {y}"
        )
        for x, head, below, role in (
            (
                FORWARD,
                f"tape: {counts[0]} forward",
                f"recorded at x = {recorded}, y = {y}",
                "soft_ink",
            ),
            (BACK, f"{counts[1]} back", "", "ink"),
            (
                PROGRAM,
                f"program: {forward} forward, {backward} back",
                said,
                "adjoint" if snap["guard"] else "",
            ),
        ):
            sheet.text(x, 18, head, size=15, bold=True)
            sheet.text(x, 39, below, role or "soft_ink", size=14, bold=role == "adjoint")
        draw_rule(sheet, FORWARD, WIDTH - 12, 50)
        sheet.path([(PROGRAM - 16, 58), (PROGRAM - 16, HEIGHT - 6)], "faint", 1)
        # whatever the passes take, so that no line moves
        rows = min(max(FEWEST_ROWS, counts[1] + 2), MOST_ROWS)
        for x, is_back in ((FORWARD, False), (BACK, True)):
            _draw_tape(
                sheet, x, [line for line in snap["tape"] if line["backward"] == is_back], rows
            )
        _draw_program(sheet, _shorten_source(snap["source"]), rows)
        sheet.cut(466)
        return sheet.svg()


@functools.lru_cache(maxsize=512)
def _compile(name: str, x: float, passes: tuple[str, ...]) -> Program:
    example = EXAMPLES[name]
    return program(example.f, x, example.y, argnums=(0, 1), passes=passes)


def _run(made: Program, x: float, y: float) -> tuple[Any, str]:
    """Run a program: what it returns, or what its guard has found."""
    try:
        return made(x, y), ""
    except BranchChanged as changed:
        found = re.search(r"recorded, (.*?) was (True|False)", str(changed))
        assert found is not None, "the message quotes the question"
        question, was = found.groups()
        return None, f"{question} was {was}, and is {was != 'True'}"


# What is drawn


def _draw_tape(sheet: Sheet, x: float, tape: list[dict[str, Any]], rows: int) -> None:
    """Draw one way of the tape; a line that was taken is struck through, with the pass beside the longest line."""
    shown = _cut(sheet, x, tape, rows)
    name = max(len(line["name"]) for line in tape)
    fate = x + GLYPH * (name + 3.6 + max(len(line["recorded"]) for line in shown))
    for k, line in enumerate(shown):
        y, gone = _place_row(k, rows), line["removed"]
        role = "soft_ink" if gone else "adjoint" if line["backward"] else "value"
        text = f"{line['name']:{name}} = {line['recorded']}"
        sheet.code(x, y, [(text, role)], size=14)
        if gone:
            draw_rule(sheet, x, x + GLYPH * len(text), y - 5, "soft_ink")
            sheet.text(fate, y, gone, "ink", size=14)


def _shorten_source(source: str) -> list[str]:
    r"""Shorten compiled source to the lines that the picture has: a guard in one line, without its message.

    >>> _shorten_source("def f(x):\n    if not x < 10:\n        raise BranchChanged('…')\n    return x\n")
    ['def f(x):', '    if not x < 10: raise BranchChanged(…)', '    return x']
    """
    joined = re.sub(r":\n +raise BranchChanged\(.*\)", ": raise BranchChanged(…)", source)
    return [line for line in joined.splitlines() if line.strip()]


def _draw_program(sheet: Sheet, source: list[str], rows: int) -> None:
    for k, line in enumerate(_cut(sheet, PROGRAM, source, rows)):
        role = "adjoint" if "_bar" in line and "return" not in line else "ink"
        guards = line.strip().startswith("if ")
        sheet.code(
            PROGRAM,
            _place_row(k, rows),
            [(shorten(line, WIDEST), "tangent" if guards else role)],
            size=14,
        )


def _cut(sheet: Sheet, x: float, lines: list[Any], rows: int) -> list[Any]:
    """Leave the lines for which there is room; where that is not all, say how many more there are."""
    if len(lines) <= rows:
        return lines
    more = f"… and {len(lines) - rows + 1} more lines"
    sheet.text(x, _place_row(rows - 1, rows), more, "soft_ink", size=14)
    return lines[: rows - 1]


def _place_row(k: int, rows: int) -> float:
    return TOP + (HEIGHT - TOP) / rows * k
