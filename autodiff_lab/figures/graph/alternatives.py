"""Layout alternatives: several layouts of one graph, of which a view takes the one that suits the room it has.

One is a row, one a column, and the others are rows that are folded as a snake.
"""

from typing import Any

from autodiff_lab.figures.graph.boxes import BoxSizes, is_in_heading
from autodiff_lab.figures.graph.dot_builder import add_graph
from autodiff_lab.figures.graph.fit import choose_for_room
from autodiff_lab.figures.graph.layout import BESIDE, BETWEEN, PAD, BoxGraph, layout_graph
from autodiff_lab.figures.layered_layout.folds import fold_ranks
from autodiff_lab.figures.layered_layout.layers import Box, Way, order_ranks, place_ranks, turn
from autodiff_lab.figures.layered_layout.paths import Point, sample_path, write_path
from autodiff_lab.trace.model import Trace

# Rooms for a graph, in pixels: beside a program, above one, and on a telephone.
ROOMS = ((642.0, 450.0), (900.0, 330.0), (366.0, 420.0))

# Room between two ranks and beside each box, where boxes would else be too small to be read.
TIGHT = (28.0, 10.0)

# So large is a layout in its room that a player, which has more besides, can still show whole.
_READABLE = 0.88

# Beside a program in a notebook on a laptop, and above one. There a graph of arrays may only be whole if its cells have
# no numbers; such a layout must be so much larger than one with numbers.
LAPTOP = ((590.0, 370.0), (880.0, 276.0))
_BARE = 0.2

# A graph of more lines has one layout.
MAX_LINES = 40

# More room between two ranks and between two boxes, for a graph that is so small that it is there.
AIRY = (72.0, 36.0)

# Room between two ranks and between two boxes of a graph whose arrays travel as cells: six of them fit there.
BESIDE_CELLS = (76.0, 18.0)

# What is said of a layout without alternatives.
ONLY = {"shape": "row", "ease": 1.0}

_MAX_ROWS, _HARDLY_SMALLER = 6, 0.9
# How much larger than a row a layout must be, since it is less easy to read.
_COLUMN, _FOLD, _EACH_ROW, _EACH_TURN, _MAX_TURNS = 0.05, 0.1, 0.04, 0.04, 4


def layout_alternatives(trace: Trace, in_groups: bool = False) -> list[dict[str, Any]]:
    """Lay out a graph in alternatives: those that fit best into a usual, a wide and a narrow room.

    Parameters
    ----------
    trace : Trace
    in_groups : bool
        Whether the operations stand in groups, which open. Such a graph has one layout.

    Returns
    -------
    list of dict
        One to five layouts as `layout_graph` gives them, the first for the usual room. Each has a ``"shape"``: a
        ``"row"`` runs from left to right, a ``"column"`` downwards, and a ``"fold"`` is a row that turns round where
        it would become too long. By its ``"ease"``, and by how large the boxes of a ``"step"`` are at most, the
        player's script chooses again among them, for the room that it has: see `fit`. They need no Graphviz, and are
        the same everywhere.
    """
    if in_groups or len(trace.lines) > MAX_LINES:
        return [{**layout_graph(trace, in_groups), **ONLY}]
    candidates, scale = _candidates(trace, BoxSizes.of(trace, player=True))
    rooms = [*ROOMS]
    if scale < _READABLE and any(line.value.is_small for line in trace.lines):
        bare, _ = _candidates(trace, BoxSizes.of(trace, player=True, bare=True), strain=_BARE)
        for places in bare:
            for name, box in places["nodes"].items():
                if name[0] == "n":
                    box["bare"] = True
        candidates += bare
        rooms += LAPTOP
    chosen: list[dict[str, Any]] = []
    for room in rooms:
        best = choose_for_room(room, candidates)
        if best not in chosen:
            chosen.append(best)
    return chosen


