"""How the edges of a layered graph run: straight past the boxes of a rank, and curved only between two ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from autodiff_lab.figures.graph.without_graphviz.alignment import nearest

if TYPE_CHECKING:
    from autodiff_lab.figures.graph.without_graphviz.layers import Box, Way

__all__ = ["make_room", "put_beside", "routed"]

_APART = 10.0
_BORDER = 0.7
"""Edges arrive on so much of a border, at least so far from each other if there is room."""

_LOOP = 22.0


def routed(ways: Sequence[Way], chains: Sequence[list[Box]], bounds: Sequence[tuple[float, float]]) -> None:
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
        forwards = first.name == way.tail
        arrows = way.arrows if forwards else way.arrows[::-1]
        begin, end = (first.along + _reach(first, here), here), (last.along - _reach(last, there), there)
        knots = [(begin[0] + arrows[0], here), (bounds[first.rank][1] + arrows[0], here)]
        for box in chain[1:-1]:
            knots += [(side, box.across) for side in bounds[box.rank]]
        knots += [(bounds[last.rank][0] - arrows[1], there), (end[0] - arrows[1], there)]
        way.start, way.stop = (begin, end) if forwards else (end, begin)
        way.points = _curve(knots if forwards else knots[::-1])
        if way.length:
            box = chain[-2 if forwards else 1]
            way.label = (box.along, box.across)


def _ports(chains: Sequence[list[Box]]) -> dict[tuple[int, int], float]:
    """Where each edge meets the border of its boxes: opposite to where it goes, in order, side by side."""
    sides: dict[tuple[Box, int], list[tuple[float, int]]] = {}
    for k, chain in enumerate(chains):
        sides.setdefault((chain[0], 0), []).append((chain[1].across, k))
        sides.setdefault((chain[-1], 1), []).append((chain[-2].across, k))
    ports = {}
    for (box, end), towards in sides.items():
        towards.sort()
        wide = _BORDER * box.breadth
        apart = min(_APART, wide / len(towards))
        low, high = box.across - wide / 2, box.across + wide / 2
        for (_, k), across in zip(towards, _spread([x for x, _ in towards], apart, low, high), strict=True):
            ports[k, end] = across
    return ports


def _spread(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """The nearest places to those wanted, so far apart and between these limits."""
    limited, count = [min(max(want, low), high) for want in wanted], len(wanted)
    free = nearest(limited, [apart] * (count - 1), [1.0] * count)
    return [min(max(x, low + k * apart), high - (count - 1 - k) * apart) for k, x in enumerate(free)]


def _reach(box: Box, across: float) -> float:
    """How far the border is from the middle of a box, along the ranks."""
    if not box.oval or not box.breadth:
        return box.length / 2
    part = min(1.0, abs(across - box.across) / (box.breadth / 2))
    return box.length / 2 * (1 - part * part) ** 0.5


def _curve(knots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points of a Bézier curve through the knots, which it passes along the ranks; a straight stretch is one piece."""
    lean: list[tuple[float, float]] = []
    for knot in knots:
        if len(lean) > 1 and lean[-1][1] == lean[-2][1] == knot[1]:
            lean[-1] = knot
        elif not lean or knot != lean[-1]:
            lean.append(knot)
    curve = [lean[0]]
    for (along, across), (further, beyond) in pairwise(lean):
        middle = (along + further) / 2
        curve += [(middle, across), (middle, beyond), (further, beyond)]
    return curve


def make_room(way: Way, box: Box) -> None:
    """Let a box take the room beside it that an edge from it to itself needs."""
    box.aside += _LOOP + way.breadth
    way.label = (0.0, box.breadth / 2 + box.aside - way.breadth / 2) if way.length else None
    way.stop = (0.0, box.breadth / 2 + box.aside - way.breadth)


def put_beside(way: Way, box: Box) -> None:
    """Draw an edge from a box to itself, where there was made room for it."""
    far, up = box.across + way.stop[1] - 4, box.length / 4
    near = box.across + box.breadth / 2 * (0.75**0.5 if box.oval else 1.0)
    way.start, way.stop = (box.along - up, near), (box.along + up, near)
    ends = [(along, near + arrow) for (along, _), arrow in zip((way.start, way.stop), way.arrows, strict=True)]
    way.points = [ends[0], (ends[0][0], far), (ends[1][0], far), ends[1]]
    if way.label:
        way.label = (box.along, box.across + way.label[1])
