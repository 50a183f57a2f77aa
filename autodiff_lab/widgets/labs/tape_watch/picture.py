"""The picture of TapeWatch: left the program and what is recorded of it, right the tape and the gradients."""

from __future__ import annotations

import re
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_heads, draw_rule

LINE, TOP = 24, 58
CODE, RIGHT = 128, 590
WIDTH, HEIGHT = 880, TOP + 12 * LINE + 6
SLOPES = TOP + 7 * LINE + 8


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of TapeWatch, from a snapshot of it."""
    sheet = Sheet(WIDTH, HEIGHT, "A program, what a gradient tape has recorded of it, and the gradients it gives")
    sheet.text(CODE, 24, "the program", "ink", bold=True)
    sheet.text(12, 24, "recorded as", "soft_ink", size=14)
    draw_rule(sheet, 12, RIGHT - 24, 36)
    for k, (line, mark) in enumerate(snap["source"]):
        y, recorded = TOP + LINE * k, mark.startswith("v")
        if mark:
            sheet.dot(18, y - 5, "value" if recorded else "soft_ink", 5, hollow=not recorded)
            sheet.text(30, y, mark, "value" if recorded else "soft_ink", size=14, bold=recorded)
        sheet.code(CODE, y, [(line, "ink" if recorded or not mark else "soft_ink")], 14)
    _draw_tape(sheet, snap)
    _draw_slopes(sheet, snap)
    return sheet.svg()


def _draw_tape(sheet: Sheet, snap: dict[str, Any]) -> None:
    count = len(snap["records"])
    sheet.box(RIGHT - 12, 4, WIDTH - RIGHT + 4, TOP + 6 * LINE, "faint")
    kept = f"on the tape: {count}" if snap["kept"] == count else f"on the tape: {snap['kept']} of {count}, let go"
    sheet.text(RIGHT, 24, kept, "ink", bold=True)
    draw_rule(sheet, RIGHT, WIDTH - 20, 36)
    for k, record in enumerate(snap["records"]):
        rounded = re.sub(r"\d+\.\d{5,}", lambda long: number(float(long[0])), record)
        sheet.code(RIGHT, TOP + LINE * k, [(rounded, "value" if snap["kept"] else "soft_ink")], 14)


def write_slope(slope: float | None) -> str:
    """Write a slope, or that there is none.

    >>> write_slope(None), write_slope(3.75)
    ('None', '3.75')
    """
    return "None" if slope is None else number(slope)


def _draw_slopes(sheet: Sheet, snap: dict[str, Any]) -> None:
    sheet.text(RIGHT, SLOPES + 16, "gradient", "ink", bold=True)
    draw_heads(sheet, SLOPES + 16, ((RIGHT + 84, "the tape", "start"), (RIGHT + 206, "value", "start")))
    draw_rule(sheet, RIGHT, WIDTH - 20, SLOPES + 26)
    for k, (name, known) in enumerate(snap["watched"].items()):
        y = SLOPES + 48 + LINE * k
        sheet.code(RIGHT + 8, y, [(name, "ink")], 15)
        how = {"watched": "watches it", "unknown": "does not watch"}.get(known, f"made it: {known}")
        sheet.text(RIGHT + 84, y, how, "value" if known != "unknown" else "soft_ink", size=14)
        if snap["slopes"] is None:
            answer = "refused" if snap["refused"] else "?"
        else:
            answer = write_slope(snap["slopes"][name])
        sheet.text(RIGHT + 206, y, answer, "adjoint" if answer not in "?None" else "ink", size=15, bold=True)
