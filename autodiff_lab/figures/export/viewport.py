"""A window on a graph that is too large for a picture: it follows the steps, and moves only when it has to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autodiff_lab.trace.groups import Group
from autodiff_lab.trace.model import Trace

_AIR = 24.0

Corner = tuple[float, float]
"""Where the upper left corner of the window is, in points of the graph."""


def corners(
    trace: Trace, groups: Sequence[Group], layout: Mapping[str, Any], width: float, height: float
) -> list[Corner]:
    """Give the place of the window at each step, the first before all steps.

    Parameters
    ----------
    trace : Trace
    groups : sequence of Group
        Which lines share a box.
    layout : mapping
        Where the boxes are, as `layout.layout_of` says.
    width, height : float
        The size of the window.
    """
    boxes = _boxes(trace, groups, layout)
    places: list[Corner] = []
    x, y = 0.0, max(0.0, (layout["height"] - height) / 2)
    for about in _about(trace):
        all_of_them = [boxes[i] for i in about]
        if all_of_them:
            x = _moved(x, width, layout["width"], [across for across, _ in all_of_them])
            y = _moved(y, height, layout["height"], [down for _, down in all_of_them])
        places.append((x, y))
    return places


_ELEMENT = re.compile(r"<(?:path|polygon|polyline|ellipse|text)\b[^>]*?(?:/>|>[^<]*</text>)")
_PAIR = re.compile(r"(-?[\d.]+),(-?[\d.]+)")
_PLACE = re.compile(r' c?x="(-?[\d.]+)" c?y="(-?[\d.]+)"')
_SHIFT = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")
_LONGEST_TEXT = 400.0


def within(drawn: str, corner: Corner, width: float, height: float) -> str:
    """Leave out of a picture, as `drawing.picture` writes it, what lies outside of the window."""
    shift = _SHIFT.search(drawn)
    left, top = (a - float(b) for a, b in zip(corner, shift.groups() if shift else (0, 0), strict=True))

    def kept(found: re.Match[str]) -> str:
        tag = found[0]
        pairs = [(float(x), float(y)) for x, y in _PAIR.findall(tag) or _PLACE.findall(tag)]
        if not pairs:
            return tag
        xs, ys = zip(*pairs, strict=True)
        text = _LONGEST_TEXT if tag.startswith("<text") else _AIR
        inside = max(xs) + text >= left and min(xs) - _AIR <= left + width
        return tag if inside and max(ys) + _AIR >= top and min(ys) - _AIR <= top + height else ""

    return _ELEMENT.sub(kept, drawn)


def _about(trace: Trace) -> Iterator[list[int]]:
    """The lines that each step is about, its own first; before all steps that is the first line."""
    yield [0] if trace.lines else []
    for now in trace.steps:
        if now.phase in ("seed", "sweep"):
            yield [now.line, *(send.parent for send in now.sends)]
        else:
            yield [now.line, *(o.line for o in trace.lines[now.line].operands if o.line is not None)]


Stretch = tuple[float, float]


def _moved(at: float, window: float, whole: float, stretches: Sequence[Stretch]) -> float:
    """Put the stretches into the middle if the window does not show them all; if they are too far apart, the first."""
    low, high = min(low for low, _ in stretches) - _AIR, max(high for _, high in stretches) + _AIR
    if high - low > window:
        low, high = stretches[0]
    if low < at or high > at + window:
        at = (low + high - window) / 2
    return min(max(at, 0.0), max(0.0, whole - window))


def _boxes(trace: Trace, groups: Sequence[Group], layout: Mapping[str, Any]) -> list[tuple[Stretch, Stretch]]:
    """From where to where the box of each line goes, across and down."""
    names = [f"n{i}" for i in range(len(trace.lines))]
    for group in groups:
        if group.end - group.first > 1:
            names[group.first : group.end] = [f"g{group.first}"] * (group.end - group.first)
    nodes = [layout["nodes"][name] for name in names]
    return [((n["x"] - n["w"] / 2, n["x"] + n["w"] / 2), (n["y"] - n["h"] / 2, n["y"] + n["h"] / 2)) for n in nodes]
