"""The picture of GradcheckBench: two numbers and a traffic light, and all checks so far over the step h."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.gradcheck_bench.rules import BIAS, LARGEST, RIGHT, SMALLEST, WRONG, Check
from autodiff_lab.widgets.labs.marks import make_power_ticks
from autodiff_lab.widgets.labs.phrases import write_error

FLOOR, CEILING = -13.0, 1.0
"""The logarithms of the errors that the plot can show; what is smaller is put on its lower edge."""
LIGHTS = {"wrong": ("✗", "adjoint"), "look closer": ("?", "tangent"), "right": ("✓", "value")}
BOUNDS = {"wrong": "above 1e−2", "look closer": "between", "right": "up to 1e−7"}


def draw(direction: np.ndarray, found: Check, curve: Iterable[Check], history: Iterable[Check]) -> str:
    """Draw a check, the same at every step, and the checks before it."""
    sheet = Sheet(900, 416, "A traffic light of the relative error, and all checks so far over the step h")
    sheet.text(14, 28, "loss(b) = sum(mean(op(X + b)))", size=15, bold=True)
    t = ", ".join(number(round(float(x), 4)) for x in direction)
    sheet.text(14, 52, f"direction t = ({t})", "soft_ink", size=14)
    for y, label, text, role in (
        (88, "rule, b̄ · t", f"{found.slope:.12g}", "adjoint"),
        (116, "quotient", f"{found.quotient:.12g}", "ink"),
        (148, "relative error", write_error(found.error), "ink"),
    ):
        sheet.text(14, y, label, role, size=16)
        sheet.code(136, y, [(text, role)], size=18)
    same = found.shape == BIAS.shape
    shapes = f"shape of b̄ {found.shape}, of b {BIAS.shape}  {'✓' if same else '✗ differ'}"
    sheet.text(14, 176, shapes, "ink" if same else "adjoint", size=14, bold=not same)
    _draw_light(sheet, found)
    _draw_plot(sheet, found, curve, history)
    return sheet.svg()


def _draw_light(sheet: Sheet, found: Check) -> None:
    """Draw three lamps, each with a sign and a word."""
    sheet.box(14, 200, 60, 202, "line", "constant_paper", 2)
    for k, (verdict, (sign, role)) in enumerate(LIGHTS.items()):
        y, lit = 236 + 65 * k, verdict == found.verdict
        sheet.dot(44, y, role if lit else "line", 24, hollow=not lit)
        sheet.text(44, y + 9, sign, "paper" if lit else "soft_ink", "middle", 26, bold=True)
        sheet.text(88, y - 2, verdict, role if lit else "soft_ink", size=17, bold=lit)
        sheet.text(88, y + 18, BOUNDS[verdict], "soft_ink", size=14)


def _draw_plot(sheet: Sheet, found: Check, curve: Iterable[Check], history: Iterable[Check]) -> None:
    axes = Axes(sheet, (384, 34, 506, 334), (SMALLEST - 0.3, LARGEST + 0.3), (FLOOR, CEILING))
    errors = [*make_power_ticks(range(-12, 1, 2)), (FLOOR, "0")]
    axes.scales(make_power_ticks(range(-12, 0, 2)), errors, "step h", "relative error of every check so far")
    sheet.text(890, 26, "line: this check at every h", "soft_ink", "end", 14)
    for bound, role in ((WRONG, "adjoint"), (RIGHT, "value")):
        axes.curve([(x, math.log10(bound)) for x in axes.x], role, 1.5, "6 4")
    axes.curve([(each.h, _take_log(each.error)) for each in curve], "soft_ink", 1.5)
    for each in history:
        _draw_mark(axes, each)
    sheet.dot(*axes.at(found.h, _take_log(found.error)), "ink", 11, hollow=True)
    _draw_mark(axes, found)


def _draw_mark(axes: Axes, found: Check) -> None:
    """Draw a shape of its own for each verdict: a disc, a triangle, a cross."""
    (x, y), (_, role) = axes.at(found.h, _take_log(found.error)), LIGHTS[found.verdict]
    if found.verdict == "right":
        axes.sheet.dot(x, y, role, 3.5)
    elif found.verdict == "look closer":
        axes.sheet.path([(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], role, 2, fill=role)
    else:
        for side in (1, -1):
            axes.sheet.path([(x - 5, y - 5 * side), (x + 5, y + 5 * side)], role, 2.5)


def _take_log(error: float) -> float:
    if not math.isfinite(error):
        return CEILING
    return max(math.log10(error), FLOOR) if error > 0 else FLOOR
