"""Layouts of graphs: boxes and edges, their places by Graphviz, and the paths of the edges.

Places are in the coordinates of a browser: the origin at the top left, y downwards.
"""

import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import dist
from typing import Any

import graphviz

from autodiff_lab.figures.graph.boxes import SIZE
from autodiff_lab.figures.graph.render import Drawing, render
from autodiff_lab.figures.style.fonts import font_stack, provide_font
from autodiff_lab.text.messages import current_language, message

Point = tuple[float, float]

# Room between two boxes of a rank, and between two ranks: a number that travels along an edge can be read there.
BESIDE, BETWEEN = 18.0, 43.2

# Borders are drawn half outside of their box.
_PAD = 4.0

# So many short lines stand for a piece of a curve where it is measured.
_SAMPLES = 8


class BoxGraph:
    """A graph of plain boxes and edges, made for its layout only; those that differ in names alone share a layout."""

    is_large = False

    def __init__(self) -> None:
        self.nodes: dict[str, Mapping[str, str]] = {}
        self.edges: dict[str, tuple[str, str, Mapping[str, str]]] = {}
        self._said: dict[str, tuple[str, dict[str, str]]] = {}

    def node(self, name: str, **look: str) -> None:
        """Add a plain box of a given size to the graph of which a layout is wanted."""
        self.nodes[name] = look

    def edge(self, tail: str, head: str, id: str, said: str = "", shapes: str = "", **look: str) -> None:
        """Add an edge to the graph of which a layout is wanted, with room for a label if anything is `said` of it."""
        self._said[id] = said, {"shapes": shapes} if shapes else {}
        # The main way stays straight; constants, and values from elsewhere, stand aside.
        self.edges[id] = (tail, head, look | ({"weight": "8"} if tail[0] in "ng" else {}))

    @property
    def key(self) -> Any:
        """What is equal for graphs of boxes that have the same layout: sizes and edges, without names."""
        number = {name: k for k, name in enumerate(self.nodes)}
        nodes = tuple(tuple(look.items()) for look in self.nodes.values())
        return nodes, tuple((number[tail], number[head], *look.items()) for tail, head, look in self.edges.values())

    def drawing(self) -> Drawing:
        """Return the graph whose layout is wanted as a `Drawing` that Graphviz lays out."""
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
        """Take over the layout of an equal graph under the names of this one, and add its headings."""
        nodes, edges = {}, {}
        for k, name in enumerate(self.nodes):
            head = {"head": list(headings[int(name[1:])])} if name[0] == "n" else {}
            nodes[name] = {**places["nodes"][str(k)], **head}
        for k, (name, (tail, head, _)) in enumerate(self.edges.items()):
            path, (said, shapes) = places["edges"][str(k)]["path"], self._said[name]
            label = dict(zip("xy", middle_of(path), strict=True)) if said else None
            edges[name] = {"path": path, "label": label, "ends": [tail, head], **shapes}
        return {**places, "nodes": nodes, "edges": edges}


def layout_of(digraph: graphviz.Digraph) -> dict[str, Any]:
    """Return the layout of a graph by Graphviz: the places of nodes and edges by id; an edge without one is left out.

    >>> digraph = graphviz.Digraph(edge_attr={"label": "1"})
    >>> digraph.node("n0", id="n0"); digraph.node("n1", id="n1"); digraph.edge("n0", "n1", id="e1_0")
    >>> places = layout_of(digraph)
    >>> sorted(places["nodes"]), sorted(places["edges"]), places["edges"]["e1_0"]["path"][0]
    (['n0', 'n1'], ['e1_0'], 'M')
    """
    places = _places(json.loads(render(digraph, "json0")))
    return {**places, "note": message("laid out in haste")} if getattr(digraph, "layout_timed_out", False) else places


