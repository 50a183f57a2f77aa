"""What the check says to half an answer, to an error in the learner's code, and to too few digits."""

import linecache
import math

import pytest

from autodiff_lab.lessons import lesson_00, lesson_02, lesson_03
from autodiff_lab.lessons.comparing import agrees, digits_within

from .test_every_exercise import EXERCISES, in_the_notebook, submit

SEVERAL = [
    pytest.param(number, exercise, id=exercise.name) for number, exercise in EXERCISES if len(exercise.takes) > 1
]
MUL, DIV = lesson_02.ex_02_1.reference.split("\n\n\n")
OPEN_DIV = "\n\n\ndef dual_div(a, b):\n    ...\n"


@pytest.mark.parametrize(("number", "exercise"), SEVERAL)
def test_what_is_missing_is_named_and_the_rest_is_right(number, exercise):
    names = in_the_notebook(number, exercise.reference)
    for hole in exercise.takes:
        exercise.attempts = 0
        reply = exercise(*(... if name == hole else names[name] for name in exercise.takes))
        if exercise.is_whole:
            assert reply.status == "not attempted"
        else:
            assert reply.status == "not yet" and exercise.attempts == 1
            assert "right; " in reply.text and reply.text.endswith(f"{hole} is not written yet.")


def test_half_an_answer_can_be_wrong():
    reply = submit("02", lesson_02.ex_02_1, MUL.replace("+", "-") + OPEN_DIV)
    assert "dual_div is not written yet." in reply.text and "right;" not in reply.text
    one = submit("02", lesson_02.ex_02_1, MUL.replace("a.value * b.tangent +", "") + OPEN_DIV)
    assert "One of two terms is missing" in one.text and one.text.endswith("dual_div is not written yet.")


def test_an_error_is_told_by_the_learners_line(monkeypatch):
    written = lesson_03.ex_03_2.reference.replace("remember([self, other]", "remember([self, 3.0]")
    monkeypatch.setitem(linecache.cache, "<cell>", (len(written), None, written.splitlines(keepends=True), "<cell>"))
    reply = submit("03", lesson_03.ex_03_2, written)
    assert "in your line `remember([self, 3.0], x, propagate)`" in reply.text


def test_an_error_elsewhere_is_not_called_the_learners(monkeypatch):
    written = lesson_03.ex_03_2.reference.replace("dl_dx * dx_dother", "'?'")
    monkeypatch.setitem(linecache.cache, "<listing>", (0, None, [f"line {k}" for k in range(1, 999)], "<listing>"))
    reply = submit("03", lesson_03.ex_03_2, written)
    assert "in the notebook's line `line " in reply.text and "with what your code gave it" in reply.text


def test_the_digits_that_are_asked_for_are_enough():
    assert "at least 4 digits" in lesson_00.ex_00_1(-0.28).text
    for tolerance in (1e-6, 1e-4, 5e-4, 1e-3):
        digits = digits_within(tolerance)
        for k in range(1, 400):
            right = math.pi * 1.07**k
            assert agrees(float(f"{right:.{digits}g}"), right, tolerance)
        assert any(not agrees(float(f"{x:.{digits - 1}g}"), x, tolerance) for x in (1 + k / 997 for k in range(997)))
