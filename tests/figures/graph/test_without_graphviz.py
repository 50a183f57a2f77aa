"""Where there is no pygraphviz, graphs are arranged and drawn all the same."""

import json
import math
import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import graphviz
import numpy as np
import pytest

from autodiff_lab import Trace, draw, play
from autodiff_lab.figures.graph import draw as graphs
from autodiff_lab.figures.graph.layout import layout_graph, layout_of
from autodiff_lab.figures.graph.render import DrawingError, picture, render
from autodiff_lab.figures.graph.without_graphviz.dot_parser import DotGraph
from autodiff_lab.figures.graph.without_graphviz.drawing import draw_plainly
from autodiff_lab.figures.style.themes import follow_page_theme
from autodiff_lab.systems.static_graph import Graph, Variable

from ..example import example
from ..runs import RUNS


@pytest.fixture
def no_graphviz(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)


def two_threads(x, y):
    for _ in range(12):
        x, y = x + 0.1 * y, y - 0.1 * np.sin(x)
    return x * y


def static():
    with Graph() as graph:
        x = Variable(2.0, name="x")
        y = np.log(x) * x + 3.0
    graph.run(y, {})
    return graph.draw(y)


def own(*edges, **attributes):
    digraph = graphviz.Digraph(graph_attr=attributes)
    for k, (tail, head) in enumerate(edges):
        for name in (tail, head):
            digraph.node(name, id=f"node {name}")
        digraph.edge(tail, head, f"edge {k}", id=f"edge {k}")
    return digraph


def clustered():
    digraph = own(("a", "b"))
    with digraph.subgraph(name="cluster_1", node_attr={"shape": "box"}) as inner:
        inner.attr(label="a title", rank="same")
        inner.node("c", id="node c")
        inner.edge("c", "a", id="edge c")
    return digraph


DRAWINGS = {
    **{name: (lambda run=run: draw(run())) for name, run in RUNS.items()},
    "to the right": lambda: draw(two_threads, 0.5, 0.3, group=None, direction="LR"),
    "downwards": lambda: draw(two_threads, 0.5, 0.3, group=None, direction="TB"),
    "lines": lambda: draw(two_threads, 0.5, 0.3, group="line"),
    "loop": lambda: draw(two_threads, 0.5, 0.3, group="loop"),
    "dark": lambda: draw(example, 2.0, 5.0, theme="dark"),
    "static graph": static,
    "nothing": lambda: own(),
    "a cycle": lambda: own(("a", "b"), ("b", "c"), ("c", "a")),
    "two cycles": lambda: own(
        ("a", "b"), ("b", "a"), ("p", "q"), ("q", "p"), ("p", "a"), ("q", "a")
    ),
    "to and fro": lambda: own(("a", "b"), ("b", "a"), ("a", "b")),
    "upwards": lambda: own(("a", "b"), ("a", "c"), ("b", "d"), ("a", "d"), rankdir="BT"),
    "to the left": lambda: own(("a", "b"), ("a", "c"), ("b", "d"), ("a", "d"), rankdir="RL"),
    "two parts": lambda: own(("a", "b"), ("p", "q"), ("q", "r"), ("p", "r")),
    "a cluster": clustered,
}
SMALL = [name for name in DRAWINGS if name != "500 operations"]


def boxes(layout):
    return {name: (n["x"], n["y"], n["w"], n["h"]) for name, n in layout["nodes"].items()}


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_drawing_is_svg_that_is_the_same_each_time(no_graphviz, name):
    drawing = DRAWINGS[name]()
    svg = render(drawing)
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == render(DRAWINGS[name]())
    shown = {g.get("id") for g in root.iter("{http://www.w3.org/2000/svg}g")} - {"graph0"}
    layout = layout_of(drawing)
    assert set(layout["nodes"]) <= shown and set(layout["edges"]) <= shown
    assert len(shown) == len(layout["nodes"]) + drawing.source.count("->")


@pytest.mark.parametrize("name", SMALL)
def test_boxes_and_labels_keep_off_each_other(no_graphviz, name):
    layout = layout_of(DRAWINGS[name]())
    apart = list(boxes(layout).values())
    # Of a label the middle is known; that it has room, the next test sees in the picture.
    apart += [
        (e["label"]["x"], e["label"]["y"], 4.0, 4.0) for e in layout["edges"].values() if e["label"]
    ]
    for (x, y, w, h), (u, v, a, b) in combinations(apart, 2):
        assert abs(x - u) >= (w + a) / 2 or abs(y - v) >= (h + b) / 2
    for x, y, w, h in apart:
        assert w / 2 <= x <= layout["width"] - w / 2 and h / 2 <= y <= layout["height"] - h / 2


PAPER = '<polygon points="([^"]*)" fill="#FFFFFF" stroke="none"/><text'


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_labels_have_room(no_graphviz, direction):
    svg = render(draw(two_threads, 0.5, 0.3, group=None, direction=direction)).decode()
    papers = [
        [tuple(map(float, pair.split(","))) for pair in points.split()]
        for points in re.findall(PAPER, svg)
    ]
    assert len(papers) > 40
    for one, other in combinations(papers, 2):
        (left, top), (right, bottom) = one[0], one[2]
        (u, v), (a, b) = other[0], other[2]
        assert right < u or a < left or bottom < v or b < top


