"""The picture of `TrainRoom`: four curves over the epochs, and how far the run has come."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.marks import draw_legend, draw_marker, make_ticks
from autodiff_lab.widgets.labs.train_room.runs import IN_PLACE

TOPS = (1.2, 3, 12, 30, 120, 300, 1200, 3000, 12000, 30000, 120000)
"""Where a scale may end. It is another one only when a curve would leave it."""
LOSS = (50, 32, 490, 288)
LEFT, WIDTH = 620, 270


def draw(snap: dict[str, Any]) -> str:
    """Draw the run, and dashed in grey the run before it."""
    sheet = Sheet(900, 412, "Loss, length of the tape, accuracy and length of the gradient, over the epochs")
    before = snap["before"] or {}
    last = max(snap["epochs"] - 1, 1)
    _draw_loss(sheet, snap, before, last)
    cells, right, norm = "how many cells?", "how many?", "how long?"
    if snap["losses"]:
        cells, right = f"{snap['cells']} cells", f"{snap['right']} of {snap['tested']} test flowers"
        norm = f"length {number(snap['gradients'][-1])}"
    small = (
        (f"tape: {cells}", "all_cells", "ink", []),
        (f"right: {right}", "all_right", "value", []),
        (f"gradient: {norm}", "gradients", "adjoint", [(snap["steps"], "tangent", "6 3")]),
    )
    for row, (title, column, role, others) in enumerate(small):
        curves = [(snap[column], role, ""), *others, (before.get(column, []), "soft_ink", "5 4")]
        _draw_small(sheet, row, title, curves, last, snap["tested"] if column == "all_right" else None)
    sheet.text(LEFT + WIDTH, 404, "dashed: what is used in its place", "tangent", "end", 14)
    _draw_code(sheet, snap)
    return sheet.svg()


def _draw_loss(sheet: Sheet, snap: dict[str, Any], before: dict[str, Any], last: int) -> None:
    left, top, width, _ = LOSS
    highest = _choose_top(snap["losses"] or before.get("losses", []))
    axes = Axes(sheet, LOSS, (0, last), (0, highest))
    axes.scales(_make_ticks(last), make_ticks(highest * k / 4 for k in range(5)), "epoch")
    sheet.text(left, top - 10, "loss", "value", bold=True)
    sheet.text(left + width, top - 10, _describe_progress(snap), "ink", "end", 14)
    if before.get("losses"):
        draw_legend(sheet, left + 70, top - 10, "the run before", "soft_ink", 2, "5 4")
        axes.curve(enumerate(before["losses"]), "soft_ink", 2, "5 4")
    axes.curve(enumerate(snap["losses"]), "value", 2.5)
    if snap["is_lost"]:
        x, _ = axes.at(snap["epoch"], 0)
        draw_marker(axes, snap["epoch"], "adjoint", width=2)
        sheet.text(min(x + 8, left + width - 150), top + 62, f"not finite, epoch {snap['epoch']}", "adjoint", bold=True)
    elif snap["losses"]:
        sheet.dot(*axes.at(snap["epoch"], snap["loss"]), "value")
    _, chance = axes.at(0, math.log(3))
    sheet.path([(left, chance), (left + width, chance)], "line", 1, "2 3")
    sheet.text(left + width - 4, chance - 6, "ln 3", "soft_ink", "end", size=14)


def _draw_small(
    sheet: Sheet, row: int, title: str, curves: Sequence[tuple[Sequence[float], str, str]], last: int, top: float | None
) -> None:
    y = 32 + 124 * row
    top = top or _choose_top([value for values, _, _ in curves for value in values])
    axes = Axes(sheet, (LEFT, y, WIDTH, 84), (0, last), (0, top))
    sheet.text(LEFT, y - 10, title, curves[0][1], size=15, bold=True)
    axes.scales([], make_ticks((0, top)))
    for values, role, dash in reversed(curves):
        axes.curve(enumerate(values), role, 2, dash)
    now, role, _ = curves[0]
    if now and math.isfinite(now[-1]):
        sheet.dot(*axes.at(len(now) - 1, now[-1]), role, 4)


def _describe_progress(snap: dict[str, Any]) -> str:
    done, whole = len(snap["losses"]), snap["epochs"]
    state = "stopped" if snap["is_lost"] else "done" if done >= whole else "not finished" if done else "not begun"
    return f"{done} of {whole} epochs, {state}"


def _draw_code(sheet: Sheet, snap: dict[str, Any]) -> None:
    """One epoch as the switches have it, in three short lines of Python side by side."""
    loss = "-log_softmax(z)[c]" if snap["stable"] else "-log(softmax(z)[c])"
    step = "g = gradient" if snap["zero_grad"] else "g += gradient"
    update = f"p.value -= {snap['rate']} * g" if snap["update"] == IN_PLACE else f"p = p - {snap['rate']} * g"
    for x, text in ((LOSS[0], loss), (LOSS[0] + 188, step), (LOSS[0] + 324, update)):
        sheet.code(x, 390, [(text, "ink")], size=14)


def _choose_top(values: Sequence[float]) -> float:
    largest = max(filter(math.isfinite, values), default=1.0)
    return next((top for top in TOPS if largest <= top), largest)


def _make_ticks(last: int) -> list[tuple[float, str]]:
    return make_ticks(range(0, last + 1, next(n for n in (2, 5, 10, 20, 40, 50, 100, 200) if last <= 6 * n)))
