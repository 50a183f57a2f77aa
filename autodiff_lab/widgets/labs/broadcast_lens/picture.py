"""The picture of BroadcastLens: small array and large array, above on the way forward, below on the way back."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from autodiff_lab.text.notation import NOT_REACHED, atom, number
from autodiff_lab.widgets.labs.broadcast_lens.flow import OPS, OVER_AXES, Flow, list_some
from autodiff_lab.widgets.labs.canvas import Point, Sheet
from autodiff_lab.widgets.labs.marks import draw_rule

WIDTH, HEIGHT = 900, 416
LEFT, RIGHT = 10, 424
FORWARD, BACKWARD = 82, 250
HALF = 122
"""How high the boxes of each half can be, with the wires below them."""
WIDEST, LANE, GAP, LAYER = 120, 16, 5, 14
CHANNEL = 400
LONGEST_LINE = 84


class Panel:
    """An array as boxes: rows below each other, the layers of a third axis side by side; as large as there is room."""

    def __init__(self, left: float, top: float, room: float, shape: tuple[int, ...]) -> None:
        self.left, self.top = left, top
        self.layers, self.rows, self.columns = (1,) * (3 - len(shape)) + shape
        across = (room - LAYER * (self.layers - 1)) / (self.layers * self.columns) - GAP
        self.wide, self.high = min(WIDEST, across), min(40.0, HALF / self.rows - LANE)
        self.size = 18 if self.wide > 90 else 14
        """Of the type."""

    def corner(self, k: int) -> Point:
        """The upper left corner of the k-th entry."""
        layer, row, column = np.unravel_index(k, (self.layers, self.rows, self.columns))
        across = layer * (self.columns * (self.wide + GAP) + LAYER) + column * (self.wide + GAP)
        return self.left + float(across), self.top + float(row) * (self.high + LANE)

    def foot(self, k: int) -> Point:
        """The middle of its lower edge, where wires end."""
        x, y = self.corner(k)
        return x + self.wide / 2, y + self.high

    def baseline(self, k: int) -> float:
        """Where the words in an entry stand."""
        return self.foot(k)[1] - self.high / 2 + 0.36 * self.size


def draw(settings: dict[str, Any], found: Flow | str, step: int) -> str:
    """Draw the two arrays after some turns; or write why NumPy cannot combine them."""
    sheet = Sheet(WIDTH, HEIGHT, "A small and a large array, on the way forward and on the way back")
    sheet.text(LEFT, 24, f"y = {settings['program']}", size=18, bold=True)
    sheet.text(WIDTH - LEFT, 24, _describe_settings(settings), "soft_ink", "end", 14)
    draw_rule(sheet, LEFT, WIDTH - LEFT, 38, "faint")
    if isinstance(found, str):
        for k, line in enumerate(textwrap.wrap(found, LONGEST_LINE)):
            sheet.text(LEFT, 80 + 28 * k, line, "adjoint", size=18, bold=not k)
        return sheet.svg()
    _draw_forward(sheet, found, max(step - 1, 0), OPS[settings["program"]].sign if found.copies else "")
    _draw_backward(sheet, found, step)
    return sheet.svg()


def _describe_settings(at: dict[str, Any]) -> str:
    a, b, axes = f"A {at['a']}", f"B {at['b']}", f"axes {at['axes']}"
    rule = "wrong rule" if at["wrong"] else "right rule"
    if at["program"] == OVER_AXES:
        return f"{a}    {axes}    {rule}    (not used here: {b}, gradient of {at['operand']})"
    return f"{a}    {b}    gradient of {at['operand']}    {rule}    (not used here: {axes})"


def _make_panels(top: float, small: tuple[int, ...], large: tuple[int, ...]) -> tuple[Panel, Panel]:
    return Panel(LEFT, top, CHANNEL - LEFT, small), Panel(RIGHT, top, WIDTH - RIGHT, large)


def _draw_forward(sheet: Sheet, found: Flow, entry: int, sign: str) -> None:
    small, large = _make_panels(FORWARD, found.small.shape, found.large.shape)
    sheet.text(LEFT, FORWARD - 14, f"{found.small_name}, shape {found.small.shape}", "value", bold=True)
    over = f"A {sign} B, place by place" if found.copies else "A"
    sheet.text(RIGHT, FORWARD - 14, f"{over}, shape {found.large.shape}", "value", bold=True)
    _draw_entries(sheet, small, found.small, np.arange(found.small.size), "value", entry)
    if found.other is None:
        _draw_entries(sheet, large, found.large, found.homes, "value", entry)
    else:
        for k, (x, other, home) in enumerate(zip(found.large.flat, found.other.flat, found.homes.flat, strict=True)):
            _draw_pair(sheet, large, k, x, other, found.operand, sign, home == entry)
    _draw_wires(sheet, small, entry, large, found.places(entry), "value", to_large=found.copies)


def _draw_backward(sheet: Sheet, found: Flow, step: int) -> None:
    unsummed, turn = found.lands is None, step > 0
    entry = step - 1  # at the beginning none has its turn
    bar = found.small_name + "\N{COMBINING MACRON}"
    back, homes = (found.large_back, found.homes) if unsummed else (found.small_back, np.arange(found.small.size))
    small, large = _make_panels(BACKWARD, back.shape, found.large.shape)
    asked = found.copies and not turn  # the shape is the learner's to say first
    mark = "" if not found.copies else " ✓" if found.fits else f" ✗  not {found.truth.shape}"
    sheet.text(LEFT, BACKWARD - 14, f"{bar}, shape {'?' if asked else f'{back.shape}{mark}'}", "adjoint", bold=True)
    heading = "what comes back to each place" if found.copies else "A\N{COMBINING MACRON}"
    mark = "" if found.copies or not turn else " ✓" if found.right else " ✗  the numbers are wrong"
    sheet.text(RIGHT, BACKWARD - 14, f"{heading}, shape {found.large.shape}{mark}", "adjoint", bold=True)
    copied, summed = (step, None) if found.copies else (None, step)
    if asked:
        sheet.text(LEFT, BACKWARD + 50, "?", "adjoint", size=54)
    else:
        _draw_entries(sheet, small, back, homes, "adjoint", entry, copied)
    lands = found.homes if found.lands is None else found.lands
    _draw_entries(sheet, large, found.large_back if found.copies else found.gradient, lands, "adjoint", entry, summed)
    if turn and not unsummed:
        _draw_wires(sheet, small, entry, large, found.places_back(entry), "adjoint", to_large=not found.copies)
    if turn:
        sheet.text(LEFT, HEIGHT - 14, _describe_turn(found, entry, bar), "adjoint", size=20, bold=True)


def _describe_turn(found: Flow, entry: int, bar: str) -> str:
    """The sum of this turn, or the number that is copied."""
    name, sent = found.name(entry).replace(found.small_name, bar, 1), number(found.sent(entry))
    if not found.copies:
        return f"{name} = {sent}, copied to {len(found.places_back(entry))} places"
    terms = [atom(number(x)) for x in found.terms(entry)]
    if found.lands is None:
        return f"{list_some(terms)}: nobody adds them"
    return " = ".join([name, list_some(terms, " + "), *[sent][: len(terms) > 1]])


def _draw_entries(
    sheet: Sheet, panel: Panel, values: np.ndarray, homes: np.ndarray, role: str, entry: int, known: int | None = None
) -> None:
    """Draw all entries of an array. Those of one home glow; with `known` those of the first homes have their number."""
    for k, (x, home) in enumerate(zip(values.flat, homes.flat, strict=True)):
        glows = home == entry
        text = number(x) if known is None or home < known else NOT_REACHED
        _draw_frame(sheet, panel, k, role, glows)
        sheet.text(panel.foot(k)[0], panel.baseline(k), text, "ink", "middle", panel.size, bold=glows)


def _draw_pair(
    sheet: Sheet, panel: Panel, k: int, mine: float, other: float, operand: str, sign: str, glows: bool
) -> None:
    """Both operands at one place, in the order of the program; the one that is watched stands out."""
    _draw_frame(sheet, panel, k, "value", glows)
    (x, _), y, size = panel.corner(k), panel.baseline(k), panel.size
    first, second = (mine, other) if operand == "A" else (other, mine)
    plain, watched = ("ink", "ink") if glows else ("soft_ink", "value")  # to be read on the glow, too
    roles = (watched, plain) if operand == "A" else (plain, watched)
    left, right = number(first), number(second)
    middle = x + panel.wide * (len(left) + 1) / (len(left) + len(right) + 2)  # the sign, so that all fits
    sheet.text(middle - size / 2, y, left, roles[0], "end", size, bold=operand == "A")
    sheet.text(middle, y, sign, plain, "middle", size)
    sheet.text(middle + size / 2, y, right, roles[1], "start", size, bold=operand == "B")


def _draw_frame(sheet: Sheet, panel: Panel, k: int, role: str, glows: bool) -> None:
    x, y = panel.corner(k)
    paper = "adjoint_paper" if role == "adjoint" else "constant_paper"
    sheet.box(x, y, panel.wide, panel.high, role if glows else "line", paper if glows else "", 3.5 if glows else 1)


def _draw_wires(
    sheet: Sheet, small: Panel, entry: int, large: Panel, places: list[int], role: str, to_large: bool
) -> None:
    """Lines between one small entry and its places, running below the rows; the heads say which way."""
    x0, y0 = small.foot(entry)
    dash = "7 4" if role == "adjoint" else ""
    lane = y0 + 11
    for place in places:
        x1, y1 = large.foot(place)
        sheet.path([(x0, lane), (CHANNEL, lane), (CHANNEL, y1 + 11), (x1, y1 + 11)], role, 2, dash)
        if to_large:
            sheet.arrow((x1, y1 + 12), (x1, y1 + 1), role, 2)
        else:
            sheet.path([(x1, y1 + 11), (x1, y1)], role, 2)
    if to_large:
        sheet.path([(x0, lane), (x0, y0)], role, 2)
    elif places:
        sheet.arrow((x0, lane + 1), (x0, y0 + 1), role, 2)
