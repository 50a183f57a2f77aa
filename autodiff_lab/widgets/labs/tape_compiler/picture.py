"""The picture of TapeCompiler: the tape on the left, what became of its lines, and the program on the right."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_rule

WIDTH, HEIGHT = 830, 624
ROWS, ROW, TOP = 27, 20, 64
NAME, RECORDED, FATE, PROGRAM = 12, 84, 246, 350
WIDEST = 55


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of TapeCompiler, from a snapshot of it."""
    sheet = Sheet(WIDTH, HEIGHT, "A tape beside the program that it was compiled into")
    back = sum(line["backward"] for line in snap["tape"])
    sheet.text(NAME, 24, f"tape: {len(snap['tape']) - back} lines forward, {back} back", "ink", size=14, bold=True)
    forward, backward = snap["operations"]
    sheet.text(PROGRAM, 24, f"program: {forward} operations forward, {backward} back", "ink", size=14, bold=True)
    recorded, here, y = number(snap["recorded_at"]), number(snap["x"]), number(snap["y"])
    sheet.text(NAME, 46, f"recorded at x = {recorded}, y = {y}", "soft_ink", size=14)
    said = f"guard at x = {here}: {snap['guard']}" if snap["guard"] else f"runs at x = {here}, y = {y}"
    sheet.text(PROGRAM, 46, said, "adjoint" if snap["guard"] else "soft_ink", size=14, bold=bool(snap["guard"]))
    draw_rule(sheet, NAME, WIDTH - NAME, 54)
    sheet.path([(PROGRAM - 14, 62), (PROGRAM - 14, HEIGHT - 10)], "faint", 1)
    _draw_tape(sheet, snap["tape"])
    _draw_program(sheet, snap["shown"])
    return sheet.svg()


def _draw_tape(sheet: Sheet, tape: list[dict[str, Any]]) -> None:
    for k, line in enumerate(tape[: ROWS if len(tape) <= ROWS else ROWS - 1]):
        y, gone = TOP + 16 + ROW * k, bool(line["removed"])
        role = "soft_ink" if gone else "adjoint" if line["backward"] else "value"
        sheet.code(NAME, y, [(line["name"], role)], size=14)
        sheet.code(RECORDED, y, [(f"= {line['recorded']}", role)], size=14)
        if gone:
            draw_rule(sheet, NAME, RECORDED + 8.5 * (2 + len(line["recorded"])), y - 5, "soft_ink")
            sheet.text(FATE, y, line["removed"], "ink", size=14)
    _draw_rest(sheet, NAME, len(tape))


def _draw_program(sheet: Sheet, source: list[str]) -> None:
    for k, line in enumerate(source[: ROWS if len(source) <= ROWS else ROWS - 1]):
        text = line if len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
        role = "adjoint" if "_bar" in line and "return" not in line else "ink"
        guards = line.strip().startswith("if ")
        sheet.code(PROGRAM, TOP + 16 + ROW * k, [(text, "tangent" if guards else role)], size=14)
    _draw_rest(sheet, PROGRAM, len(source))


def _draw_rest(sheet: Sheet, x: float, count: int) -> None:
    if count > ROWS:
        sheet.text(x, TOP + 16 + ROW * (ROWS - 1), f"… and {count - ROWS + 1} more lines", "soft_ink", size=14)
