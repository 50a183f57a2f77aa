"""JacobianPainter: one pass paints one column or one row, and the meters count what the engine has done."""

import numpy as np
import pytest

from autodiff_lab import jacfwd, jacrev, jvp, record, vjp
from autodiff_lab.widgets.labs import JacobianPainter
from autodiff_lab.widgets.labs.jacobian_painter.lab import HEIGHT, METERS, Cells
from autodiff_lab.widgets.labs.jacobian_painter.passes import count_multiplications, take_pass
from autodiff_lab.widgets.labs.jacobian_painter.programs import (
    FIXED,
    LARGEST,
    LAYER,
    NAMES,
    find_program,
)
from autodiff_lab.widgets.labs.lab import Slider

SIZES = [(n, m) for n in range(1, LARGEST + 1) for m in range(1, LARGEST + 1)]


def sized(n, m):
    lab = JacobianPainter()
    lab.set(n=n, m=m)
    return lab


def pressed(lab, *names):
    for name in names:
        assert lab.can(name), name
        lab.press(name)
    return lab.snapshot()


def painted(lab, button):
    """Press until the button goes off; how many times that was, and the matrix."""
    count = 0
    while lab.can(button):
        lab.press(button)
        count += 1
    return count, lab.snapshot()["matrix"]


@pytest.mark.parametrize("button", ["jvp", "vjp"])
def test_document_1_by_two_rows_or_by_two_columns(button):
    lab = JacobianPainter()
    lab.set(program="document 1")
    count, matrix = painted(lab, button)
    assert count == 2
    assert matrix == [[2.0, 1.0], [-1.5, 1.75]]
    assert lab.snapshot()["known"] == 4


@pytest.mark.parametrize(("button", "count"), [("jvp", 1), ("vjp", 3)])
def test_one_input_and_three_results(button, count):
    lab = sized(1, 3)
    assert painted(lab, button)[0] == count
    assert lab.snapshot()["known"] == 3


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_columns_take_n_passes_and_rows_m_and_both_agree(n, m):
    by_columns, by_rows, both = sized(n, m), sized(n, m), sized(n, m)
    columns, of_columns = painted(by_columns, "jvp")
    rows, of_rows = painted(by_rows, "vjp")
    assert (columns, rows) == (n, m)
    assert np.shape(of_columns) == np.shape(of_rows) == (m, n)
    np.testing.assert_allclose(of_columns, of_rows, rtol=0, atol=1e-14)
    painted(both, "jvp")
    painted(both, "vjp")
    assert both.snapshot()["difference"] <= 1e-14
    assert "agree" in both.sentence()


@pytest.mark.parametrize("name", NAMES)
def test_the_matrix_is_the_packages(name):
    lab = JacobianPainter()
    lab.set(program=name)
    of = lab.of
    point = np.array(of.point)
    for button, wanted in (
        ("jvp", jacfwd(of.function)(point)),
        ("vjp", jacrev(of.function)(point)),
    ):
        lab.press("begin")
        np.testing.assert_allclose(painted(lab, button)[1], wanted, rtol=0, atol=1e-14)


def test_a_column_is_painted_and_nothing_else():
    snap = pressed(sized(4, 3), "jvp", "jvp")
    assert snap["columns"] == [0, 1] and snap["rows"] == []
    assert [[x is not None for x in row] for row in snap["matrix"]] == [
        [True, True, False, False]
    ] * 3
    snap = pressed(sized(4, 3), "vjp")
    assert [[x is not None for x in row] for row in snap["matrix"]] == [
        [True] * 4,
        [False] * 4,
        [False] * 4,
    ]


