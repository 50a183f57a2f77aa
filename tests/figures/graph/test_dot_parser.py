"""DOT text is read as Graphviz reads it: names, attributes, labels."""

from xml.etree import ElementTree

import graphviz
import pytest

from autodiff_lab.figures.graph.without_graphviz.dot_parser import DotGraph, read_label
from autodiff_lab.figures.graph.without_graphviz.drawing import draw_plainly


def test_dot_text_as_graphviz_writes_it():
    graph = DotGraph("""
        // a remark
        strict digraph "a name" {
            rankdir=LR; node [shape=box, color="red"];
            a -> b:port:n -> "c d" [label=<x<i>y</i>>; style = dashed]
            subgraph inner { node [shape=oval]; e } { f }
            "node" [label="no keyword"]; a [color=blue]; .5 -> -1
        }
    """)
    assert graph.attributes == {"rankdir": "LR"}
    assert list(graph.nodes) == ["a", "b", "c d", "e", "f", "node", ".5", "-1"]
    assert [graph.nodes[name]["shape"] for name in ("a", "e", "f")] == ["box", "oval", "box"]
    assert graph.nodes["a"]["color"] == "blue" and graph.nodes["node"]["label"] == "no keyword"
    assert [(tail, head) for tail, head, _ in graph.edges] == [
        ("a", "b"),
        ("b", "c d"),
        (".5", "-1"),
    ]
    assert graph.edges[1][2] == {"label": "<x<i>y</i>>", "style": "dashed"}
    assert [run.text for run in read_label(graph.edges[0][2], "", "").lines[0]] == ["x", "y"]


@pytest.mark.parametrize(
    "broken",
    [
        'digraph { a [label="x }',
        "digraph { a -> }",
        "digraph { a [label=<<b>x>] }",
        "digraph { a",
        "{%}",
        "",
    ],
)
def test_unreadable_dot_is_an_error_and_no_wrong_picture(broken):
    with pytest.raises(ValueError, match=r"DOT text|markup"):
        for look in DotGraph(broken).nodes.values():
            read_label(look, "", "")


def test_unicode_quotes_and_backslashes():
    digraph = graphviz.Digraph()
    for text in (
        "日本 ∂y/∂x",
        'say "so"',
        graphviz.escape("C:\\new"),
        "two\nrows",
        "left\\l",
        "it is \\N",
    ):
        digraph.node(f"node {len(digraph.body)}", text)
    digraph.node("markup", "<<B>bold</B><BR/>1 &lt; 2&nbsp;&amp; x&#92;&#92;n>")
    shown = [
        text.text
        for text in ElementTree.fromstring(draw_plainly(digraph, "svg")).iter(
            "{http://www.w3.org/2000/svg}text"
        )
    ]
    assert shown == [
        "日本 ∂y/∂x", 'say "so"', "C:\\new", "two", "rows", "left", "it is node 5", "bold",
        "1 < 2\N{NO-BREAK SPACE}& x\\n",
    ]  # fmt: skip
