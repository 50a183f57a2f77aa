"""TraceTable: the two columns of the founding example, and which rule a wrong tangent broke."""

import math

import pytest

from autodiff_lab.widgets.labs import TraceTable

BY_X1 = [1, 0, 0.5, 5, 5.5, 0, 5.5]
BY_X2 = [0, 1, 0, 2, 2, math.cos(5), 1.7163378145367738]


def stepped(rows, seed="x1"):
    lab = TraceTable()
    lab.set(seed=seed)
    lab.press("begin")
    for _ in range(rows):
        lab.press("next")
    return lab


@pytest.mark.parametrize(("seed", "column"), [("x1", BY_X1), ("x2", BY_X2)])
def test_the_columns(seed, column):
    snapshot = stepped(7, seed).snapshot()
    assert snapshot["lines"] == ["v-1", "v0", "v1", "v2", "v3", "v4", "v5"]
    assert snapshot["tangents"] == pytest.approx(column, rel=1e-15)


def test_rows_appear_one_by_one_and_go_again():
    lab = stepped(0)
    for rows in (*range(1, 8), 7):
        lab.press("next")
        assert lab.snapshot()["rows"] == rows
    lab.press("back")
    assert lab.snapshot()["rows"] == 6
    lab.press("begin")
    assert lab.snapshot()["rows"] == 0 and not lab.can("back")


def test_the_operands_of_the_last_row_light_up():
    assert [stepped(rows).snapshot()["operands"] for rows in range(8)] == [
        [],
        [],
        [],
        [0],
        [0, 1],
        [2, 3],
        [1],
        [4, 5],
    ]


def test_another_seed_begins_a_new_table():
    lab = stepped(4)
    lab.set(seed="x2")
    assert lab.snapshot()["rows"] == 0


@pytest.mark.parametrize(("seed", "column"), [("x1", BY_X1), ("x2", BY_X2)])
def test_the_table_can_be_typed(seed, column):
    lab = stepped(0, seed)
    for tangent in column:
        lab.set(guess=f"{tangent:.4f}")
        assert lab.snapshot()["verdict"].startswith("Right")
    assert lab.snapshot()["rows"] == 7
    lab.set(guess="1")
    assert "full" in lab.snapshot()["verdict"]


@pytest.mark.parametrize(
    ("rows", "seed", "typed", "why"),
    [
        (0, "x1", "2", "input"),
        (2, "x1", "-0.5", "sign"),
        (2, "x1", "0.6931", "value"),
        (2, "x1", "1", "tangents unchanged"),
        (2, "x2", "1/2", "local partials alone"),
        (3, "x1", "0", "ε²"),
        (3, "x1", "7", "local partials alone"),
        (4, "x1", "0.5", "one of two terms"),
        (5, "x1", "0.2837", "local partials alone"),
        (5, "x2", "1", "tangents unchanged"),
        (6, "x2", "3", "v̇₃"),
    ],
)
def test_a_wrong_tangent_is_told_which_rule_it_broke(rows, seed, typed, why):
    lab = stepped(rows, seed)
    lab.set(guess=typed)
    assert why in lab.snapshot()["verdict"]
    assert lab.snapshot()["rows"] == rows


@pytest.mark.parametrize("typed", ["", "five", "1/0", "nan", "1e999", "0,5"])
def test_what_is_no_number_is_said_so(typed):
    lab = stepped(2)
    lab.set(guess=typed)
    assert lab.snapshot()["rows"] == (3 if typed == "0,5" else 2)
    assert lab.sentence()


def test_it_opens_one_press_before_the_product():
    lab = TraceTable()
    assert lab.snapshot()["lines"] == ["v-1", "v0", "v1"]
    lab.press("next")
    assert (lab.snapshot()["operands"], lab.snapshot()["tangents"][-1]) == ([0, 1], 5)
    assert "v̇₂ = v₀ · v̇₋₁ + v₋₁ · v̇₀" in lab.picture()


def test_the_still_picture_is_full():
    assert TraceTable().still().snapshot()["rows"] == 7
    assert "5.5" in str(TraceTable().still())


def test_the_result_has_one_name_in_row_and_sentence():
    lab = TraceTable()
    for _ in range(lab.length):
        lab.press("next")
    assert (
        lab.sentence().startswith("y = v₃ − v₄ = ")
        and "v₅ = y" in str(lab)
        and "v₅ = y" in lab.picture()
    )
