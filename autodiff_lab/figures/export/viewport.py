"""The viewport: a window on a graph too large for a picture, which follows the steps and moves only when it must."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autodiff_lab.figures.graph.dot_builder import name_boxes
from autodiff_lab.trace.model import Group, Trace

_AIR = 24.0
_LONGEST_TEXT = 400.0

# Where the upper left corner of the window is, in points of the graph.
Corner = tuple[float, float]


def place_windows(
    trace: Trace, groups: Sequence[Group], layout: Mapping[str, Any], width: float, height: float
) -> list[Corner]:
    """Place the viewport on a large graph at each step of a run, the first before all steps.

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
    """Yield the lines that each step is about, its own first; before all steps that is the first line."""
    yield [0]
    for now in trace.steps:
        operands = [
            operand.line for operand in trace.lines[now.line].operands if operand.line is not None
        ]
        back = now.phase in ("seed", "sweep")
        yield [now.line, *([send.parent for send in now.sends] if back else operands)]


def _extent(box: Mapping[str, float], middle: str, side: str) -> tuple[float, float]:
    return box[middle] - box[side] / 2, box[middle] + box[side] / 2


def _scroll(
    start: float, window: float, whole: float, boxes: Sequence[tuple[float, float]]
) -> float:
    """Return where the window starts once it shows the boxes; if they are far apart, the first.

    It stays where it is as long as it shows them all.
    """
    low, high = min(low for low, _ in boxes) - _AIR, max(high for _, high in boxes) + _AIR
    if high - low > window:
        low, high = boxes[0]
    if low < start or high > start + window:
        start = (low + high - window) / 2
    return min(max(start, 0.0), max(0.0, whole - window))


_ELEMENT = re.compile(r"<(?:path|polygon|polyline|ellipse|text)\b[^>]*?(?:/>|>[^<]*</text>)")
_PAIR = re.compile(r'(-?[\d.]+),(-?[\d.]+)| c?x="(-?[\d.]+)" c?y="(-?[\d.]+)"')
_SHIFT = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")


def crop(drawn: str, corner: Corner, width: float, height: float) -> str:
    """Crop the SVG of a graph, as `render.picture` writes it: what lies outside of the viewport is left out."""
    shift = _SHIFT.search(drawn)
    left, top = (
        a - float(b) for a, b in zip(corner, shift.groups() if shift else (0, 0), strict=True)
    )

    def keep(found: re.Match[str]) -> str:
        tag = found[0]
        pairs = [(float(x or cx), float(y or cy)) for x, y, cx, cy in _PAIR.findall(tag)]
        if not pairs:
            return tag
        xs, ys = zip(*pairs, strict=True)
        reach = _LONGEST_TEXT if tag.startswith("<text") else _AIR
        across = max(xs) + reach >= left and min(xs) - _AIR <= left + width
        return tag if across and max(ys) + _AIR >= top and min(ys) - _AIR <= top + height else ""

    return _ELEMENT.sub(keep, drawn)
