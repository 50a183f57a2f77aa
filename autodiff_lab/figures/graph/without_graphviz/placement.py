"""Where the boxes of ordered ranks stand, near to their neighbours, and how the edges between them run.

Each box is drawn to its neighbours as by springs, the pieces of a long edge by stronger ones (as Gansner, Koutsofios,
North and Vo weigh them, 1993); order and distances within a rank are kept. Boxes are never joined to rigid lines: in a
long graph that makes a staircase. An edge is straight past the boxes of a rank, and curved only between two ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodiff_lab.figures.graph.without_graphviz.layers import Box, Point, Way

_SWEEPS = 40
_STRONG = (1.0, 2.0, 40.0)
"""How strongly two neighbours are drawn to each other, by how many of them are points of an edge."""

_WEAK = 0.02
"""So much weaker is a short side way, such as the weights of a layer: it follows, and the main way stays straight."""

_POINT = 0.6
"""Between two edges less room is needed than between boxes."""

_APART = 20.0
_SAME = 0.05
_BORDER = 0.7
"""Edges arrive on so much of a border, at least so far from each other if there is room."""

Neighbours = Mapping["Box", Sequence["Box"]]


def align_boxes(ranks: Sequence[Sequence[Box]], before: Neighbours, behind: Neighbours, beside: float) -> None:
    """Set `across` of every box.

    Parameters
    ----------
    ranks
        The boxes of each rank, in their order.
    before, behind
        The boxes that each is joined to on the rank before its own, and behind.
    beside : float
        The room between two boxes of a rank.
    """
    rooms = [[_room(one, other, beside) for one, other in pairwise(rank)] for rank in ranks]
    for rank, room in zip(ranks, rooms, strict=True):
        for box, at in zip(rank, accumulate(room, initial=-sum(room) / 2), strict=True):
            box.across = at
    order, both = range(len(ranks)), ((before, False), (behind, True))
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        # First each rank follows the one before it, so that all find their places; then each listens to both.
        near = both if sweep >= _SWEEPS // 2 else both[:1] if forwards else both[1:]
        for k in order if forwards else reversed(order):
            _move(ranks[k], rooms[k], near)


def _move(rank: Sequence[Box], room: Sequence[float], near: Sequence[tuple[Neighbours, bool]]) -> None:
    wanted, weights = [], []
    for box in rank:
        drawn = [
            (_STRONG[box.is_point + o.is_point] * (_WEAK if o.is_side and not is_behind else 1.0), o.across)
            for side, is_behind in near
            for o in side.get(box, ())
        ]
        weight = sum(strong for strong, _ in drawn)
        wanted.append(sum(strong * across for strong, across in drawn) / weight if weight else box.across)
        weights.append((weight or 0.1) * (_WEAK if box.is_side else 1.0))
    if len(rank) > len(joined := [k for k, box in enumerate(rank) if any(box in side for side, _ in near)]) > 0:
        # What nothing is joined to stays near the others.
        mean = sum(wanted[k] for k in joined) / len(joined)
        wanted = [want if k in joined else mean for k, want in enumerate(wanted)]
    for box, across in zip(rank, find_nearest(wanted, room, weights), strict=True):
        box.across = across


def find_nearest(wanted: Sequence[float], room: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The places nearest to those wanted that keep the order and the room between them (pool adjacent violators).

    >>> find_nearest([5.0, 5.0, 30.0], [10.0, 10.0], [1.0, 1.0, 1.0])
    [0.0, 10.0, 30.0]
    """
    offsets = list(accumulate(room, initial=0.0))
    pools: list[tuple[float, float, int]] = []  # what is wanted less the offset, weighed; the weight; how many share it
    for want, offset, weight in zip(wanted, offsets, weights, strict=False):
        total, heavy, count = weight * (want - offset), weight, 1
        while pools and pools[-1][0] / pools[-1][1] > total / heavy:
            more = pools.pop()
            total, heavy, count = total + more[0], heavy + more[1], count + more[2]
        pools.append((total, heavy, count))
    means = [total / heavy for total, heavy, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def _room(left: Box, right: Box, beside: float) -> float:
    """From the middle of a box to the middle of the next."""
    between = beside * (_POINT if left.is_point or right.is_point else 1.0)
    return left.breadth / 2 + between + right.breadth / 2


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
