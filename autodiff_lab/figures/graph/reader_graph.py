"""Graphs that a reader makes with the `graphviz` package, shown in the style of the course."""

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
# Pygraphviz drops the default label of all nodes as soon as one node sets its own.
_LOOK["node_attr"] |= {"label": r"\N", "margin": "0.08,0.04", "height": "0.4"}


def show_graph(digraph: graphviz.Digraph) -> dict[str, str]:
    """Return a reader's own graph as HTML and as a short text, in the style of the course.

    Attributes that the reader has set are kept.

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
        # Without Graphviz, an edge from a node to itself can't be drawn. The arrows can still be read in the DOT text.
        return {"text/plain": f"{digraph.source}\n{error}"}
    texts = [e.text for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("}text")]
    words = [_one_line(text) for text in texts if text]
    listed = ", ".join(words)
    arrows = _describe_arrows(digraph, " ".join(words))
    description = f"Graph: {listed}. Arrows: {arrows}." if arrows else f"Graph: {listed}"
    return {
        "text/html": f'<div style="overflow-x:auto">{image_tag(svg, description)}</div>',
        "text/plain": f"<graph: {listed}>",
    }


_NAME = r'("(?:[^"\\]|\\.)*"|[^\s\[":]+)(?::\S+)?'
_NODE = re.compile(rf'\s*{_NAME} \[label=("(?:[^"\\]|\\.)*"|[^\s\]]+)')
_EDGE = re.compile(rf"\s*{_NAME} -> {_NAME}")


def _describe_arrows(digraph: graphviz.Digraph, drawn: str) -> str:
    r"""List the arrows of a graph by the first line of the label of each node.

    Arrows at a node without a label are only counted. `drawn` is the text in the picture.

    >>> digraph = graphviz.Digraph(); digraph.node("1", "mul\nvalue 6"); digraph.edge("x", "1"); digraph.edge("1", "22")
    >>> _describe_arrows(digraph, "x mul value 6")
    'x → mul; 1 more'
    """
    nodes = filter(None, map(_NODE.match, digraph.body))
    labels = {node[1]: re.split(r"\n|\\[nlr]", node[2].strip('"'))[0] for node in nodes}

    def find_title(node: str) -> str:
        name = _one_line(node.strip('"'))
        return _one_line(labels.get(node, name if name in drawn else ""))

    arrows = []
    n_untitled = 0
    for edge in filter(None, map(_EDGE.match, digraph.body)):
        tail, head = (find_title(node) for node in edge.groups())
        if tail and head:
            arrows.append(f"{tail} → {head}")
        else:
            n_untitled += 1
    if n_untitled:
        arrows.append(f"{n_untitled} more" if arrows else str(n_untitled))
    return "; ".join(arrows)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def show_graphs_in(shell: Any) -> None:
    """Make a running notebook show every `graphviz.Digraph` that a reader makes in the style of the course."""
    shell.display_formatter.mimebundle_formatter.for_type(graphviz.Digraph, show_graph)
