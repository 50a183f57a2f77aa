"""The picture of TapeCompiler: the tape, forward and back, what became of its lines, and on the right the program."""

from __future__ import annotations

import re
from typing import Any

from autodiff_lab.text.notation import number, shorten
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_rule

WIDTH, HEIGHT = 940, 442
MOST_ROWS, FEWEST_ROWS, TOP, GLYPH = 20, 13, 71, 8.43
FORWARD, BACK, PROGRAM = 12, 182, 476
WIDEST = 54


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of TapeCompiler, from a snapshot of it."""
    sheet = Sheet(WIDTH, HEIGHT, "A tape beside the program that it was compiled into")
    recorded, here, y = number(snap["recorded_at"]), number(snap["x"]), number(snap["y"])
    counts, (forward, backward) = snap["recorded"], snap["operations"]
    said = f"guard at x = {here}: {snap['guard']}" if snap["guard"] else f"runs at x = {here}, y = {y}"
    for x, head, below, role in (
        (FORWARD, f"tape: {counts[0]} forward", f"recorded at x = {recorded}, y = {y}", "soft_ink"),
        (BACK, f"{counts[1]} back", "", "ink"),
        (PROGRAM, f"program: {forward} forward, {backward} back", said, "adjoint" if snap["guard"] else ""),
    ):
        sheet.text(x, 18, head, size=15, bold=True)
        sheet.text(x, 39, below, role or "soft_ink", size=14, bold=role == "adjoint")
    draw_rule(sheet, FORWARD, WIDTH - 12, 50)
    sheet.path([(PROGRAM - 16, 58), (PROGRAM - 16, HEIGHT - 6)], "faint", 1)
    rows = min(max(FEWEST_ROWS, counts[1] + 2), MOST_ROWS)  # whatever the passes take, so that no line moves
    for x, is_back in ((FORWARD, False), (BACK, True)):
        _draw_tape(sheet, x, [line for line in snap["tape"] if line["backward"] == is_back], rows)
    _draw_program(sheet, shorten_source(snap["source"]), rows)
    return sheet.svg()


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


def shorten_source(source: str) -> list[str]:
    r"""Shorten a source to the lines that the picture has: a guard in one line, without its message.

    >>> shorten_source("def f(x):\n    if not x < 10:\n        raise BranchChanged('…')\n    return x\n")
    ['def f(x):', '    if not x < 10: raise BranchChanged(…)', '    return x']
    """
    joined = re.sub(r":\n +raise BranchChanged\(.*\)", ": raise BranchChanged(…)", source)
    return [line for line in joined.splitlines() if line.strip()]


def _draw_program(sheet: Sheet, source: list[str], rows: int) -> None:
    for k, line in enumerate(_cut(sheet, PROGRAM, source, rows)):
        role = "adjoint" if "_bar" in line and "return" not in line else "ink"
        guards = line.strip().startswith("if ")
        sheet.code(PROGRAM, _place_row(k, rows), [(shorten(line, WIDEST), "tangent" if guards else role)], size=14)


def _cut(sheet: Sheet, x: float, lines: list[Any], rows: int) -> list[Any]:
    """Leave the lines for which there is room; where that is not all, say how many more there are."""
    if len(lines) <= rows:
        return lines
    more = f"… and {len(lines) - rows + 1} more lines"
    sheet.text(x, _place_row(rows - 1, rows), more, "soft_ink", size=14)
    return lines[: rows - 1]


def _place_row(k: int, rows: int) -> float:
    return TOP + (HEIGHT - TOP) / rows * k
