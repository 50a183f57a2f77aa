"""The layers of a graph: its boxes in successive ranks, and its edges as curves between them.

The algorithm has the four steps of Sugiyama, Tagawa and Toda (1981):

1. Each node gets a rank, which increases along the arrows.
2. An edge over several ranks is divided by a point on each rank in between; one of the points carries its label.
3. The nodes of each rank are ordered so that few edges cross.
4. Each node moves close to its neighbours.

The result is deterministic, and the same on every machine.

In the last step, springs pull each box towards its neighbours, with stronger springs along a long edge (weighted as by
Gansner, Koutsofios, North and Vo, 1993); the order and the gaps within a rank are kept. Boxes are never joined into
rigid lines, which would make a staircase of a long graph. An edge is straight where it passes the boxes of a rank, and
curved only between two ranks.
"""

from bisect import bisect_right, insort
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from statistics import fmean

from autodiff_lab.figures.layered_layout.paths import Point

_ORDERINGS = 24
# The most boxes and points of a graph in which neighbours are swapped to save crossings, because that step is slow.
_MAX_SWAPPED = 400

_LEAST_GAP = 12.0
# There is always room for an arrow of this length, so that changing a shorter arrow's length moves nothing.
_USUAL_ARROW = 10.0

_SLOPE, _MAX_GAP, _TURN = 0.2, 48.0, 16.0

_SWEEPS = 40
# The strength of the spring between two neighbours of which none, one or both are points of an edge.
_STRONG = (1.0, 2.0, 40.0)

# The factor by which a short side path, such as a layer's weights, is weaker: the main path stays straight.
_WEAK = 0.02

# An edge needs less room next to it than a box: this share of it.
_POINT = 0.6

# Edges arrive on this share of a box's border, at most this many points apart.
_BORDER = 0.7
_APART = 20.0
# Two points of a path that are closer than this are one.
_SAME = 0.05


@dataclass(eq=False)
class Box:
    """A node in a layered layout: its size along the ranks (`length`) and across them (`breadth`), and its centre.

    If `is_point`, it is a point of an edge, or the edge's label. If `oval`, its border is an ellipse. If `is_side`, it
    belongs to a side path, which should not bend the main path.
    """

    length: float = 0.0
    breadth: float = 2.0
    oval: bool = False
    is_point: bool = False
    is_side: bool = False
    rank: int = 0
    along: float = 0.0
    across: float = 0.0

    @property
    def centre(self) -> Point:
        """The middle of this box in the layered layout, along the ranks and across them."""
        return self.along, self.across

    @property
    def corners(self) -> list[Point]:
        """Two opposite corners of this box in the layered layout: smallest coordinates first, then largest."""
        return [
            (self.along + k * self.length / 2, self.across + k * self.breadth / 2) for k in (-1, 1)
        ]


@dataclass(eq=False)
class Way:
    """An edge in a layered layout: its end boxes, the size of its label and arrows, and the path that the layout finds.

    `points` are the control points of a Bézier curve: one, and three more for each piece. The curve ends where the
    arrows begin; `start` and `stop` are on the borders of the boxes. `label` has the place of the label.
    """

    tail: Box
    head: Box
    length: float = 0.0
    breadth: float = 0.0
    arrows: tuple[float, float] = (0.0, 7.0)
    points: list[Point] = field(default_factory=list)
    start: Point = (0.0, 0.0)
    stop: Point = (0.0, 0.0)
    label: Box | None = None


Neighbours = dict[Box, list[Box]]


def turn(point: Point, flat: bool) -> Point:
    """Convert a point of a layered layout from (along, across) to (x, y), or back; no change if `flat`."""
    return point if flat else (point[1], point[0])


def arrange(
    boxes: Sequence[Box], ways: Sequence[Way], *, between: float = 24.0, beside: float = 22.0
) -> None:
    """Lay out boxes and edges in layers: successive ranks along the first coordinate.

    Parameters
    ----------
    boxes, ways
        The boxes and edges; their places are written into them. Cycles are allowed, but no edge from a box to itself.
    between, beside : float
        The smallest gap between two ranks, and between two boxes of a rank.

    Examples
    --------
    >>> x, y, s = Box(40, 20), Box(40, 20), Box(40, 20)
    >>> arrange([x, y, s], [Way(x, s), Way(y, s)])
    >>> (x.rank, y.rank, s.rank), x.across < s.across < y.across
    ((0, 0, 1), True)
    """
    ranks, chains = order_ranks(boxes, ways)
    if any(way.length for way in ways):
        # Between two ranks of boxes there is one for labels.
        between /= 2
    place_ranks(ranks, ways, chains, between, beside)