def _candidates(
    trace: Trace, sizes: BoxSizes, strain: float = 0.0
) -> tuple[list[dict[str, Any]], float]:
    """Lay out a graph with boxes of these sizes in all ways, and return at which scale it is whole in the usual rooms.

    The `strain` makes each of them less easy to read.
    """
    graph = BoxGraph()
    add_graph(graph, trace.lines, sizes, (), omit=is_in_heading)
    row, column = _Layers(graph, flat=True), _Layers(graph, flat=False)
    has_cells = any(line.value.has_cells for line in trace.lines)
    usual = BESIDE_CELLS if has_cells else (BETWEEN, BESIDE)
    folds = range(2, min(_MAX_ROWS, len(row.ranks) // 2) + 1)
    candidates = [row.places(usual), column.places(), *(row.places(usual, rows) for rows in folds)]
    airy = row.places((max(AIRY[0], usual[0]), AIRY[1]))
    if min(scale_in(room, airy) for room in ROOMS[:2]) > _HARDLY_SMALLER:
        candidates[0] = airy
    if max(scale_in(room, places) for room in ROOMS[:2] for places in candidates) < _READABLE:
        candidates += [row.places(TIGHT, rows) for rows in folds]
        if has_cells:
            candidates += [row.places(), *(row.places(rows=rows) for rows in folds)]
    scale = min(max(scale_in(room, places) for places in candidates) for room in ROOMS[:2])
    named = [graph.restore_names(places, sizes.headings) for places in candidates]
    return [{**places, "ease": round(places["ease"] / (1 + strain), 3)} for places in named], scale


def scale_in(room: Point, places: dict[str, Any]) -> float:
    """Return at which scale a layout alternative is whole in a room."""
    return min(room[0] / places["width"], room[1] / places["height"])


class _Layers:
    """The boxes of a graph in ordered ranks, which follow each other to the right (`flat`) or downwards."""

    def __init__(self, graph: BoxGraph, flat: bool) -> None:
        self.flat = flat
        sides = (
            (72 * float(look["width"]), 72 * float(look["height"])) for look in graph.nodes.values()
        )
        boxes = {
            name: Box(*turn(size, flat)) for name, size in zip(graph.nodes, sides, strict=True)
        }
        self.boxes = list(boxes.values())
        self.ways = [Way(boxes[tail], boxes[head]) for tail, head, _ in graph.edges.values()]
        self.ranks, self.chains = order_ranks(self.boxes, self.ways)

    def places(
        self, room: tuple[float, float] = (BETWEEN, BESIDE), rows: int = 1
    ) -> dict[str, Any]:
        """Give one layout alternative: a row, a column or a fold; nodes and edges are called by their numbers."""
        if rows == 1:
            place_ranks(self.ranks, self.ways, self.chains, *room)
            shape, strain = ("row", 0.0) if self.flat else ("column", _COLUMN)
        else:
            turns = fold_ranks(self.ranks, self.ways, self.chains, rows, *room)
            shape, strain = "fold", _FOLD + _EACH_ROW * rows + _EACH_TURN * min(turns, _MAX_TURNS)
        corners = [corner for box in self.boxes for corner in box.corners]
        corners += [point for way in self.ways for point in sample_path(way.points)]
        xs, ys = zip(*(turn(corner, self.flat) for corner in corners), strict=True)
        left, top = min(xs) - PAD, min(ys) - PAD

        def place(point: Point) -> Point:
            x, y = turn(point, self.flat)
            return round(x - left, 1), round(y - top, 1)

        nodes, edges = {}, {}
        for k, box in enumerate(self.boxes):
            sides = (round(side, 1) for side in turn((box.length, box.breadth), self.flat))
            nodes[str(k)] = dict(zip("xywh", (*place(box.centre), *sides), strict=True))
        for k, way in enumerate(self.ways):
            edges[str(k)] = {"path": write_path([*map(place, way.points)], place(way.stop))}
        size = {"width": round(max(xs) - left + PAD, 1), "height": round(max(ys) - top + PAD, 1)}
        ease = round(1 / (1 + strain), 3)
        return {
            **size,
            "shape": shape,
            "ease": ease,
            "step": self._step_size(),
            "nodes": nodes,
            "edges": edges,
        }

    def _step_size(self) -> dict[str, float]:
        """How wide and how high the boxes of one step are together, at most: those of a line and of its operands."""
        steps: dict[Box, list[Box]] = {}
        for way in self.ways:
            steps.setdefault(way.head, [way.head]).append(way.tail)
        width = height = 0.0
        for boxes in steps.values():
            corners = [turn(corner, self.flat) for box in boxes for corner in box.corners]
            xs, ys = zip(*corners, strict=True)
            width, height = max(width, max(xs) - min(xs)), max(height, max(ys) - min(ys))
        return {"width": round(width, 1), "height": round(height, 1)}
