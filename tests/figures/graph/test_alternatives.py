"""The layouts of which the player takes the one that its room suits."""

import functools
import json
import re
from itertools import combinations
from math import dist

import numpy as np
import pytest

from autodiff_lab import Trace
from autodiff_lab.figures.graph import render
from autodiff_lab.figures.graph.alternatives import (
    LAPTOP,
    ROOMS,
    choose_for_room,
    layout_alternatives,
    scale_in,
)
from autodiff_lab.figures.graph.boxes import node_texts, player_heading, text_width
from autodiff_lab.figures.layered_layout.paths import sample_path

USUAL, WIDE, NARROW = ROOMS
READABLE = 11 / 14.5


def seed(x1, x2):
    a = np.log(x1)
    b = x1 * x2
    s = a + b
    c = np.sin(x2)
    return s - c


def cross_entropy(z, y):
    e = np.exp(z - np.max(z))
    return -np.sum(y * np.log(e / np.sum(e)))


def network(params, x):
    h = np.tanh(params["W1"] @ x + params["b1"])
    h = np.tanh(params["W2"] @ h + params["b2"])
    return np.sum((params["W3"] @ h + params["b3"]) ** 2)


def chain(x):
    for _ in range(10):
        x = np.sin(x) * 1.5
    return x


def horner(x):
    p = x * 1.5
    for k in range(6):
        p = p * x + k
    return p


def lstm(p, x, h, c):
    z = p["W"] @ x + p["U"] @ h + p["b"]
    i, f, o = (1 / (1 + np.exp(-z[k : k + 2])) for k in (0, 2, 4))
    c = f * c + i * np.tanh(z[6:])
    return np.sum(o * np.tanh(c))


def squares(*xs):
    return sum(x * x for x in xs)


RNG = np.random.default_rng(0)


def some(*shape):
    return RNG.normal(size=shape).round(2)


WEIGHTS = {
    "W1": some(4, 3),
    "b1": some(4),
    "W2": some(4, 4),
    "b2": some(4),
    "W3": some(2, 4),
    "b3": some(2),
}
GRAPHS = {
    "seed": (seed, (2.0, 5.0)),
    "cross entropy": (cross_entropy, (np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0]))),
    "network": (network, (WEIGHTS, some(3))),
    "chain": (chain, (0.7,)),
    "horner": (horner, (0.5,)),
    "square": (lambda x: x * x, (3.0,)),
    "squares": (squares, tuple(np.arange(1.0, 11.0))),
    "lstm": (lstm, ({"W": some(8, 3), "U": some(8, 2), "b": some(8)}, some(3), some(2), some(2))),
    "array constants": (lambda x: np.sum(np.ones(2) * x + np.arange(2.0)), (some(2),)),
    "no use of an input": (lambda x, y: x * 2.0, (1.0, 2.0)),
}


@functools.cache
def laid_out(name):
    f, args = GRAPHS[name]
    trace = Trace.of(f, *args)
    return trace, layout_alternatives(trace)


@pytest.fixture(params=GRAPHS)
def case(request):
    """One after the other, a run and the layouts of its graph."""
    return laid_out(request.param)


def curve_of(path):
    points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]
    assert (
        re.fullmatch(r"M[-\d.]+,[-\d.]+C([-\d.]+,[-\d.]+ ?)+L[-\d.]+,[-\d.]+", path)
        and len(points) % 3 == 2
    )
    return points[:-1], points[-1]


def on_border(point, box):
    x, y = abs(point[0] - box["x"]) - box["w"] / 2, abs(point[1] - box["y"]) - box["h"] / 2
    return max(x, y) == pytest.approx(0, abs=0.3)


def test_every_line_has_a_box_and_no_box_overlaps_another(case):
    trace, layouts = case
    for places in layouts:
        assert {name for name in places["nodes"] if name[0] == "n"} == {
            f"n{i}" for i in range(len(trace.lines))
        }
        for a, b in combinations(places["nodes"].values(), 2):
            assert (
                abs(a["x"] - b["x"]) >= (a["w"] + b["w"]) / 2 + 8
                or abs(a["y"] - b["y"]) >= (a["h"] + b["h"]) / 2 + 8
            )


