"""The picture of TagInspector: a line for each operation, a column for each ε, and a frame where two ε become one."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_rule
from autodiff_lab.widgets.labs.tag_inspector.machines import Flat, Line

ROW, TOP, ROWS = 38, 92, 8
WIDTH, HEIGHT = 900, TOP + ROW * ROWS - 2
COLUMNS = (390, 526, 662, 812)
"""Where the middle of each column is: 1, ε₁, ε₂ and ε₁ε₂."""
CELL = 126
SUBSCRIPTS = {1: "₁", 2: "₂"}
KINDS = {"mark": "marked", "operation": "", "take": "taken"}


def epsilon(level: int, tags: bool) -> str:
    """The mark of a derivative; without tags they are all alike.

    >>> epsilon(2, True), epsilon(2, False)
    ('ε₂', 'ε')
    """
    return f"ε{SUBSCRIPTS[level]}" if tags else "ε"


def write_sum(line: Line, tags: bool) -> str:
    """Write a line's number as a sum.

    >>> line = Line("x · y", "operation", 0, (4.0, 1.0, 4.0, 1.0), Flat(4.0, 5.0, 1.0), (1.0, 4.0))
    >>> write_sum(line, True), write_sum(line, False)
    ('4 + 1 ε₁ + 4 ε₂ + 1 ε₁ε₂', '4 + 5 ε')
    """
    if tags:
        return _join_terms(zip(line.tagged, ("", "ε₁", "ε₂", "ε₁ε₂"), strict=True))
    if isinstance(line.untagged, Flat):
        return _join_terms(zip(line.untagged[:2], ("", "ε"), strict=True))
    value, inner, outer, both = line.untagged
    inside, moving = (_join_terms(zip(pair, ("", "ε"), strict=True)) for pair in ((value, inner), (outer, both)))
    return f"({inside}) + ({moving}) ε"


def _join_terms(terms: object) -> str:
    kept = [f"{number(k)} {mark}".strip() for k, mark in terms if k or not mark]  # type: ignore[attr-defined]
    return " + ".join(kept)


def draw(heading: str, lines: Sequence[Line], rows: int, tags: bool, slope: float | None) -> str:
    """Draw the numbers of the first `rows` lines of a run, the text of the others, and the slope if it is given."""
    sheet = Sheet(WIDTH, HEIGHT, "The dual numbers of a nested derivative, line by line")
    sheet.text(16, 26, heading, "ink", size=16, bold=True)
    sheet.text(16, 66, "line", "soft_ink", size=14)
    _draw_headings(sheet, tags)
    draw_rule(sheet, 8, WIDTH - 8, TOP - 12)
    for k, line in enumerate(lines):
        _draw_row(sheet, k, line, tags, here=k == rows - 1) if k < rows else _draw_waiting(sheet, k, line, k == rows)
    if slope is not None:
        y = TOP + ROW * (rows - 1) + 17
        sheet.text(COLUMNS[3], y, f"the slope is {number(slope)}", "adjoint", "middle", bold=True)
    return sheet.svg()


def _draw_headings(sheet: Sheet, tags: bool) -> None:
    one, first, second, both = COLUMNS
    sheet.text(one, 66, "number", "soft_ink", "middle", 14)
    heads = [(first, "ε₁", "of d/dx"), (second, "ε₂", "of d/dy"), (both, "ε₁ε₂", "of both")]
    if not tags:
        heads = [((first + second) / 2, "ε", "of both derivatives"), (both, "ε²", "dropped")]
    for at, mark, whose in heads:
        sheet.text(at, 52, mark, "soft_ink" if whose == "dropped" else "tangent", "middle", 16, bold=True)
        sheet.text(at, 70, whose, "soft_ink", "middle", 14)


def _draw_waiting(sheet: Sheet, k: int, line: Line, is_next: bool) -> None:
    role = "ink" if is_next else "soft_ink"
    sheet.text(16, TOP + ROW * k + 17, line.text, role)
    sheet.text(COLUMNS[0], TOP + ROW * k + 17, "?" if is_next else "·", role, "middle", bold=is_next)


def _draw_row(sheet: Sheet, k: int, line: Line, tags: bool, here: bool) -> None:
    y = TOP + ROW * k
    merged = None if tags else line.merged
    if here:
        sheet.box(6, y - 8, WIDTH - 12, ROW, "ink", width=2)
    sheet.text(16, y + 17, line.text, "ink", bold=here)
    if KINDS[line.kind]:
        sheet.text(COLUMNS[0] - CELL / 2 - 10, y + 17, KINDS[line.kind], "soft_ink", "end", 14)
    _draw_cell(sheet, COLUMNS[0], y, line.tagged[0] if tags else line.untagged[0], "value")
    if tags:
        for at, coefficient in zip(COLUMNS[1:], line.tagged[1:], strict=True):
            _draw_cell(sheet, at, y, coefficient, "tangent")
    elif isinstance(line.untagged, Flat):
        _draw_one_epsilon(sheet, y, line.untagged, merged)
    else:
        _draw_boxed(sheet, y, line.untagged, merged)


def _draw_cell(
    sheet: Sheet, at: float, y: float, coefficient: float, role: str, text: str = "", width: float = CELL
) -> None:
    if not coefficient and role != "value":
        sheet.text(at, y + 17, "·", "soft_ink", "middle")
        return
    sheet.box(at - width / 2, y - 4, width, ROW - 8, role, width=1.5)
    sheet.text(at, y + 17, text or number(coefficient), role, "middle", bold=True)


def _draw_merged(sheet: Sheet, at: float, y: float, width: float, text: str) -> None:
    """Draw the cell in which two ε become one."""
    sheet.box(at - width / 2, y - 4, width, ROW - 8, "adjoint", "adjoint_paper", 3)
    sheet.text(at, y + 17, text, "adjoint", "middle", bold=True)


def _draw_one_epsilon(sheet: Sheet, y: float, flat: Flat, merged: tuple[float, float] | None) -> None:
    """One cell across the columns of both derivatives."""
    _, first, second, both = COLUMNS
    middle, width = (first + second) / 2, second - first + CELL
    if merged:
        text = f"merged: {number(merged[0])} + {number(merged[1])} = {number(flat.tangent)}"
        _draw_merged(sheet, middle, y, width, text)
    else:
        _draw_cell(sheet, middle, y, flat.tangent, "tangent", width=width)
    if flat.dropped:
        sheet.text(both, y + 17, f"({number(flat.dropped)})", "soft_ink", "middle")


def _draw_boxed(sheet: Sheet, y: float, four: tuple[float, ...], merged: tuple[float, float] | None) -> None:
    """A dual number inside another: the places keep the two ε apart."""
    _, inner, outer, both = four
    _draw_cell(sheet, COLUMNS[1], y, inner, "tangent", f"inside: {number(inner)}")
    if merged:
        text = f"{number(merged[0])} + {number(merged[1])} = {number(outer)}"
        _draw_merged(sheet, COLUMNS[2], y, CELL + 8, text)
    else:
        _draw_cell(sheet, COLUMNS[2], y, outer, "tangent", f"outside: {number(outer)}")
    _draw_cell(sheet, COLUMNS[3], y, both, "tangent", f"both: {number(both)}")
