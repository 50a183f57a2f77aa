"""The layouts of a graph whose groups open: one for what is directly inside of each."""

import json
import re

import numpy as np
import pytest

from autodiff_lab import Trace, grad, record
from autodiff_lab.figures.graph import layout, render
from autodiff_lab.figures.graph.layout import LaidOutExcerpts as Excerpts
from autodiff_lab.figures.graph.layout import layout_of
from autodiff_lab.figures.graph.without_graphviz.drawing import draw_plainly
from autodiff_lab.trace.tape_reader import run_of_tape
from autodiff_lab.transforms.recording import Outcome
from autodiff_lab.widgets.player import views as modes
from autodiff_lab.widgets.player.views import reuse_or_compute_layout

from ...trace.test_outline import RUNS, network, wave


@pytest.fixture(scope="module")
def trace():
    return Trace.of(network, 0.5, 1.3, 0.2)


@pytest.fixture(scope="module")
def places(trace):
    return layout.layout_graph(trace, in_groups=True)


def around(places):
    """The layout of a graph and those of its groups, each with the stretch of lines that it is for."""
    yield 0, 10**9, places
    for name, group in places["groups"].items():
        first, end = map(int, name[1:].split("_"))
        yield first, end, group["layout"]


def names(places, kind):
    return [name for _, _, one in around(places) for name in one["nodes"] if name[0] == kind]


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"10 000 lines"}))
def test_every_operation_is_drawn_in_one_place(name):
    f, args = RUNS[name]
    trace = Trace.of(f, *args)
    places = layout.layout_graph(trace, in_groups=True)
    assert sorted(names(places, "n")) == sorted(f"n{i}" for i in range(len(trace.lines)))
    assert sorted(names(places, "g")) == sorted(
        re.sub("_.*", "", group) for group in places["groups"]
    )
    constants = {
        f"c{i}_{k}"
        for i, line in enumerate(trace.lines)
        for k, o in enumerate(line.operands)
        if o.line is None and o.value.shape
    }
    assert set(names(places, "c")) == constants
    for first, end, one in around(places):
        assert len(one["nodes"]) <= 60 + sum(node[0] in "cs" for node in one["nodes"])
        for edge in one["edges"].values():
            assert set(edge["ends"]) <= set(one["nodes"])
            assert edge["path"].startswith("M")
        for node, box in one["nodes"].items():
            assert first <= int(re.findall(r"\d+", node)[0]) < end
            assert box["w"] / 2 <= box["x"] <= one["width"] - box["w"] / 2
            assert box["h"] / 2 <= box["y"] <= one["height"] - box["h"] / 2


def test_values_leave_a_group_along_edges_or_by_their_name(trace, places):
    ways = {name for _, _, one in around(places) for name in one["edges"]}
    again = set(names(places, "s"))
    for i, line in enumerate(trace.lines):
        for slot, operand in enumerate(line.operands):
            if operand.line is None and not operand.value.shape:
                continue  # it is in the heading
            assert f"e{i}_{slot}" in ways
            chains = [{g for g in places["groups"] if _holds(g, one)} for one in (i, operand.line)]
            inner = [max((int(g[1:].split("_")[0]) for g in chain), default=-1) for chain in chains]
            if (
                operand.line is not None
                and inner[0] > inner[1]
                and not _beside(places, i, operand.line)
            ):
                assert f"s{i}_{slot}" in again, "inside it stands beside its use"


def _holds(group, line):
    first, end = map(int, group[1:].split("_"))
    return line is not None and first <= line < end


def _beside(places, i, line):
    """Whether the innermost group around line `i` holds the other line as well."""
    holding = [g for g in places["groups"] if _holds(g, i)]
    innermost = min(
        holding, key=lambda g: int(g.split("_")[1]) - int(g[1:].split("_")[0]), default=None
    )
    return innermost is None or _holds(innermost, line)


