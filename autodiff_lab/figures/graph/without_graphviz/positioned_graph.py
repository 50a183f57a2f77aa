"""A graph from DOT text, each node and edge in its place: what `without_graphviz` draws."""

from __future__ import annotations

from autodiff_lab.figures.graph.without_graphviz.dot_parser import Attributes, label_of, read
from autodiff_lab.figures.graph.without_graphviz.layers import Box, Point, Way, arranged

__all__ = ["RING", "Edge", "Node", "Placed"]

RING = 4.0
"""So far apart are two borders of a node."""

_INCH = 72.0
_ARROW = 10.0
_OVALS = ("ellipse", "oval", "circle", "doublecircle", "point")
_BARE = ("plaintext", "plain", "none")


class Node:
    """A node: what it looks like, and how large it is."""

    def __init__(self, name: str, look: Attributes) -> None:
        self.name, self.look = name, look
        self.style = _words(look.get("style", ""))
        self.shape = look.get("shape", "ellipse")
        self.oval, self.bare = self.shape in _OVALS, self.shape in _BARE
        self.label = label_of(look, "\\N", name)
        self.rings = 0 if self.bare else int(look.get("peripheries", "2" if self.shape == "doublecircle" else "1"))
        stretch = 2**0.5 if self.oval else 1.0
        width = max(_INCH * float(look.get("width", "0.75")), (self.label.width + 12) * stretch)
        height = max(_INCH * float(look.get("height", "0.5")), (self.label.height + 4) * stretch)
        if self.shape in ("circle", "doublecircle", "point"):
            width = height = max(width, height)
        self.inner = (width, height)
        more = 2 * RING * max(0, self.rings - 1)
        self.size = (width + more, height + more)
        self.place: Point = (0.0, 0.0)


class Edge:
    """An edge: what it looks like, and (after the layout) where it runs."""

    def __init__(self, tail: str, head: str, look: Attributes) -> None:
        self.tail, self.head, self.look = tail, head, look
        self.style = _words(look.get("style", ""))
        self.label = label_of(look, "", "") if look.get("label") else None
        kind, size = look.get("dir", "forward"), _ARROW * float(look.get("arrowsize", "1"))
        self.arrows = (size * (kind in ("back", "both")), size * (kind in ("forward", "both")))
        if look.get("arrowhead") == "none":
            self.arrows = (self.arrows[0], 0.0)
        self.points: list[Point] = []
        self.start = self.stop = (0.0, 0.0)
        self.label_at: Point | None = None


class Placed:
    """A graph that has been read, and laid out; the origin is at the top left."""

    def __init__(self, source: str) -> None:
        graph = read(source)
        self.look = graph.attributes
        self.nodes = {name: Node(name, look) for name, look in graph.nodes.items()}
        self.edges = [Edge(*edge) for edge in graph.edges]
        self.direction = self.look.get("rankdir", "TB").upper()
        self._lay_out()

    @property
    def _flat(self) -> bool:
        return self.direction in ("LR", "RL")

    def _beside(self, edge: Edge) -> bool:
        """Whether a label stands beside its line: always above it; to the right only if it has no paper of its own."""
        return edge.label is not None and (self._flat or not edge.label.paper) and edge.tail != edge.head

    def _lay_out(self) -> None:
        flat = self._flat
        sign = -1 if self.direction in ("RL", "BT") else 1
        boxes = [Box(node.name, *_turned(node.size, flat), oval=node.oval) for node in self.nodes.values()]
        ways = []
        for edge in self.edges:
            length, breadth = _turned((edge.label.width + 8, edge.label.height + 2), flat) if edge.label else (0.0, 0.0)
            if self._beside(edge):
                breadth *= 2
            ways.append(Way(edge.tail, edge.head, length, breadth, arrows=edge.arrows))
        between, beside = (_INCH * float(self.look.get(k, v)) for k, v in (("ranksep", "0.5"), ("nodesep", "0.25")))
        arranged(boxes, ways, between=between, beside=beside)

        def put(point: Point) -> Point:
            return _turned((sign * point[0], point[1]), flat)

        places = [put((box.along, box.across)) for box in boxes]
        corners = [(x + k * w / 2, y + k * h / 2) for (x, y), node in zip(places, self.nodes.values(), strict=True)
                   for w, h in [node.size] for k in (-1, 1)]  # fmt: skip
        for edge, way in zip(self.edges, ways, strict=True):
            corners += map(put, way.points)
            if edge.label and way.label:
                (x, y), (w, h) = put(way.label), _turned((way.length, way.breadth), flat)
                corners += [(x - w / 2, y - h / 2), (x + w / 2, y + h / 2)]
        left, top = (min((corner[k] for corner in corners), default=0.0) for k in (0, 1))
        self.width = max((x for x, _ in corners), default=0.0) - left
        self.height = max((y for _, y in corners), default=0.0) - top

        def moved(point: Point) -> Point:
            x, y = put(point)
            return x - left, y - top

        for node, box in zip(self.nodes.values(), boxes, strict=True):
            node.place = moved((box.along, box.across))
        for edge, way in zip(self.edges, ways, strict=True):
            edge.points, edge.start, edge.stop = list(map(moved, way.points)), moved(way.start), moved(way.stop)
            if way.label:
                x, y = moved(way.label)
                aside = way.breadth / 4 if self._beside(edge) else 0.0
                edge.label_at = (x, y - aside) if flat else (x + aside, y)


def _words(style: str) -> list[str]:
    return [word.strip() for word in style.split(",")]


def _turned(sides: Point, flat: bool) -> Point:
    """Along and across the ranks, as x and y, or back."""
    return sides if flat else (sides[1], sides[0])
