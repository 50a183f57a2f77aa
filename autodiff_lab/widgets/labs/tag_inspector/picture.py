"""The picture of TagInspector: a line for each operation, a column for each ε, and a frame where two ε become one."""

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
KINDS = {"mark": "marked", "operation": "", "take": "taken"}


def epsilon(level: int, tags: bool) -> str:
    """Write the ε of a derivative as the tag inspector's picture does: with its tag as ε₁ or ε₂, or ε for both.

    >>> epsilon(2, True), epsilon(2, False)
    ('ε₂', 'ε')
    """
    return f"ε{'₁₂'[level - 1]}" if tags else "ε"


def write_sum(line: Line, tags: bool) -> str:
    """Write a dual number of the tag inspector as a sum of its ε terms, tagged or untagged.

    >>> line = Line("x · y", "operation", 0, (4.0, 1.0, 4.0, 1.0), Flat(4.0, 5.0, 1.0), (1.0, 4.0))
    >>> write_sum(line, True), write_sum(line, False)
    ('4 + 1 ε₁ + 4 ε₂ + 1 ε₁ε₂', '4 + 5 ε')
    """
    if tags:
        return _join_terms(line.tagged, "ε₁", "ε₂", "ε₁ε₂")
    inside = _join_terms(line.untagged[:2], "ε")
    return inside if isinstance(line.untagged, Flat) else f"({inside}) + ({_join_terms(line.untagged[2:], 'ε')}) ε"


def _join_terms(coefficients: Sequence[float], *marks: str) -> str:
    terms = zip(coefficients, ("", *marks), strict=True)
    return " + ".join(f"{number(k)} {mark}".strip() for k, mark in terms if k or not mark)


def draw(heading: str, lines: Sequence[Line], rows: int, tags: bool, slope: float | None) -> str:
    """Draw the picture of the tag inspector: the numbers of the first `rows` lines, and the slope if it is given."""
    sheet = Sheet(WIDTH, HEIGHT, "The dual numbers of a nested derivative, line by line")
    sheet.text(16, 26, heading, "ink", size=16, bold=True)
    sheet.text(16, 66, "line", "soft_ink", size=14)
    _draw_headings(sheet, tags)
    draw_rule(sheet, 8, WIDTH - 8, TOP - 12)
    for k, line in enumerate(lines):
        _draw_row(sheet, k, line, tags, rows)
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


def _draw_row(sheet: Sheet, k: int, line: Line, tags: bool, rows: int) -> None:
    """Draw a line; of one that has not run, the text, and of the first of these a question."""
    y, is_last, is_next = TOP + ROW * k, k == rows - 1, k == rows
    role = "ink" if k <= rows else "soft_ink"
    if is_last:
        sheet.box(6, y - 8, WIDTH - 12, ROW, "ink", width=2)
    sheet.text(16, y + 17, line.text, role, bold=is_last)
    if k >= rows:
        sheet.text(COLUMNS[0], y + 17, "?" if is_next else "·", role, "middle", bold=is_next)
        return
    if KINDS[line.kind]:
        sheet.text(COLUMNS[0] - CELL / 2 - 10, y + 17, KINDS[line.kind], "soft_ink", "end", 14)
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
    """List the cells of a row: the middle, the width, the text and the role of each; one without a text is 0."""
    one, first, second, both = COLUMNS
    value = line.tagged[0] if tags else line.untagged[0]
    cells = [(one, CELL, number(value), "value")]
    if tags:
        return cells + [(at, CELL, _write(x), "tangent") for at, x in zip(COLUMNS[1:], line.tagged[1:], strict=True)]
    merged = " + ".join(map(number, line.merged or ()))
    if isinstance(line.untagged, Flat):  # one cell across the columns of both derivatives
        tangent = line.untagged.tangent
        cell = (f"merged: {merged} = {number(tangent)}", "adjoint") if merged else (_write(tangent), "tangent")
        return [*cells, ((first + second) / 2, second - first + CELL, *cell)]
    _, inner, outer, mixed = line.untagged  # a dual number inside another: the places keep the two ε apart
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
