"""Box graphs: plain boxes of the right sizes and edges between them, for which a layout is found."""

from collections.abc import Mapping, Sequence
from typing import Any

from autodiff_lab.figures.graph.box_size import SIZE
from autodiff_lab.figures.graph.paths import middle_of
from autodiff_lab.figures.graph.render import Drawing
from autodiff_lab.figures.style.fonts import font_stack
from autodiff_lab.text.messages import current_language

BESIDE, BETWEEN = 18.0, 43.2
"""Room between two boxes of a rank, and between two ranks: a number that travels along an edge can be read there."""


class BoxGraph:
    """A graph of plain boxes and edges, made for its layout only; box graphs that differ in names alone share one."""

    is_large = False

    def __init__(self) -> None:
        self.nodes: dict[str, Mapping[str, str]] = {}
        self.edges: dict[str, tuple[str, str, Mapping[str, str]]] = {}
        self._said: dict[str, tuple[str, dict[str, str]]] = {}

    def node(self, name: str, **look: str) -> None:
        """Add a plain box of a given size to the box graph."""
        self.nodes[name] = look

    def edge(self, tail: str, head: str, id: str, said: str = "", shapes: str = "", **look: str) -> None:
        """Add an edge between two boxes of the box graph, with a place for a label if anything is `said` of it."""
        self._said[id] = said, {"shapes": shapes} if shapes else {}
        # The main way stays straight; constants, and values from elsewhere, stand aside.
        self.edges[id] = (tail, head, look | ({"weight": "8"} if tail[0] in "ng" else {}))

    @property
    def key(self) -> Any:
        """What is equal for box graphs that have the same layout: sizes and edges, without names."""
        number = {name: k for k, name in enumerate(self.nodes)}
        nodes = tuple(tuple(look.items()) for look in self.nodes.values())
        return nodes, tuple((number[tail], number[head], *look.items()) for tail, head, look in self.edges.values())

    def drawing(self) -> Drawing:
        """Return the box graph as a `Drawing`, for Graphviz to lay out."""
        type_ = {"fontname": font_stack(current_language()), "fontsize": str(SIZE)}
        digraph = Drawing(
            graph_attr={"rankdir": "LR", "nodesep": f"{BESIDE / 72:g}", "ranksep": f"{BETWEEN / 72:g}"},
            node_attr={"shape": "box", "label": "", "fixedsize": "true", **type_},
            edge_attr={"arrowsize": "0.7", **type_},
        )
        number = {name: str(k) for k, name in enumerate(self.nodes)}
        for name, look in self.nodes.items():
            digraph.node(number[name], id=number[name], **look)
        for k, (tail, head, look) in enumerate(self.edges.values()):
            digraph.edge(number[tail], number[head], id=str(k), **look)
        digraph.is_large = self.is_large
        return digraph

    def restore_names(self, places: Mapping[str, Any], headings: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Name the places in the layout of an equal box graph as in this one, and add the headings of its nodes."""
        nodes, edges = {}, {}
        for k, name in enumerate(self.nodes):
            head = {"head": list(headings[int(name[1:])])} if name[0] == "n" else {}
            nodes[name] = {**places["nodes"][str(k)], **head}
        for k, (name, (tail, head, _)) in enumerate(self.edges.items()):
            path, (said, shapes) = places["edges"][str(k)]["path"], self._said[name]
            label = dict(zip("xy", middle_of(path), strict=True)) if said else None
            edges[name] = {"path": path, "label": label, "ends": [tail, head], **shapes}
        return {**places, "nodes": nodes, "edges": edges}
