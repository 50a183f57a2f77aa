"""Where the boxes and arrows of a graph stand, and how long it takes to find that out."""

import itertools
import re
import time

import pytest

from autodiff_lab import Trace, play
from autodiff_lab.figures.graph import render as rendering
from autodiff_lab.figures.graph.boxes import BoxSizes
from autodiff_lab.figures.graph.draw import graph, render
from autodiff_lab.figures.graph.layout import layout_graph, layout_of
from autodiff_lab.figures.layered_layout.paths import middle_of

from .drawn import chain, used_everywhere


def test_steps_share_one_layout(example_trace):
    """Lines that are not recorded yet keep their place, so that a strip of drawings does not jump."""
    places = []
    for step in (-1, 3, 9, len(example_trace.steps) - 1):
        svg = render(graph(example_trace, step), "svg").decode()
        places.append(re.search(r'viewBox="([^"]+)"', svg)[1])
    assert len(set(places)) == 1


def test_everything_has_its_place(trace):
    places = layout_graph(trace)
    nodes = {f"n{i}" for i in range(len(trace.lines))}
    edges = set()
    for i, line in enumerate(trace.lines):
        for slot, operand in enumerate(line.operands):
            if operand.line is None and not operand.value.shape:
                continue  # a constant number is in the heading
            edges.add(f"e{i}_{slot}")
            if operand.line is None:
                nodes.add(f"c{i}_{slot}")
    assert set(places["nodes"]) == nodes
    assert set(places["edges"]) == edges
    for box in places["nodes"].values():
        assert box["w"] / 2 <= box["x"] <= places["width"] - box["w"] / 2
        assert box["h"] / 2 <= box["y"] <= places["height"] - box["h"] / 2


def test_boxes_do_not_overlap(trace):
    boxes = layout_graph(trace)["nodes"].values()
    for a, b in itertools.combinations(boxes, 2):
        assert (
            abs(a["x"] - b["x"]) >= (a["w"] + b["w"]) / 2
            or abs(a["y"] - b["y"]) >= (a["h"] + b["h"]) / 2
        )


def test_edges_end_at_the_border_of_their_operation(trace):
    places = layout_graph(trace)
    for name, edge in places["edges"].items():
        head = places["nodes"]["n" + re.match(r"e(\d+)_", name)[1]]
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", edge["path"])]
        x, y = numbers[-2:]
        assert abs(x - head["x"]) <= head["w"] / 2 + 3
        assert abs(y - head["y"]) <= head["h"] / 2 + 3
        assert re.fullmatch(r"M[-\d.,]+C[-\d., ]+(L[-\d.,]+)?", edge["path"])


def test_labels_are_on_the_middle_of_an_edge_where_partials_are(example_trace):
    edges = layout_graph(example_trace)["edges"]
    assert all(tuple(edge["label"].values()) == middle_of(edge["path"]) for edge in edges.values())
    constant = layout_graph(Trace.of(lambda x: 3 * x, 2.0))["edges"]
    assert set(constant) == {"e1_1"} and set(constant["e1_1"]["label"]) == {"x", "y"}


def test_five_hundred_operations_take_seconds():
    trace = Trace.of(chain(500), 1.0, 0.5)
    start = time.process_time()  # not the clock: others may be at work on this machine
    layout_graph(trace)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("operations", [90, 150, 300])
def test_inputs_used_everywhere_do_not_slow_the_layout(operations):
    """Graphviz alone takes four seconds for 90 such operations, and minutes for 150."""
    trace = Trace.of(used_everywhere(operations), 0.3, 0.7)
    start = time.perf_counter()
    places = layout_graph(trace)
    assert time.perf_counter() - start < 3, "0.2 s on a calm machine"
    assert set(places["nodes"]) >= {f"n{i}" for i in range(len(trace.lines))}
    used = {
        f"e{i}_{slot}" for i, line in enumerate(trace.lines) for slot in range(len(line.operands))
    }
    assert set(places["edges"]) == used


def test_a_value_from_far_away_is_named_beside_its_use():
    trace = Trace.of(used_everywhere(90), 0.3, 0.7)
    source = graph(trace).source
    last = max(i for i, line in enumerate(trace.lines) if line.op == "multiply")
    slot = next(k for k, operand in enumerate(trace.lines[last].operands) if operand.line == 1)
    assert re.search(
        rf's{last}_{slot} \[label=<b> .*tooltip="b = 0.7, whose own box is far away in this picture"',
        source,
    )
    assert f"s{last}_{slot} -> n{last}" in source
    assert f"n1 -> n{last}" not in source


def test_up_to_some_sixty_operations_every_way_is_drawn():
    source = graph(Trace.of(used_everywhere(60), 0.3, 0.7)).source
    assert not re.search(r"\bs\d+_\d", source)


def test_play_finds_positions_once_and_draws_each_picture_once(monkeypatch):
    asked = []
    drawn = rendering._draw
    monkeypatch.setattr(
        rendering, "_draw", lambda graph, format: asked.append(format) or drawn(graph, format)
    )
    player = play(lambda x: x * x, 3.0)
    assert asked == [], "a small graph needs no Graphviz for that"
    for _ in range(2):
        player._repr_mimebundle_()
    assert asked == ["svg", "png", "png"], "a PNG is not kept"


def test_positions_need_no_colours_and_no_words(example_trace, monkeypatch):
    sources = []
    drawn = rendering._draw
    monkeypatch.setattr(
        rendering,
        "_draw",
        lambda graph, format: sources.append(graph.source) or drawn(graph, format),
    )
    layout_graph(example_trace)
    assert not re.search(r"color|tooltip|class=|<b>|sin", sources[0])


def test_a_drawings_boxes_have_the_size_of_their_texts(trace):
    sizes = BoxSizes.of(trace)
    drawn = layout_of(graph(trace))["nodes"]
    for i, line in enumerate(trace.lines):
        name, look = f"n{i}", sizes.node(i, line)
        box = {"w": 72 * float(look["width"]), "h": 72 * float(look["height"])}
        border = 8.1 if name == f"n{trace.result}" else 0.1  # the result has two
        assert box["w"] <= drawn[name]["w"] + 0.1 and abs(drawn[name]["h"] - box["h"]) <= border
