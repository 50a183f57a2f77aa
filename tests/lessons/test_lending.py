"""Lending: a notebook goes on with the learner's own code where it passes, and with a good answer where it does not."""

import pytest

from autodiff_lab.lessons.checks.exercise import Exercise

ADD_ONE = "def add(x, by=STEP):\n    return x + by"


def exercise():
    return Exercise(
        "ex_97_1",
        takes=("add",),
        expects="a function",
        expected={"of 3": 4.0},
        observe=lambda add: {"of 3": float(add(3))},
        reference=ADD_ONE.replace("STEP", "1"),
        praise="Yes.",
    )


def test_what_passes_is_used_as_it_is():
    def mine(x):
        return 1 + x

    assert exercise().lend(mine) is mine


@pytest.mark.parametrize("broken", [..., lambda x: x, lambda x: ..., None, 3, lambda: 1 / 0])
def test_what_does_not_pass_is_replaced_and_said_so(broken, capsys):
    lent = exercise().lend(broken)
    assert lent(3) == 4
    assert capsys.readouterr().out == "add: lent by the check, until yours pass\n"


def test_lending_is_no_attempt():
    one = exercise()
    one.lend(...)
    assert one.attempts == 0 and not one.passed


def test_what_is_lent_lives_among_the_learners_names():
    names = {"STEP": 5}
    exec("def add(x):\n    ...", names)
    one = exercise()
    one.reference = "def add(x):\n    return x + STEP"
    assert one.lend(names["add"])(1) == 6
    names["STEP"] = 7
    assert one.lend(names["add"])(1) == 8