def layouts_of(digraphs: Sequence[graphviz.Digraph]) -> list[dict[str, Any]]:
    """Return the layouts of many small graphs by Graphviz, which is started once for all of them.

    To start `dot` takes longer than to place some boxes.

    >>> one = graphviz.Digraph(); one.node("n0", id="n0")
    >>> [list(places["nodes"]) for places in layouts_of([one, one])]
    [['n0'], ['n0']]
    """
    dot = shutil.which("dot")
    if dot and len(digraphs) > 1:
        with provide_font(), contextlib.suppress(OSError, subprocess.CalledProcessError, ValueError):
            source = "\n".join(digraph.source for digraph in digraphs)
            told = subprocess.run([dot, "-Tjson0"], input=source.encode(), capture_output=True, check=True).stdout
            found = list(_each(told.decode()))
            if len(found) == len(digraphs):
                return [_places(data) for data in found]
    return [layout_of(digraph) for digraph in digraphs]


def _each(text: str) -> Iterator[Any]:
    """The values of a text that has one behind the other in JSON."""
    text = text.strip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:].lstrip()


def _places(data: Any) -> dict[str, Any]:
    left, bottom, right, top = (float(x) for x in data["bb"].split(","))

    def place(text: str) -> Point:
        x, y = text.split(",")[:2]
        return round(float(x) - left + _PAD, 1), round(top - float(y) + _PAD, 1)

    nodes, edges = {}, {}
    for item in data.get("objects", ()):
        size = (round(72 * float(item[side]), 1) for side in ("width", "height"))
        nodes[item["id"]] = dict(zip("xywh", (*place(item["pos"]), *size), strict=True))
    for item in data.get("edges", ()):
        if "id" in item:
            label = dict(zip("xy", place(item["lp"]), strict=True)) if "lp" in item else None
            # Graphviz's spline is "e,tip s,start start control control point …".
            words = [word for word in item["pos"].split() if not word.startswith("s,")]
            tip = [place(word[2:]) for word in words if word.startswith("e,")]
            curve = [place(word) for word in words if not word.startswith("e,")]
            edges[item["id"]] = {"path": write_path(curve, *tip), "label": label}
    size = {"width": round(right - left + 2 * _PAD, 1), "height": round(top - bottom + 2 * _PAD, 1)}
    return {**size, "nodes": nodes, "edges": edges}


def write_path(curve: Sequence[Point], *tip: Point) -> str:
    """Write the path of an edge in a layout as an SVG path: a Bézier curve with a straight tip.

    >>> write_path([(0, 0), (1, 0), (2, 1), (3, 1)], (4, 1))
    'M0,0C1,0 2,1 3,1L4,1'
    """
    start, *rest = (f"{round(x, 1):g},{round(y, 1):g}" for x, y in curve)
    return f"M{start}C{' '.join(rest)}" + "".join(f"L{round(x, 1):g},{round(y, 1):g}" for x, y in tip)


def middle_of(path: str) -> Point:
    """Find the point half way along the path of an edge in a layout, where its label stands.

    >>> middle_of("M0,0C10,0 20,0 30,0L40,0")
    (20.0, 0.0)
    """
    points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]
    curve, tip = (points[:-1], points[-1:]) if "L" in path else (points, [])
    line = [*sample_path(curve), *tip]
    half = sum(map(dist, line, line[1:])) / 2
    for (x, y), (u, v) in pairwise(line):
        length = dist((x, y), (u, v))
        if half <= length:
            share = half / length if length else 0.0
            return round(x + share * (u - x), 1), round(y + share * (v - y), 1)
        half -= length
    return line[-1]


def sample_path(curve: Sequence[Point]) -> Iterator[Point]:
    """Yield points close to each other on the path of an edge in a layout, by which it is measured."""
    yield curve[0]
    for k in range(0, len(curve) - 1, 3):
        (a, b), (c, d), (e, f), (g, h) = curve[k : k + 4]
        for i in range(1, _SAMPLES + 1):
            t = i / _SAMPLES
            p, q, r, s = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            yield p * a + q * c + r * e + s * g, p * b + q * d + r * f + s * h


def lead_straight(start: Point, end: Point) -> list[Point]:
    """Return three points that lead an edge's path in a layout straight on: a Bézier piece that is a line."""
    (x, y), (u, v) = start, end
    return [(x + (u - x) / 3, y + (v - y) / 3), (u - (u - x) / 3, v - (v - y) / 3), end]