def order_ranks(
    boxes: Sequence[Box], ways: Sequence[Way]
) -> tuple[list[list[Box]], list[list[Box]]]:
    """Put boxes and the points of long edges into ordered ranks of a layered layout; return the edges' chains too."""
    _rank(boxes, ways)
    if any(way.length for way in ways):
        for box in boxes:
            box.rank *= 2
    chains = [_chain(way) for way in ways]
    before, behind = _neighbours(chains)
    ranks: list[list[Box]] = [[] for _ in range(max((box.rank for box in boxes), default=-1) + 1)]
    for box in _visit(boxes, behind):
        ranks[box.rank].append(box)
    _order(ranks, before, behind)
    _find_side_ways(ranks, before, behind)
    return ranks, chains


def place_ranks(
    ranks: list[list[Box]],
    ways: Sequence[Way],
    chains: Sequence[list[Box]],
    between: float,
    beside: float,
) -> list[tuple[float, float]]:
    """Place the boxes and edges of a layered layout with ordered ranks; return where each rank begins and ends."""
    for number, rank in enumerate(ranks):
        for box in rank:
            box.rank = number
    before, behind = _neighbours(chains)
    _align_boxes(ranks, before, behind, beside)
    arrows = max((sum(way.arrows) for way in ways), default=0.0)
    bounds = _place_along(ranks, behind, max(between, _LEAST_GAP + max(arrows, _USUAL_ARROW)))
    _route_edges(ways, chains, bounds)
    return bounds


def _find_side_ways(ranks: Sequence[Sequence[Box]], before: Neighbours, behind: Neighbours) -> None:
    """Mark the boxes of each tree whose result is used once, by a box that a longer path leads to as well."""
    depth: dict[Box, int] = {}
    own: dict[
        Box, set[Box]
    ] = {}  # the tree that ends in a box, if no box outside the tree uses its inner boxes
    for box in (box for rank in ranks for box in rank):
        joined = set(before.get(box, ()))
        deepest = max((depth[o] for o in joined), default=-1)
        depth[box] = deepest + (not box.is_point)
        if all(o in own and set(behind[o]) == {box} for o in joined):
            own[box] = {box}.union(*(own[o] for o in joined))
        for o in joined:
            if o in own and depth[o] < deepest and set(behind[o]) == {box}:
                for one in own[o]:
                    one.is_side = True


def _neighbours(chains: Iterable[list[Box]]) -> tuple[Neighbours, Neighbours]:
    """Return the neighbours of each box on the rank before its own, and on the rank after."""
    before: Neighbours = {}
    behind: Neighbours = {}
    for one, other in (pair for chain in chains for pair in pairwise(chain)):
        behind.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    return before, behind


