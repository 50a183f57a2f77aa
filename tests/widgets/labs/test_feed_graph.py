"""FeedGraph: what is built, fed, run and swept, against the engine; and the three ways to flatten a sum."""

from __future__ import annotations

import html
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab.engine.errors import InputError
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.lessons.examples.graph_builder import FLATTEN, INPUTS, PROGRAMS
from autodiff_lab.systems.static_graph import Graph, Placeholder
from autodiff_lab.transforms.jacobians import jacrev
from autodiff_lab.widgets.labs import FeedGraph
from autodiff_lab.widgets.labs.feed_graph.lab import TARGETS
from autodiff_lab.widgets.labs.feed_graph.picture import (
    BOX_HEIGHT,
    BOX_WIDTH,
    FLOORS,
    WIDTH,
    find_ends,
)

ONE, TWO, DOCUMENT, SUM, ALIAS, DOUBLED = PROGRAMS
FED = {"x": "1", "y": "2", "z": "3"}
every_program = pytest.mark.parametrize("program", PROGRAMS)


def built(program=ONE, flatten="off", **fed):
    lab = FeedGraph()
    lab.set(program=program, flatten=flatten, **(FED | fed))
    return lab


def pressed(lab, *names):
    for name in names:
        assert lab.can(name), name
        lab.press(name)
    return lab


def swept(lab, *targets):
    if not lab.snapshot()["computed"]:
        pressed(lab, "forward", "finish")
    for target in targets:
        lab.set(target=target)
        pressed(lab, "backward", "finish")
    return lab.snapshot()["rows"]


def values(lab):
    """The values by the names of the program."""
    nodes = lab.snapshot()["nodes"].values()
    return {name: node["value"] for node in nodes for name in node["names"]}


def as_function(program):
    """The program as the engine sees it: every line, in order."""

    def f(*inputs):
        named = dict(zip(INPUTS, inputs, strict=False))
        for line in PROGRAMS[program]:
            name, expression = line.split(" = ")
            named[name] = parse_expression(expression, tuple(named))(*named.values())
        return named

    return f


# What the curriculum asserts


def test_the_jacobian_of_the_second_example_of_document_1():
    rows = swept(built(DOCUMENT), *TARGETS[1:])
    assert rows == {"f1": (2.0, 1.0), "f2": (-1.5, 1.75)}


def test_going_back_from_all_outputs_sums_the_rows():
    lab = built(TWO)
    rows = swept(lab, *TARGETS)
    assert rows == {"f1 + f2": (2.0, 0.0), "f1": (1.0, 1.0), "f2": (1.0, -1.0)}
    lab.set(target=TARGETS[0])
    lab.press("backward")
    assert "2 outputs, f1, f2, and backward() sums their gradients" in lab.sentence()
    lab.press("finish")
    assert "sums over the outputs" in lab.sentence() and "Jacobian" in lab.sentence()


def test_an_unfed_placeholder_is_an_error_with_its_name():
    lab = built(y="")
    pressed(lab, "forward", "finish")
    with Graph() as graph:
        x, y = Placeholder(name="x"), Placeholder(name="y")
        with pytest.raises(InputError, match="y is a Placeholder and was not fed"):
            graph.run(x * y, {x: 1.0})
    assert lab.sentence().startswith("y is a Placeholder and was not fed, and x + y, x · y need it")
    assert values(lab) == {"x": 1.0, "y": None, "f1": None}, "the values before the error are shown"
    assert not lab.can("backward") and lab.can("forward")
    lab.set(y="2")
    pressed(lab, "forward", "finish", "backward")
    assert lab.snapshot()["refused"] == ""


def test_a_flat_sum_of_three_has_four_nodes_and_else_five():
    counts = {flatten: built(SUM, flatten).snapshot()["count"] for flatten in FLATTEN}
    assert counts == {"off": 5, "copy": 4, "mutate": 4}


@every_program
@pytest.mark.parametrize("flatten", ["off", "copy"])
def test_the_degrees_are_there_again_after_the_sweep(program, flatten):
    lab = built(program, flatten)
    degrees = [node["degrees"] for node in lab.snapshot()["nodes"].values()]
    seen = []
    for _ in range(2):
        lab.press("forward")
        forward = [node["waits"] for node in lab.snapshot()["nodes"].values()]
        lab.press("finish")
        lab.press("backward")
        backward = [node["waits"] for node in lab.snapshot()["nodes"].values()]
        lab.press("finish")
        assert all(node["waits"] in (0, None) for node in lab.snapshot()["nodes"].values())
        assert [node["degrees"] for node in lab.snapshot()["nodes"].values()] == degrees
        seen.append((forward, backward))
    assert seen[0] == seen[1]
    assert seen[0][0] == [operands for operands, _ in degrees], "a run waits for each operand"
    for node, waits in zip(lab.snapshot()["nodes"].values(), seen[0][1], strict=True):
        assert waits in (None, node["degrees"][1]), "a sweep from all outputs waits for each use"


# What document 1's flattening does to a node that others hold


