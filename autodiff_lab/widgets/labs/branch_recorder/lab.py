"""The controller of the lab BranchRecorder: which lines of a program run, and what they leave on the tape."""

import math
from typing import Any

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import format_expression
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.branch_recorder import programs
from autodiff_lab.widgets.labs.branch_recorder.programs import HIGH, LOW, PROGRAMS, STEP, Piece
from autodiff_lab.widgets.labs.canvas import Axes, Point, Sheet, draw_rule, make_ticks
from autodiff_lab.widgets.labs.lab import Choice, Lab, Slider
from autodiff_lab.widgets.labs.phrases import count_noun

WIDTH, HEIGHT = 920, 412
RAN, RECORDED, CODE = 14, 72, 142
TOP, LINE = 60, 23
TAPE, ROW, ROWS, COLUMN = 190, 20, 10, 200
EDGE = 440
# For each plot the role of its curves, its frame, and the titles of its axes.
PLOTS = (
    ("value", (500, 34, 408, 146), "value f(x)", ""),
    ("adjoint", (500, 226, 408, 142), "slope f′(x), by the sweep", "x"),
)


class BranchRecorder(Lab):
    """A lab on control flow: which lines of a program run at an input, and what they leave on the tape.

    >>> lab = BranchRecorder()
    >>> lab.set(x=1.5)
    >>> lab.snapshot()["value"], lab.snapshot()["slope"], lab.snapshot()["operations"]
    (11.390625, 45.5625, 5)
    >>> lab.set(x=1.6)
    >>> lab.snapshot()["operations"]
    4
    """

    about = "Before you drag x in a plot, say which lines will run, and how long the tape will be."
    controls = (
        Slider("x", "x", LOW, HIGH, STEP, 1.58),
        Choice("program", "program", tuple(PROGRAMS)),
    )
    x: float
    program: str

    def snapshot(self) -> dict[str, Any]:
        """Return the run of the program at x, and the piece to which x belongs."""
        piece = programs.find_piece(self.program, self.x)
        return {
            **self.settings,
            **programs.run_program(self.program, self.x),
            "piece": (piece.low, piece.high),
        }

    def sentence(self) -> str:
        """Describe what ran, what it recorded on the tape, and for which x the same lines run."""
        snap = self.snapshot()
        taped = count_noun(snap["operations"], "operation") if snap["operations"] else "nothing"
        return (
            f"At x = {number(self.x)} the program made {count_noun(snap['questions'], 'comparison')}, "
            f"and the tape holds {taped}. The value is {number(snap['value'])} and the slope {number(snap['slope'])}. "
            f"{_describe_reach(*snap['piece'])}"
        )

    def table(self) -> Grid:
        """List the lines of the program, how often each ran, and how many operations it recorded."""
        snap = self.snapshot()
        caption = (
            f"x = {number(self.x)}, value {number(snap['value'])}, slope {number(snap['slope'])}"
        )
        return grid(
            caption,
            ("line of the program", "times it ran", "operations on the tape"),
            snap["source"],
        )

    def picture(self) -> str:
        """Draw source and tape on the left, and value and slope over x on the right.

        The recorded piece is drawn as a thick line.
        """
        title = "A program and its tape, and its value and slope over x; the piece that was recorded is thick"
        sheet = Sheet(WIDTH, HEIGHT, title)
        snap = self.snapshot()
        _draw_source(sheet, snap["source"])
        _draw_tape(sheet, snap["tape"])
        for column in (1, 2):
            _draw_plot(sheet, snap, column)
        sheet.cut(450)
        return sheet.svg()


def _describe_reach(low: float, high: float) -> str:
    """Describe the interval of the recorded piece; an end of the slider does not count as the end of a piece."""
    if low == high:
        return "No other x takes this path: the piece is a single point."
    starts_inside = LOW < low < HIGH
    ends_inside = LOW < high < HIGH
    start = number(round(low, 10))
    end = number(round(high, 10))
    if not starts_inside and not ends_inside:
        return "Every x on the slider takes this path."
    if not starts_inside:
        return f"Every x up to {end} takes this path; the next piece begins there."
    if not ends_inside:
        return f"Every x from {start} on takes this path."
    return f"Every x from {start} to {end} takes this path; outside, other lines run."


# The picture