def test_everything_is_in_its_frame(case):
    for places in case[1]:
        points = [
            point
            for edge in places["edges"].values()
            for point in sample_path(curve_of(edge["path"])[0])
        ]
        for box in places["nodes"].values():
            points += [(box["x"] + k * box["w"] / 2, box["y"] + k * box["h"] / 2) for k in (-1, 1)]
        assert all(0 <= x <= places["width"] and 0 <= y <= places["height"] for x, y in points)


def test_every_edge_leads_from_its_operand_to_its_operation(case):
    trace, layouts = case
    for places in layouts:
        for name, edge in places["edges"].items():
            i, slot = map(int, name[1:].split("_"))
            operand = trace.lines[i].operands[slot]
            assert edge["ends"] == [
                f"c{i}_{slot}" if operand.line is None else f"n{operand.line}",
                f"n{i}",
            ]
            (start, *_), tip = curve_of(edge["path"])
            assert on_border(start, places["nodes"][edge["ends"][0]])
            assert on_border(tip, places["nodes"][edge["ends"][1]])


def test_no_edge_runs_through_a_box(case):
    for places in case[1]:
        for edge in places["edges"].values():
            for x, y in sample_path(curve_of(edge["path"])[0]):
                for name, box in places["nodes"].items():
                    inside = (
                        abs(x - box["x"]) < box["w"] / 2 - 0.5
                        and abs(y - box["y"]) < box["h"] / 2 - 0.5
                    )
                    assert not inside, (places["shape"], edge["ends"], name)


def test_a_constant_number_has_no_box_and_an_array_has(case):
    trace, layouts = case
    constants = {
        f"c{i}_{k}"
        for i, line in enumerate(trace.lines)
        for k, operand in enumerate(line.operands)
        if operand.line is None and operand.value.shape
    }
    for places in layouts:
        assert {name for name in places["nodes"] if name[0] == "c"} == constants
        for i, line in enumerate(trace.lines):
            assert places["nodes"][f"n{i}"]["head"] == list(player_heading(trace, i, line))


def test_each_box_is_wide_enough_for_every_text_at_every_step(case):
    trace, layouts = case
    for places in layouts:
        for i, _, text in node_texts(trace):
            assert text_width(text, bold=True) < places["nodes"][f"n{i}"]["w"]
        for i, line in enumerate(trace.lines):
            bold, soft = player_heading(trace, i, line)
            assert text_width(bold, bold=True) + text_width(soft) < places["nodes"][f"n{i}"]["w"]


def test_a_label_is_on_the_middle_of_its_edge(case):
    trace, layouts = case
    for places in layouts:
        for name, edge in places["edges"].items():
            i, slot = map(int, name[1:].split("_"))
            operand = trace.lines[i].operands[slot]
            assert bool(edge["label"]) == bool(operand.edge or operand.shapes)
            if edge["label"]:
                curve, tip = curve_of(edge["path"])
                line = [*sample_path(curve), tip]
                ways = np.cumsum([0.0, *map(dist, line, line[1:])])
                half = int(np.searchsorted(ways, ways[-1] / 2))
                label = tuple(edge["label"].values())
                assert ways[half - 1] + dist(line[half - 1], label) == pytest.approx(
                    ways[-1] / 2, abs=0.2
                )
                assert dist(label, line[half]) + ways[-1] / 2 == pytest.approx(ways[half], abs=0.2)


def test_the_same_each_time_and_without_graphviz(case, monkeypatch):
    trace, layouts = case
    monkeypatch.setattr(render, "_draw", lambda digraph, format: pytest.fail("Graphviz was asked"))
    assert json.dumps(layout_alternatives(trace)) == json.dumps(layouts)


@pytest.mark.parametrize("name", ["seed", "cross entropy", "chain", "horner", "square"])
def test_with_twenty_operations_every_box_is_readable(name):
    layouts = laid_out(name)[1]
    for room in (USUAL, WIDE):
        assert scale_in(room, choose_for_room(room, layouts)) >= READABLE


@pytest.mark.parametrize("name", ["network", "squares"])
def test_wide_boxes_and_many_of_them_are_nearly_as_large(name):
    """Seventeen boxes of arrays, each 165 pixels wide; and 29 boxes of numbers."""
    layouts = laid_out(name)[1]
    assert max(scale_in(room, choose_for_room(room, layouts)) for room in (USUAL, WIDE)) >= 0.7


def shape_in(room, name):
    return choose_for_room(room, laid_out(name)[1])["shape"]