def test_a_closed_group_tells_what_it_holds_and_uses(places):
    titled = {group["title"]: (name, group) for name, group in places["groups"].items()}
    name, loop = titled["for _ in range(30):"]
    assert loop["said"] == "30 times, 510 operations" and loop["outs"] == [last_of(name)]
    name, turn = titled["iteration 2"]
    assert turn["said"] == "17 operations, uses a, b" and turn["outs"] == [last_of(name)]
    inside = [
        group
        for other, group in places["groups"].items()
        if _holds(name, int(other[1:].split("_")[0]))
    ]
    inner = next(
        group
        for group in inside
        if group.get("whole") == "x = layer(h, b, a) * 0.1 + layer(x, b, b)"
    )
    assert inner["title"].endswith("…") and inner["whole"].startswith(inner["title"][:-1])
    assert inner["said"] == "12 operations, uses a, b, v₁₇", "v₁₇ is what the turn before has left"


def last_of(group):
    """The last line of a group: ids have the first line, and the one behind the last."""
    return int(group.split("_")[1]) - 1


def test_many_values_from_group_to_group_go_together():
    def f(x):
        for _ in range(20):
            x = x + 0.01 * np.sin(x) * x
        return x * x

    places = layout.layout_graph(Trace.of(grad(f), 0.5), in_groups=True)
    (one, loop), (other, sweep) = (
        (name, group)
        for name, group in places["groups"].items()
        if group["title"] in ("for _ in range(20):", "a sweep, recorded")
    )
    operations = last_of(other) + 1 - int(other[1:].split("_")[0])
    assert sweep["said"] == f"{operations} operations" and operations > 100
    ends = [one.split("_")[0], other.split("_")[0]]
    (together,) = [name for name, edge in places["edges"].items() if edge["ends"] == ends]
    assert together.startswith("m") and together.endswith("_40"), (
        "one edge for the 40 values that the sweep needs"
    )
    assert len(loop["outs"]) + loop["more"] == 40


def test_many_outputs_are_counted():
    def f(x):
        a = [x * k for k in range(1, 171)]
        return sum(a[::2]) * sum(a[1::2])

    groups = layout.layout_graph(Trace.of(f, 1.0), in_groups=True)["groups"]
    first = next(iter(groups.values()))
    assert len(first["outs"]) == 3 and first["more"] == 167


def test_turns_of_one_shape_are_laid_out_once(trace, places, monkeypatch):
    laid = []
    monkeypatch.setattr(layout, "layout_of", lambda one: laid.append(one) or layout_of(one))
    again = layout.layout_graph(trace, in_groups=True)
    assert 0 < len(laid) < len(again["groups"]) / 2
    assert json.dumps(again) == json.dumps(places), "the same each time"


def test_groups_are_laid_out_without_graphviz(trace, monkeypatch):
    monkeypatch.setattr(render, "_draw", lambda digraph, format: draw_plainly(digraph, format))
    places = layout.layout_graph(trace, in_groups=True)
    assert sorted(names(places, "n")) == sorted(f"n{i}" for i in range(len(trace.lines)))
    for _, _, one in around(places):
        boxes = list(one["nodes"].values())
        for k, a in enumerate(boxes):
            for b in boxes[k + 1 :]:
                assert (
                    abs(a["x"] - b["x"]) >= (a["w"] + b["w"]) / 2
                    or abs(a["y"] - b["y"]) >= (a["h"] + b["h"]) / 2
                )


def test_a_layout_is_kept_while_its_numbers_fit():
    def f(x):
        for _ in range(80):
            x = x * 1.001 + 0.25
        return x

    def measured(x):
        return modes.views(f, (x,)).traces_to_measure[""]

    places = layout.layout_graph(measured(1.5), in_groups=True)
    assert layout.fits(measured(1.5), places) and layout.fits(measured(2.5), places)
    assert not layout.fits(measured(-123456.7), places)


# A long run


@pytest.fixture(scope="module")
def views():
    return modes.views(wave, (0.5, 1.3))


