import base64
import itertools
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import Trace, draw, record
from autodiff_lab.engine.errors import InputError, ReleasedError
from autodiff_lab.figures import notation
from autodiff_lab.figures.drawing import Drawing, DrawingError
from autodiff_lab.figures.graphs import graph, layout, picture, render
from autodiff_lab.figures.groups import GROUPINGS, READABLE, groups_of
from autodiff_lab.figures.themes import DARK, LIGHT

from .conftest import contrast


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
    assert render(graph(example_trace), "svg").startswith(b"<?xml")
    with pytest.raises(DrawingError, match="python -m pip install pygraphviz"):
        render(graph(example_trace), "png")


def test_a_dot_that_fails(tmp_path, monkeypatch, example_trace):
    """A `dot` of a broken installation does not stop the drawing."""
    dot = tmp_path / "dot"
    dot.write_text("#!/bin/sh\ncat > /dev/null\necho broken >&2\nexit 1\n")
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert render(graph(example_trace), "svg").startswith(b"<?xml")
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(DrawingError, match="dot failed: broken"):
        render(graph(example_trace), "png")


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
    start = time.process_time()  # not the clock: others may be at work on this machine
    layout(trace)
    assert time.process_time() - start < 5


# What a drawing shows


def rows_of(drawing):
    """The DOT line of each node and edge."""
    return {row.split(" [")[0].strip(): row for row in drawing.source.splitlines() if " [" in row}


def test_parts_can_be_left_out(example_trace):
    assert "0.6931" not in rows_of(graph(example_trace, values=False))["n2"].partition("tooltip")[0]
    assert "5.5" not in rows_of(graph(example_trace, adjoints=False))["n0"].partition("tooltip")[0]
    assert "label=" not in rows_of(graph(example_trace, partials=False))["n1 -> n5"].replace("labeltooltip", "")
    bare = graph(example_trace, values=False, adjoints=False, partials=False)
    heights = [
        re.search(r"height=([\d.]+)", row)[1] for name, row in rows_of(bare).items() if re.fullmatch(r"n\d+", name)
    ]
    assert len(heights) == 7 and all(float(height) < 0.5 for height in heights)


def test_shapes_are_on_the_edges():
    f, args = CASES["arrays"]
    rows = rows_of(draw(f, *args))
    assert "(2, 2)<" in rows["n0 -> n2"]
    assert "(2,)<" in rows["n1 -> n2"]
    assert "(2, 2)<" not in rows_of(draw(f, *args, shapes=False))["n0 -> n2"]
    # The player measures the labels of the graph, which say the partial only.
    assert "(2, 2)<" not in rows_of(graph(Trace.of(f, *args)))["n0 -> n2"]


def size(drawing):
    found = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', render(drawing).decode())
    return [float(x) for x in found.groups()]


def test_direction(example_function):
    across, down = (size(draw(example_function, 2.0, 5.0, direction=way)) for way in ("LR", "TB"))
    assert across[0] > 2 * across[1]
    assert down[1] > down[0]


