"""The picture of `TrainRoom`: four curves over the epochs, and how far the run has come."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet

TOPS = (1.2, 3, 12, 30, 120, 300, 1200, 3000, 12000, 30000, 120000)
"""Where a scale may end. It is another one only when a curve would leave it."""
LEFT, WIDTH = 560, 246


def drawn(snap: dict[str, Any]) -> str:
    """The run, and dashed in grey the run before it."""
    sheet = Sheet(830, 496, "Loss, length of the tape, accuracy and length of the gradient, over the epochs")
    before = snap["before"] or {}
    last = max(snap["epochs"] - 1, 1)
    _loss(sheet, snap, before, last)
    cells = f"{snap['cells']} cells" if snap["cells"] else "no cells yet"
    _small(
        sheet,
        0,
        f"tape: {cells}",
        [(snap["all_cells"], "ink", ""), (before.get("all_cells", []), "soft_ink", "5 4")],
        last,
    )
    right = f"{snap['right']} of {snap['tested']} test flowers" if snap["right"] is not None else "not tested yet"
    curves = [(snap["all_right"], "value", ""), (before.get("all_right", []), "soft_ink", "5 4")]
    _small(sheet, 1, f"right: {right}", curves, last, top=snap["tested"])
    norm = f"length {number(snap['gradients'][-1])}" if snap["gradients"] else "none yet"
    _small(
        sheet,
        2,
        f"gradient: {norm}",
        [(snap["gradients"], "adjoint", ""), (snap["steps"], "tangent", "6 3")],
        last,
    )
    sheet.text(LEFT, 404, "dashed: what is used in its place", "tangent", size=14)
    _progress(sheet, snap)
    _code(sheet, snap["settings"])
    return sheet.svg()


def _loss(sheet: Sheet, snap: dict[str, Any], before: dict[str, Any], last: int) -> None:
    top = _top(snap["losses"] or before.get("losses", []))
    axes = Axes(sheet, (58, 40, 440, 320), (0, last), (0, top))
    axes.scales(_ticks(last), [(top * k / 4, number(top * k / 4)) for k in range(5)], "epoch", "")
    sheet.text(58, 26, "loss", "value", bold=True)
    if before.get("losses"):
        sheet.path([(300, 21), (334, 21)], "soft_ink", 2, "5 4")
        sheet.text(342, 26, "the run before", "soft_ink", size=14)
        axes.curve(enumerate(before["losses"]), "soft_ink", 2, "5 4")
    axes.curve(enumerate(snap["losses"]), "value", 2.5)
    if snap["is_lost"]:
        x, _ = axes.at(snap["epoch"], 0)
        sheet.path([(x, 40), (x, 360)], "adjoint", 2, "3 3")
        sheet.text(min(x + 8, 370), 66, f"not finite, epoch {snap['epoch']}", "adjoint", bold=True, size=14)
    elif snap["losses"]:
        sheet.dot(*axes.at(snap["epoch"], snap["loss"]), "value")
    _, chance = axes.at(0, math.log(3))
    sheet.path([(58, chance), (498, chance)], "line", 1, "2 3")
    sheet.text(494, chance - 6, "ln 3", "soft_ink", "end", size=14)


def _small(
    sheet: Sheet, row: int, title: str, curves: Sequence[tuple[Sequence[float], str, str]], last: int, top: float = 0.0
) -> None:
    y = 40 + 122 * row
    top = top or _top([value for values, _, _ in curves for value in values])
    axes = Axes(sheet, (LEFT, y, WIDTH, 76), (0, last), (0, top))
    sheet.text(LEFT, y - 14, title, curves[0][1], size=14, bold=True)
    axes.scales([], [(0, "0"), (top, number(top))])
    for values, role, dash in reversed(curves):
        axes.curve(enumerate(values), role, 2, dash)
    if curves[0][0] and math.isfinite(curves[0][0][-1]):
        sheet.dot(*axes.at(len(curves[0][0]) - 1, curves[0][0][-1]), curves[0][1], 4)


def _progress(sheet: Sheet, snap: dict[str, Any]) -> None:
    done, whole = len(snap["losses"]), snap["epochs"]
    share = min(done / whole, 1.0)
    sheet.box(58, 430, 440, 18, "line")
    sheet.box(58, 430, 440 * share, 18, "", "tangent")
    state = "stopped" if snap["is_lost"] else "done" if done >= whole else "not finished" if done else "not begun"
    sheet.text(514, 445, f"{min(done, whole)} of {whole} epochs, {state}", "ink")


def _code(sheet: Sheet, settings: dict[str, Any]) -> None:
    """One epoch as the switches have it, in three short lines of Python side by side."""
    loss = "-log_softmax(z)[c]" if settings["stable"] else "-log(softmax(z)[c])"
    step = "g = gradient" if settings["zero_grad"] else "g += gradient"
    rate = settings["rate"]
    update = f"p.value -= {rate} * g" if settings["in_place"] else f"p = p - {rate} * g"
    for x, text in ((58, loss), (300, step), (514, update)):
        sheet.code(x, 482, [(text, "ink")], size=14)


def _top(values: Sequence[float]) -> float:
    largest = max((value for value in values if value is not None and math.isfinite(value)), default=1.0)
    return next((top for top in TOPS if largest <= top), largest)


def _ticks(last: int) -> list[tuple[float, str]]:
    every = next(n for n in (2, 5, 10, 20, 40, 50, 100, 200) if last <= 6 * n)
    return [(float(k), str(k)) for k in range(0, last + 1, every)]
