"""`tape`: the cells that the notebook `adjoint_flow` imports are those that the reader has read."""

import inspect

import pytest

from autodiff_lab.lessons import tape
from autodiff_lab.lessons.tape import cells

from ..notebooks.reading import named, read
from .test_every_exercise import in_the_notebook


def test_the_module_is_the_listing_of_the_notebook():
    (listed,) = (cell.source for cell in read(named("tape")).cells if cell.id == "cell-class")
    assert listed in inspect.getsource(cells)


def test_the_module_has_only_the_square_and_pictures():
    (listed,) = (cell.source for cell in read(named("tape")).cells if cell.id == "cell-class")
    rest = inspect.getsource(cells).replace(listed, "")
    assert [
        line.split("(")[0] for line in rest.splitlines() if line.startswith(("def ", "class "))
    ] == [
        "def square",
        "def draw",
        "def draw_paths",
        "def draw_closure",
    ]


def test_the_picture_has_every_link_and_adjoint():
    x = cells.Cell(3)
    y = x * x
    source = cells.draw([x, y], {x: 6.0}, x=x).source
    assert source.count("0 -> 1 [label=3]") == 2
    assert '0 [label="x = 3\nadjoint 6"]' in source and "1 [label=9]" in source
    cells.tape.clear()


def test_the_picture_of_paths_has_a_box_for_each_visit():
    x = cells.Cell(3)
    y = x * x
    source = cells.draw_paths(y, x=x, y=y).source
    assert source.count('label="x: 3"') == 2 and source.count('label="y: 1"') == 1
    cells.tape.clear()


def test_the_picture_of_a_closure_has_what_it_keeps():
    def make(factor):
        return lambda number: factor * number

    assert '"factor = 3"' in cells.draw_closure(make(3)).source


def engine():
    """The names of the notebook's engine, with good answers to its exercises."""
    names = in_the_notebook(
        "tape", "\n\n".join(getattr(tape, name).reference for name in ("ex_1", "ex_3", "ex_4"))
    )
    (miss,) = (cell.source for cell in read(named("tape")).cells if cell.id == "aim-run")
    exec(miss.partition("\n\n\nfor ")[0], names)
    return names


@pytest.mark.parametrize(("rate", "angle"), [(0.0002, 0.3685), (0.0004, 1.0839)])
def test_both_throws_hit_the_target(rate, angle):
    names = engine()
    found, speed = names["descend"](names["miss"], [0.2, 22], rate, 8)
    assert found == pytest.approx(angle, abs=1e-4)
    assert names["landing"](names["Cell"](found), names["Cell"](speed)).value == pytest.approx(
        25, abs=1e-2
    )


def test_with_a_large_rate_descent_is_stuck_in_the_ground():
    names = engine()
    after, later = (names["descend"](names["miss"], [0.2, 22], 0.0008, steps) for steps in (8, 9))
    assert after == later and after[0] < 0


def test_the_neuron_has_all_points_right_from_step_twenty():
    names = engine()
    wrong = {}
    for steps in (10, 19, 20, 40, 60):
        w1, w2, b = names["descend"](names["loss"], [0, 0, 0], 0.02, steps)
        wrong[steps] = [
            (x, y) for x, y, label in names["points"] if (w1 * x + w2 * y + b) * label <= 0
        ]
    assert wrong == {10: [(0.5, 1.0)], 19: [(0.5, 1.0)], 20: [], 40: [], 60: []}
