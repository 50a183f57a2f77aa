"""Where the boxes of ordered ranks stand: near to their neighbours, and so that long edges are straight.

Each box is drawn to its neighbours as by springs, the pieces of a long edge by stronger ones (as Gansner, Koutsofios,
North and Vo weigh them, 1993); order and distances within a rank are kept. Then each long edge is made straight as far
as what stands beside it allows. Boxes are never joined to rigid lines: in a long graph that makes a staircase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodiff_lab.figures.graph.without_graphviz.layers import Box

__all__ = ["nearest", "places"]

_SWEEPS = 40
_STRONG = (1.0, 2.0, 8.0)
"""How strongly two neighbours are drawn to each other, by how many of them are points of an edge."""

_POINT = 0.6
"""Between two edges less room is needed than between boxes."""

Ranks = Sequence[Sequence["Box"]]
Neighbours = Mapping["Box", Sequence["Box"]]


def places(
    ranks: Ranks, before: Neighbours, behind: Neighbours, chains: Sequence[Sequence[Box]], beside: float
) -> None:
    """Set `across` of every box.

    Parameters
    ----------
    ranks
        The boxes of each rank, in their order.
    before, behind
        The boxes that each is joined to on the rank before its own, and behind.
    chains
        Each edge as the boxes and points that it is made of.
    beside : float
        The room between two boxes of a rank.
    """
    rooms = [[_room(one, other, beside) for one, other in pairwise(rank)] for rank in ranks]
    for rank, room in zip(ranks, rooms, strict=True):
        at = -sum(room) / 2
        for box, step in zip(rank, [*room, 0.0], strict=True):
            box.across = at
            at += step
    order = range(len(ranks))
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        # First each rank follows the one before it, so that all find their places; then each listens to both.
        near = (before, behind) if sweep >= _SWEEPS // 2 else (before if forwards else behind,)
        for k in order if forwards else reversed(order):
            _move(ranks[k], rooms[k], near)
    beside_it = {}
    for rank, room in zip(ranks, rooms, strict=True):
        for k, box in enumerate(rank):
            left = (rank[k - 1], room[k - 1]) if k else None
            beside_it[box] = left, (rank[k + 1], room[k]) if k < len(room) else None
    for chain in sorted(chains, key=len, reverse=True):
        _straighten(chain, beside_it)


def _move(rank: Sequence[Box], room: Sequence[float], near: Sequence[Neighbours]) -> None:
    wanted, weights = [], []
    for box in rank:
        drawn = [(_STRONG[_is_point(box) + _is_point(o)], o.across) for side in near for o in side.get(box, ())]
        weight = sum(strong for strong, _ in drawn)
        wanted.append(sum(strong * across for strong, across in drawn) / weight if weight else box.across)
        weights.append(weight or 0.1)
    for box, across in zip(rank, nearest(wanted, room, weights), strict=True):
        box.across = across


def nearest(wanted: Sequence[float], room: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The places nearest to those wanted that keep the order and the room between them (pool adjacent violators).

    >>> nearest([5.0, 5.0, 30.0], [10.0, 10.0], [1.0, 1.0, 1.0])
    [0.0, 10.0, 30.0]
    """
    offsets = [0.0]
    for step in room:
        offsets.append(offsets[-1] + step)
    pools: list[tuple[float, float, int]] = []  # what is wanted less the offset, weighed; the weight; how many share it
    for want, offset, weight in zip(wanted, offsets, weights, strict=False):
        total, heavy, count = weight * (want - offset), weight, 1
        while pools and pools[-1][0] / pools[-1][1] > total / heavy:
            more = pools.pop()
            total, heavy, count = total + more[0], heavy + more[1], count + more[2]
        pools.append((total, heavy, count))
    means = [total / heavy for total, heavy, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


Beside = Mapping["Box", tuple["tuple[Box, float] | None", "tuple[Box, float] | None"]]


def _straighten(chain: Sequence[Box], beside_it: Beside) -> None:
    """Give as many neighbouring points of an edge as possible one place across, up to the next obstacle."""
    points = chain[1:-1]
    at = 0
    while at < len(points):
        low, high, end = float("-inf"), float("inf"), at
        while end < len(points):
            left, right = beside_it[points[end]]
            here = (left[0].across + left[1] if left else low, right[0].across - right[1] if right else high)
            both = max(low, here[0]), min(high, here[1])
            if both[0] > both[1]:
                break
            (low, high), end = both, end + 1
        wanted = sum(point.across for point in points[at:end]) / max(1, end - at)
        for end_of_edge, reached in ((chain[0], at == 0), (chain[-1], end == len(points))):
            # Straight on from its box, or to it, if that is not far.
            if reached and abs(end_of_edge.across - wanted) < end_of_edge.breadth / 3:
                wanted = end_of_edge.across
        for point in points[at : max(end, at + 1)]:
            if end > at:
                point.across = min(max(wanted, low), high)
        at = max(end, at + 1)


def _is_point(box: Box) -> bool:
    return box.name is None


def _room(left: Box, right: Box, beside: float) -> float:
    """From the middle of a box to the middle of the next."""
    between = beside * (_POINT if _is_point(left) or _is_point(right) else 1.0)
    return left.breadth / 2 + left.aside + between + right.breadth / 2
