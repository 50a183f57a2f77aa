"""What the graph of a run shows: its DOT text, its options, and names that are hostile to it."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import Trace, draw, record
from autodiff_lab.engine.errors import InputError, ReleasedError
from autodiff_lab.figures.graph.draw import graph, render
from autodiff_lab.figures.graph.layout import layout_graph, layout_of
from autodiff_lab.figures.graph.render import Drawing
from autodiff_lab.figures.graph.without_graphviz.drawing import draw_plainly
from autodiff_lab.figures.style.themes import LIGHT

from .drawn import CASES, SPACE, rows_of, size, svg_of


def hostile(x):
    return x


def test_dot_of_the_example(example_trace):
    """The expected text is committed; SVG is not compared, because its bytes differ between versions of Graphviz."""
    expected = Path(__file__).with_name("example.gv")
    assert graph(example_trace).source == expected.read_text(encoding="utf-8")


def test_dot_of_a_step(example_trace):
    source = graph(example_trace, 10).source
    carrying = next(row for row in source.splitlines() if "id=e5_0" in row)
    assert "dir=back" in carrying
    assert 'class="edge-operand carrying"' in carrying
    assert source.count("carrying") == 1
    assert re.findall(r'class="(\w+ )?active"|class="(input|operation) active"', source)
    assert [row.split()[0] for row in source.splitlines() if " active" in row] == ["n1", "n5"]


def test_dot_is_deterministic(trace):
    assert graph(trace).source == graph(Trace.from_json(trace.to_json())).source


def test_inputs_results_and_constants_differ_without_colour():
    rows = graph(Trace.of(lambda x: 3 * x, 2.0)).source.splitlines()
    of = {row.split()[0]: row for row in rows if " [label=" in row and "->" not in row}
    assert "style=filled " in of["n0"]
    assert "peripheries=2" in of["n1"]
    assert 'style="filled,dashed"' in of["c1_0"]


def test_ids_in_the_svg(example_trace):
    found = {
        group.get("id"): group.get("class") for group in svg_of(example_trace).iter(f"{SPACE}g")
    }
    assert {"n0", "n6", "e2_0", "e6_1"} <= set(found)
    assert found["n0"] == "node input"
    assert found["n6"] == "node operation result"


def test_arrays_are_short_in_nodes_and_whole_in_tooltips():
    trace = Trace.of(lambda x: np.sum(x * x), np.arange(6.0).reshape(3, 2) / 7)
    row = next(row for row in graph(trace).source.splitlines() if row.strip().startswith("n0 ["))
    label, _, tooltip = row.partition(" tooltip=")
    assert re.findall(r'<td width="60" height="21"[^>]*><font[^>]*>([^<]+)<', label) == [
        *("0", "0.1429", "0.2857", "0.4286", "0.5714", "0.7143"),  # the value, and then its adjoint
        *("0", "0.2857", "0.5714", "0.8571", "1.1429", "1.4286"),
    ]
    assert (
        "= [[0 0.1429] [0.2857 0.4286] [0.5714 0.7143]]" in tooltip
        or "(3, 2) array, min 0, max 0.7143" in tooltip
    )


def softmax(z):
    e = np.exp(z - np.max(z))
    return (e / np.sum(e))[0]


def shades(svg, text):
    """How much colour is in the cells with a text: the opacity of what is painted right before it."""
    elements = list(ElementTree.fromstring(svg).iter())
    places = [k for k, one in enumerate(elements) if one.text == text and one.tag.endswith("text")]
    return [min(float(one.get("fill-opacity", 1)) for one in elements[k - 2 : k]) for k in places]


@pytest.mark.parametrize("draws", [render, draw_plainly], ids=["graphviz", "without"])
def test_small_arrays_are_cells_whose_shade_is_their_size(draws):
    trace = Trace.of(softmax, np.array([2.0, 1.0, -4.0]))
    svg = draws(graph(trace), "svg").decode()
    largest, smaller = min(shades(svg, "−6")), min(shades(svg, "−1"))
    assert largest > 1.5 * smaller > 0, "all cells of a kind share one scale"
    before = draws(graph(trace, -1), "svg").decode()
    assert "−6" not in before, "what is not recorded yet is not there"


def test_all_steps_keep_a_box_of_cells_in_one_place():
    trace = Trace.of(softmax, np.array([2.0, 1.0, -4.0]))
    places = [layout_of(graph(trace, step))["nodes"]["n2"] for step in (2, 6, len(trace.steps) - 1)]
    assert places[0] == places[1] == places[2]


def test_large_arrays_and_constants():
    trace = Trace.of(lambda x: np.sum(x * np.array([1.0, 2.0, 3.0])), np.ones((7, 3)))
    rows = rows_of(graph(trace))
    assert "(7, 3) all 1" in rows["n0"], "below a strip is its range"
    assert rows["n0"].count("<td width") == 2 * 6 * 3, "of its value and its adjoint"
    assert rows["c1_1"].count("<td width") == 3


NASTY = [
    "<script>alert(1)</script>",
    'quo"te',
    "back\\N\\n\\slash",
    "a & b",
    "</b>",
    "tab\tand\x07bell",
    "]]>",
]


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
    layout_graph(trace)


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


def test_parts_can_be_left_out(example_trace):
    assert "0.6931" not in rows_of(graph(example_trace, values=False))["n2"].partition("tooltip")[0]
    assert "5.5" not in rows_of(graph(example_trace, adjoints=False))["n0"].partition("tooltip")[0]
    assert "label=" not in rows_of(graph(example_trace, partials=False))["n1 -> n5"].replace(
        "labeltooltip", ""
    )
    bare = graph(example_trace, values=False, adjoints=False, partials=False)
    heights = [
        re.search(r"height=([\d.]+)", row)[1]
        for name, row in rows_of(bare).items()
        if re.fullmatch(r"n\d+", name)
    ]
    assert len(heights) == 7 and all(float(height) < 0.5 for height in heights)


def test_shapes_are_on_the_edges():
    f, args = CASES["arrays"]
    rows = rows_of(draw(f, *args))
    assert "(2, 2)<" in rows["n0 -> n2"]
    assert "(2,)<" in rows["n1 -> n2"]
    assert "(2, 2)<" not in rows_of(draw(f, *args, shapes=False))["n0 -> n2"]


def spread(x, M, b):
    return np.sum(np.tanh(x * M + b) * np.ones(3) * 2.0)


def test_an_edge_says_what_broadcasting_copies_it_to():
    args = (np.arange(3.0), np.ones((2, 3)), 0.5)
    trace = Trace.of(spread, *args)
    assert [[o.shapes for o in line.operands] for line in trace.lines[3:]] == [
        ["(3,) → (2, 3)", "(2, 3)"],
        ["(2, 3)", "() → (2, 3)"],
        ["(2, 3)"],
        ["(2, 3)", "(3,) → (2, 3)"],
        ["(2, 3)", ""],
        ["(2, 3)"],
    ]
    assert "(3,) → (2, 3)<" in rows_of(draw(spread, *args))["n0 -> n3"]
    said = [step.sentence for step in trace.steps]
    assert said[3].endswith("x, of shape (3,), is broadcast to (2, 3).")
    assert said[4].endswith("The number b is broadcast to (2, 3).")
    assert "copied" not in "".join(said[5:9])
    assert not any(
        o.shapes
        for line in Trace.of(lambda x, y: x * y + 2.0, 1.0, 2.0).lines
        for o in line.operands
    )


def test_the_player_has_a_place_for_the_shapes():
    args = (np.arange(3.0), np.ones((2, 3)), 0.5)
    edge = layout_graph(Trace.of(spread, *args))["edges"]
    assert edge["e3_0"]["label"] and edge["e6_1"]["label"], "constants have a shape too"
    assert "e7_1" not in edge, "but a number is in the heading"


def test_direction(example_function):
    across, down = (size(draw(example_function, 2.0, 5.0, direction=way)) for way in ("LR", "TB"))
    assert across[0] > 2 * across[1]
    assert down[1] > down[0]


def test_a_forward_trace_shows_tangents(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x2")
    drawing = draw(trace)
    assert f'color="{LIGHT.tangent}"><b>1.7163</b>' in rows_of(drawing)["n6"]
    assert "Tangent of the result: 1.7163 along ẋ1 = 0, ẋ2 = 1." in drawing.description
    step = rows_of(graph(trace, 3))
    assert "carrying" in step["n0 -> n3"]
    assert "dir=back" not in step["n0 -> n3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"direction": "down"},
            "draw(direction='down'): direction must be 'LR' or 'TB'.",
        ),
        ({"theme": "sepia"}, "theme must be 'auto', 'light' or 'dark'"),
        ({"group": "function"}, "group must be 'auto', 'line', 'loop', 'call' or None"),
        ({"values": "no"}, "values must be True or False"),
        ({"shapes": 1}, "shapes must be True or False"),
    ],
)
def test_an_option_that_is_not_allowed(example_function, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        draw(example_function, 2.0, 5.0, **options)


def test_a_tape_draws_itself(example_function):
    tape = record(example_function, 2.0, 5.0)[1]
    drawn = rows_of(tape.draw())
    asked = rows_of(draw(example_function, 2.0, 5.0))
    assert drawn.keys() == asked.keys()
    assert {name for name in drawn if drawn[name] != asked[name]} == {"graph"}
    assert tape.draw(theme="dark").source != tape.draw().source
    assert repr(record(lambda x: 3.0, 2.0)[1].draw()) == "<drawing of tape(x)>"
    tape.free_values()
    with pytest.raises(ReleasedError):
        tape.draw()
