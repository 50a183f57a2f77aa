"""The picture of NewtonHVP: the curve with the path on it, slope and curvature below, the last places beside."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from autodiff_lab.text.notation import number
from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.marks import draw_heads, draw_rule, make_ticks
from autodiff_lab.widgets.labs.newton_hvp.methods import Place, f, find_derivatives

SPAN = (-12.0, 26.0)
CURVE, SLOPES = (44, 34, 452, 248), (44, 340, 452, 136)
HEIGHTS, RATES = (1.5, 6.2), (-0.36, 0.36)
WIDTH = 830
RIGHT, LISTED = 516, 16
Ends = tuple[float, float]


def draw(places: Sequence[Place], method: str, convex: Ends, arrives: Ends) -> str:
    """Draw the path so far."""
    sheet = Sheet(WIDTH, 528, "The curve ln((x − 7)² + 10), where it bends upwards and downwards, and the path on it")
    sheet.paste(_draw_background(convex, arrives))
    _draw_line_to_zero(sheet, places, method)
    _draw_path(sheet, places)
    _draw_list(sheet, places, method)
    return sheet.svg()


@functools.lru_cache(maxsize=2)
def _draw_background(convex: Ends, arrives: Ends) -> Sheet:
    """What does not move: curves, zones and scales."""
    sheet = Sheet(0, 0, "")
    above, below = Axes(sheet, CURVE, SPAN, HEIGHTS), Axes(sheet, SLOPES, SPAN, RATES)
    for left, right in ((SPAN[0], convex[0]), (convex[1], SPAN[1])):
        (x0, _), (x1, _) = above.at(left, 0), above.at(right, 0)
        for _, top, _, height in (CURVE, SLOPES):
            sheet.box(x0, top, x1 - x0, height, "", "constant_paper")
    ticks = make_ticks((-10, -5, 0, 7, 15, 20, 25))
    above.scales(ticks, make_ticks(range(2, 7)))
    below.scales(ticks, make_ticks((-0.3, 0, 0.3)), "x")
    x = np.linspace(*SPAN, 191)
    slopes, curvatures = find_derivatives(x)
    above.curve(list(zip(x.tolist(), f(x).tolist(), strict=True)), "value", 3)
    below.curve([(SPAN[0], 0.0), (SPAN[1], 0.0)], "line", 1)
    below.curve(list(zip(x.tolist(), slopes.tolist(), strict=True)), "adjoint", 2.5, "8 4")
    below.curve(list(zip(x.tolist(), curvatures.tolist(), strict=True)), "ink", 2, "2 4")
    sheet.text(CURVE[0], 20, "f(x) = ln((x − 7)² + 10)", "value", size=14, bold=True)
    for at, bends in ((SPAN[0] + 0.4, "f″ < 0"), (convex[0] + 1.55, "f″ > 0"), (SPAN[1] - 4.6, "f″ < 0")):
        sheet.text(*above.at(at, 1.62), bends, "soft_ink", size=14)
    start, end = above.at(arrives[0], 6.0), above.at(arrives[1], 6.0)
    sheet.path([(start[0], 46), (start[0], 56), (end[0], 56), (end[0], 46)], "tangent", 2.5)
    sheet.text(end[0] + 8, 57, "Newton arrives", "tangent", size=14)
    sheet.text(SLOPES[0], 328, "f′, dashed", "adjoint", size=14, bold=True)
    sheet.text(SLOPES[0] + 96, 328, "f″, dotted", "ink", size=14, bold=True)
    return sheet


def _draw_line_to_zero(sheet: Sheet, places: Sequence[Place], method: str) -> None:
    """Newton's idea in the lower picture: f′ goes on in a straight line, and the step ends where that line is 0."""
    if len(places) < 2 or method == "gradient descent":
        return
    below, at = Axes(sheet, SLOPES, SPAN, RATES), places[-2]
    if method != "Newton" and at.curvature <= 0:  # damped, it does not go where this line leads
        return
    aim = at.x - at.slope / at.curvature if at.curvature else at.x
    x = np.linspace(at.x, min(max(aim, SPAN[0]), SPAN[1]), 60)
    line = [(float(each), at.slope + at.curvature * (float(each) - at.x)) for each in x]
    below.curve(line, "tangent", 3)
    if SPAN[0] <= at.x <= SPAN[1]:
        sheet.dot(*below.at(at.x, at.slope), "tangent", 5)
    if SPAN[0] <= aim <= SPAN[1]:
        sheet.dot(*below.at(aim, 0.0), "tangent", 6, hollow=True)


def _draw_path(sheet: Sheet, places: Sequence[Place]) -> None:
    above = Axes(sheet, CURVE, SPAN, HEIGHTS)
    at = [above.at(place.x, place.value) for place in places]
    for k in range(max(0, len(at) - 6), len(at) - 1):
        if not any(SPAN[0] <= place.x <= SPAN[1] for place in places[k : k + 2]):
            continue
        if k == len(at) - 2:
            sheet.arrow(at[k], at[k + 1], "ink", 2.5)
        else:
            sheet.path([at[k], at[k + 1]], "soft_ink", 1.5, "3 4")
    for k, point in enumerate(at[:-1]):
        if SPAN[0] <= places[k].x <= SPAN[1]:
            sheet.dot(*point, "ink", 5 if k == 0 else 3.5, hollow=True)
    here = places[-1]
    if SPAN[0] <= here.x <= SPAN[1]:
        sheet.dot(*at[-1], "ink", 7)
        return
    left = here.x < SPAN[0]
    edge, y = CURVE[0] + (8 if left else CURVE[2] - 8), CURVE[1] + 196
    words = f"← x = {number(here.x)}" if left else f"x = {number(here.x)} →"
    sheet.text(edge, y, words, "ink", "start" if left else "end", bold=True)


def _draw_list(sheet: Sheet, places: Sequence[Place], method: str) -> None:
    sheet.text(RIGHT, 20, method, "ink", bold=True)
    columns = (RIGHT + 28, RIGHT + 118, RIGHT + 210, RIGHT + 304)
    draw_heads(sheet, 50, [(at, head, "end") for at, head in zip(columns, ("step", "x", "f′", "f″"), strict=True)])
    draw_rule(sheet, RIGHT, WIDTH - 8, 58)
    first = max(0, len(places) - LISTED)
    for row, (k, place) in enumerate(list(enumerate(places))[first:]):
        last = k == len(places) - 1
        entries = (str(k), number(place.x), number(place.slope), number(place.curvature))
        for at, text, role in zip(columns, entries, ("soft_ink", "value", "adjoint", "ink"), strict=True):
            sheet.text(at, 82 + 26 * row, text, role, "end", 14, bold=last)
