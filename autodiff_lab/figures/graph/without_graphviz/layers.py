"""A small layered layout, for a place without Graphviz, such as a page where Python itself runs in the browser.

The four steps of Sugiyama, Tagawa and Toda (1981): nodes are given ranks along the arrows; an edge over several ranks
is cut into pieces by points of its own, one of which carries its label; the nodes of each rank are ordered so that few
edges cross (here); and then moved to where their neighbours are (`alignment`). Everything is deterministic. Graphviz
does it better; this is enough to read a small graph.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from autodiff_lab.figures.graph.without_graphviz.alignment import places
from autodiff_lab.figures.graph.without_graphviz.routes import make_room, put_beside, routed

__all__ = ["Box", "Way", "arranged"]

_ORDERINGS = 24
_PATIENT = 400
"""Neighbours change places only in a graph with at most so many boxes and points; that step is the slow one."""

_LEAST_GAP = 12.0
_USUAL_ARROW = 10.0
"""Room for an arrow of this size is always left, so that a change of its size moves nothing."""

_SLOPE, _MOST_ROOM = 0.2, 48.0


Point = tuple[float, float]
"""Along the ranks, and across them."""


@dataclass(eq=False)
class Box:
    """A node: how much room it takes along the ranks (`length`) and across them (`breadth`); where its centre is.

    A box without a name is a point of an edge, or its label. `aside` is room that its loops take beyond its border, and
    `oval` says that the border is an ellipse.
    """

    name: Hashable
    length: float
    breadth: float
    oval: bool = False
    along: float = 0.0
    across: float = 0.0
    rank: int = 0
    aside: float = 0.0


@dataclass(eq=False)
class Way:
    """An edge: from where to where, the room for its label and for its arrows; and (found here) where it runs.

    `points` are those of a Bézier curve, three more for each piece. It ends where its arrows begin; `start` and `stop`
    are on the borders. `label` is the middle of the label.
    """

    tail: Hashable
    head: Hashable
    length: float = 0.0
    breadth: float = 0.0
    arrows: tuple[float, float] = (0.0, 7.0)
    points: list[Point] = field(default_factory=list)
    start: Point = (0.0, 0.0)
    stop: Point = (0.0, 0.0)
    label: Point | None = None


def arranged(boxes: Sequence[Box], ways: Sequence[Way], *, between: float = 24.0, beside: float = 22.0) -> None:
    """Give every box and every way its place; ranks follow each other along the first coordinate.

    Parameters
    ----------
    boxes, ways
        What is to be arranged; their places are written into them. Cycles and loops are allowed.
    between, beside : float
        The least room between two ranks, and between two boxes of a rank.

    Examples
    --------
    >>> x, y, s = Box("x", 40, 20), Box("y", 40, 20), Box("s", 40, 20)
    >>> arranged([x, y, s], [Way("x", "s"), Way("y", "s")])
    >>> (x.rank, y.rank, s.rank), x.across < s.across < y.across
    ((0, 0, 1), True)
    """
    of = {box.name: box for box in boxes}
    passing = [way for way in ways if way.tail != way.head]
    _rank(boxes, _forward(of, passing))
    labelled = any(way.length for way in passing)
    if labelled:
        # Between two ranks there is one for the labels.
        between /= 2
        for box in boxes:
            box.rank *= 2
    chains = [_chain(of, way) for way in passing]
    loops = [way for way in ways if way.tail == way.head]
    for way in loops:
        make_room(way, of[way.tail])
    ranks: list[list[Box]] = [[] for _ in range(max((box.rank for box in boxes), default=-1) + 1)]
    for box in _as_visited(boxes, chains):
        ranks[box.rank].append(box)
    before, behind = _neighbours(chains)
    _order(ranks, before, behind)
    places(ranks, before, behind, chains, beside)
    arrows = max((sum(way.arrows) for way in passing if sum(way.arrows) > _USUAL_ARROW), default=_USUAL_ARROW)
    routed(passing, chains, _place_along(ranks, behind, max(between, _LEAST_GAP + arrows)))
    for way in loops:
        put_beside(way, of[way.tail])


def _forward(of: dict[Hashable, Box], ways: Sequence[Way]) -> list[tuple[Box, Box]]:
    """The edges that do not close a cycle, in the order in which the boxes were given."""
    leaving: dict[Hashable, list[Hashable]] = {name: [] for name in of}
    for way in ways:
        leaving[way.tail].append(way.head)
    done: dict[Hashable, bool] = {}
    back = set()
    for start in of:
        if start in done:
            continue
        done[start] = False
        stack = [(start, iter(leaving[start]))]
        while stack:
            name, heads = stack[-1]
            head = next(heads, None)
            if head is None:
                done[name] = True
                stack.pop()
            elif head not in done:
                done[head] = False
                stack.append((head, iter(leaving[head])))
            elif not done[head]:
                back.add((name, head))
    return [(of[way.tail], of[way.head]) for way in ways if (way.tail, way.head) not in back]


def _rank(boxes: Sequence[Box], edges: Sequence[tuple[Box, Box]]) -> None:
    """The longest way from a source; a source then moves up to where it is first used."""
    heads: dict[Box, list[Box]] = {box: [] for box in boxes}
    waiting = dict.fromkeys(boxes, 0)
    for tail, head in edges:
        heads[tail].append(head)
        waiting[head] += 1
    sources = [box for box in boxes if not waiting[box]]
    ready = list(sources)
    for box in ready:
        for head in heads[box]:
            head.rank = max(head.rank, box.rank + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    for box in sources:
        if heads[box]:
            box.rank = min(head.rank for head in heads[box]) - 1


def _chain(of: dict[Hashable, Box], way: Way) -> list[Box]:
    """The boxes of an edge, by rank: its ends, and a point on every rank between them; the label is before the head."""
    tail, head = of[way.tail], of[way.head]
    step = 1 if head.rank > tail.rank else -1
    points = [Box(None, 0.0, 2.0, rank=rank) for rank in range(tail.rank + step, head.rank, step)]
    if way.length:
        points[-1].length, points[-1].breadth = way.length, way.breadth
    chain = [tail, *points, head]
    return chain if step > 0 else chain[::-1]


def _as_visited(boxes: Sequence[Box], chains: Iterable[list[Box]]) -> list[Box]:
    """All boxes and points, in the order in which one meets them who follows the edges."""
    following: dict[Box, list[Box]] = {}
    for chain in chains:
        for one, other in pairwise(chain):
            following.setdefault(one, []).append(other)
    visited: dict[Box, None] = {}
    for start in sorted(boxes, key=lambda box: box.rank):
        stack = [start]
        while stack:
            box = stack.pop()
            if box not in visited:
                visited[box] = None
                stack += reversed(following.get(box, ()))
    return list(visited)


Neighbours = dict[Box, list[Box]]


def _neighbours(chains: Iterable[list[Box]]) -> tuple[Neighbours, Neighbours]:
    """For each box those that it is joined to on the rank before it, and on the rank behind."""
    before: Neighbours = {}
    behind: Neighbours = {}
    for chain in chains:
        for one, other in pairwise(chain):
            behind.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    return before, behind


def _order(ranks: list[list[Box]], before: Neighbours, behind: Neighbours) -> None:
    """Order each rank by the mean place of the neighbours on the rank before, then behind, and so on; keep the best."""
    fewest, best = _crossings(ranks, behind), [list(rank) for rank in ranks]
    patient = sum(map(len, ranks)) <= _PATIENT
    for turn in range(_ORDERINGS):
        if not fewest:
            break
        joined, forwards = (before, turn % 2 == 0) if turn % 2 == 0 else (behind, False)
        for k in range(1, len(ranks)) if forwards else range(len(ranks) - 2, -1, -1):
            fixed = {box: i for i, box in enumerate(ranks[k - 1 if forwards else k + 1])}
            _sort(ranks[k], {box: [fixed[other] for other in joined.get(box, ())] for box in ranks[k]})
        if patient:
            _swap(ranks, before, behind)
        crossings = _crossings(ranks, behind)
        if crossings < fewest:
            fewest, best = crossings, [list(rank) for rank in ranks]
    ranks[:] = best


def _sort(rank: list[Box], at: dict[Box, list[int]]) -> None:
    """Sort a rank by the mean of its neighbours' places; a box without neighbours stays where it is."""
    movable = iter(sorted((box for box in rank if at[box]), key=lambda box: sum(at[box]) / len(at[box])))
    rank[:] = [next(movable) if at[box] else box for box in rank]