def test_the_meters_count_what_an_outer_tape_has_recorded():
    """The same count by the public jvp and vjp, each of which runs the program once more."""
    of = find_program(LAYER, 4, 3)
    x, v, w = np.array(of.point), np.array([0.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    alone = count_multiplications(record(of.function, x)[1])
    forward = (
        count_multiplications(record(lambda x, v: jvp(of.function, (x,), (v,))[1], x, v)[1]) - alone
    )
    reverse = (
        count_multiplications(record(lambda x, w: vjp(of.function, x)[1](w)[0], x, w)[1]) - alone
    )
    meters = pressed(sized(4, 3), "jvp", "jvp", "vjp")["meters"]
    assert meters["forward"]["multiplications"] == 2 * forward
    assert meters["reverse"]["multiplications"] == reverse
    assert (alone, forward) == (4 * 3, 4 * 3 + 3 * 3), (
        "W x; then W v, 1 / cosh, its square, and that · …"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_costs_the_same_in_both_modes_for_any_seed(name):
    lab = JacobianPainter()
    lab.set(program=name)
    meters = lab.snapshot()["meters"]
    assert meters["forward"]["each"] == meters["reverse"]["each"] > 0
    seed = tuple(0.5 + k for k in range(len(lab.of.inputs)))
    assert take_pass(lab.of, "forward", seed).multiplications == meters["forward"]["each"]


@pytest.mark.parametrize(
    ("n", "m", "cheaper"), [(1, 6, "forward"), (6, 1, "reverse"), (2, 5, "forward")]
)
def test_the_cheaper_way_is_the_one_with_fewer_passes(n, m, cheaper):
    meters = sized(n, m).snapshot()["meters"]
    other = {"forward": "reverse", "reverse": "forward"}[cheaper]
    assert meters[cheaper]["needed"] == min(n, m)
    assert meters[cheaper]["whole"] < meters[other]["whole"]


def test_any_v_gives_its_combination_without_the_matrix():
    lab = sized(3, 2)
    lab.set(v="1, -2, 0.5")
    snap = lab.snapshot()
    assert snap["known"] == 0 and snap["meters"]["forward"]["passes"] == 1
    matrix = np.array(painted(sized(3, 2), "vjp")[1])
    np.testing.assert_allclose(snap["last"]["result"], matrix @ [1, -2, 0.5], atol=1e-14)
    lab.set(w="1 1")
    np.testing.assert_allclose(lab.snapshot()["last"]["result"], matrix.sum(axis=0), atol=1e-14)
    assert lab.snapshot()["known"] == 0


def test_a_v_that_is_a_basis_vector_paints_its_column():
    lab = sized(3, 2)
    lab.set(v="0, 1, 0")
    assert lab.snapshot()["columns"] == [1]
    lab.press("jvp")
    lab.press("jvp")
    assert lab.snapshot()["columns"] == [0, 1, 2] and not lab.can("jvp")


@pytest.mark.parametrize("text", ["", "1", "1, 2, 3, 4", "1, x, 2", "nan nan nan"])
def test_a_seed_that_does_not_fit_is_refused_in_words(text):
    lab = sized(3, 2)
    lab.set(v=text)
    assert "one for each input" in lab.sentence() and "Type 3 numbers" in lab.sentence()
    assert lab.snapshot()["meters"]["forward"]["passes"] == 0


@pytest.mark.parametrize("name", ["softmax", "standardize"])
def test_moving_all_inputs_alike_changes_nothing(name):
    lab = JacobianPainter()
    lab.set(program=name)
    lab.set(v=" ".join("1" for _ in lab.of.inputs))
    assert np.abs(lab.snapshot()["last"]["result"]).max() < 1e-15


def test_another_size_begins_again_and_brings_back_the_layer():
    lab = JacobianPainter()
    lab.set(program="standardize")
    assert (lab.n, lab.m) == (4, 4)
    lab.press("vjp")
    lab.set(m=2)
    snap = lab.snapshot()
    assert lab.program == LAYER and snap["known"] == 0 and np.shape(snap["matrix"]) == (2, 4)


def test_back_takes_one_pass_away():
    lab = sized(2, 3)
    before = pressed(lab, "jvp")
    pressed(lab, "vjp")
    lab.press("back")
    assert lab.snapshot() == before
    lab.press("back")
    assert not lab.can("back") and not lab.can("begin")


def test_the_point_and_the_names_fit():
    for of in (*FIXED.values(), find_program(LAYER, LARGEST, LARGEST)):
        assert len(of.point) == len(of.inputs)
        assert of.function(np.array(of.point)).shape == (len(of.results),)
    low, high = ((s.low, s.high) for s in JacobianPainter.controls if isinstance(s, Slider))
    assert low == high == (1, LARGEST)


def test_a_small_matrix_is_large_and_the_first_press_paints():
    wide, small = (Cells.of(n, n) for n in (2, LARGEST))
    assert wide.wide > small.wide and wide.high > small.high and wide.type > small.type
    for n, m in SIZES:
        cells = Cells.of(n, m)
        assert (
            cells.corner(m + 1, n + 1)[0] + 10 < METERS
            and cells.corner(m + 1, n + 1)[1] + 10 < HEIGHT
        )
    assert [control.name for control in JacobianPainter.controls[:2]] == ["jvp", "vjp"]
