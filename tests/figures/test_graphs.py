import base64
import itertools
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import Trace, draw
from autodiff_lab.figures.drawing import Drawing, DrawingError
from autodiff_lab.figures.graphs import graph, layout, picture, render


def chain(n):
    def f(x, y):
        for _ in range(n // 5):
            x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
        return x * y

    return f


def hostile(x):
    return x


CASES = {
    "single": (np.sin, (1.0,)),
    "square": (lambda x: x * x, (3.0,)),
    "constants": (lambda x: 3 * x + 2 - x / 4, (2.0,)),
    "independent": (lambda x: 3.0, (2.0,)),
    "identity": (lambda x: x, (2.0,)),
    "dead end": (lambda x, y: [np.exp(y), x * 2][1], (2.0, 3.0)),
    "arrays": (
        lambda w, x: np.mean(np.tanh(w @ x + np.ones(2)) ** 2),
        (np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([0.1, 0.2])),
    ),
    "large arrays": (lambda x: np.sum(x.T * 2), (np.ones((128, 64)),)),
    "not finite": (lambda x: x * np.inf - 1e300 * x, (2.0,)),
    "fifty": (chain(50), (1.0, 0.5)),
}


@pytest.fixture(params=CASES)
def trace(request):
    f, args = CASES[request.param]
    return Trace.of(f, *args)


def test_dot_of_the_example(example_trace):
    """The expected text is committed; SVG is not compared, because its bytes differ between versions of Graphviz."""
    expected = Path(__file__).with_name("example.gv")
    assert graph(example_trace).source == expected.read_text(encoding="utf-8")


def test_dot_of_a_step(example_trace):
    source = graph(example_trace, 9).source
    carrying = next(row for row in source.splitlines() if "id=e5_0" in row)
    assert "dir=back" in carrying
    assert 'class="edge-operand carrying"' in carrying
    assert source.count("carrying") == 1
    assert re.findall(r'class="(\w+ )?active"|class="(input|operation) active"', source)
    assert [row.split()[0] for row in source.splitlines() if " active" in row] == ["n1", "n5"]


def test_dot_is_deterministic(trace):
    assert graph(trace).source == graph(Trace.from_json(trace.to_json())).source


def test_inputs_results_and_constants_differ_by_more_than_colour():
    rows = graph(Trace.of(lambda x: 3 * x, 2.0)).source.splitlines()
    of = {row.split()[0]: row for row in rows if " [label=" in row and "->" not in row}
    assert "style=filled " in of["n0"]
    assert "peripheries=2" in of["n1"]
    assert 'style="filled,dashed"' in of["c1_0"]


def test_steps_share_one_layout(example_trace):
    """Lines that are not recorded yet keep their place, so that a strip of drawings does not jump."""
    places = []
    for step in (-1, 3, 9, len(example_trace.steps) - 1):
        svg = render(graph(example_trace, step), "svg").decode()
        places.append(re.search(r'viewBox="([^"]+)"', svg)[1])
    assert len(set(places)) == 1


def test_everything_has_its_place(trace):
    places = layout(trace)
    nodes = {f"n{i}" for i in range(len(trace.lines))}
    edges = set()
    for i, line in enumerate(trace.lines):
        for slot, operand in enumerate(line.operands):
            edges.add(f"e{i}_{slot}")
            if operand.line is None:
                nodes.add(f"c{i}_{slot}")
    assert set(places["nodes"]) == nodes
    assert set(places["edges"]) == edges
    for box in places["nodes"].values():
        assert box["w"] / 2 <= box["x"] <= places["width"] - box["w"] / 2
        assert box["h"] / 2 <= box["y"] <= places["height"] - box["h"] / 2


def test_boxes_do_not_overlap(trace):
    boxes = layout(trace)["nodes"].values()
    for a, b in itertools.combinations(boxes, 2):
        assert abs(a["x"] - b["x"]) >= (a["w"] + b["w"]) / 2 or abs(a["y"] - b["y"]) >= (a["h"] + b["h"]) / 2


def test_edges_end_at_the_border_of_their_operation(trace):
    places = layout(trace)
    for name, edge in places["edges"].items():
        head = places["nodes"]["n" + re.match(r"e(\d+)_", name)[1]]
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", edge["path"])]
        x, y = numbers[-2:]
        assert abs(x - head["x"]) <= head["w"] / 2 + 3
        assert abs(y - head["y"]) <= head["h"] / 2 + 3
        assert re.fullmatch(r"M[-\d.,]+C[-\d., ]+(L[-\d.,]+)?", edge["path"])


def test_labels_are_where_partials_are(example_trace):
    edges = layout(example_trace)["edges"]
    assert all(edge["label"] for edge in edges.values())
    constant = layout(Trace.of(lambda x: 3 * x, 2.0))["edges"]
    assert constant["e1_0"]["label"] is None
    assert set(constant["e1_1"]["label"]) == {"x", "y"}


def svg_of(trace):
    return ElementTree.fromstring(render(graph(trace), "svg"))


SPACE = "{http://www.w3.org/2000/svg}"


def test_ids_in_the_svg(example_trace):
    found = {group.get("id"): group.get("class") for group in svg_of(example_trace).iter(f"{SPACE}g")}
    assert {"n0", "n6", "e2_0", "e6_1"} <= set(found)
    assert found["n0"] == "node input"
    assert found["n6"] == "node operation result"


def test_the_picture_for_a_page_shows_the_same(trace):
    """It is the SVG without what an <img> cannot use; every text and shape is still there."""
    drawing = graph(trace)
    whole, small = ElementTree.fromstring(render(drawing, "svg")), ElementTree.fromstring(picture(drawing))
    assert small.get("viewBox")
    for shape in ("polygon", "path", "ellipse"):
        assert len(list(small.iter(f"{SPACE}{shape}"))) == len(list(whole.iter(f"{SPACE}{shape}")))
    texts = [[text.text for text in svg.iter(f"{SPACE}text") if text.text.strip()] for svg in (whole, small)]
    assert texts[0] == texts[1]
    assert not [element for element in small.iter() if element.get("id") or element.get("class")]


def test_arrays_are_short_in_nodes_and_whole_in_tooltips():
    trace = Trace.of(lambda x: np.sum(x * x), np.arange(6.0).reshape(3, 2) / 7)
    row = next(row for row in graph(trace).source.splitlines() if row.strip().startswith("n0 ["))
    label, _, tooltip = row.partition(" tooltip=")
    assert "(3, 2) 0 … 0.714<" in label
    assert "= [[0 0.1429] [0.2857 0.4286] [0.5714 0.7143]]" in tooltip or "(3, 2) array, 0 … 0.7143" in tooltip


def test_nothing_is_drawn_behind_the_graph(example_trace):
    """A white background would glare in a dark theme; each label has paper of its own instead."""
    svg = render(graph(example_trace), "svg").decode()
    graph_element = svg[svg.index('class="graph"') : svg.index('class="node')]
    assert "<polygon" not in graph_element


def test_type_is_large_enough(trace):
    sizes = {text.get("font-size") for text in svg_of(trace).iter(f"{SPACE}text")}
    assert sizes == {"14.00"}


NASTY = ["<script>alert(1)</script>", 'quo"te', "back\\N\\n\\slash", "a & b", "</b>", "tab\tand\x07bell", "]]>"]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_shown_and_not_run(name):
    trace = Trace.of(lambda p: p[name] * 2, {name: 1.0})
    svg = render(graph(trace), "svg")
    root = ElementTree.fromstring(svg)
    assert not list(root.iter(f"{SPACE}script"))
    shown = "".join(text.text or "" for text in root.iter(f"{SPACE}text"))
    label = trace.lines[0].label
    assert label.replace(" ", "") in shown.replace(" ", "").replace("\N{NO-BREAK SPACE}", "")
    drawing = graph(trace)
    assert "<script" not in drawing._repr_mimebundle_()["text/html"]
    layout(trace)


def test_a_function_with_a_nasty_name():
    hostile.__name__ = "<script>"
    trace = Trace.of(hostile, 1.0)
    assert trace.title == "<script>(x)"
    assert b"<script" not in render(graph(trace), "svg")
    assert "<script" not in graph(trace)._repr_mimebundle_()["text/html"]


def test_draw_gives_a_drawing(example_function):
    drawing = draw(example_function, 2.0, 5.0)
    assert isinstance(drawing, Drawing)
    assert repr(drawing) == "<drawing of example(x1, x2)>"
    assert "x1: 5.5, x2: 1.7163" in str(drawing)
    assert drawing.copy().source == drawing.source


def test_a_notebook_gets_a_picture_that_survives_sanitising(example_trace):
    bundle = graph(example_trace)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert base64.b64decode(bundle["image/png"])[:8] == b"\x89PNG\r\n\x1a\n"
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])[1]
    assert b"<svg" in base64.b64decode(data)
    assert 'alt="Drawing of example(x1, x2). Lines: ' in bundle["text/html"]
    assert bundle["text/plain"] == "<drawing of example(x1, x2)>"


