"""The picture of ConvergedLoop: the errors over the turns, and bars for the tape and the work."""

from __future__ import annotations

import math
from typing import Any

from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.converged_loop.loops import LARGEST, WAYS
from autodiff_lab.widgets.labs.marks import draw_bar, draw_legend, draw_marker, make_power_ticks, make_ticks

PLOT = (56.0, 30.0, 440.0, 290.0)
LOOKS = {"unrolled": ("adjoint", "", 4.0), "one turn": ("soft_ink", "2 5", 3.0), "implicit": ("tangent", "9 4", 3.0)}
SMALLEST, BARS = -16, 560.0


def draw(snap: dict[str, Any]) -> str:
    """Draw left the error of the slope after each turn, right what each way costs."""
    sheet = Sheet(900, 400, "Error of the slope over the turns of the loop, and bars for tape lines and operations")
    axes = Axes(sheet, PLOT, (0, LARGEST), (SMALLEST, 1))
    axes.scales(make_ticks(range(0, LARGEST + 1, 10)), make_power_ticks(range(SMALLEST, 1, 4)), "turns of the loop")
    sheet.text(PLOT[0], 20, "error of the slope dz/dx", "soft_ink", size=14)
    for k, way in enumerate(WAYS):
        role, dash, width = LOOKS[way]
        errors = [max(math.log10(error), SMALLEST) if error else SMALLEST for error in snap["errors"][way]]
        axes.curve([(float(n), min(error, 1.0)) for n, error in enumerate(errors)], role, width, dash)
        sheet.dot(*axes.at(snap["turns"], errors[snap["turns"]]), role, 5)
        draw_legend(sheet, PLOT[0] + 150 * k, 392, way, role, width, dash)
    draw_marker(axes, snap["turns"])
    _draw_bars(sheet, 20, "lines on the tape", snap["lines"])
    _draw_bars(sheet, 206, "operations, with the sweep", snap["work"])
    return sheet.svg()


def _draw_bars(sheet: Sheet, top: float, title: str, amounts: dict[str, int]) -> None:
    sheet.text(BARS, top, title, "soft_ink", size=14)
    largest = max(*amounts.values(), 1)
    for k, (way, amount) in enumerate(amounts.items()):
        y, role = top + 16 + 48 * k, LOOKS[way][0]
        sheet.text(BARS, y + 14, way, role, size=14)
        draw_bar(sheet, BARS + 80, y, 200 * amount / largest, role, str(amount), 20)
