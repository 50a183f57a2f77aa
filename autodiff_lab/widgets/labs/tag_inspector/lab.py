"""The controller of the lab TagInspector, and its nested derivatives, which confuse dual numbers without tags."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autodiff_lab.lessons.examples.tagged_machines import Flat, Line, Run, Watched
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Sheet, draw_rule
from autodiff_lab.widgets.labs.lab import STEP_BUTTONS, Choice, Play, Slider, SteppedLab, Toggle

ROW, TOP, ROWS = 38, 92, 8
WIDTH, HEIGHT = 900, TOP + ROW * ROWS - 2
# The x coordinate of the middle of each column: 1, ε₁, ε₂ and ε₁ε₂.
COLUMNS = (390, 526, 662, 812)
CELL = 126


class Nested(NamedTuple):
    """A nested derivative, and the point (x, y) at which it is shown first."""

    program: Callable[..., Watched]
    x: float
    y: float


PROGRAMS = {
    "d/dx [ x · d/dy (x + y) ]": Nested(
        lambda D, x, y: D(lambda x: x * D(lambda y: x + y, y), x), 1.0, 1.0
    ),
    "d/dx [ x · d/dy (x · y) ]": Nested(
        lambda D, x, y: D(lambda x: x * D(lambda y: x * y, y), x), 4.0, 1.0
    ),
    "d/dx [ x · d/dy (x · y²) ]": Nested(
        lambda D, x, y: D(lambda x: x * D(lambda y: x * y * y, y), x), 3.0, 2.0
    ),
    "d/dx [ d/dy (x² · y³) ]": Nested(
        lambda D, x, y: D(lambda x: D(lambda y: x * x * y * y * y, y), x), 3.0, 2.0
    ),
    "d/dx [ d/dy (y²) ]": Nested(lambda D, x, y: D(lambda x: D(lambda y: y * y, y), x), 5.0, 3.0),
    "d/dx [ x · d/dy (y³) ]": Nested(
        lambda D, x, y: D(lambda x: x * D(lambda y: y * y * y, y), x), 2.0, 1.0
    ),
    "d/dx [ d/dy (y³) at y = x ]": Nested(
        lambda D, x, y: D(lambda x: D(lambda y: y * y * y, x), x), 3.0, 1.0
    ),
    "d/dx [ x · d/dy (x · y) at y = x ]": Nested(
        lambda D, x, y: D(lambda x: x * D(lambda y: x * y, x), x), 3.0, 1.0
    ),
}


class TagInspector(SteppedLab):
    """A lab on perturbation confusion: a nested derivative, line by line, and where two ε become one.

    >>> lab = TagInspector()
    >>> lab.set(program="d/dx [ x · d/dy (x · y) ]")
    >>> lab.snapshot()["result"], lab.snapshot()["slope"]
    (5.0, 8.0)
    >>> lab.set(tags=True)
    >>> lab.snapshot()["result"]
    8.0
    """

    about = "Say what will come out, press Next through the lines, then switch the tags on."
    controls = (
        STEP_BUTTONS[0],
        Toggle("tags", "tags"),
        Choice("program", "program", tuple(PROGRAMS)),
        *STEP_BUTTONS[1:],
        Play("next", 1500),
        Slider("x", "x", 1, 6, 0.5, 1.0, more=True),
        Slider("y", "y", 1, 6, 0.5, 1.0, more=True),
    )
    tags: bool
    program: str
    x: float
    y: float

    def __init__(self) -> None:
        super().__init__()
        self.done = 2  # both derivatives have begun, and the next line combines their ε

    def change(self, name: str) -> None:
        """Begin another nested derivative at its own point; the tags stay on or off."""
        if name == "program":
            self.begin()
            nested = PROGRAMS[self.program]
            self.x = nested.x
            self.y = nested.y

    @property
    def length(self) -> int:
        """The number of lines in the run."""
        return len(self.run.lines)

    def slider_text(self, name: str) -> str:
        """Write the value of a slider; y is "as x" if the inner derivative is taken at y = x."""
        if name == "y" and "at y = x" in self.program:
            return "as x"
        return super().slider_text(name)

    @property
    def run(self) -> Run:
        """The run of the nested derivative at this point, with tags and without."""
        return _start_run(PROGRAMS[self.program].program, self.x, self.y)

    def snapshot(self) -> dict[str, Any]:
        """Return the lines so far as dual numbers, with or without tags, the result, and the correct slope."""
        run = self.run
        lines = run.lines[: self.done]
        return {
            "point": (self.x, self.y),
            "lines": [line.text for line in lines],
            "numbers": [tuple(line.tagged if self.tags else line.untagged) for line in lines],
            "merged": [] if self.tags else [k for k, line in enumerate(lines) if line.merged],
            "result": float(run.result.tagged if self.tags else run.result.untagged),
            "slope": float(run.result.tagged),
            "finished": self.done == len(run.lines),
        }

    def sentence(self) -> str:
        """Describe what the last line does to its ε, and at the end whether merging two ε made the result wrong."""
        if not self.done:
            with_tags = "Each derivative has an ε of its own."
            without_tags = "There is one ε for all derivatives."
            kind = with_tags if self.tags else without_tags
            return f"{kind} Which number will come out at x = {number(self.x)}? Decide, then press Next."
        line = self.run.lines[self.done - 1]
        said = self._about_the_end(line) if line.kind == "taken" else self._about_the_line(line)
        return f"{said} {self._write_verdict()}".strip()

    def _about_the_line(self, line: Line) -> str:
        shown = _write_sum(line, self.tags)
        if line.kind == "marked":
            return f"A derivative begins: {line.text} moves, so it is {shown}."
        if self.tags or not line.merged:
            return f"{line.text} = {shown}."
        first, second, whole = map(number, (*line.merged, sum(line.merged)))
        return (
            f"{line.text} = {shown}. Two marks become one: {first} comes from the left operand, {second} from the "
            f"right one, and {whole} no longer says which part belongs to which derivative."
        )

    def _about_the_end(self, line: Line) -> str:
        said = f"A derivative ends: before {_epsilon(line.level, self.tags)} stands {_write_sum(line, self.tags)}."
        is_same = isinstance(line.untagged, Flat) and tuple(line.untagged[:2]) == line.tagged[:2]
        if self.tags or is_same or line is self.run.lines[-1]:
            return said
        return f"{said} With tags it is {_write_sum(line, tags=True)}."

    def _write_verdict(self) -> str:
        """Compare the result with the slope; empty before the end."""
        snap = self.snapshot()
        if not snap["finished"]:
            return ""
        result, slope = number(snap["result"]), number(snap["slope"])
        if result != slope:
            return f"The result is {result}. The slope is {slope}."
        if self.tags:
            return f"The result is {result}, the slope that was asked for."
        said = f"The result is {result}, and so is the slope"
        if snap["merged"]:
            return f"{said}, although two ε were merged: a coincidence."
        return f"{said}: no two marks ever met."

    def table(self) -> Grid:
        """List the lines so far, with the coefficients of ε₁ and ε₂, or of a single ε without tags."""
        lines = self.run.lines[: self.done]
        place = f"{self.program} at x = {number(self.x)}"
        if self.tags:
            heads = ("line", "1", "ε₁", "ε₂", "ε₁ε₂")
            return grid(f"{place}, with tags", heads, [(line.text, *line.tagged) for line in lines])
        rows = [(line.text, _write_sum(line, tags=False), _write_remark(line)) for line in lines]
        return grid(f"{place}, without tags", ("line", "number", "remark"), rows)

    def picture(self) -> str:
        """Draw the lines with a column for each ε, and a frame where two ε are merged."""
        second = "" if "at y = x" in self.program else f", y = {number(self.y)}"
        heading = f"{self.program}   at x = {number(self.x)}{second}"
        snap = self.snapshot()
        sheet = Sheet(WIDTH, HEIGHT, "The dual numbers of a nested derivative, line by line")
        sheet.text(16, 26, heading, "ink", size=16, bold=True)
        sheet.text(16, 66, "line", "soft_ink", size=14)
        _draw_headings(sheet, self.tags)
        draw_rule(sheet, 8, WIDTH - 8, TOP - 12)
        for k, line in enumerate(self.run.lines):
            _draw_row(sheet, k, line, self.tags, self.done)
        if snap["finished"] and snap["result"] != snap["slope"]:
            y = TOP + ROW * (self.done - 1) + 17
            slope = f"the slope is {number(snap['slope'])}"
            sheet.text(COLUMNS[3], y, slope, "adjoint", "middle", bold=True)
        deep = HEIGHT - 40.0
        lines = (0, 40, 230, HEIGHT - 40)
        numbers = (0, 0, 459, HEIGHT)
        tangents = (459, 40, 268, deep)
        mixed = (727, 40, 173, deep)
        sheet.fold([numbers], [lines, tangents], [lines, mixed])
        return sheet.svg()


_start_run = functools.lru_cache(maxsize=512)(Run)


def _write_remark(line: Line) -> str:
    if line.merged:
        return f"merged: {' + '.join(map(number, line.merged))}"
    if isinstance(line.untagged, Flat):
        return ""
    return "one dual number inside another"


# The picture


def _epsilon(level: int, tags: bool) -> str:
    """Write the ε of a derivative: with tags ε₁ or ε₂, without tags ε.

    >>> _epsilon(2, True), _epsilon(2, False)
    ('ε₂', 'ε')
    """
    if not tags:
        return "ε"
    return f"ε{'₁₂'[level - 1]}"


def _write_sum(line: Line, tags: bool) -> str:
    """Write a dual number as a sum of terms in ε, with or without tags.

    >>> line = Line("x · y", "", 0, (4.0, 1.0, 4.0, 1.0), Flat(4.0, 5.0, 1.0), (1.0, 4.0))
    >>> _write_sum(line, True), _write_sum(line, False)
    ('4 + 1 ε₁ + 4 ε₂ + 1 ε₁ε₂', '4 + 5 ε')
    """
    if tags:
        return _join_terms(line.tagged, "ε₁", "ε₂", "ε₁ε₂")
    inside = _join_terms(line.untagged[:2], "ε")
    if isinstance(line.untagged, Flat):
        return inside
    return f"({inside}) + ({_join_terms(line.untagged[2:], 'ε')}) ε"


def _join_terms(coefficients: Sequence[float], *marks: str) -> str:
    terms = zip(coefficients, ("", *marks), strict=True)
    return " + ".join(f"{number(k)} {mark}".strip() for k, mark in terms if k or not mark)


def _draw_headings(sheet: Sheet, tags: bool) -> None:
    one, first, second, both = COLUMNS
    sheet.text(one, 66, "number", "soft_ink", "middle", 14)
    heads: list[tuple[float, str, str]] = [
        (first, "ε₁", "of d/dx"),
        (second, "ε₂", "of d/dy"),
        (both, "ε₁ε₂", "of both"),
    ]
    if not tags:
        heads = [((first + second) / 2, "ε", "of both derivatives"), (both, "ε²", "dropped")]
    for at, mark, whose in heads:
        role = "soft_ink" if whose == "dropped" else "tangent"
        sheet.text(at, 52, mark, role, "middle", 16, bold=True)
        sheet.text(at, 70, whose, "soft_ink", "middle", 14)


def _draw_row(sheet: Sheet, k: int, line: Line, tags: bool, rows: int) -> None:
    """Draw a row; a line that has not run has only its text, and the next one a question mark."""
    y = TOP + ROW * k
    is_last = k == rows - 1
    is_next = k == rows
    role = "ink" if k <= rows else "soft_ink"
    if is_last:
        sheet.box(6, y - 8, WIDTH - 12, ROW, "ink", width=2)
    sheet.text(16, y + 17, line.text, role, bold=is_last)
    if k >= rows:
        sheet.text(COLUMNS[0], y + 17, "?" if is_next else "·", role, "middle", bold=is_next)
        return
    if line.kind:
        sheet.text(COLUMNS[0] - CELL / 2 - 10, y + 17, line.kind, "soft_ink", "end", 14)
    for at, width, text, role in _list_cells(line, tags):
        if not text:
            sheet.text(at, y + 17, "·", "soft_ink", "middle")
            continue
        paper, border = ("adjoint_paper", 3) if role == "adjoint" else ("", 1.5)
        sheet.box(at - width / 2, y - 4, width, ROW - 8, role, paper, border)
        sheet.text(at, y + 17, text, role, "middle", bold=True)
    if not tags and isinstance(line.untagged, Flat) and line.untagged.dropped:
        sheet.text(COLUMNS[3], y + 17, f"({number(line.untagged.dropped)})", "soft_ink", "middle")


def _list_cells(line: Line, tags: bool) -> list[tuple[float, float, str, str]]:
    """List the cells of a row as (middle, width, text, role); a coefficient of 0 has no text."""
    one, first, second, both = COLUMNS
    value = line.tagged[0] if tags else line.untagged[0]
    cells: list[tuple[float, float, str, str]] = [(one, CELL, number(value), "value")]
    if tags:
        for at, coefficient in zip(COLUMNS[1:], line.tagged[1:], strict=True):
            cells.append((at, CELL, _write(coefficient), "tangent"))
        return cells
    merged = " + ".join(map(number, line.merged or ()))
    if isinstance(line.untagged, Flat):  # one cell across the columns of both derivatives
        tangent = line.untagged.tangent
        text, role = _write(tangent), "tangent"
        if merged:
            text, role = f"merged: {merged} = {number(tangent)}", "adjoint"
        return [*cells, ((first + second) / 2, second - first + CELL, text, role)]
    # A dual number inside another: the nesting keeps the two ε apart.
    _, inner, outer, mixed = line.untagged
    moving = (second, CELL, _write(outer, "outside: "), "tangent")
    if merged:
        moving = (second, CELL + 8, f"{merged} = {number(outer)}", "adjoint")
    return [
        *cells,
        (first, CELL, _write(inner, "inside: "), "tangent"),
        moving,
        (both, CELL, _write(mixed, "both: "), "tangent"),
    ]


def _write(coefficient: float, where: str = "") -> str:
    return f"{where}{number(coefficient)}" if coefficient else ""
