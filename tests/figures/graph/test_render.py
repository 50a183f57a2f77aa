"""A graph becomes a picture: for a page, for a notebook, in every format, by Graphviz that pygraphviz brings along."""

import base64
import re
import sys
import xml.etree.ElementTree as ElementTree

import graphviz
import pytest

from autodiff_lab.figures.graph.draw import graph, picture, render
from autodiff_lab.figures.graph.render import DrawingError

from .drawn import SPACE, svg_of


def test_the_picture_for_a_page_shows_the_same(trace):
    """It is the SVG without what an <img> cannot use; every text and shape is still there."""
    drawing = graph(trace)
    whole, small = (
        ElementTree.fromstring(render(drawing, "svg")),
        ElementTree.fromstring(picture(drawing)),
    )
    assert small.get("viewBox")
    for shape in ("polygon", "path", "ellipse"):
        assert len(list(small.iter(f"{SPACE}{shape}"))) == len(list(whole.iter(f"{SPACE}{shape}")))
    texts = [
        [text.text for text in svg.iter(f"{SPACE}text") if text.text.strip()]
        for svg in (whole, small)
    ]
    assert texts[0] == texts[1]
    assert not [element for element in small.iter() if element.get("id") or element.get("class")]


def test_nothing_is_drawn_behind_the_graph(example_trace):
    """A white background would glare in a dark theme; each label has paper of its own instead."""
    svg = render(graph(example_trace), "svg").decode()
    graph_element = svg[svg.index('class="graph"') : svg.index('class="node')]
    assert "<polygon" not in graph_element


def test_type_is_large_enough(trace):
    sizes = {text.get("font-size") for text in svg_of(trace).iter(f"{SPACE}text")}
    assert "14.00" in sizes and sizes <= {"13.00", "14.00"}, "numbers in cells are a little smaller"


def test_a_notebook_gets_a_picture_that_survives_sanitising(example_trace):
    bundle = graph(example_trace)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert base64.b64decode(bundle["image/png"])[:8] == b"\x89PNG\r\n\x1a\n"
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])[1]
    assert b"<svg" in base64.b64decode(data)
    assert 'alt="Drawing of example(x1, x2). Lines: ' in bundle["text/html"]
    assert bundle["text/plain"] == "<drawing of example(x1, x2)>"


@pytest.mark.parametrize(
    ("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("json0", b"{"), ("pdf", b"%PDF")]
)
def test_every_format(example_trace, format, start):
    assert render(graph(example_trace), format).startswith(start)


def test_drawing_is_silent(example_trace, capfd):
    render(graph(example_trace), "png")
    captured = capfd.readouterr()
    assert captured.err == ""
    assert captured.out == ""


def test_the_program_dot_is_not_asked(tmp_path, monkeypatch, example_trace):
    (tmp_path / "dot").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "dot").chmod(0o755)
    wanted = render(graph(example_trace), "png")
    for path in ("", f"{tmp_path}:/bin:/usr/bin"):
        monkeypatch.setenv("PATH", path)
        assert render(graph(example_trace), "png") == wanted


def test_without_pygraphviz(monkeypatch, example_trace):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert render(graph(example_trace), "svg").startswith(b"<?xml")
    with pytest.raises(
        DrawingError, match=r"python -m pip install pygraphviz.*SVG does not need it"
    ):
        render(graph(example_trace), "png")
    loop = graphviz.Digraph()
    loop.edge("a", "a")
    with pytest.raises(DrawingError, match=r"'a' to itself .*python -m pip install pygraphviz`\.$"):
        render(loop, "svg")


def test_a_browser_is_not_told_to_install_what_it_cannot_have(monkeypatch, example_trace):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(DrawingError, match="SVG does not need it") as raised:
        render(graph(example_trace), "png")
    assert "pip install" not in str(raised.value)


def test_a_format_that_does_not_exist(example_trace):
    with pytest.raises(DrawingError, match="Graphviz cannot draw the graph as nonsense"):
        render(graph(example_trace), "nonsense")


def test_a_larger_bitmap(example_trace):
    def width(png):
        return int.from_bytes(png[16:20], "big")

    drawing = graph(example_trace)
    assert width(render(drawing, "png", scale=2)) == pytest.approx(
        2 * width(render(drawing, "png")), rel=0.02
    )
    assert "dpi" not in drawing.source
