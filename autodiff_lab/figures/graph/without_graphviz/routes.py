"""How the edges of a layered graph run: straight past the boxes of a rank, and curved only between two ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from autodiff_lab.figures.graph.without_graphviz.alignment import find_nearest

if TYPE_CHECKING:
    from autodiff_lab.figures.graph.without_graphviz.layers import Box, Point, Way

_APART = 20.0
_SAME = 0.05
_BORDER = 0.7
"""Edges arrive on so much of a border, at least so far from each other if there is room."""


def route_edges(ways: Sequence[Way], chains: Sequence[list[Box]], bounds: Sequence[tuple[float, float]]) -> None:
    """Set the points of every way, and the place of its label.

    Parameters
    ----------
    ways, chains
        The edges, and the boxes and points of each in the order of their ranks.
    bounds
        Where each rank begins and ends.
    """
    ports = _ports(chains)
    for k, (way, chain) in enumerate(zip(ways, chains, strict=True)):
        (first, here), (last, there) = (chain[0], ports[k, 0]), (chain[-1], ports[k, 1])
        forwards = first is way.tail
        arrows = way.arrows if forwards else way.arrows[::-1]
        begin, end = (first.along + _reach(first, here), here), (last.along - _reach(last, there), there)
        knots = [(begin[0] + arrows[0], here), (bounds[first.rank][1] + arrows[0], here)]
        knots += [(side, box.across) for box in chain[1:-1] for side in bounds[box.rank]]
        knots += [(bounds[last.rank][0] - arrows[1], there), (end[0] - arrows[1], there)]
        way.start, way.stop = (begin, end) if forwards else (end, begin)
        way.points = _curve(knots if forwards else knots[::-1])
        if way.length:
            way.label = chain[-2 if forwards else 1]


def _ports(chains: Sequence[list[Box]]) -> dict[tuple[int, int], float]:
    """Where each edge meets the border of its boxes: opposite to where it goes, in order, side by side."""
    sides: dict[tuple[Box, int], list[tuple[float, int]]] = {}
    for k, chain in enumerate(chains):
        sides.setdefault((chain[0], 0), []).append((chain[1].across, k))
        sides.setdefault((chain[-1], 1), []).append((chain[-2].across, k))
    ports = {}
    for (box, end), towards in sides.items():
        towards.sort()
        wide, count = _BORDER * box.breadth, len(towards)
        apart = min(_APART, wide / count)
        low, high = box.across - wide / 2, box.across + wide / 2
        limited = [min(max(across, low), high) for across, _ in towards]
        free = find_nearest(limited, [apart] * (count - 1), [1.0] * count)
        for i, ((_, k), across) in enumerate(zip(towards, free, strict=True)):
            ports[k, end] = min(max(across, low + i * apart), high - (count - 1 - i) * apart)
    return ports


def _reach(box: Box, across: float) -> float:
    """How far the border is from the middle of a box, along the ranks."""
    part = min(1.0, abs(across - box.across) / (box.breadth / 2)) if box.oval else 0.0
    return box.length / 2 * (1 - part * part) ** 0.5


def _curve(knots: Sequence[Point]) -> list[Point]:
    """Points of a Bézier curve through the knots, which it passes along the ranks; a straight stretch is one piece."""
    needed: list[Point] = []
    for knot in knots:
        if len(needed) > 1 and needed[-1][1] == needed[-2][1] == knot[1]:
            needed[-1] = knot
        elif not needed or max(abs(knot[0] - needed[-1][0]), abs(knot[1] - needed[-1][1])) > _SAME:
            needed.append(knot)
    curve = [needed[0]]
    for (along, across), (further, beyond) in pairwise(needed):
        middle = (along + further) / 2
        curve += [(middle, across), (middle, beyond), (further, beyond)]
    return curve