def test_the_shape_follows_the_graph_and_the_room():
    assert [shape_in(room, "seed") for room in ROOMS] == ["row", "row", "column"]
    assert [shape_in(room, "chain") for room in ROOMS] == ["fold"] * 3
    row, column = laid_out("seed")[1]
    assert row["width"] > row["height"] and column["width"] < column["height"]
    assert row["ease"] > column["ease"]


def test_a_path_begins_with_a_piece_that_has_a_length(case):
    """In the sweep its arrowhead is there, which has the direction of that piece."""
    for layout in case[1]:
        for name, edge in layout["edges"].items():
            start, control, *_ = re.findall(r"-?[\d.]+,-?[\d.]+", edge["path"])
            assert start != control, name


def test_each_of_the_layouts_is_the_best_for_a_room(case):
    _, layouts = case
    rooms = (*ROOMS, *LAPTOP)
    assert 1 <= len(layouts) <= len(rooms)
    assert all(any(choose_for_room(room, layouts) is one for room in rooms) for one in layouts)
    assert choose_for_room(USUAL, layouts) is layouts[0]


def test_values_run_on_in_a_row_and_back_in_the_next():
    places = choose_for_room(USUAL, laid_out("chain")[1])
    rows = {}
    for i in range(21):
        box = places["nodes"][f"n{i}"]
        rows.setdefault(box["y"], []).append(box["x"])
    assert len(rows) > 2 and sorted(rows) == list(rows)
    for k, xs in enumerate(rows.values()):
        assert xs == sorted(xs, reverse=bool(k % 2))


def test_inputs_stand_in_the_learners_order():
    row, column = laid_out("seed")[1]
    assert (
        row["nodes"]["n0"]["y"] < row["nodes"]["n1"]["y"]
        and row["nodes"]["n0"]["x"] == row["nodes"]["n1"]["x"]
    )
    assert column["nodes"]["n0"]["x"] < column["nodes"]["n1"]["x"]
    places = laid_out("network")[1][0]
    last = places["nodes"]["n14"]  # … + b3
    assert dist([last["x"], last["y"]], [places["nodes"]["n5"][k] for k in "xy"]) < 250


def test_side_ways_do_not_bend_the_main_way():
    """Each sum stands beside the one before it, although a square joins it from below."""
    row = choose_for_room(WIDE, laid_out("squares")[1])
    ys = [row["nodes"][f"n{i}"]["y"] for i in range(12, 29, 2)]
    assert row["shape"] == "row" and max(ys) - min(ys) < 68


def test_a_large_graph_and_one_with_groups_have_one_layout():
    def f(x, n=20):
        for _ in range(n):
            x = x * 1.001 + 0.25
        return x

    (row,) = layout_alternatives(Trace.of(lambda x: f(x, 30), 1.0))
    assert row["shape"] == "row" and row["width"] > 5000
    (row,) = layout_alternatives(Trace.of(lambda x: f(x, 80), 1.0), in_groups=True)
    assert row["groups"]


# What stands in the boxes


def heading(f, *args, i=-1):
    trace = Trace.of(f, *args)
    return player_heading(trace, range(len(trace.lines))[i], trace.lines[i])


def test_headings():
    assert heading(seed, 2.0, 5.0) == ("y", "−")
    assert heading(seed, 2.0, 5.0, i=0) == ("x1", "")
    assert heading(seed, 2.0, 5.0, i=2)[0] in ("log x1", "a"), (
        "the operation, or the name that it is given"
    )
    assert heading(lambda x: 2 * x, 1.0) == ("y", "2 ×")
    assert heading(lambda x: x * 2, 1.0) == ("y", "× 2")
    assert heading(lambda x: x**2, 1.0) == ("y", "** 2")
    assert heading(lambda x: np.clip(x, 0, 1), 0.5) == ("y", "clip 0, 1")
    assert heading(lambda x: np.exp(x), 0.5) == ("y", "exp")
    assert heading(lambda x: np.ones(2) + x, 1.0) == ("y", "+"), "an array has a box of its own"
    assert heading(
        lambda params: params["a long name of its own"] * 2, {"a long name of its own": 1.0}, i=0
    ) == (
        "params['a long …",
        "",
    )
    long = heading(lambda p: (p["alpha"] * p["beta"]) + 1, {"alpha": 1.0, "beta": 2.0}, i=2)
    assert long == ("×", "v₁")
