"""Long tapes are drawn in groups: which lines a group has, what its box shows, and how large the drawing gets."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from autodiff_lab import Trace, draw
from autodiff_lab.figures.graph.draw import graph, render
from autodiff_lab.figures.style.themes import LIGHT
from autodiff_lab.trace.outline import GROUPINGS, MAX_GROUPS, group_lines

from .drawn import SPACE, chain, rows_of, size


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


GROUPED = {
    "chain of 5": (chain(5), (1.0, 0.5)),
    "chain of 50": (chain(50), (1.0, 0.5)),
    "chain of 500": (chain(500), (1.0, 0.5)),
    "mixed": (mixed, (1.0, 0.5)),
    "calling": (calling, (1.0,)),
    "without source": (without_source(), (1.0,)),
    "nothing done": (lambda x: x, (1.0,)),
}


@pytest.mark.parametrize("by", GROUPINGS)
@pytest.mark.parametrize(("f", "args"), list(GROUPED.values()), ids=list(GROUPED))
def test_groups_are_stretches_of_the_tape(f, args, by):
    """Each operation is in one group, and the groups are in the order of the tape: their graph has no cycle."""
    trace = Trace.of(f, *args)
    groups = group_lines(trace, by)
    operations = [i for i, line in enumerate(trace.lines) if line.kind == "operation"]
    assert [i for group in groups for i in range(group.first, group.end)] == operations
    if by == "auto":
        assert len(groups) <= MAX_GROUPS


def test_what_the_groups_are():
    def titles(f, args, by):
        return [(group.title, group.turns) for group in group_lines(Trace.of(f, *args), by)]

    assert titles(calling, (1.0,), "call") == [("x = half(x) + half(x * 2)", 0)] * 3
    assert titles(chain(50), (1.0, 0.5), "loop") == [
        ("for _ in range(n // 5):", 10),
        ("return x * y", 0),
    ]
    assert [times for _, times in titles(mixed, (1.0, 0.5), "loop")] == [0, 40, 0, 30, 0]
    assert titles(lambda x: mixed(x, x), (1.0,), "call") == titles(mixed, (1.0, 0.5), "call"), (
        "a wrapper says nothing"
    )
    assert titles(calling, (1.0,), "line")[:2] == [
        ("return x * 0.5", 0),
        ("x = half(x) + half(x * 2)", 0),
    ]
    assert len(titles(chain(500), (1.0, 0.5), "line")) == 101
    assert titles(without_source(), (1.0,), "auto")[0] == ("v₁ … v₉", 0)


def test_groups_at_a_step_keep_places_and_show_what_arrived():
    trace = Trace.of(chain(500), 1.0, 0.5)
    early, late = rows_of(graph(trace, 10, group="line")), rows_of(graph(trace, 700, group="line"))
    assert early.keys() == late.keys()
    hidden = [name for name in early if name.startswith("g") and "style=invis" in early[name]]
    assert 0 < len(hidden) < len(early)
    assert not any("style=invis" in row for row in late.values())
    sweeping = [rows_of(graph(trace, step, group="line")) for step in range(505, 520)]
    assert any(
        "carrying" in row for rows in sweeping for name, row in rows.items() if "-> g" in name
    )


@pytest.mark.parametrize(
    ("n", "widest", "tallest"), [(5, 1000, 500), (50, 1000, 4000), (500, 1000, 500)]
)
def test_five_fifty_and_five_hundred_operations(n, widest, tallest):
    """Readable means: type of 14 points, not wider than a page, and no more boxes than one can take in."""
    drawing = draw(chain(n), 1.0, 0.5)
    width, height = size(drawing)
    assert width < widest
    assert height < tallest
    root = ElementTree.fromstring(render(drawing))
    assert {text.get("font-size") for text in root.iter(f"{SPACE}text")} == {"14.00"}
    boxes = [
        group for group in root.iter(f"{SPACE}g") if (group.get("class") or "").startswith("node")
    ]
    assert len(boxes) <= 2 * MAX_GROUPS
    assert "Adjoints of the inputs: x: " in drawing.description


def test_a_group_shows_its_source_and_what_leaves_it():
    rows = rows_of(draw(chain(500), 1.0, 0.5))
    box = rows["g2"]
    assert "<b>for _ in range(n // 5):</b>" in box
    assert 'tooltip="for _ in range(n // 5): 100 times, 500 operations"' in box
    assert "100 times, 500 operations" in box
    assert box.count(LIGHT.value) == 2 == box.count(LIGHT.adjoint)
    assert {"n0 -> g2", "n1 -> g2", "g2 -> n502"} <= set(rows)


def test_source_with_signs_of_its_own_is_shown_and_not_run():
    def f(x):
        y = np.where((x < 3) & (x > -1), x, 2 * x) * x  # <script>
        return y * y

    drawing = draw(f, 1.0, group="line")
    root = ElementTree.fromstring(render(drawing))
    shown = "".join(text.text or "" for text in root.iter(f"{SPACE}text")).replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "y = np.where((x < 3) & (x > -1)" in shown
    assert not list(root.iter(f"{SPACE}script"))
