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
    """Return ln x + xy − sin y, the function of the course."""
    return np.log(x) + x * y - np.sin(y)


def twice(x: Any, y: Any) -> Any:
    """Return a value that uses the same exponential twice, for the pass that shares equal lines."""
    return (np.exp(x * y) + np.exp(x * y)) * x


def unused(x: Any, y: Any) -> Any:
    """Return a value after two unused operations, and with a factor of 1: code that passes can remove."""
    _ = np.sqrt(x) * 3.0
    return np.tanh(1.0 * x) + y


def until_ten(x: Any, y: Any) -> Any:
    """Multiply by x until 10 is reached: a loop, whose compiled program needs a guard."""
    p = x
    while p < 10:
        p = p * x
    return p * y


class Example(NamedTuple):
    """A program, and the inputs at which it is recorded and compiled first."""

    f: Callable[[Any, Any], Any]
    at: float
    y: float


EXAMPLES = {
    "log(x) + x * y - sin(y)": Example(course, 2.0, 5.0),
    "(exp(x * y) + exp(x * y)) * x": Example(twice, 0.5, 1.0),
    "sqrt(x) * 3, unused; tanh(1.0 * x) + y": Example(unused, 1.0, 2.0),
    "while p < 10: p = p * x": Example(until_ten, 1.5, 1.0),
}

# The compiler passes that each toggle switches on.
TOGGLES = {"dead": ("dead code",), "ones": ("constants", "identities"), "shared": ("sharing",)}

# The words in the picture for a line that a pass has removed.
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
        """Record and compile the chosen program at its first input."""
        self.x = self.recorded_at = EXAMPLES[self.program].at

    def change(self, name: str) -> None:
        """Begin with another program; if a pass is switched on or off, the input stays."""
        if name == "program":
            self.begin()

    def record(self) -> None:
        """Record and compile the program again at the input of the slider."""
        self.recorded_at = self.x

    @property
    def never_ends(self) -> bool:
        """Whether the loop of the program would never end at this input."""
        return EXAMPLES[self.program].f is until_ten and self.x <= 1

    def can(self, name: str) -> bool:
        """Return True if the program can be recorded again: the input has changed, and the loop ends there."""
        return self.x != self.recorded_at and not self.never_ends

    def snapshot(self) -> dict[str, Any]:
        """Return the tape, what each pass removed, the compiled source, and its result or the guard's message."""
        passes: list[str] = []
        for name, of_toggle in TOGGLES.items():
            if getattr(self, name):
                passes += of_toggle
        example = EXAMPLES[self.program]
        made = _compile(self.program, self.recorded_at, tuple(passes))
        comparison = re.compile(r" (<|>|<=|>=|==|!=) ")
        lines = [line for line in made.lines if not comparison.search(line.recorded)]
        answer, guard = _run(made, self.x, example.y)
        engine = None
        if not self.never_ends:
            engine = value_and_grad(example.f, argnums=(0, 1))(self.x, example.y)
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
            "engine": engine,
            "guard": guard,
        }

    def sentence(self) -> str:
        """Describe how many lines the passes removed, and the result of the compiled program or the guard's message."""
        snap = self.snapshot()
        took = []
        for control in self.controls:
            if control.name in TOGGLES:
                is_on = getattr(self, control.name)
                effect = f"took {snap['removed'][control.name]}" if is_on else "is off"
                took.append(f"{control.label} {effect}")
        counts = (
            f"Of {sum(snap['recorded'])} recorded lines {sum(snap['operations'])} operations are left: "
            f"{', '.join(took)}."
        )
        if snap["guard"]:
            record_again = "This input needs another tape: record again here."
            end = NEVER_ENDS if self.never_ends else record_again
            return f"The guard stops at x = {number(self.x)}: {snap['guard']}. {end} {counts}"
        value, (dx, dy) = snap["answer"]
        engine_value, engine_slopes = snap["engine"]
        close = np.allclose([value, dx, dy], [engine_value, *engine_slopes], rtol=1e-12, atol=1e-12)
        agrees = "as the engine finds" if close else "which is not what the engine finds"
        return (
            f"{counts} At x = {number(self.x)} the program gives {number(value)}, and the slopes {number(dx)} and "
            f"{number(dy)}, {agrees}."
        )

    def table(self) -> Grid:
        """List the lines of the tape, and the pass that removed each."""
        rows = [
            (
                line["name"],
                line["recorded"],
                "back" if line["backward"] else "forward",
                line["removed"] or "kept",
            )
            for line in self.snapshot()["tape"]
        ]
        caption = f"The tape, recorded at x = {number(self.recorded_at)}"
        return grid(caption, ("line", "operation", "way", "fate"), rows)

    def picture(self) -> str:
        """Draw the tape, with removed lines struck through, next to the compiled Python program."""
        snap = self.snapshot()
        sheet = Sheet(WIDTH, HEIGHT, "A tape beside the program that it was compiled into")
        recorded, here, y = map(number, (self.recorded_at, self.x, EXAMPLES[self.program].y))
        recorded_forward, recorded_back = snap["recorded"]
        forward, back = snap["operations"]
        tape = f"recorded at x = {recorded}, y = {y}"
        state, state_role = f"runs at x = {here}, y = {y}", "soft_ink"
        if snap["guard"]:
            state, state_role = f"guard at x = {here}: {snap['guard']}", "adjoint"
        for x, head, below, role in (
            (FORWARD, f"tape: {recorded_forward} forward", tape, "soft_ink"),
            (BACK, f"{recorded_back} back", "", "ink"),
            (PROGRAM, f"program: {forward} forward, {back} back", state, state_role),
        ):
            sheet.text(x, 18, head, size=15, bold=True)
            sheet.text(x, 39, below, role, size=14, bold=role == "adjoint")
        draw_rule(sheet, FORWARD, WIDTH - 12, 50)
        sheet.path([(PROGRAM - 16, 58), (PROGRAM - 16, HEIGHT - 6)], "faint", 1)
        # The number of rows does not depend on the passes, so that no line moves when one is switched.
        rows = min(max(FEWEST_ROWS, recorded_back + 2), MOST_ROWS)
        for x, is_back in ((FORWARD, False), (BACK, True)):
            lines = [line for line in snap["tape"] if line["backward"] == is_back]
            _draw_tape(sheet, x, lines, rows)
        _draw_program(sheet, _shorten_source(snap["source"]), rows)
        sheet.cut(466)
        return sheet.svg()


