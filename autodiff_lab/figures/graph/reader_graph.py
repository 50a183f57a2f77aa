"""Graphs that a reader makes with `graphviz`, shown in the look of the course on a machine with or without Graphviz."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import graphviz

from autodiff_lab.figures.graph.box_size import SIZE
from autodiff_lab.figures.graph.render import Drawing, DrawingError, data_url, picture
from autodiff_lab.figures.style.fonts import font_stack
from autodiff_lab.figures.style.themes import LIGHT, follow_page_theme
from autodiff_lab.text.notation import escape

_TYPE = {"fontname": font_stack("en"), "fontsize": str(SIZE), "fontcolor": LIGHT.ink}
_LOOK = {
    "graph_attr": {"bgcolor": "transparent", "nodesep": "0.3", "ranksep": "0.35", **_TYPE},
    "node_attr": {
        "label": r"\N",  # pygraphviz forgets it where another node has a label
        "shape": "box",
        "style": "rounded,filled",
        "fillcolor": LIGHT.paper,
        "color": LIGHT.line,
        "margin": "0.08,0.04",
        "height": "0.4",
        **_TYPE,
    },
    "edge_attr": {"color": LIGHT.line, "arrowsize": "0.7", **_TYPE},
}


def show_graph(digraph: graphviz.Digraph) -> dict[str, str]:
    """Return a graph as HTML, and as a short text. What the reader has set stays; all else is the course's look.

    >>> digraph = graphviz.Digraph(); digraph.edge("x", "y", label="2")
    >>> show_graph(digraph)["text/plain"]
    '<graph: x, y, 2>'
    """
    if isinstance(digraph, Drawing):
        return digraph._repr_mimebundle_()
    styled = digraph.copy()
    for part, look in _LOOK.items():
        setattr(styled, part, {**look, **getattr(digraph, part)})
    try:
        svg = follow_page_theme(picture(styled))
    except DrawingError as error:  # a loop, say, where there is no Graphviz: the arrows can be read all the same
        return {"text/plain": f"{digraph.source}\n{error}"}
    written = (element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text"))
    said = ", ".join(re.sub(r"\s+", " ", text).strip() for text in written if text)
    return {
        "text/html": f'<div style="overflow-x:auto"><img alt="{escape(f"Graph: {said}")}" '
        f'style="max-width:100%;height:auto" src="{data_url(svg)}"></div>',
        "text/plain": f"<graph: {said}>",
    }


def show_graphs_in(shell: Any) -> None:
    """Let a running notebook show every `graphviz.Digraph` in this way."""
    shell.display_formatter.mimebundle_formatter.for_type(graphviz.Digraph, show_graph)