@pytest.mark.parametrize("name", [name for name in SMALL if name != "nothing"])
def test_edges_go_from_border_to_border(no_graphviz, name):
    drawing = DRAWINGS[name]()
    layout, edges = layout_of(drawing), DotGraph(drawing.source).edges
    nodes = {n: look["id"] for n, look in DotGraph(drawing.source).nodes.items()}
    checked = 0
    for tail, head, look in edges:
        if "id" not in look:
            continue
        path = [
            tuple(map(float, pair))
            for pair in re.findall(r"(-?[\d.]+),(-?[\d.]+)", layout["edges"][look["id"]]["path"])
        ]
        for (x, y), node in ((path[0], tail), (path[-1], head)):
            at = layout["nodes"][nodes[node]]
            across, down = abs(x - at["x"]) / (at["w"] / 2), abs(y - at["y"]) / (at["h"] / 2)
            oval = math.hypot(across, down)
            assert max(across, down) == pytest.approx(1, abs=0.03) or oval == pytest.approx(
                1, abs=0.03
            )
        checked += 1
    assert checked or not edges or name in ("lines", "loop", "60 operations")


def along(path):
    """Points of a path, close to each other."""
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path)]
    points = np.array(numbers).reshape(-1, 2)
    t = np.linspace(0, 1, 25)[:, None]
    for k in range(0, len(points) - 4, 3):
        a, b, c, d = points[k : k + 4]
        yield from (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t * t * (1 - t) * c + t**3 * d


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_no_edge_runs_through_a_box(no_graphviz, direction):
    drawing = draw(two_threads, 0.5, 0.3, group=None, direction=direction)
    layout = layout_of(drawing)
    ends = {look["id"]: {tail, head} for tail, head, look in DotGraph(drawing.source).edges}
    for name, edge in layout["edges"].items():
        for x, y in along(edge["path"]):
            for node, (u, v, w, h) in boxes(layout).items():
                assert node in ends[name] or abs(x - u) > w / 2 or abs(y - v) > h / 2


def test_no_edge_strikes_a_label_out(no_graphviz, example_trace):
    """Labels without paper stand above the lines."""
    for trace in (example_trace, Trace.of(two_threads, 0.5, 0.3)):
        digraph = graphviz.Digraph(graph_attr={"rankdir": "LR"}, node_attr={"shape": "box"})
        for i, line in enumerate(trace.lines):
            digraph.node(f"n{i}", id=f"n{i}")
            for slot, operand in enumerate(line.operands):
                label = operand.edge if operand.line is not None else ""
                digraph.edge(f"n{operand.line}", f"n{i}", id=f"e{i}_{slot}", label=label)
        digraph.node("nNone", id="constants")
        edges = layout_of(digraph)["edges"].values()
        assert sum(bool(edge["label"]) for edge in edges) >= 8
        x, y = np.array([point for edge in edges for point in along(edge["path"])]).T
        for place in (edge["label"] for edge in edges if edge["label"]):
            assert not np.any((np.abs(x - place["x"]) < 8) & (np.abs(y - place["y"]) < 7))


def test_ranks_follow_the_arrows(no_graphviz):
    trace = Trace.of(two_threads, 0.5, 0.3)
    nodes = layout_graph(trace)["nodes"]
    for i, line in enumerate(trace.lines):
        for operand in line.operands:
            if operand.line is not None:
                assert nodes[f"n{operand.line}"]["x"] < nodes[f"n{i}"]["x"]


def test_a_long_run_stays_on_its_track(no_graphviz):
    # Two values that lead on and on need no more room aside after 60 operations than after 6.
    layout = layout_of(draw(two_threads, 0.5, 0.3, group=None, direction="TB"))
    assert layout["height"] > 1000 and layout["width"] < 8 * max(
        n["w"] for n in layout["nodes"].values()
    )


def test_few_edges_cross(no_graphviz):
    """A tree, given in an order that crosses everything, is drawn without a crossing."""
    names = [format(k, "03b") for k in (3, 6, 0, 5, 1, 7, 2, 4)]
    edges = [(name[:-1] or "root", name) for name in names]
    edges += [(name[:1], name) for name in ("11", "00", "10", "01")] + [
        ("root", name) for name in "10"
    ]
    nodes = layout_of(own(*edges))["nodes"]
    leaves = sorted(names, key=lambda name: nodes[f"node {name}"]["x"])
    assert len({tuple(leaf[:2] for leaf in leaves[k : k + 2]) for k in range(0, 8, 2)}) == 4
    assert all(leaves[k][:2] == leaves[k + 1][:2] for k in range(0, 8, 2))
    assert leaves[0][0] == leaves[3][0] != leaves[4][0] == leaves[7][0]


def test_a_name_cannot_break_out(no_graphviz):
    svg = render(draw(RUNS["<script>"]())).decode()
    assert "<script" not in svg
    digraph = graphviz.Digraph()
    digraph.node(
        '"><script>alert(1)</script>',
        tooltip='"<script>',
        color='"/><script>',
        id='a" onload="x',
        URL="javascript:x",
    )
    svg = render(digraph).decode()
    root = ElementTree.fromstring(svg)
    assert "<script" not in svg and "javascript" not in svg
    assert not any("onload" in element.attrib for element in root.iter())
    assert '"><script>alert(1)</script>' in "".join(root.itertext())


def test_the_picture_shows_every_text_that_graphviz_shows(monkeypatch, example_trace):
    def texts(svg):
        words = " ".join(
            t.text or "" for t in ElementTree.fromstring(svg).iter() if t.tag.endswith("}text")
        )
        return sorted(words.replace("\N{NO-BREAK SPACE}", " ").split())

    for trace in (example_trace, RUNS["arrays"](), RUNS["faulty"](), RUNS["forward"]()):
        for step in (-1, 2, None):
            drawing = graphs.graph(trace, step)
            assert texts(render(drawing)) == texts(draw_plainly(drawing, "svg"))


def test_the_drawings_of_all_steps_fit_on_each_other(no_graphviz, example_trace):
    first, *others = (
        layout_of(graphs.graph(example_trace, step))["nodes"] for step in range(-1, 13)
    )
    assert all(other == first for other in others)


def test_an_invisible_part_keeps_its_place_and_draws_nothing(no_graphviz, example_trace):
    before = render(graphs.graph(example_trace, -1)).decode()
    assert 'id="n6"' not in before and 'class="node operation' not in before
    assert 'class="edge edge-operand carrying"' in render(graphs.graph(example_trace, 9)).decode()


def test_a_dark_page_gets_a_dark_picture(no_graphviz, example_trace):
    svg = follow_page_theme(picture(graphs.graph(example_trace)))
    assert (
        "prefers-color-scheme:dark" in svg
        and 'fill="var(--paper' in svg
        and "<path" in svg
        and "<text" in svg
    )


def test_bitmaps_say_what_to_install(no_graphviz, example_trace):
    for format in ("png", "pdf"):
        with pytest.raises(
            DrawingError, match=f"as {format}.*pip install pygraphviz.*SVG does not need it"
        ):
            render(graphs.graph(example_trace), format)


def test_a_drawing_and_a_player_are_shown_without_png(no_graphviz):
    bundle = draw(example, 2.0, 5.0)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    data, _ = play(example, 2.0, 5.0)._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert "<img" in data["text/html"] and "<script" in data["text/html"]


def test_films_strips_and_pictures_need_no_graphviz(no_graphviz, tmp_path, example_trace):
    assert example_trace.save_png(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert example_trace.save_gif(tmp_path / "a.gif", [0, 9]).read_bytes().startswith(b"GIF")
    assert example_trace.strip([3, 9]).save(tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert "prefers-color-scheme" in example_trace.save_svg(tmp_path / "a.svg").read_text(
        encoding="utf-8"
    )


def test_an_edge_to_its_own_node_says_what_it_needs(no_graphviz):
    with pytest.raises(DrawingError, match=r"edge from 'a' to itself.*pip install pygraphviz"):
        render(own(("a", "b"), ("a", "a")))


def test_an_attribute_that_is_no_number_is_an_error(no_graphviz):
    digraph = graphviz.Digraph(graph_attr={"ranksep": "wide"})
    with pytest.raises(DrawingError, match="wide"):
        render(digraph)


def test_what_a_browser_lacks_is_not_asked_for():
    """As in Pyodide: no program on the PATH, no pygraphviz; no process, no thread and no signal handler can be made."""
    program = """
import json, signal, subprocess, sys, threading
import numpy as np
import anywidget
sys.modules["pygraphviz"] = None
def never(*_, **__): raise AssertionError("a browser cannot do this")
subprocess.Popen.__init__ = threading.Thread.start = signal.signal = signal.alarm = never
from autodiff_lab import draw, play, table
from autodiff_lab.lessons import tape as check
from autodiff_lab.widgets.labs import TraceTable
def f(x1, x2): return np.log(x1) + x1 * x2 - np.sin(x2)
player = play(f, 2.0, 5.0)
data, _ = player._repr_mimebundle_()
player.inputs = [1.0, 2.0]
check.ex_1(0.0)
shown = [draw(f, 2.0, 5.0)._repr_mimebundle_(), TraceTable()._repr_mimebundle_()]
print(json.dumps([sorted(data), sorted(player.payload["layouts"][0]["nodes"]), "matplotlib" in sys.modules]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PATH": "", "HOME": "/nonexistent"}
    )
    assert done.returncode == 0, done.stderr
    kinds, nodes, matplotlib = json.loads(done.stdout.splitlines()[-1])
    assert "image/png" not in kinds and "text/html" in kinds and "n0" in nodes
    assert not matplotlib, "a page waits seconds for it, and nothing here needs it"