@functools.lru_cache(maxsize=512)
def _compile(name: str, x: float, passes: tuple[str, ...]) -> Program:
    example = EXAMPLES[name]
    return program(example.f, x, example.y, argnums=(0, 1), passes=passes)


def _run(made: Program, x: float, y: float) -> tuple[Any, str]:
    """Run a program; return its result, or the message of its guard."""
    try:
        return made(x, y), ""
    except BranchChanged as changed:
        found = re.search(r"recorded, (.*?) was (True|False)", str(changed))
        assert found is not None, "the message quotes the comparison"
        comparison, outcome = found.groups()
        return None, f"{comparison} was {outcome}, and is {outcome != 'True'}"


# The picture


def _draw_tape(sheet: Sheet, x: float, tape: list[dict[str, Any]], rows: int) -> None:
    """Draw the forward or the backward lines of the tape; a removed line is struck through, next to its pass."""
    shown = _cut(sheet, x, tape, rows)
    name = max(len(line["name"]) for line in tape)
    fate = x + GLYPH * (name + 3.6 + max(len(line["recorded"]) for line in shown))
    for k, line in enumerate(shown):
        y = _place_row(k, rows)
        gone = line["removed"]
        role = "adjoint" if line["backward"] else "value"
        if gone:
            role = "soft_ink"
        text = f"{line['name']:{name}} = {line['recorded']}"
        sheet.code(x, y, [(text, role)], size=14)
        if gone:
            draw_rule(sheet, x, x + GLYPH * len(text), y - 5, "soft_ink")
            sheet.text(fate, y, gone, "ink", size=14)


def _shorten_source(source: str) -> list[str]:
    r"""Shorten compiled source for the picture: a guard takes one line, without its message.

    >>> _shorten_source("def f(x):\n    if not x < 10:\n        raise BranchChanged('…')\n    return x\n")
    ['def f(x):', '    if not x < 10: raise BranchChanged(…)', '    return x']
    """
    joined = re.sub(r":\n +raise BranchChanged\(.*\)", ": raise BranchChanged(…)", source)
    return [line for line in joined.splitlines() if line.strip()]


def _draw_program(sheet: Sheet, source: list[str], rows: int) -> None:
    for k, line in enumerate(_cut(sheet, PROGRAM, source, rows)):
        role = "ink"
        if line.strip().startswith("if "):
            role = "tangent"
        elif "_bar" in line and "return" not in line:
            role = "adjoint"
        sheet.code(PROGRAM, _place_row(k, rows), [(shorten(line, WIDEST), role)], size=14)


def _cut(sheet: Sheet, x: float, lines: list[Any], rows: int) -> list[Any]:
    """Return as many lines as fit, and write how many more there are."""
    if len(lines) <= rows:
        return lines
    more = f"… and {len(lines) - rows + 1} more lines"
    sheet.text(x, _place_row(rows - 1, rows), more, "soft_ink", size=14)
    return lines[: rows - 1]


def _place_row(k: int, rows: int) -> float:
    return TOP + (HEIGHT - TOP) / rows * k
