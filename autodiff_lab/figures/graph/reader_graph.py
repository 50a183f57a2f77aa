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
    "graph_attr": {"bgcolor": LIGHT.paper, "nodesep": "0.3", "ranksep": "0.35", **_TYPE},
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
    said = ", ".join(_one_line(text) for text in written if text)
    arrows = "; ".join(_arrows(digraph))
    spoken = f"Graph: {said}. Arrows: {arrows}." if arrows else f"Graph: {said}"
    return {
        "text/html": f'<div style="overflow-x:auto"><img alt="{escape(spoken)}" '
        f'style="max-width:100%;height:auto" src="{data_url(svg)}"></div>',
        "text/plain": f"<graph: {said}>",
    }


_NAME = r'("(?:[^"\\]|\\.)*"|[^\s\[":]+)(?::\S+)?'
_NODE = re.compile(rf'\s*{_NAME} \[label=("(?:[^"\\]|\\.)*"|[^\s\]]+)')
_EDGE = re.compile(rf"\s*{_NAME} -> {_NAME}")


def _arrows(digraph: graphviz.Digraph) -> list[str]:
    r"""Say between which nodes the arrows run, by the first line of what is written in each node.

    >>> digraph = graphviz.Digraph(); digraph.node("1", "mul\nvalue 6"); digraph.edge("x", "1")
    >>> _arrows(digraph)
    ['x → mul']
    """
    nodes = filter(None, map(_NODE.match, digraph.body))
    labels = {node[1]: re.split(r"\n|\\[nlr]", node[2].strip('"'))[0] for node in nodes}
    edges = filter(None, map(_EDGE.match, digraph.body))
    return [" → ".join(_one_line(labels.get(end, end.strip('"'))) for end in edge.groups()) for edge in edges]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def show_graphs_in(shell: Any) -> None:
    """Let a running notebook show every `graphviz.Digraph` in this way."""
    shell.display_formatter.mimebundle_formatter.for_type(graphviz.Digraph, show_graph)
