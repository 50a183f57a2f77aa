"""The replies to half an answer, to an error in the learner's code, and to too few digits."""

import itertools
import linecache
import math
from pathlib import Path

import nbformat
import numpy as np
import pytest

from autodiff_lab.lessons import adjoint_flow, dual_numbers, printing_tape, start_here
from autodiff_lab.lessons.checks.compare import agrees, digits_within, plain
from autodiff_lab.lessons.checks.run_code import attempt, note_learner_files
from autodiff_lab.lessons.checks.variants import every_draw

from .test_every_exercise import EXERCISES, in_the_notebook, submit

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

SEVERAL = [
    pytest.param(number, exercise, id=exercise.name)
    for number, exercise in EXERCISES
    if len(exercise.takes) > 1
]
MUL, DIV = dual_numbers.ex_1.reference.split("\n\n\n")
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
    reply = submit("dual_numbers", dual_numbers.ex_1, MUL.replace("+", "-") + OPEN_DIV)
    assert "dual_div is not written yet." in reply.text and "right;" not in reply.text
    one = submit(
        "dual_numbers", dual_numbers.ex_1, MUL.replace("a.value * b.tangent +", "") + OPEN_DIV
    )
    assert "One of two terms is missing" in one.text and one.text.endswith(
        "dual_div is not written yet."
    )


def test_an_error_is_told_by_the_learners_line(monkeypatch):
    written = printing_tape.ex_2.reference.replace("remember([self, other]", "remember([self, 3.0]")
    monkeypatch.setitem(
        linecache.cache, "<cell>", (len(written), None, written.splitlines(keepends=True), "<cell>")
    )
    reply = submit("printing_tape", printing_tape.ex_2, written)
    assert "in your line `remember([self, 3.0], x, propagate)`" in reply.text


def test_an_error_elsewhere_is_not_called_the_learners(monkeypatch):
    names = {}
    for file, source in {
        "<listing>": "def divide(f):\n    return 1 / f()\n",
        "<cell>": "def zero():\n    return 0\n",
    }.items():
        monkeypatch.setitem(
            linecache.cache, file, (len(source), None, source.splitlines(keepends=True), file)
        )
        exec(compile(source, file, "exec"), names)
    with note_learner_files([names["zero"]]):
        said = attempt(names["divide"], names["zero"]).sentence()
    assert (
        "in the notebook's line `return 1 / f()`, with what your code gave it: division by zero"
        in said
    )


def test_the_digits_that_are_asked_for_are_enough():
    assert "at least 4 digits" in start_here.ex_1(-0.28).text
    for tolerance in (1e-6, 1e-4, 5e-4, 1e-3):
        digits = digits_within(tolerance)
        for k in range(1, 400):
            right = math.pi * 1.07**k
            assert agrees(float(f"{right:.{digits}g}"), right, tolerance)
        assert any(
            not agrees(float(f"{x:.{digits - 1}g}"), x, tolerance)
            for x in (1 + k / 997 for k in range(997))
        )


def leaves(exercise):
    expected = exercise.expected
    return (
        []
        if isinstance(expected, dict)
        else expected
        if isinstance(expected, tuple)
        else [expected]
    )


ASKS_FOR_DIGITS = [
    pytest.param(number, exercise, id=exercise.name)
    for number, exercise in EXERCISES
    if any(isinstance(x, float) and not x.is_integer() for x in leaves(exercise))
]


@pytest.mark.parametrize(("number", "exercise"), ASKS_FOR_DIGITS)
def test_the_text_says_how_many_digits(number, exercise):
    (path,) = NOTEBOOKS.glob(f"*_{number}.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    above = itertools.takewhile(lambda cell: f"check.{exercise.name}(" not in cell.source, cells)
    asked = [cell.source for cell in above if cell.source.count("### Exercise")][-1]
    assert any(
        said in asked
        for said in ("digits", "decimals", "decimal places", "Four places after the point")
    )


@pytest.mark.parametrize(
    "exercise", [start_here.ex_1, adjoint_flow.ex_4], ids=lambda exercise: exercise.name
)
def test_four_places_are_enough(exercise):
    for instance in (
        every_draw(exercise.make, exercise.draws) if exercise.make else [exercise.instance()]
    ):
        typed = np.round(instance.expected, 4)
        assert agrees(plain(typed), instance.expected, exercise.tolerance)
