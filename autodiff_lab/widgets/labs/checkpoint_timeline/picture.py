"""The picture of CheckpointTimeline: a schedule over time, the slots at this moment, and a meter for each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.marks import draw_bar, draw_legend, make_ticks

WIDTH, HEIGHT = 900, 416
FRAME = (40.0, 30.0, 526.0, 306.0)
RIGHT, BARS, ROOM = 606, 732, 280
"""Where the schedules and the slots begin, where the bars do, and how wide it all is."""
SLOTS, DEEP = 256, 160
"""Where the boxes of the slots begin, and how much room they have downwards."""
LOOKS = {
    "advance": ("advance", "value", 2.5, ""),
    "reverse": ("reverse", "adjoint", 3.0, "4 3"),
    "store": ("in a slot", "tangent", 1.2, ""),
    "restore": ("restore", "soft_ink", 1.0, "1 3"),
}
"""For each kind of action what its line means, the line's role, width and dash."""


def draw(snap: dict[str, Any]) -> str:
    """Draw the picture of CheckpointTimeline, from a snapshot of it."""
    title = "A checkpointing schedule over time, the slots in use, and the costs of four schedules"
    sheet = Sheet(WIDTH, HEIGHT, title)
    _draw_timeline(sheet, snap)
    _draw_slots(sheet, snap)
    _draw_meters(sheet, snap)
    return sheet.svg()


def _draw_timeline(sheet: Sheet, snap: dict[str, Any]) -> None:
    steps, total = snap["steps"], snap["extra"] + snap["steps"]
    axes = Axes(sheet, FRAME, (0, total), (0, steps))
    places = (0, steps // 2, steps) if steps > 3 else (0, steps)
    across = "steps run so far: extra ones, and recorded ones"
    axes.scales(make_ticks((0, total)), make_ticks(places), across, "number of the state")
    dropped = {place: when for when, place in _find_ends(snap["actions"])}
    size = 7 if steps <= 40 else 4
    here = (0, 0)
    for k, (kind, start, end) in enumerate(snap["actions"]):
        at, done = here[0], k < snap["done"]
        there = {
            "advance": (at + end - start, end),
            "reverse": (at + 1, start),
            "restore": (at, start),
            "store": (dropped.get(k, total), start),
            "drop": here,
        }[kind]
        if kind == "reverse":
            here = (at, end)
        if there != here:
            _, role, width, dash = LOOKS[kind]
            axes.curve([here, there], role if done else "faint", width, dash)
        if kind == "store":
            x, y = axes.at(*here)
            sheet.box(x - size / 2, y - size / 2, size, size, "tangent" if done else "line", "tangent" if done else "")
        else:
            here = there
    y = FRAME[1] + FRAME[3] + 66
    for k, look in enumerate(LOOKS.values()):
        draw_legend(sheet, FRAME[0] + 136 * k, y, *look)
    sheet.box(FRAME[0] + 272 - 3, y - 8.5, 7, 7, "tangent", "tangent")


def _find_ends(actions: list[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Find when the slot of each store action is free again, as (time, position of the action)."""
    at, filled = 0, {}
    for k, (kind, start, end) in enumerate(actions):
        if kind == "store":
            filled[start] = k
        elif kind == "drop":
            yield at, filled.pop(start)
        at += end - start if kind in ("advance", "reverse") else 0


def _draw_slots(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw a box for each slot with the number of its state; slots beyond those that there are have a dashed edge."""
    held, count = snap["held"], max(snap["slots"], len(snap["held"]))
    size = next(size for size in (40, 28, 20) if (ROOM // size) * (DEEP // size) >= count)
    sheet.text(RIGHT, SLOTS - 12, f"slots in use now: {len(held)} of {snap['slots']}", bold=True)
    for k in range(count):
        x, y = RIGHT + size * (k % (ROOM // size)), SLOTS + size * (k // (ROOM // size))
        role, held_one = "adjoint" if k >= snap["slots"] else "tangent", k < len(held)
        fill = role if held_one and size == 20 else ""  # there is no room for numbers of two digits
        corners = [(x + 2, y + 2), (x + size - 2, y + 2), (x + size - 2, y + size - 2), (x + 2, y + size - 2)]
        sheet.path([*corners, corners[0]], role, 1.5, "3 2" if k >= snap["slots"] else "", fill)
        if held_one and not fill:
            sheet.text(x + size / 2, y + size / 2 + 5, str(held[k]), role, "middle", 14)


def _draw_meters(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw two bars for each schedule: its peak of slots, and its extra forward steps."""
    for x, measured, role in ((RIGHT, "peak slots", "tangent"), (BARS, "extra forward steps", "value")):
        sheet.box(x, 8, 12, 12, "", role)
        sheet.text(x + 18, 19, measured, role, size=14)
    largest = [max(amounts) or 1 for amounts in zip(*snap["meters"].values(), strict=True)]
    for row, (name, (peak, extra)) in enumerate(snap["meters"].items()):
        y, now = 30 + 47 * row, name == snap["schedule"]
        if now:
            sheet.box(RIGHT - 8, y - 3, ROOM + 14, 44, "ink", width=2)
        sheet.text(RIGHT, y + 24, name, "ink" if now else "soft_ink", size=14, bold=now)
        draw_bar(sheet, BARS, y + 2, 44 * peak / largest[0], "tangent", str(peak), 15, bold=now)
        draw_bar(sheet, BARS, y + 21, 100 * extra / largest[1], "value", str(extra), 15, bold=now)
        if peak > snap["slots"]:
            sheet.text(RIGHT + ROOM, y + 14, "too many", "adjoint", "end", size=14)
