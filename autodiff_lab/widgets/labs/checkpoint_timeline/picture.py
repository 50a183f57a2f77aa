"""The picture of CheckpointTimeline: a schedule over time, the slots at this moment, and a meter for each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff_lab.widgets.labs.canvas import Axes, Sheet
from autodiff_lab.widgets.labs.marks import draw_bar, draw_legend, make_ticks

WIDTH, HEIGHT = 830, 520
FRAME = (56.0, 44.0, 474.0, 250.0)
BOXES = (568, 64)
BOX, ACROSS = 24, 10
METERS = 382
LEGEND = (
    ("advance", "value", 2.5, ""),
    ("reverse", "adjoint", 3.0, "4 3"),
    ("in a slot", "tangent", 1.2, ""),
    ("restore", "soft_ink", 1.0, "1 3"),
)


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
    axes.scales(
        make_ticks((0, total)),
        make_ticks(places),
        "steps run so far: extra ones, and recorded ones",
        "number of the state",
    )
    dropped = {place: when for when, place in _find_ends(snap["actions"])}
    at, hand = 0, 0
    for k, (kind, start, end) in enumerate(snap["actions"]):
        done = k < snap["done"]
        if kind == "advance":
            axes.curve([(at, start), (at + end - start, end)], "value" if done else "faint", 2.5)
            at, hand = at + end - start, end
        elif kind == "reverse":
            axes.curve([(at, end), (at + 1, start)], "adjoint" if done else "faint", 3, "4 3")
            at, hand = at + 1, start
        elif kind == "restore":
            if hand != start:
                axes.curve([(at, hand), (at, start)], "soft_ink" if done else "faint", 1, "1 3")
            hand = start
        elif kind == "store":
            until = dropped.get(k, total)
            axes.curve([(at, start), (until, start)], "tangent" if done else "faint", 1.2)
            x, y = axes.at(at, start)
            size = 7 if steps <= 40 else 4
            sheet.box(x - size / 2, y - size / 2, size, size, "tangent" if done else "line", "tangent" if done else "")
    y = FRAME[1] + FRAME[3] + 56
    for k, (words, role, width, dash) in enumerate(LEGEND):
        draw_legend(sheet, FRAME[0] + 124 * k, y, words, role, width, dash)
    sheet.box(FRAME[0] + 248 - 3, y - 8.5, 7, 7, "tangent", "tangent")


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
    left, top = BOXES
    held = snap["held"]
    sheet.text(left, top - 20, f"slots in use now: {len(held)}", "ink", size=14)
    for k in range(max(snap["slots"], len(held))):
        x, y = left + BOX * (k % ACROSS), top + BOX * (k // ACROSS)
        beyond = k >= snap["slots"]
        if beyond:
            corners = [(x + 2, y + 2), (x + BOX - 2, y + 2), (x + BOX - 2, y + BOX - 2), (x + 2, y + BOX - 2)]
            sheet.path([*corners, corners[0]], "adjoint", 1, "3 2")
        else:
            sheet.box(x + 1, y + 1, BOX - 2, BOX - 2, "tangent", width=1.5)
        if k < len(held):
            sheet.text(x + BOX / 2, y + 17, str(held[k]), "adjoint" if beyond else "tangent", "middle", 14)


def _draw_meters(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Draw two bars for each schedule: its peak of slots, and its extra forward steps."""
    columns = ((196, "peak slots", "tangent"), (520, "extra forward steps", "value"))
    largest = [max(amounts) or 1 for amounts in zip(*snap["meters"].values(), strict=True)]
    sheet.text(12, METERS + 6, "schedule", "soft_ink", size=14)
    for x, heading, role in columns:
        sheet.text(x, METERS + 6, heading, role, size=14)
    for row, (name, meter) in enumerate(snap["meters"].items()):
        y, now = METERS + 18 + 29 * row, name == snap["schedule"]
        if now:
            sheet.box(4, y - 1, WIDTH - 8, 26, "ink", width=2)
        sheet.text(12, y + 17, name, "ink" if now else "soft_ink", bold=now)
        lengths = [190 * amount / most for amount, most in zip(meter, largest, strict=True)]
        for (x, _, role), length, amount in zip(columns, lengths, meter, strict=True):
            draw_bar(sheet, x, y + 4, length, role, str(amount), bold=now)
        if meter[0] > snap["slots"]:
            sheet.text(columns[0][0] + lengths[0] + 50, y + 17, "too many", "adjoint", size=14)