@pytest.fixture(scope="module")
def long(views):
    return views.long.run, views.long


def test_the_whole_run_has_all_groups_down_to_its_stretches(long):
    tape, excerpts = long
    whole = excerpts.whole
    outermost = [
        group for name, group in whole["groups"].items() if name.split("_")[0] in whole["nodes"]
    ]
    assert (
        len(whole["nodes"]) == 3
        and sum("input" in group for group in whole["groups"].values()) == 2
    )
    assert "for _ in range(2500):" in [group["title"] for group in outermost]
    closed = [
        name
        for name, group in whole["groups"].items()
        if "layout" not in group and "input" not in group
    ]
    stretches = [set(excerpts.layout(k)["groups"]) for k in range(0, len(excerpts), 31)]
    for k, groups in zip(range(0, len(excerpts), 31), stretches, strict=True):
        first, _, at = excerpts[k].excerpt.parts[0]
        end = at + len(excerpts[k].lines) - first
        own = {name for name in closed if at <= int(name[1:].split("_")[0]) < end}
        assert own and own <= groups, "each of them opens with its stretch"
    assert len(json.dumps(whole)) < 200_000
    assert len(whole["groups"]) < len(tape) / 30


def test_values_of_the_whole_run_are_those_of_its_stretches(long):
    tape, excerpts = long
    group, told = next(
        each for each in excerpts.whole["groups"].items() if each[1]["title"] == "iterations 1–100"
    )
    ((line, name, value, adjoint, reached, complete),) = told["outs"]
    assert line == last_of(group) and name == excerpts.lines[line].display_name
    number = excerpts.holding(complete)
    trace = excerpts[number]
    place = [one.display_name for one in trace.lines].index(name)
    assert trace.lines[place].value.in_node == value
    first, _, at = next(
        part for part in trace.excerpt.parts if part.at <= complete and part.at > len(tape)
    )
    assert trace.adjoints_at(complete - at + first)[place].in_node == adjoint
    told = trace.adjoints_at(complete - at + first - 1)[place]
    assert told is None or told.in_node != adjoint
    assert reached <= complete


def test_a_player_of_a_long_run_gets_the_whole_and_one_stretch(views):
    views = views.around(5000)
    payload = views.payload(reuse_or_compute_layout(views))
    assert payload["whole"] is views.long.whole
    first, _, at = views.trace.excerpt.parts[0]
    inside = {
        name
        for group in payload["layouts"][0]["groups"].values()
        for name in group["layout"]["nodes"]
    }
    assert {name for name in inside if name[0] == "n"} == {
        f"n{i}" for i in range(first, len(views.trace.lines))
    }
    assert at == 4962


def test_a_run_without_turns_is_whole_too():
    """Long and without any loop: parts of 100 lines."""
    f, args = RUNS["no source"]
    value, tape = record(f, *args, sites=True)
    excerpts = Excerpts(run_of_tape(tape, f, Outcome(value)), f)
    titles = [group["title"] for group in excerpts.whole["groups"].values()]
    assert titles == [
        "x",
        *(
            f"{excerpts[k].lines[1].display_name} … {excerpts[k].lines[-1].display_name}"
            for k in range(5)
        ),
    ]


def test_an_array_on_its_way_into_a_group_says_its_shape():
    def f(x, w):
        for _ in range(80):
            x = np.tanh(w * x)
        return np.sum(x)

    edges = layout.layout_graph(Trace.of(f, np.ones(3), np.ones((2, 1))), in_groups=True)["edges"]
    into = {name: edge.get("shapes") for name, edge in edges.items() if name[0] == "f"}
    assert set(into.values()) == {"(3,)", "(2, 1)"} and all(edges[name]["label"] for name in into)
    numbers = layout.layout_graph(Trace.of(f, 1.0, 0.5), in_groups=True)["edges"]
    assert not any("shapes" in edge for edge in numbers.values())