def _rank(boxes: Sequence[Box], ways: Sequence[Way]) -> None:
    """Set each box's rank: its longest path from a source; a box that only later ranks use then moves up to its use.

    A box moves only if it has more users than operands that hold it back because other boxes use them too.
    """
    heads: Neighbours = {box: [] for box in boxes}
    waiting, pending = dict.fromkeys(boxes, 0), dict.fromkeys(boxes)
    for way in ways:
        heads[way.tail].append(way.head)
        waiting[way.head] += 1
    ready = deque(box for box in boxes if not waiting[box])
    while pending:
        # If all boxes wait for each other, there is a cycle; it begins at the box that was given first.
        box = ready.popleft() if ready else next(iter(pending))
        del pending[box]
        box.rank = max([box.rank, *(head.rank + 1 for head in heads[box] if head not in pending)])
        for head in (head for head in heads[box] if head in pending):
            head.rank = max(head.rank, box.rank + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    # The neighbours before each box that don't move with it.
    held: dict[Box, set[Box]] = {box: set() for box in boxes}
    for box in sorted(boxes, key=lambda box: box.rank):
        for head in heads[box]:
            held[head] |= held[box] if len(set(heads[box])) == 1 else {box}
    for box in sorted(boxes, key=lambda box: -box.rank):
        if len(held[box]) < len(set(heads[box])):
            box.rank = max(box.rank, min(head.rank for head in heads[box]) - 1)


def _chain(way: Way) -> list[Box]:
    """Return the boxes of an edge by rank: its ends, and a point on each rank between; label before the head."""
    tail, head = way.tail, way.head
    step = 1 if head.rank > tail.rank else -1
    points = [Box(is_point=True, rank=rank) for rank in range(tail.rank + step, head.rank, step)]
    if way.length:
        points[-1].length, points[-1].breadth = way.length, way.breadth
    return [tail, *points, head][::step]


def _visit(boxes: Sequence[Box], behind: Neighbours) -> Iterable[Box]:
    """Return all boxes and points in depth-first order along the edges."""
    visited: dict[Box, None] = {}
    stack = sorted(boxes, key=lambda box: box.rank)[::-1]
    while stack:
        box = stack.pop()
        if box not in visited:
            visited[box] = None
            stack += reversed(behind.get(box, ()))
    return visited


def _order(ranks: list[list[Box]], before: Neighbours, behind: Neighbours) -> None:
    """Order each rank by the mean place of its neighbours on the rank before, then after, and so on; keep the best."""
    fewest, best = _crossings(ranks, behind), [list(rank) for rank in ranks]
    for turn in range(_ORDERINGS):
        if not fewest:
            break
        joined, step = (behind, -1) if turn % 2 else (before, 1)
        for fixed, rank in pairwise(ranks[::step]):
            place = {box: i for i, box in enumerate(fixed)}
            means = {
                box: fmean(place[other] for other in joined[box]) for box in rank if box in joined
            }
            # A box without neighbours stays where it is.
            movable = iter(sorted(means, key=means.__getitem__))
            rank[:] = [next(movable) if box in means else box for box in rank]
        if sum(map(len, ranks)) <= _MAX_SWAPPED:
            _swap(ranks, before, behind)
        crossings = _crossings(ranks, behind)
        if crossings < fewest:
            fewest, best = crossings, [list(rank) for rank in ranks]
    ranks[:] = best


def _swap(ranks: list[list[Box]], before: Neighbours, behind: Neighbours) -> None:
    """Swap neighbours in a rank as long as that saves crossings."""
    place = {box: i for rank in ranks for i, box in enumerate(rank)}
    for rank in ranks:
        ends = {
            box: [sorted(place[o] for o in side.get(box, ())) for side in (before, behind)]
            for box in rank
        }
        improved = True
        while improved:
            improved = False
            for i in range(len(rank) - 1):
                one, other = rank[i : i + 2]
                if sum(map(_count_crossed, ends[one], ends[other])) > sum(
                    map(_count_crossed, ends[other], ends[one])
                ):
                    rank[i : i + 2] = other, one
                    improved = True
        place |= {box: i for i, box in enumerate(rank)}


def _count_crossed(left: list[int], right: list[int]) -> int:
    return sum(1 for a in left for b in right if a > b)


def _crossings(ranks: list[list[Box]], behind: Neighbours) -> int:
    count = 0
    for rank, following in pairwise(ranks):
        place = {box: i for i, box in enumerate(following)}
        seen: list[int] = []
        for box in rank:
            ends = [place[other] for other in behind.get(box, ())]
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _place_along(
    ranks: list[list[Box]], behind: Neighbours, between: float
) -> list[tuple[float, float]]:
    """Place the ranks one after another, with more room where edges are steep; return where each begins and ends."""
    bounds: list[tuple[float, float]] = []
    end = 0.0
    for rank, previous in zip(ranks, [[], *ranks], strict=False):
        aside = max(
            (abs(box.across - o.across) for box in previous for o in behind.get(box, ())),
            default=0.0,
        )
        room = max(between, min(_SLOPE * aside, _MAX_GAP))
        if any(all(box.is_point and not box.length for box in side) for side in (rank, previous)):
            room = _TURN  # a rank of points alone is the end of a row, where edges enter or leave
        begin = end + room if previous else 0.0
        end = begin + max((box.length for box in rank), default=0.0)
        for box in rank:
            box.along = (begin + end) / 2
        bounds.append((begin, end))
    return bounds


def _align_boxes(
    ranks: Sequence[Sequence[Box]], before: Neighbours, behind: Neighbours, beside: float
) -> None:
    """Set `across` of every box.

    Parameters
    ----------
    ranks
        The boxes of each rank, in their order.
    before, behind
        The neighbours of each box on the rank before its own, and on the rank after.
    beside : float
        The gap between two boxes of a rank.
    """
    rooms = [[_room(one, other, beside) for one, other in pairwise(rank)] for rank in ranks]
    for rank, room in zip(ranks, rooms, strict=True):
        for box, at in zip(rank, accumulate(room, initial=-sum(room) / 2), strict=True):
            box.across = at
    order, both = range(len(ranks)), ((before, False), (behind, True))
    for sweep in range(_SWEEPS):
        forwards = sweep % 2 == 0
        # In the first half, each rank follows only the one that was moved before it; then both of its neighbours.
        near = both if sweep >= _SWEEPS // 2 else both[:1] if forwards else both[1:]
        for k in order if forwards else reversed(order):
            _move(ranks[k], rooms[k], near)


def _move(
    rank: Sequence[Box], room: Sequence[float], near: Sequence[tuple[Neighbours, bool]]
) -> None:
    wanted, weights = [], []
    for box in rank:
        drawn = [
            (
                _STRONG[box.is_point + o.is_point]
                * (_WEAK if o.is_side and not is_behind else 1.0),
                o.across,
            )
            for side, is_behind in near
            for o in side.get(box, ())
        ]
        weight = sum(strong for strong, _ in drawn)
        wanted.append(
            sum(strong * across for strong, across in drawn) / weight if weight else box.across
        )
        weights.append((weight or 0.1) * (_WEAK if box.is_side else 1.0))
    joined = [k for k, box in enumerate(rank) if any(box in side for side, _ in near)]
    if 0 < len(joined) < len(rank):
        # A box without neighbours stays near the others.
        mean = sum(wanted[k] for k in joined) / len(joined)
        wanted = [want if k in joined else mean for k, want in enumerate(wanted)]
    for box, across in zip(rank, _find_nearest(wanted, room, weights), strict=True):
        box.across = across


def _find_nearest(
    wanted: Sequence[float], room: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """Find the places nearest to those wanted that keep the order and the gaps (pool adjacent violators).

    >>> _find_nearest([5.0, 5.0, 30.0], [10.0, 10.0], [1.0, 1.0, 1.0])
    [0.0, 10.0, 30.0]
    """
    offsets = list(accumulate(room, initial=0.0))
    # Each pool: the weighted sum of (wanted place − offset), the total weight, and the number of boxes in it.
    pools: list[tuple[float, float, int]] = []
    for want, offset, weight in zip(wanted, offsets, weights, strict=False):
        total, heavy, count = weight * (want - offset), weight, 1
        while pools and pools[-1][0] / pools[-1][1] > total / heavy:
            more = pools.pop()
            total, heavy, count = total + more[0], heavy + more[1], count + more[2]
        pools.append((total, heavy, count))
    means = [total / heavy for total, heavy, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def _room(left: Box, right: Box, beside: float) -> float:
    """Return the distance from the middle of a box to the middle of the next one in its rank."""
    between = beside * (_POINT if left.is_point or right.is_point else 1.0)
    return left.breadth / 2 + between + right.breadth / 2


def _route_edges(
    ways: Sequence[Way], chains: Sequence[list[Box]], bounds: Sequence[tuple[float, float]]
) -> None:
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
        first, last = chain[0], chain[-1]
        here, there = ports[k, 0], ports[k, 1]
        forwards = first is way.tail
        arrows = way.arrows if forwards else way.arrows[::-1]
        begin = (first.along + _reach(first, here), here)
        end = (last.along - _reach(last, there), there)
        knots = [(begin[0] + arrows[0], here), (bounds[first.rank][1] + arrows[0], here)]
        knots += [(side, box.across) for box in chain[1:-1] for side in bounds[box.rank]]
        knots += [(bounds[last.rank][0] - arrows[1], there), (end[0] - arrows[1], there)]
        way.start, way.stop = (begin, end) if forwards else (end, begin)
        way.points = _curve(knots if forwards else knots[::-1])
        if way.length:
            way.label = chain[-2 if forwards else 1]


def _ports(chains: Sequence[list[Box]]) -> dict[tuple[int, int], float]:
    """Find where each edge meets the borders of its boxes: as straight as possible, in order, side by side."""
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
        free = _find_nearest(limited, [apart] * (count - 1), [1.0] * count)
        for i, ((_, k), across) in enumerate(zip(towards, free, strict=True)):
            ports[k, end] = min(max(across, low + i * apart), high - (count - 1 - i) * apart)
    return ports


def _reach(box: Box, across: float) -> float:
    """Return the distance from the middle of a box to its border along the ranks, at `across`."""
    part = min(1.0, abs(across - box.across) / (box.breadth / 2)) if box.oval else 0.0
    return box.length / 2 * (1 - part * part) ** 0.5


def _curve(knots: Sequence[Point]) -> list[Point]:
    """Return a Bézier curve through the knots, which it passes along the ranks; a straight run is one piece."""
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
