"""The picture of BroadcastLens: small array and large array, above on the way forward, below on the way back."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from autodiff_lab.text.notation import NOT_REACHED, atom, number
from autodiff_lab.widgets.labs.broadcast_lens.flow import OPS, Flow
from autodiff_lab.widgets.labs.canvas import Point, Sheet
from autodiff_lab.widgets.labs.marks import draw_rule

WIDTH, HEIGHT = 900, 416
LEFT, RIGHT = 10, 424
FORWARD, BACKWARD = 82, 250
HALF = 122
"""How high the boxes of each half can be, with the wires below them."""
WIDEST, LANE, GAP, LAYER = 120, 16, 5, 14
CHANNEL = 400
MOST_TERMS = 6
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


def draw(snap: dict[str, Any], found: Flow | None) -> str:
    """Draw the picture of BroadcastLens, from a snapshot of it."""
    sheet = Sheet(WIDTH, HEIGHT, "A small and a large array, on the way forward and on the way back")
    sheet.text(LEFT, 24, f"y = {snap['program']}", size=18, bold=True)
    sheet.text(WIDTH - LEFT, 24, _describe_settings(snap), "soft_ink", "end", 14)
    draw_rule(sheet, LEFT, WIDTH - LEFT, 38, "faint")
    if found is None:
        for k, line in enumerate(textwrap.wrap(snap["refused"], LONGEST_LINE)):
            sheet.text(LEFT, 80 + 28 * k, line, "adjoint", size=18, bold=not k)
        return sheet.svg()
    _draw_forward(sheet, snap, found)
    _draw_backward(sheet, snap, found)
    return sheet.svg()


def _describe_settings(snap: dict[str, Any]) -> str:
    a, b, axes, operand = f"A {snap['a']}", f"B {snap['b']}", f"axes {snap['axes']}", snap["asked"]
    rule = "wrong rule" if snap["wrong"] else "right rule"
    if snap["over_axes"]:
        return f"{a}    {axes}    {rule}    (not used here: {b}, gradient of {operand})"
    return f"{a}    {b}    gradient of {operand}    {rule}    (not used here: {axes})"


def _draw_forward(sheet: Sheet, snap: dict[str, Any], found: Flow) -> None:
    small = Panel(LEFT, FORWARD, CHANNEL - LEFT, found.small.shape)
    large = Panel(RIGHT, FORWARD, WIDTH - RIGHT, found.large.shape)
    name = found.operand if found.copies else "S"
    sign = OPS[snap["program"]].sign if found.copies else ""
    sheet.text(LEFT, FORWARD - 14, f"{name}, shape {found.small.shape}", "value", bold=True)
    over = f"A {sign} B, place by place" if found.copies else "A"
    sheet.text(RIGHT, FORWARD - 14, f"{over}, shape {found.large.shape}", "value", bold=True)
    for k, x in enumerate(np.ravel(found.small)):
        _draw_entry(sheet, small, k, number(x), "value", k == snap["entry"])
    for k, x in enumerate(np.ravel(found.large)):
        glows = k in snap["places"]
        if found.copies:
            _draw_pair(sheet, large, k, x, np.ravel(found.other)[k], found.operand, sign, glows)
        else:
            _draw_entry(sheet, large, k, number(x), "value", glows)
    _draw_wires(sheet, small, snap["entry"], large, snap["places"], "value", to_large=found.copies)


def _draw_backward(sheet: Sheet, snap: dict[str, Any], found: Flow) -> None:
    bar = f"{found.operand if found.copies else 'S'}\N{COMBINING MACRON}"
    unsummed = found.lands is None
    shape = found.gradient.shape if unsummed else found.small.shape
    small = Panel(LEFT, BACKWARD, CHANNEL - LEFT, shape)
    large = Panel(RIGHT, BACKWARD, WIDTH - RIGHT, found.large.shape)
    step, entry, turn = snap["step"], snap["entry"], snap["step"] > 0
    asked = found.copies and not turn  # the shape is the learner's to say first
    mark = "" if not found.copies else " ✓" if found.fits else f" ✗  not {found.truth.shape}"
    sheet.text(LEFT, BACKWARD - 14, f"{bar}, shape {'?' if asked else f'{shape}{mark}'}", "adjoint", bold=True)
    heading = "what comes back to each place" if found.copies else "A\N{COMBINING MACRON}"
    mark = "" if found.copies or not turn else " ✓" if found.right else " ✗  the numbers are wrong"
    sheet.text(RIGHT, BACKWARD - 14, f"{heading}, shape {found.large.shape}{mark}", "adjoint", bold=True)
    if asked:
        sheet.text(LEFT, BACKWARD + 50, "?", "adjoint", size=54)
    for k in range(0 if asked else int(np.prod(shape))):
        home = int(np.ravel(found.homes)[k]) if unsummed else k
        there = home < step or not found.copies
        x = np.ravel(found.gradient)[k] if unsummed else np.ravel(found.small_back)[k]
        _draw_entry(sheet, small, k, number(x) if there else NOT_REACHED, "adjoint", turn and home == entry)
    lands = found.homes if found.lands is None else found.lands
    for k, home in enumerate(np.ravel(lands)):
        there = found.copies or home < step
        x = np.ravel(found.large_back)[k] if found.copies else np.ravel(found.gradient)[k]
        _draw_entry(sheet, large, k, number(x) if there else NOT_REACHED, "adjoint", turn and home == entry)
    if turn and not unsummed:
        _draw_wires(sheet, small, entry, large, snap["landed"], "adjoint", to_large=not found.copies)
    if turn:
        sheet.text(LEFT, HEIGHT - 14, _describe_turn(snap, found, bar), "adjoint", size=20, bold=True)


def _describe_turn(snap: dict[str, Any], found: Flow, bar: str) -> str:
    """The sum of this turn, or the number that is copied."""
    name = snap["name"].replace(snap["name"][0], bar, 1)
    if not found.copies:
        return f"{name} = {number(snap['sent'])}, copied to {len(snap['landed'])} places"
    terms = [atom(number(x)) for x in snap["terms"][:MOST_TERMS]]
    more = ["…"] if len(snap["terms"]) > MOST_TERMS else []
    if found.lands is None:
        return f"{', '.join(terms + more)}: nobody adds them"
    total = [number(snap["sent"])] if len(terms) > 1 else []
    return " = ".join([name, " + ".join(terms + more), *total])


def _draw_entry(sheet: Sheet, panel: Panel, k: int, text: str, role: str, glows: bool) -> None:
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
    if places and to_large:
        sheet.path([(x0, lane), (x0, y0)], role, 2)
    elif places:
        sheet.arrow((x0, lane + 1), (x0, y0 + 1), role, 2)