def _draw_source(sheet: Sheet, source: list[list[Any]]) -> None:
    for x, head in ((RAN, "ran"), (RECORDED, "on tape"), (CODE, "the program")):
        sheet.text(x, 26, head, "soft_ink" if x < CODE else "ink", size=14, bold=x == CODE)
    draw_rule(sheet, RAN, EDGE, 36)
    for k, (text, ran, recorded) in enumerate(source):
        y = TOP + LINE * k
        sheet.dot(RAN + 6, y - 5, "ink" if ran else "soft_ink", 4.5, hollow=not ran)
        sheet.text(RAN + 18, y, f"{ran}×" if ran else "no", "ink" if ran else "soft_ink", size=14)
        if ran and text.strip() and k:
            text_role = "value" if recorded else "soft_ink"
            sheet.text(RECORDED, y, f"+{recorded}" if recorded else "nothing", text_role, size=14)
        sheet.code(CODE, y, [(text, "ink" if ran else "soft_ink")], 14)


def _draw_tape(sheet: Sheet, notes: list[list[Any]]) -> None:
    count = count_noun(len(notes), "operation") if notes else "nothing"
    sheet.text(RAN, TAPE - 8, f"the tape: {count}", "ink", size=14, bold=True)
    dead = sum(note[3] is None for note in notes)
    if dead:
        verb = "leads" if dead == 1 else "lead"
        sheet.text(EDGE, TAPE - 8, f"○ {dead} of them {verb} nowhere", "soft_ink", "end", 14)
    draw_rule(sheet, RAN, EDGE, TAPE)
    for k, (name, expression, value, adjoint) in enumerate(notes[: 2 * ROWS]):
        x = RAN + (COLUMN + 26) * (k // ROWS)
        y = TAPE + 24 + ROW * (k % ROWS)
        role = "soft_ink" if adjoint is None else "value"
        sheet.dot(x + 6, y - 5, role, 4, hollow=adjoint is None)
        sheet.code(x + 16, y, [(format_expression(f"{name} = {expression}"), role)], 14)
        sheet.text(x + COLUMN, y, f"{value:.3g}", role, "end", 14)


def _draw_plot(sheet: Sheet, snap: dict[str, Any], column: int) -> None:
    program = snap["program"]
    here = snap["x"]
    role, frame, what, across = PLOTS[column - 1]
    every = programs.find_pieces(program)
    meant = _sample_meant(program, column)
    shown = [point[column] for piece in every for point in piece.points]
    shown += [y for _, y in meant]
    ticks = _choose_ticks(shown)
    axes = Axes(sheet, frame, (LOW, HIGH), (ticks[0], ticks[-1]))
    axes.scales(make_ticks((1.5, 2, 2.5, 3, 3.5)), make_ticks(ticks), across, what)
    if meant:
        axes.curve(meant, "soft_ink", 2, "2 5")
        dotted = f"dotted: {PROGRAMS[program].meant_as}"
        sheet.text(frame[0] + frame[2], frame[1] - 8, dotted, "soft_ink", "end", size=14)
    for piece in every:
        _draw_piece(axes, piece, column, role, recorded=piece.low <= here <= piece.high)
    axes.marker(here)
    axes.slide(f"x, in the plot of the {('value', 'slope')[column - 1]}", here, axes.across("x"))
    measured = snap["value"] if column == 1 else snap["slope"]
    sheet.dot(*axes.at(here, measured), "ink", 5)


def _draw_piece(axes: Axes, piece: Piece, column: int, role: str, recorded: bool) -> None:
    points = [(point[0], point[column]) for point in piece.points]
    if len(points) == 1:
        axes.sheet.dot(*axes.at(*points[0]), role, 4, hollow=not recorded)
        return
    axes.curve(points, role, 5 if recorded else 1.5)
    if recorded:
        for x, y in (points[0], points[-1]):
            if LOW < x < HIGH:
                axes.sheet.dot(*axes.at(x, y), role, 4)


def _sample_meant(program: str, column: int) -> list[Point]:
    f = PROGRAMS[program].meant
    if f is None:
        return []
    xs = [LOW + (HIGH - LOW) * k / 60 for k in range(61)]
    return [(x, programs.measure(f, x)[column - 1]) for x in xs]


def _choose_ticks(numbers: list[float]) -> list[float]:
    """Choose a few round numbers that enclose all numbers; only a 0 may lie on the edge of the plot.

    >>> _choose_ticks([2.6, 4.0, 2.0]), _choose_ticks([0.0, 8.0]), _choose_ticks([0.0, 0.0])
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 5.0, 10.0], [-1.0, 0.0, 1.0])
    """
    low = min(numbers)
    high = max(numbers)
    if low == high:
        return [low - 1, low, low + 1]
    rough = (high - low) / 3
    margin = 0.03 * (high - low)
    if low != 0:
        low -= margin
    if high != 0:
        high += margin
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough * 0.999)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [round(k * step, 10) for k in range(first, last + 1)]
