"""The viewport: a window on a graph that is too large for a picture. It follows the steps, moving only if it must."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autodiff_lab.figures.graph.dot_builder import name_boxes
from autodiff_lab.trace.model import Group, Trace

# The space around the boxes that a step is about, in points.
_AIR = 24.0
# No text in a graph is wider than this, in points.
_LONGEST_TEXT = 400.0

# The upper left corner of the window, in points of the graph.
Corner = tuple[float, float]


def place_windows(
    trace: Trace, groups: Sequence[Group], layout: Mapping[str, Any], width: float, height: float
) -> list[Corner]:
    """Place the viewport on a large graph for each step of a run; the first corner is for the time before all steps.

    Parameters
    ----------
    trace : Trace
    groups : sequence of Group
        The lines that share a box.
    layout : mapping
        The places of the boxes, from `layout.layout_of`.
    width, height : float
        The size of the window.
    """
    names = name_boxes(range(len(trace.lines)), [group for group in groups if group.size > 1])
    boxes = {i: layout["nodes"][name] for i, name in names.items()}
    corners: list[Corner] = []
    x, y = 0.0, max(0.0, (layout["height"] - height) / 2)
    for lines in _lines_in_focus(trace):
        x = _scroll(x, width, layout["width"], [_extent(boxes[i], "x", "w") for i in lines])
        y = _scroll(y, height, layout["height"], [_extent(boxes[i], "y", "h") for i in lines])
        corners.append((x, y))
    return corners


def _lines_in_focus(trace: Trace) -> Iterator[list[int]]:
    """Yield the lines that each step is about, its own line first; before all steps, that is the first line."""
    yield [0]
    for step in trace.steps:
        if step.phase in ("seed", "sweep"):
            others = [send.parent for send in step.sends]
        else:
            others = [operand.parent for operand in trace.lines[step.line].line_operands]
        yield [step.line, *others]


def _extent(box: Mapping[str, float], middle: str, side: str) -> tuple[float, float]:
    return box[middle] - box[side] / 2, box[middle] + box[side] / 2


def _scroll(
    start: float, window: float, whole: float, boxes: Sequence[tuple[float, float]]
) -> float:
    """Move a window, in one dimension, so that it shows the boxes, and return its new start.

    It doesn't move if it shows all of them already. If they don't fit, it shows the first.
    """
    low = min(low for low, _ in boxes) - _AIR
    high = max(high for _, high in boxes) + _AIR
    if high - low > window:
        low, high = boxes[0]
    if low < start or high > start + window:
        start = (low + high - window) / 2
    return min(max(start, 0.0), max(0.0, whole - window))


_ELEMENT = re.compile(r"<(?:path|polygon|polyline|ellipse|text)\b[^>]*?(?:/>|>[^<]*</text>)")
_PAIR = re.compile(r'(-?[\d.]+),(-?[\d.]+)| c?x="(-?[\d.]+)" c?y="(-?[\d.]+)"')
_SHIFT = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")


def crop(drawn: str, corner: Corner, width: float, height: float) -> str:
    """Crop the SVG of a graph, as `render.picture` writes it, by removing the elements outside of the viewport."""
    left, top = corner
    shift = _SHIFT.search(drawn)
    if shift:
        left -= float(shift[1])
        top -= float(shift[2])

    def keep(found: re.Match[str]) -> str:
        tag = found[0]
        pairs = [(float(x or cx), float(y or cy)) for x, y, cx, cy in _PAIR.findall(tag)]
        if not pairs:
            return tag
        xs, ys = zip(*pairs, strict=True)
        reach = _LONGEST_TEXT if tag.startswith("<text") else _AIR
        is_across = max(xs) + reach >= left and min(xs) - _AIR <= left + width
        is_down = max(ys) + _AIR >= top and min(ys) - _AIR <= top + height
        return tag if is_across and is_down else ""

    return _ELEMENT.sub(keep, drawn)
