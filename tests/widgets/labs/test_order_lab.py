"""OrderLab: which orders give the slope, what starves in the others, and paths against cells."""

from itertools import permutations

import pytest

from autodiff_lab import Trace, grad
from autodiff_lab.widgets.labs import OrderLab
from autodiff_lab.widgets.labs.order_lab.lab import OVERWRITES, POINT, RECURSION, WAYS, f, slope

VALID = {"ybca", "ycba"}


def sent_in(order, way=WAYS[0]):
    lab = OrderLab()
    lab.set(way=way)
    for name in order:
        lab.press(name)
    return lab


def test_valid_orders_give_64_and_b_a_c_gives_32():
    assert slope() == grad(f)(POINT) == 64.0
    assert [sent_in(order).snapshot()["slope"] for order in ("ybca", "ycba", "ybac", "ycab")] == [
        64.0,
        64.0,
        32.0,
        32.0,
    ]


def test_of_24_orders_two_are_valid_and_others_starve_a_node():
    found = {"".join(order): sent_in(order).snapshot() for order in permutations("ybca")}
    assert {order for order, snap in found.items() if snap["slope"] == 64.0} == VALID
    assert {order for order, snap in found.items() if not snap["starved"]} == VALID
    assert all(snap["complete"] for snap in found.values())


def test_overwriting_gives_32_in_every_valid_order():
    assert {sent_in(order, OVERWRITES).snapshot()["slope"] for order in VALID} == {32.0}
    assert "8 is lost" in sent_in("ybc", OVERWRITES).sentence()


def recursion(calls):
    lab = OrderLab()
    lab.set(way=RECURSION)
    for _ in range(calls):
        lab.press("next")
    return lab


def test_recursion_gives_96_and_a_sends_8_and_then_16():
    snap = recursion(6).snapshot()
    assert (snap["slope"], snap["complete"], snap["cells"]["a"]["sent"]) == (
        96.0,
        True,
        [8.0, 16.0],
    )
    assert "then 16" in recursion(6).picture()
    assert Trace.of(f, POINT, fault="recursion").gradient[0].value == 96.0, (
        "the player makes the same mistake"
    )


def test_the_starved_cell_is_named_before_anything_else_happens():
    lab = sent_in("yba")
    assert lab.snapshot()["starved"] == ["a"]
    assert "Too early: c has not sent yet." in lab.sentence()
    assert "starved: sent 8" in lab.picture()
    lab.press("c")
    assert (
        "Too late: a has already sent its adjoint" in lab.sentence()
        and "32 instead of 64" in lab.sentence()
    )
    assert (lab.snapshot()["cells"]["a"]["sent"], lab.snapshot()["cells"]["a"]["holds"]) == (
        [8.0],
        16.0,
    )


def test_who_waits_for_whom_counts_down():
    lab = OrderLab()
    waits = []
    for name in " ycb":
        if name.strip():
            lab.press(name)
        waits.append({cell: state["waits"] for cell, state in lab.snapshot()["cells"].items()}["a"])
    assert waits == [["b", "c"], ["b", "c"], ["b"], []]
    assert "may send" in lab.picture()


def test_a_cell_that_holds_nothing_sends_nothing():
    lab = sent_in("a")
    assert "nothing to send" in lab.sentence() and lab.snapshot()["arrows"] == []
    assert not lab.can("a"), "its turn is over"
    assert sent_in("abcy").snapshot()["slope"] is None


def test_tried_orders_stay_and_each_stands_once():
    lab = sent_in("ybac")
    for order in ("ybca", "ybac"):
        lab.press("begin")
        for name in order:
            lab.press(name)
    assert lab.snapshot()["tried"] == [["y b a c", "+=", 32.0], ["y b c a", "+=", 64.0]]
    lab.set(way=RECURSION)
    assert lab.snapshot()["order"] == [] and len(lab.snapshot()["tried"]) == 2


def test_back_takes_one_move_back():
    lab = sent_in("yb")
    before = OrderLab().snapshot()
    lab.press("back")
    assert lab.snapshot()["order"] == ["y"]
    lab.press("back")
    assert lab.snapshot() == before and not lab.can("back")
    again = recursion(2)
    again.press("back")
    assert again.snapshot() == recursion(1).snapshot()


def test_hands_and_recursion_do_not_mix():
    assert not any(recursion(0).can(name) for name in "ybca")
    assert not OrderLab().can("next") and not recursion(6).can("next")


@pytest.mark.parametrize("k", range(1, 9))
def test_paths_double_and_cells_grow_by_one(k):
    lab = OrderLab()
    lab.set(k=k)
    snap = lab.snapshot()
    assert (snap["paths"], snap["calls"], snap["visits"]) == (2**k, 2 ** (k + 1) - 1, k + 1)
    assert f">{2 ** (k + 1) - 1}<" in lab.picture()
