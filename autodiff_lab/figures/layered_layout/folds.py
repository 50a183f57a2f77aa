"""Folds of a layered layout: its ranks in several rows of about the same length, every other row running backwards.

An edge into the next row goes straight down if no other box is in between. Otherwise, it follows its row to the end and
turns into the next row there, like a line on a folded strip of paper.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from math import dist

from autodiff_lab.figures.layered_layout.layers import Box, Way, place_ranks
from autodiff_lab.figures.layered_layout.paths import Point, sample_path

# The space between two rows, and how much each edge in it adds.
_CHANNEL, _EACH = 36.0, 4.0

# The largest distance between the ends of two edges that go straight down at the same box.
_PORT = 14.0
# How far an edge swings out where it turns into the next row, and how much each point of height adds, so that outer
# turns pass around inner ones.
_TURN, _WIDER = 12.0, 0.2


def fold_ranks(
    ranks: Sequence[list[Box]],
    ways: Sequence[Way],
    chains: Sequence[list[Box]],
    rows: int,
    between: float,
    beside: float,
) -> int:
    """Fold a graph's ordered ranks into at most `rows` rows of about the same length, and place boxes and edges.

    Parameters
    ----------
    ranks, chains
        The results of `order_ranks`; there is one chain for each of the `ways`.
    ways, between, beside
        As for `arrange`.
    rows : int
        The largest number of rows.

    Returns
    -------
    int
        How many times an edge turns into the next row at a row's end.
    """
    fold = _Fold(ranks, ways, chains, rows)
    top = left = 0.0
    lines = [_Row(fold, k, between, beside) for k in range(len(fold.rows))]
    for k, row in enumerate(lines):
        count = sum(fold.row[way.head] == k for way in fold.direct)
        top += (_CHANNEL + _EACH * count) * (k > 0)
        left -= row.length * row.back
        row.shift = (left, top)
        left += row.length * (1 - row.back)
        top += row.high - row.low
    for row in lines:
        for box in row.boxes:
            box.along, box.across = row.place(box.centre)
    for way in ways:
        pieces = [(row, row.pieces[way]) for row in lines if way in row.pieces]
        if pieces:
            _join(way, pieces)
    _lead_down(fold, lines)
    return sum(len(row.pieces) for row in lines) - len({way for row in lines for way in row.pieces})


class _Fold:
    """The plan of a fold: the ranks of each row, the rows that are upside down, and the edges straight down."""

    def __init__(
        self,
        ranks: Sequence[list[Box]],
        ways: Sequence[Way],
        chains: Sequence[list[Box]],
        rows: int,
    ) -> None:
        self.ways, self.chains = ways, chains
        lengths = [max(box.length for box in rank) for rank in ranks]
        self.rows = [list(ranks[a:b]) for a, b in pairwise(_cut_evenly(lengths, rows))]
        self.row = {box: k for k, row in enumerate(self.rows) for rank in row for box in rank}
        places = [[box for box in rank if not box.is_point] for rank in ranks]
        self._first, self._last = {rank[0] for rank in places}, {rank[-1] for rank in places}
        usual = tuple(k % 2 for k in range(len(self.rows)))

        def rate(turned: Sequence[int]) -> tuple[int, int]:
            # In folded paper every other row is upside down, and no turns cross. Having more edges go straight down is
            # worth more than that.
            as_in_paper = sum(a == b for a, b in zip(turned, usual, strict=True))
            return len(self._find_direct(turned)), as_in_paper

        self.turned = max(product((0, 1), repeat=len(usual)), key=rate)
        self.direct = self._find_direct(self.turned)

    def _find_direct(self, turned: Sequence[int]) -> list[Way]:
        found = []
        for way in self.ways:
            row, under = self.row[way.tail], self.row[way.head]
            if under == row + 1:
                lowest = self._first if turned[row] else self._last
                highest = self._last if turned[under] else self._first
                if way.tail in lowest and way.head in highest:
                    found.append(way)
        return found


class _Row:
    """One row: its ranks, with extra points where edges come from the previous row or turn into the next one."""

    def __init__(self, fold: _Fold, number: int, between: float, beside: float) -> None:
        self.back, self.turned, self.shift = number % 2, fold.turned[number], (0.0, 0.0)
        own = fold.rows[number]
        self.boxes = [box for rank in own for box in rank if not box.is_point]
        self.pieces: dict[Way, Way] = {}
        order = {box: i for row in fold.rows for rank in row for i, box in enumerate(rank)}
        entering: dict[Box, tuple[int, int]] = {}
        leaving: dict[Box, tuple[int, int]] = {}
        chains: list[list[Box]] = []
        dropped: set[Box] = set()
        for way, chain in zip(fold.ways, fold.chains, strict=True):
            inside = [box for box in chain if fold.row[box] == number]
            if way in fold.direct:
                dropped.update(box for box in inside if box.is_point)
            elif inside:
                first = chain.index(inside[0])
                last = chain.index(inside[-1])
                begin, end = way.arrows
                if last < len(chain) - 1:
                    inside, end = [*inside, Box(is_point=True, is_side=way.tail.is_side)], 0.0
                    leaving[inside[-1]] = order[chain[last]], order[chain[last + 1]]
                if first:
                    inside, begin = [Box(is_point=True, is_side=way.tail.is_side), *inside], 0.0
                    entering[inside[0]] = order[chain[first - 1]], order[chain[first]]
                self.pieces[way] = Way(inside[0], inside[-1], arrows=(begin, end))
                chains.append(inside)
        kept = [[box for box in rank if box not in dropped] for rank in own]
        ranks = [
            sorted(entering, key=entering.__getitem__),
            *kept,
            sorted(leaving, key=leaving.__getitem__),
        ]
        bounds = place_ranks(
            [rank for rank in ranks if rank], list(self.pieces.values()), chains, between, beside
        )
        self.length = bounds[-1][1]
        ys = [y for box in self.boxes for _, y in box.corners]
        ys += [y for way in self.pieces.values() for _, y in sample_path(way.points)]
        self.low, self.high = min(ys), max(ys)

    def place(self, point: Point) -> Point:
        """Convert a point of this row to its place in the folded layout."""
        x, y = point
        left, top = self.shift
        along = self.length - x if self.back else x
        across = self.high - y if self.turned else y - self.low
        return left + along, top + across


def _join(way: Way, pieces: Iterable[tuple[_Row, Way]]) -> None:
    """Join the pieces of an edge, which are in successive rows, by turns at the ends of the rows."""
    way.points = []
    for row, piece in pieces:
        points = [row.place(point) for point in piece.points]
        if way.points:
            (x, y), (u, v) = way.points[-1], points[0]
            aside = (_TURN + _WIDER * abs(v - y)) * (1 if row.back else -1)
            way.points += [(x + aside, y), (u + aside, v)]
        way.points += points
        way.stop = row.place(piece.stop)


def _lead_down(fold: _Fold, rows: Sequence[_Row]) -> None:
    """Draw the edges that go straight down, side by side at each box, so that they don't cross there."""
    ends: dict[tuple[Box, int], list[tuple[float, Way]]] = {}
    for way in fold.direct:
        ends.setdefault((way.tail, 0), []).append((way.head.along, way))
        ends.setdefault((way.head, 1), []).append((way.tail.along, way))
    ports: dict[tuple[Way, int], float] = {}
    for (box, end), some in ends.items():
        apart = min(_PORT, 0.7 * box.length / len(some))
        for i, (_, way) in enumerate(sorted(some, key=lambda one: one[0])):
            ports[way, end] = box.along + (i - (len(some) - 1) / 2) * apart
    for way in fold.direct:
        x, u = ports[way, 0], ports[way, 1]
        tip = way.arrows[1]
        start = (x, way.tail.across + way.tail.breadth / 2)
        way.stop = (u, way.head.across - way.head.breadth / 2)
        top = max(box.across + box.breadth / 2 for box in rows[fold.row[way.tail]].boxes)
        bottom = min(box.across - box.breadth / 2 for box in rows[fold.row[way.head]].boxes) - tip
        middle = (top + bottom) / 2
        way.points = [
            start,
            *_lead_straight(start, (x, top)),
            (x, middle),
            (u, middle),
            (u, bottom),
        ]
        way.points += _lead_straight((u, bottom), (u, way.stop[1] - tip))


def _lead_straight(start: Point, end: Point) -> list[Point]:
    """Return the three points of a Bézier piece that continues an edge's path in a straight line.

    For less than a point of length the list is empty: an arrowhead on a piece of no length would have no direction.
    """
    (x, y), (u, v) = start, end
    if dist(start, end) < 1:
        return []
    return [(x + (u - x) / 3, y + (v - y) / 3), (u - (u - x) / 3, v - (v - y) / 3), end]


def _cut_evenly(lengths: Sequence[float], rows: int) -> list[int]:
    """Cut ranks into at most `rows` rows so that the longest row is as short as possible; return the bounds.

    >>> _cut_evenly([1, 1, 1, 1, 3], 2)
    [0, 4, 5]
    """
    count = len(lengths)
    for limit in sorted({sum(lengths[a:b]) for a in range(count) for b in range(a + 1, count + 1)}):
        cuts, length = [0], 0.0
        for k, one in enumerate(lengths):
            length += one
            if length > limit:
                cuts.append(k)
                length = one
        if len(cuts) <= rows and max(lengths) <= limit:
            return [*cuts, count]
    return [0, count]