def test_a_mutated_sum_changes_what_was_built_before_it():
    found = {}
    for flatten in FLATTEN:
        lab = pressed(built(ALIAS, flatten), "forward", "finish")
        found[flatten] = [values(lab)[name] for name in "sut"]
    assert found == {"off": [3, 30, 6], "copy": [3, 30, 6], "mutate": [6, 60, 6]}


def test_the_mutation_is_said_and_seen_in_the_moment_it_happens():
    lab = FeedGraph()
    lab.set(program=ALIAS, flatten="mutate", **FED)
    pressed(lab, "begin", "build", "build")
    before = lab.snapshot()["nodes"]["s"]
    lab.press("build")
    after = lab.snapshot()["nodes"]["s"]
    assert (before["operands"], after["operands"]) == (["x", "y"], ["x", "y", "z"])
    assert after["names"] == ["s", "t"] and "t isn't a new node: it is s" in lab.sentence()
    assert before["degrees"] == (2, 1) and after["degrees"] == (3, 1)


def test_a_mutated_sum_added_to_itself_waits_for_ever():
    lab = pressed(built(DOUBLED, "mutate"), "forward", "finish")
    snap = lab.snapshot()
    assert snap["nodes"]["s"]["operands"] == ["x", "y", "s"] and snap["stuck"] == ["s"]
    assert snap["nodes"]["s"]["waits"] == 1 and snap["nodes"]["s"]["value"] is None
    assert "still waits for itself" in lab.sentence() and not lab.can("backward")
    for flatten in ("off", "copy"):
        assert swept(built(DOUBLED, flatten), TARGETS[0]) == {"t": (2.0, 2.0)}


def test_a_mutated_output_is_no_output_any_more():
    assert list(swept(built(ALIAS, "mutate"), TARGETS[0])) == ["u"]
    assert list(swept(built(ALIAS, "copy"), TARGETS[0])) == ["u + t"]


# Numbers and order


@every_program
@pytest.mark.parametrize("flatten", ["off", "copy"])
@settings(max_examples=10, deadline=None)
@given(st.tuples(*[st.floats(0.25, 4)] * 3))
def test_values_and_gradients_are_those_of_the_engine(program, flatten, at):
    lab = built(program, flatten, **{name: repr(x) for name, x in zip(INPUTS, at, strict=True)})
    rows = swept(lab, *TARGETS[1:])
    inputs = lab.snapshot()["inputs"]
    at = tuple(lab.snapshot()["fed"][name] for name in inputs)
    right = as_function(program)(*at)
    for name, value in values(lab).items():
        assert value == pytest.approx(right[name], rel=1e-12)
    for name, row in rows.items():
        slopes = jacrev(
            lambda *v, name=name: as_function(program)(*v)[name], argnums=tuple(range(len(at)))
        )(*at)
        for g, slope in zip(row, slopes, strict=True):
            assert (0.0 if g is None else g) == pytest.approx(float(slope), rel=1e-12, abs=1e-12)


@every_program
def test_no_node_has_its_turn_before_its_operands(program):
    lab = pressed(built(program), "forward")
    while lab.can("step"):
        lab.press("step")
        snap = lab.snapshot()
        node = snap["nodes"][snap["now"]]
        assert node["waits"] == 0 and node["value"] is not None
        assert all(snap["nodes"][name]["value"] is not None for name in node["operands"])
        for other in snap["nodes"].values():
            had_their_turn = [
                x for x in other["operands"] if snap["nodes"][x]["kind"] != "constant"
            ]
            missing = [x for x in had_their_turn if snap["nodes"][x]["value"] is None]
            assert other["waits"] >= len(missing)


def test_nothing_is_computed_while_it_is_built():
    lab = FeedGraph()
    lab.set(program=DOCUMENT, **FED)
    lab.press("begin")
    assert lab.can("build")
    while lab.can("build"):
        assert not lab.can("forward")
        lab.press("build")
        assert set(values(lab).values()) == {None} and "no value in any of them" in lab.sentence()


def test_where_there_is_no_kernel_the_whole_way_is_shown():
    still = FeedGraph().still().snapshot()
    assert still["rows"] == {"f1 + f2": (0.5, 2.75), "f1": (2.0, 1.0), "f2": (-1.5, 1.75)}


def test_another_number_keeps_the_graph():
    lab = built()
    swept(lab, TARGETS[0])
    nodes = lab.state.built.graph.nodes
    lab.set(x="10", y="4")
    assert all(a is b for a, b in zip(lab.state.built.graph.nodes, nodes, strict=True))
    assert (
        set(values(lab).values()) == {None}
        and not lab.snapshot()["rows"]
        and not lab.can("backward")
    )
    assert swept(lab, TARGETS[0]) == {"f1": (4 + 1 / 14, 10 + 1 / 14)}
    assert values(lab)["f1"] == 42.639057329615255 == 40 + math.log(14)


def test_a_second_sweep_gives_the_same():
    lab = built()
    first = swept(lab, TARGETS[0])
    assert swept(lab, TARGETS[0]) == first