def test_a_forward_trace_shows_tangents(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="x2")
    drawing = draw(trace)
    assert f'color="{notation.TANGENT_INK}"><b>1.7163</b>' in rows_of(drawing)["n6"]
    assert "Tangent of the result: 1.7163 along ẋ1 = 0, ẋ2 = 1." in drawing.description
    step = rows_of(graph(trace, 3))
    assert "carrying" in step["n0 -> n3"]
    assert "dir=back" not in step["n0 -> n3"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "down"}, "draw(direction='down') is not possible; direction is 'LR' or 'TB'."),
        ({"theme": "sepia"}, "theme is 'auto', 'light' or 'dark'"),
        ({"group": "function"}, "group is 'auto', 'line', 'loop', 'call' or None"),
        ({"values": "no"}, "values is True or False"),
        ({"shapes": 1}, "shapes is True or False"),
    ],
)
def test_an_option_that_is_not_allowed(example_function, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        draw(example_function, 2.0, 5.0, **options)


def test_groups_at_a_step_keep_their_places_and_show_what_has_arrived():
    trace = Trace.of(chain(500), 1.0, 0.5)
    early, late = rows_of(graph(trace, 10, group="line")), rows_of(graph(trace, 700, group="line"))
    assert early.keys() == late.keys()
    hidden = [name for name in early if name.startswith("g") and "style=invis" in early[name]]
    assert 0 < len(hidden) < len(early)
    assert not any("style=invis" in row for row in late.values())
    sweeping = [rows_of(graph(trace, step, group="line")) for step in range(505, 520)]
    assert any("carrying" in row for rows in sweeping for name, row in rows.items() if "-> g" in name)


def test_a_tape_draws_itself(example_function):
    tape = record(example_function, 2.0, 5.0)[1]
    drawn = rows_of(tape.draw())
    asked = rows_of(draw(example_function, 2.0, 5.0))
    assert drawn.keys() == asked.keys()
    assert {name for name in drawn if drawn[name] != asked[name]} == {"graph"}
    assert tape.draw(theme="dark").source != tape.draw().source
    assert repr(record(lambda x: 3.0, 2.0)[1].draw()) == "<drawing of tape(x)>"
    tape.release()
    with pytest.raises(ReleasedError):
        tape.draw()


# Groups


def mixed(x, y):
    s = x * y
    for k in range(40):
        a = np.sin(s) + x
        if k % 2:
            s = s + a * 0.1
            continue
        s = s - a * 0.05
    t = np.exp(-s)
    for k in range(30):
        t = t * 0.9 + s / (k + 1.0)
    return t * s


def half(x):
    return x * 0.5


def calling(x):
    for _ in range(3):
        x = half(x) + half(x * 2)
    return x


def without_source():
    names = {}
    exec("def f(x):\n" + "    x = x * 1.01 + 0.1\n" * 250 + "    return x", names)
    return names["f"]


GROUPED = [
    (chain(5), (1.0, 0.5)),
    (chain(50), (1.0, 0.5)),
    (chain(500), (1.0, 0.5)),
    (mixed, (1.0, 0.5)),
    (calling, (1.0,)),
    (without_source(), (1.0,)),
    (lambda x: x, (1.0,)),
]


@pytest.mark.parametrize("by", GROUPINGS)
@pytest.mark.parametrize(("f", "args"), GROUPED)
def test_groups_are_stretches_of_the_tape(f, args, by):
    """Each operation is in one group, and the groups are in the order of the tape: their graph has no cycle."""
    trace = Trace.of(f, *args)
    groups = groups_of(trace, by)
    operations = [i for i, line in enumerate(trace.lines) if line.kind == "operation"]
    assert [i for group in groups for i in range(group.first, group.end)] == operations
    if by == "auto":
        assert len(groups) <= READABLE


def test_what_the_groups_are():
    def titles(f, args, by):
        return [(group.title, group.times) for group in groups_of(Trace.of(f, *args), by)]

    assert titles(calling, (1.0,), "call") == [("x = half(x) + half(x * 2)", 1)] * 3
    assert titles(chain(50), (1.0, 0.5), "loop") == [
        ("x, y = x + 0.1 * y, y - 0.1 * np.sin(x)", 10),
        ("return x * y", 1),
    ]
    assert [times for _, times in titles(mixed, (1.0, 0.5), "loop")] == [1, 20, 1, 30, 1]
    assert len(titles(chain(500), (1.0, 0.5), "line")) == 101
    assert titles(without_source(), (1.0,), "auto")[0] == ("v₁ … v₉", 1)


@pytest.mark.parametrize(("n", "widest", "tallest"), [(5, 1000, 500), (50, 1000, 4000), (500, 1000, 500)])
def test_five_fifty_and_five_hundred_operations(n, widest, tallest):
    """Readable means: type of 14 points, not wider than a page, and no more boxes than one can take in."""
    drawing = draw(chain(n), 1.0, 0.5)
    width, height = size(drawing)
    assert width < widest
    assert height < tallest
    root = ElementTree.fromstring(render(drawing))
    assert {text.get("font-size") for text in root.iter(f"{SPACE}text")} == {"14.00"}
    boxes = [group for group in root.iter(f"{SPACE}g") if (group.get("class") or "").startswith("node")]
    assert len(boxes) <= 2 * READABLE
    assert "Adjoints of the inputs: x: " in drawing.description


def test_a_group_shows_its_source_and_what_leaves_it():
    rows = rows_of(draw(chain(500), 1.0, 0.5))
    box = rows["g2"]
    assert "<b>x, y = x + 0.1 * y, y - 0.1 * np.sin(x)</b>" in box
    assert "100 times, 500 operations" in box
    assert box.count(notation.VALUE_INK) == 2 == box.count(notation.ADJOINT_INK)
    assert {"n0 -> g2", "n1 -> g2", "g2 -> n502"} <= set(rows)


def test_source_with_signs_of_its_own_is_shown_and_not_run():
    def f(x):
        y = np.where((x < 3) & (x > -1), x, 2 * x) * x  # <script>
        return y * y

    drawing = draw(f, 1.0, group="line")
    root = ElementTree.fromstring(render(drawing))
    shown = "".join(text.text or "" for text in root.iter(f"{SPACE}text")).replace("\N{NO-BREAK SPACE}", " ")
    assert "y = np.where((x < 3) & (x > -1)" in shown
    assert not list(root.iter(f"{SPACE}script"))


# Light and dark


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ink", ["ink", "soft_ink", "value", "adjoint", "tangent"])
def test_ink_can_be_read_on_paper(theme, ink):
    for paper in ("paper", "adjoint_paper", "constant_paper"):
        assert contrast(getattr(theme, ink), getattr(theme, paper)) >= 4.5
    assert contrast(theme.line, theme.paper) >= 3


@pytest.mark.parametrize(("theme", "colours", "other"), [("light", LIGHT, DARK), ("dark", DARK, LIGHT)])
def test_a_theme_is_the_whole_picture(example_function, theme, colours, other):
    source = draw(example_function, 2.0, 5.0, theme=theme).source
    assert f'bgcolor="{colours.paper}"' in source
    for role in ("paper", "ink", "soft_ink", "value", "adjoint"):
        assert getattr(colours, role) in source
        assert getattr(other, role) not in source


def test_a_name_that_looks_like_a_colour_stays():
    html = draw(lambda p: p["#1A1A1A"] * 2, {"#1A1A1A": 1.0})._repr_mimebundle_()["text/html"]
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
    assert "['#1A1A1A']" in "".join(ElementTree.fromstring(svg).itertext())


def test_an_automatic_theme_follows_the_page(example_function):
    def svg_of_page(**options):
        html = draw(example_function, 2.0, 5.0, **options)._repr_mimebundle_()["text/html"]
        return base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()

    svg = svg_of_page()
    ElementTree.fromstring(svg)
    rule = re.search(r"@media \(prefers-color-scheme:dark\)\{svg\{(.*?)\}\}", svg)[1]
    named = dict(pair[2:].split(":") for pair in rule.split(";"))
    used = set(re.findall(r"var\(--(\w+),", svg))
    assert set(named) == used >= {"paper", "ink", "soft_ink", "value", "adjoint"}
    assert all(getattr(DARK, role) == colour for role, colour in named.items())
    assert "var(" not in svg_of_page(theme="light")


def used_everywhere(operations):
    def f(a, b):
        x = a
        for _ in range(operations // 3):
            x = np.sin(x * b + a)
        return x

    return f


@pytest.mark.parametrize("operations", [90, 150, 300])
def test_inputs_that_are_used_everywhere_do_not_hold_the_layout_up(operations):
    """Graphviz alone takes four seconds for 90 such operations, and minutes for 150."""
    trace = Trace.of(used_everywhere(operations), 0.3, 0.7)
    start = time.perf_counter()
    places = layout(trace)
    assert time.perf_counter() - start < 3, "0.2 s on a calm machine"
    assert set(places["nodes"]) >= {f"n{i}" for i in range(len(trace.lines))}
    used = {f"e{i}_{slot}" for i, line in enumerate(trace.lines) for slot in range(len(line.operands))}
    assert set(places["edges"]) == used


def test_a_value_from_far_away_is_named_beside_its_use():
    trace = Trace.of(used_everywhere(90), 0.3, 0.7)
    source = graph(trace).source
    last = max(i for i, line in enumerate(trace.lines) if line.op == "multiply")
    slot = next(k for k, operand in enumerate(trace.lines[last].operands) if operand.line == 1)
    assert re.search(rf's{last}_{slot} \[label=<b> .*tooltip="b = 0.7, whose own box stands far away"', source)
    assert f"s{last}_{slot} -> n{last}" in source
    assert f"n1 -> n{last}" not in source


def test_up_to_some_sixty_operations_every_way_is_drawn():
    source = graph(Trace.of(used_everywhere(60), 0.3, 0.7)).source
    assert not re.search(r"\bs\d+_\d", source)