@pytest.fixture
def no_dot(monkeypatch):
    monkeypatch.setenv("PATH", "")


@pytest.mark.parametrize(
    ("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("json0", b"{"), ("pdf", b"%PDF")]
)
def test_without_dot(no_dot, example_trace, format, start):
    assert render(graph(example_trace), format).startswith(start)


def test_a_notebook_without_dot(no_dot, example_trace):
    assert len(graph(example_trace)._repr_mimebundle_()["image/png"]) > 1000


def test_drawing_in_process_is_silent(no_dot, example_trace, capfd):
    render(graph(example_trace), "png")
    captured = capfd.readouterr()
    assert captured.err == ""
    assert captured.out == ""


def test_with_neither(no_dot, monkeypatch, example_trace):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(DrawingError, match="python -m pip install pygraphviz"):
        render(graph(example_trace), "svg")


def test_a_dot_that_fails(tmp_path, monkeypatch, example_trace):
    """A `dot` of a broken installation does not stop the drawing."""
    dot = tmp_path / "dot"
    dot.write_text("#!/bin/sh\ncat > /dev/null\necho broken >&2\nexit 1\n")
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert render(graph(example_trace), "svg").startswith(b"<?xml")
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(DrawingError, match="dot failed: broken"):
        render(graph(example_trace), "svg")


def test_a_format_that_does_not_exist(no_dot, example_trace):
    with pytest.raises(DrawingError, match="pygraphviz failed"):
        render(graph(example_trace), "nonsense")


def test_a_larger_bitmap(example_trace):
    def width(png):
        return int.from_bytes(png[16:20], "big")

    drawing = graph(example_trace)
    assert width(render(drawing, "png", scale=2)) == pytest.approx(2 * width(render(drawing, "png")), rel=0.02)
    assert "dpi" not in drawing.source


def test_five_hundred_operations_take_seconds():
    trace = Trace.of(chain(500), 1.0, 0.5)
    start = time.perf_counter()
    layout(trace)
    assert time.perf_counter() - start < 5
