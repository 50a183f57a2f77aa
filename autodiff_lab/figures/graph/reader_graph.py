"""Graphs that a reader makes with the `graphviz` package, in the look of the course, with or without Graphviz."""

import re
from typing import Any
from xml.etree import ElementTree

import graphviz

from autodiff_lab.figures.graph.boxes import SIZE
from autodiff_lab.figures.graph.graph_style import usual_look
from autodiff_lab.figures.graph.render import Drawing, DrawingError, picture
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.figures.style.themes import LIGHT, follow_page_theme

_LOOK = usual_look(LIGHT)
_LOOK["graph_attr"] |= {"bgcolor": LIGHT.paper, "fontsize": str(SIZE), "fontcolor": LIGHT.ink}
# Pygraphviz forgets the usual label where another node has one.
_LOOK["node_attr"] |= {"label": r"\N", "margin": "0.08,0.04", "height": "0.4"}


def show_graph(digraph: graphviz.Digraph) -> dict[str, str]:
    """Return a reader's own graph as HTML and short text. What the reader has set stays; the rest is the course's look.

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
    except DrawingError as error:
        # a loop, say, where there is no Graphviz: the arrows can be read all the same
        return {"text/plain": f"{digraph.source}\n{error}"}
    written = (
        element.text
        for element in ElementTree.fromstring(svg).iter()
        if element.tag.endswith("}text")
    )
    words = [_one_line(text) for text in written if text]
    said, arrows = ", ".join(words), _arrows(digraph, " ".join(words))
    spoken = f"Graph: {said}. Arrows: {arrows}." if arrows else f"Graph: {said}"
    return {
        "text/html": f'<div style="overflow-x:auto">{image_tag(svg, spoken)}</div>',
        "text/plain": f"<graph: {said}>",
    }


_NAME = r'("(?:[^"\\]|\\.)*"|[^\s\[":]+)(?::\S+)?'
_NODE = re.compile(rf'\s*{_NAME} \[label=("(?:[^"\\]|\\.)*"|[^\s\]]+)')
_EDGE = re.compile(rf"\s*{_NAME} -> {_NAME}")


def _arrows(digraph: graphviz.Digraph, drawn: str) -> str:
    r"""Say between which nodes the arrows run, by the first line of what is written in each node.

    Arrows of nodes in which nothing is written are counted.

    >>> digraph = graphviz.Digraph(); digraph.node("1", "mul\nvalue 6"); digraph.edge("x", "1"); digraph.edge("1", "22")
    >>> _arrows(digraph, "x mul value 6")
    'x → mul; 1 more'
    """
    nodes = filter(None, map(_NODE.match, digraph.body))
    labels = {node[1]: re.split(r"\n|\\[nlr]", node[2].strip('"'))[0] for node in nodes}
    edges = [edge.groups() for edge in filter(None, map(_EDGE.match, digraph.body))]

    def spoken(end: str) -> str:
        name = _one_line(end.strip('"'))
        return _one_line(labels.get(end, name if name in drawn else ""))

    named = [f"{spoken(a)} → {spoken(b)}" for a, b in edges if spoken(a) and spoken(b)]
    unnamed = len(edges) - len(named)
    counted = [f"{unnamed} more" if named else str(unnamed)] if unnamed else []
    return "; ".join(named + counted)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def show_graphs_in(shell: Any) -> None:
    """Let a running notebook show every graph that a reader makes, a `graphviz.Digraph`, in the look of the course."""
    shell.display_formatter.mimebundle_formatter.for_type(graphviz.Digraph, show_graph)
