"""The picture of TagInspector: a line for each operation, a column for each ε, and a frame where two ε become one."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.tag_inspector.machines import Flat, Line

ROW, TOP, ROWS = 38, 92, 8
SIZE = (830, TOP + ROW * ROWS + 56)
COLUMNS = (346, 472, 598, 724)
"""Where the middle of each column is: 1, ε₁, ε₂ and ε₁ε₂."""
WIDTH = 118
SUBSCRIPTS = {1: "₁", 2: "₂"}
KINDS = {"mark": "marked", "operation": "", "take": "taken"}


def epsilon(level: int, tags: bool) -> str:
    """The mark of a derivative; without tags they are all alike.

    >>> epsilon(2, True), epsilon(2, False)
    ('ε₂', 'ε')
    """
    return f"ε{SUBSCRIPTS[level]}" if tags else "ε"


def written(line: Line, tags: bool) -> str:
    """A line's number as a sum.

    >>> line = Line("x · y", "operation", 0, (4.0, 1.0, 4.0, 1.0), Flat(4.0, 5.0, 1.0), (1.0, 4.0))
    >>> written(line, True), written(line, False)
    ('4 + 1 ε₁ + 4 ε₂ + 1 ε₁ε₂', '4 + 5 ε')
    """
    if tags:
        return _sum(zip(line.tagged, ("", "ε₁", "ε₂", "ε₁ε₂"), strict=True))
    if isinstance(line.untagged, Flat):
        return _sum(zip(line.untagged[:2], ("", "ε"), strict=True))
    value, inner, outer, both = line.untagged
    inside, moving = (_sum(zip(pair, ("", "ε"), strict=True)) for pair in ((value, inner), (outer, both)))
    return f"({inside}) + ({moving}) ε"


def _sum(terms: object) -> str:
    kept = [f"{number(k)} {mark}".strip() for k, mark in terms if k or not mark]  # type: ignore[attr-defined]
    return " + ".join(kept)


def drawn(heading: str, lines: Sequence[Line], rows: int, tags: bool, verdict: str) -> str:
    """The first `rows` lines of a run."""
    sheet = Sheet(*SIZE, "The dual numbers of a nested derivative, line by line")
    sheet.text(16, 26, heading, "ink", size=16, bold=True)
    sheet.text(16, 66, "line", "soft_ink", size=14)
    _headings(sheet, tags)
    sheet.path([(8, TOP - 12), (SIZE[0] - 8, TOP - 12)], "line", 1)
    for k, line in enumerate(lines):
        _row(sheet, k, line, tags, here=k == rows - 1) if k < rows else _waiting(sheet, k, k == rows)
    sheet.path([(8, TOP + ROW * ROWS + 4), (SIZE[0] - 8, TOP + ROW * ROWS + 4)], "line", 1)
    wrong = verdict and "The slope is" in verdict
    sheet.text(16, TOP + ROW * ROWS + 36, verdict or "…", "adjoint" if wrong else "ink", size=16, bold=bool(verdict))
    return sheet.svg()


def _headings(sheet: Sheet, tags: bool) -> None:
    one, first, second, both = COLUMNS
    sheet.text(one, 66, "number", "soft_ink", "middle", 14)
    if tags:
        for at, mark, whose in ((first, "ε₁", "of d/dx"), (second, "ε₂", "of d/dy"), (both, "ε₁ε₂", "of both")):
            sheet.text(at, 52, mark, "tangent", "middle", 16, bold=True)
            sheet.text(at, 70, whose, "soft_ink", "middle", 14)
        return
    sheet.text((first + second) / 2, 52, "ε", "tangent", "middle", 16, bold=True)
    sheet.text((first + second) / 2, 70, "whoever put it there", "soft_ink", "middle", 14)
    sheet.text(both, 52, "ε²", "soft_ink", "middle", 16, bold=True)
    sheet.text(both, 70, "dropped", "soft_ink", "middle", 14)


def _waiting(sheet: Sheet, k: int, is_next: bool) -> None:
    sheet.text(16, TOP + ROW * k + 18, "?" if is_next else "·", "ink" if is_next else "soft_ink")


def _row(sheet: Sheet, k: int, line: Line, tags: bool, here: bool) -> None:
    y = TOP + ROW * k
    merged = None if tags else line.merged
    if here:
        sheet.box(6, y - 8, SIZE[0] - 12, ROW, "ink", width=2)
    sheet.text(16, y + 17, line.text, "ink", bold=here)
    if KINDS[line.kind]:
        sheet.text(COLUMNS[0] - 62, y + 17, KINDS[line.kind], "soft_ink", "end", 14)
    _cell(sheet, COLUMNS[0], y, line.tagged[0] if tags else line.untagged[0], "value")
    if tags:
        for at, coefficient in zip(COLUMNS[1:], line.tagged[1:], strict=True):
            _cell(sheet, at, y, coefficient, "tangent")
    elif isinstance(line.untagged, Flat):
        _one_epsilon(sheet, y, line.untagged, merged)
    else:
        _boxed(sheet, y, line.untagged, merged)


def _cell(sheet: Sheet, at: float, y: float, coefficient: float, role: str, text: str = "") -> None:
    if not coefficient and role != "value":
        sheet.text(at, y + 17, "·", "soft_ink", "middle")
        return
    sheet.box(at - WIDTH / 2, y - 4, WIDTH, ROW - 8, role, width=1.5)
    sheet.text(at, y + 17, text or number(coefficient), role, "middle", bold=True)


def _one_epsilon(sheet: Sheet, y: float, flat: Flat, merged: tuple[float, float] | None) -> None:
    """One cell across the columns of both derivatives."""
    _, first, second, both = COLUMNS
    middle, width = (first + second) / 2, second - first + WIDTH
    if flat.tangent or merged:
        role = "adjoint" if merged else "tangent"
        sheet.box(
            middle - width / 2, y - 4, width, ROW - 8, role, "adjoint_paper" if merged else "", 3 if merged else 1.5
        )
        text = number(flat.tangent)
        if merged:
            text = f"merged: {number(merged[0])} + {number(merged[1])} = {text}"
        sheet.text(middle, y + 17, text, role, "middle", bold=True)
    else:
        sheet.text(middle, y + 17, "·", "soft_ink", "middle")
    if flat.dropped:
        sheet.text(both, y + 17, f"({number(flat.dropped)})", "soft_ink", "middle")


def _boxed(sheet: Sheet, y: float, four: tuple[float, ...], merged: tuple[float, float] | None) -> None:
    """A dual number inside another: the places keep the two ε apart."""
    _, inner, outer, both = four
    _cell(sheet, COLUMNS[1], y, inner, "tangent", f"inside: {number(inner)}")
    if merged:
        sheet.box(COLUMNS[2] - WIDTH / 2 - 4, y - 4, WIDTH + 8, ROW - 8, "adjoint", "adjoint_paper", 3)
        sheet.text(
            COLUMNS[2],
            y + 17,
            f"{number(merged[0])} + {number(merged[1])} = {number(outer)}",
            "adjoint",
            "middle",
            bold=True,
        )
    else:
        _cell(sheet, COLUMNS[2], y, outer, "tangent", f"outside: {number(outer)}")
    _cell(sheet, COLUMNS[3], y, both, "tangent", f"both: {number(both)}")
