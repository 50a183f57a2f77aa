"""Where the boxes of ordered ranks stand: near to their neighbours, and so that long edges are straight.

Each box is drawn to its neighbours as by springs, the pieces of a long edge by stronger ones (as Gansner, Koutsofios,
North and Vo weigh them, 1993); order and distances within a rank are kept. Boxes are never joined to rigid lines: in a
long graph that makes a staircase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autodiff_lab.figures.graph.without_graphviz.layers import Box

_SWEEPS = 40
_STRONG = (1.0, 2.0, 40.0)
"""How strongly two neighbours are drawn to each other, by how many of them are points of an edge."""

_WEAK = 0.02
"""So much weaker is a short side way, such as the weights of a layer: it follows, and the main way stays straight."""

_POINT = 0.6
"""Between two edges less room is needed than between boxes."""

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
