"""`adjoint_flow`: other good answers pass too, near misses do not, and the learner's tape is left as it is."""

import math

import pytest

from autodiff_lab.lessons import adjoint_flow as check

from .test_every_exercise import in_the_notebook, submit

PUSHED = """
def adjoints_from(result, cells):
    adjoint = dict.fromkeys(cells, 0.0)
    adjoint[result] = 1.0
    for cell in reversed(cells):
        for operand, partial in cell.links:
            adjoint[operand] += adjoint[cell] * partial
    return adjoint
"""


@pytest.mark.parametrize(
    ("exercise", "written"),
    [
        (check.ex_6, "answer = ('ycba', 'Y, B, C, A')"),
        (check.ex_6, "answer = ['y → b → c → a', 'y c b a', 'ycba']"),
        (check.ex_6, "answer = [['y', 'b', 'c', 'a'], ['y', 'c', 'b', 'a']]"),
        (check.ex_6, "answer = {'y b c a', 'y c b a'}"),
        (check.ex_1, "answer = [2047, 11.0]"),
        (check.ex_4, "answer = (1, -1, 4, 1, -4, 0.1585, 1.8388)"),
    ],
)
def test_another_good_answer_passes(exercise, written):
    reply = submit("adjoint_flow", exercise, written)
    assert reply.passed, reply


@pytest.mark.parametrize(
    ("exercise", "written", "said"),
    [
        (check.ex_3, PUSHED, "Now let each cell collect"),
        (check.ex_3, PUSHED.replace("+=", "="), "Write +="),
        (check.ex_3, PUSHED.replace("reversed(cells)", "cells"), "do you walk from the last cell"),
        (
            check.ex_3,
            PUSHED.replace("dict.fromkeys(cells, 0.0)", "{}"),
            "begin with 0.0 for every cell",
        ),
        (check.ex_6, "answer = ['y b c a', 'y c b a', 'b y c a']", "and one that is not"),
        (check.ex_6, "answer = ['y b c']", "has each of y, b, c and a once"),
        (check.ex_6, "answer = []", "Your list is empty"),
    ],
)
def test_a_near_miss_is_told_from_it(exercise, written, said):
    reply = submit("adjoint_flow", exercise, written)
    assert reply.status == "not yet" and said in " ".join(reply.text.split()), reply


def test_the_tape_is_given_back():
    names = in_the_notebook(
        "adjoint_flow", f"{check.ex_3.reference}\nmine = tape\nmine.append('mine')"
    )
    assert check.ex_3(*(names[each] for each in check.ex_3.takes)).passed
    assert names["tape"] is names["mine"] and names["tape"][-1] == "mine"


def test_the_answers_of_the_curriculum():
    assert check.ex_1.expected == (2047, 11)
    assert check.ex_2.expected == ((1.0, 1.0, 5.0), (2.0, 3.0, 5.0, 2.0))
    sine, cosine = math.sin(1), math.cos(1)
    assert check.ex_4.expected == pytest.approx((1, -1, 4, 1, -4, 1 - sine, 4 - 4 * cosine))
    assert check.ex_5.expected == pytest.approx((8 - 12 * cosine, 4 - 4 * cosine))
