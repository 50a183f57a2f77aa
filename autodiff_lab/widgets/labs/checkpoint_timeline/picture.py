"""The picture of CheckpointTimeline: a schedule over time, the slots at this moment, and a meter for each schedule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff_lab.widgets.labs.canvas import Axes, Sheet

SIZE = (830, 520)
FRAME = (56.0, 44.0, 474.0, 250.0)
BOXES = (568, 64)
BOX, ACROSS = 24, 10
METERS = 382


def drawn(snap: dict[str, Any]) -> str:
    """The picture of a snapshot."""
    sheet = Sheet(*SIZE, "A checkpointing schedule over time, the slots in use, and the costs of four schedules")
    _timeline(sheet, snap)
    _slots_in_use(sheet, snap)
    _meters(sheet, snap)
    return sheet.svg()


def _timeline(sheet: Sheet, snap: dict[str, Any]) -> None:
    steps, total = snap["steps"], snap["extra"] + snap["steps"]
    axes = Axes(sheet, FRAME, (0, total), (0, steps))
    middle = [(steps // 2, str(steps // 2))] if steps > 3 else []
    axes.scales(
        [(0, "0"), (total, str(total))],
        [(0, "0"), *middle, (steps, str(steps))],
        "steps run so far: extra ones, and recorded ones",
        "number of the state",
    )
    dropped = {place: when for when, place in _ends(snap["actions"])}
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
    x = FRAME[0]
    for words, role, width, dash in (
        ("advance", "value", 2.5, ""),
        ("reverse", "adjoint", 3.0, "4 3"),
        ("in a slot", "tangent", 1.2, ""),
        ("restore", "soft_ink", 1.0, "1 3"),
    ):
        y = FRAME[1] + FRAME[3] + 56
        sheet.path([(x, y - 5), (x + 24, y - 5)], role, width, dash)
        if words == "in a slot":
            sheet.box(x - 3, y - 8.5, 7, 7, "tangent", "tangent")
        sheet.text(x + 30, y, words, role, size=14)
        x += 118


def _ends(actions: list[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """When the slot of each store action is free again, as (time, position of the action)."""
    at, filled = 0, {}
    for k, (kind, start, end) in enumerate(actions):
        if kind == "store":
            filled[start] = k
        elif kind == "drop":
            yield at, filled.pop(start)
        at += end - start if kind in ("advance", "reverse") else 0


def _slots_in_use(sheet: Sheet, snap: dict[str, Any]) -> None:
    """A box for each slot with the number of the state in it; slots beyond those that there are have a dashed edge."""
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


def _meters(sheet: Sheet, snap: dict[str, Any]) -> None:
    """Two bars for each schedule: peak slots, with a mark at those there are; and extra forward steps."""
    columns = ((196, 190, "peak slots", "tangent", 0), (520, 190, "extra forward steps", "value", 1))
    largest = [max(meter[which] for meter in snap["meters"].values()) or 1 for which in (0, 1)]
    sheet.text(12, METERS + 6, "schedule", "soft_ink", size=14)
    for x, _, heading, role, _ in columns:
        sheet.text(x, METERS + 6, heading, role, size=14)
    for row, (name, meter) in enumerate(snap["meters"].items()):
        y, now = METERS + 18 + 29 * row, name == snap["schedule"]
        if now:
            sheet.box(4, y - 1, SIZE[0] - 8, 26, "ink", width=2)
        sheet.text(12, y + 17, name, "ink" if now else "soft_ink", bold=now)
        for x, width, _, role, which in columns:
            length = max(2.0, width * meter[which] / largest[which])
            sheet.box(x, y + 4, length, 16, "", role)
            sheet.text(x + length + 8, y + 17, str(meter[which]), role, size=14, bold=now)
        if meter[0] > snap["slots"]:
            x, width = columns[0][:2]
            length = width * meter[0] / largest[0]
            sheet.text(x + length + 50, y + 17, "too many", "adjoint", size=14)