def _swap(ranks: list[list[Box]], before: Neighbours, behind: Neighbours) -> None:
    """Let neighbours in a rank change places while that saves crossings."""
    for k, rank in enumerate(ranks):
        beyond = {box: i for near in (ranks[k - 1 : k] if k else [], ranks[k + 1 : k + 2]) for other in near
                  for i, box in enumerate(other)}  # fmt: skip
        ends = {box: [sorted(beyond[o] for o in side.get(box, ())) for side in (before, behind)] for box in rank}
        improved = True
        while improved:
            improved = False
            for i in range(len(rank) - 1):
                one, other = ends[rank[i]], ends[rank[i + 1]]
                if sum(map(_crossed, one, other)) > sum(map(_crossed, other, one)):
                    rank[i], rank[i + 1] = rank[i + 1], rank[i]
                    improved = True


def _crossed(left: list[int], right: list[int]) -> int:
    return sum(1 for a in left for b in right if a > b)


def _crossings(ranks: list[list[Box]], behind: Neighbours) -> int:
    count = 0
    for rank, following in pairwise(ranks):
        place = {box: i for i, box in enumerate(following)}
        seen: list[int] = []
        for box in rank:
            ends = sorted(place[other] for other in behind.get(box, ()))
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _place_along(ranks: list[list[Box]], behind: Neighbours, between: float) -> list[tuple[float, float]]:
    """One rank behind the other, with more room where edges go far aside; gives where each rank begins and ends."""
    bounds: list[tuple[float, float]] = []
    gap = 0.0
    for rank in ranks:
        begin = bounds[-1][1] + gap if bounds else gap
        end = begin + max((box.length for box in rank), default=0.0)
        for box in rank:
            box.along = (begin + end) / 2
        bounds.append((begin, end))
        aside = max((abs(box.across - other.across) for box in rank for other in behind.get(box, ())), default=0.0)
        gap = max(between, min(_SLOPE * aside, _MOST_ROOM))
    return bounds