def test_it_opens_at_the_first_step_of_a_run():
    snap = FeedGraph().snapshot()
    assert (snap["phase"], snap["queue"], snap["now"]) == ("forward", ["x", "y"], None)
    assert [node["waits"] for node in snap["nodes"].values()] == [0, 0, 2, 2, 1, 2]
    lab = pressed(FeedGraph(), "step")
    assert values(lab)["x"] == 1.0 and lab.snapshot()["now"] == "x"


@every_program
def test_another_program_is_fed_and_waits_for_a_step(program):
    lab = FeedGraph()
    lab.set(program=program)
    assert lab.can("step") and not lab.can("build") and lab.snapshot()["queue"]
    lab.set(x="7")
    assert lab.can("step") and lab.snapshot()["fed"]["x"] == 7.0


def test_an_input_that_no_path_reaches_gets_nothing():
    assert swept(built(ALIAS), TARGETS[1])["u"] == (10.0, 10.0, None)
    lab = built(ALIAS)
    swept(lab, TARGETS[1])
    assert "z has nothing" in lab.sentence() and ">nothing<" in lab.picture()


@pytest.mark.parametrize("text", ["two", "1/0", "x", "1e", "nan", "inf"])
def test_what_is_no_number_is_said_and_feeds_nothing(text):
    lab = built()
    before = lab.snapshot()["fed"]
    lab.set(x=text)
    assert "is not a number" in lab.sentence() and lab.snapshot()["fed"] == before


def test_a_program_without_this_input():
    lab = built()
    lab.set(z="5")
    assert "has no z" in lab.sentence()
    lab.set(program=SUM)
    assert lab.snapshot()["fed"]["z"] == 5.0


def test_values_beyond_the_domain_are_shown_and_not_raised():
    lab = built(x="-1", y="1")
    assert swept(lab, TARGETS[0])["f1"][0] == np.inf and values(lab)["f1"] == -np.inf


# The picture


@every_program
@pytest.mark.parametrize("flatten", FLATTEN)
def test_no_two_boxes_share_a_place_and_all_fit(program, flatten):
    lab = built(program, flatten)
    cells = [lab.state.places.cells[name] for name in lab.snapshot()["nodes"]]
    assert len(set(cells)) == len(cells)
    for name in lab.snapshot()["nodes"]:
        x, _ = lab.state.places.corner(name)
        assert x + BOX_WIDTH + 12 <= WIDTH and lab.state.places.cells[name][1] < FLOORS
        assert 8.2 * len(name) <= BOX_WIDTH - 30, name


@every_program
@pytest.mark.parametrize("flatten", FLATTEN)
def test_no_arrow_runs_behind_a_box(program, flatten):
    lab = built(program, flatten)
    places, nodes = lab.state.places, lab.snapshot()["nodes"]
    for name, node in nodes.items():
        for k, operand in enumerate(node["operands"]):
            way = places.route(operand, name, *find_ends(nodes, places, operand, name, k))
            for (ax, ay), (bx, by) in itertools.pairwise(way):
                points = [(ax + (bx - ax) * t / 50, ay + (by - ay) * t / 50) for t in range(51)]
                for other in set(nodes) - {name, operand}:
                    left, top = places.corner(other)
                    inside = [
                        (x, y)
                        for x, y in points
                        if left < x < left + BOX_WIDTH and top < y < top + BOX_HEIGHT
                    ]
                    assert not inside, f"{operand} to {name} behind {other}"


@pytest.mark.parametrize("flatten", FLATTEN)
def test_the_arrows_of_one_operand_leave_it_apart(flatten):
    lab = built(TWO, flatten)
    nodes = lab.snapshot()["nodes"]
    edges = [
        (operand, name, k)
        for name, node in nodes.items()
        for k, operand in enumerate(node["operands"])
    ]
    tails = [find_ends(nodes, lab.state.places, *edge)[0] for edge in edges]
    assert len(set(tails)) == len(edges)


def test_backward_every_arrow_leads_back():
    """A head that points forward would look like flow the wrong way."""
    lab = pressed(built(TWO), "forward", "finish", "backward", "step")
    heads = re.findall(r'<polygon points="([\d.]+),[\d.]+ ([\d.]+),[^"]*" fill', lab.picture())
    assert heads and all(float(tip) < float(wing) for tip, wing in heads)


@every_program
def test_a_box_stays_where_it_is(program):
    lab = FeedGraph()
    lab.set(program=program, flatten="mutate")
    lab.press("begin")
    seen = {}
    while lab.can("build"):
        lab.press("build")
        for name, cell in seen.items():
            assert lab.state.places.cells[name] == cell
        seen = dict(lab.state.places.cells)


def test_the_picture_shows_counters_queue_and_numbers():
    lab = pressed(built(TWO), "forward", "step")
    texts = [
        html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", lab.picture())
    ]
    assert {"x", "y", "f1", "f2", "queue", "no value"} <= set(texts)
    assert texts.count("1") == 3, "the value of x, and two nodes that wait for one operand"
    assert "waits for" in lab.table().text()
