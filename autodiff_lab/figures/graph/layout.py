"""The layout of a graph by Graphviz, in the coordinates of a browser: the origin at the top left, y downwards."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

import graphviz

from autodiff_lab.figures.graph.paths import Point, write_path
from autodiff_lab.figures.graph.render import render
from autodiff_lab.figures.style.fonts import provide_font
from autodiff_lab.text.messages import message

# Borders are drawn half outside of their box.
_PAD = 4.0


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
