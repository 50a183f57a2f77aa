"""Observations made in the sandbox get the same verdict outside, and changes to the checks' definitions are found."""

import json

import numpy as np
import pytest

from autodiff_lab.classroom.grading.definitions import list_definitions, name_changes
from autodiff_lab.classroom.grading.observations import (
    MAX_CHARACTERS,
    decode_observation,
    encode_observation,
)
from autodiff_lab.lessons.checks import compare
from autodiff_lab.lessons.checks.compare import Refused, agrees
from autodiff_lab.lessons.checks.run_code import Crashed
from autodiff_lab.lessons.printing_tape import ex_3

from ..notebooks.reading import exercises


def crossed(seen):
    [found] = decode_observation(encode_observation((seen,)))
    return found


@pytest.mark.parametrize(
    ("number", "exercise"), exercises(), ids=lambda each: getattr(each, "name", each)
)
def test_every_known_answer_is_judged_outside_as_inside(number, exercise):
    asked = exercise.draw(None)
    for seen in (asked.expected, *(wrong.seen for wrong in asked.misconceptions)):
        inside, outside = (
            exercise.judge_observation(each, asked) for each in (seen, crossed(seen))
        )
        assert (inside.status, inside.text) == (outside.status, outside.text)


class Liar(float):
    def __eq__(self, other):
        return True

    __hash__ = None
    __float__ = property(lambda self: 1 / 0)


def test_only_plain_data_crosses():
    plain = (
        None,
        True,
        "a\ud800",
        2,
        2.5,
        np.float64(2.5),
        np.int64(3),
        {"a": (1.0,)},
        Crashed("E", "m", "l", False),
    )
    assert agrees(crossed(plain), plain) and agrees(crossed(Refused("It is none.")), "x") is False
    assert crossed(Refused("It is none.")) == Refused("It is none.")
    assert np.isnan(crossed(float("nan")))
    assert type(crossed(Liar(3))) is float and crossed(Liar(3)) == 3
    assert crossed(print) == "the function print" and not agrees(
        crossed(np.zeros(3)), (0.0, 0.0, 0.0)
    )


def test_what_cannot_be_written_down_is_no_answer():
    endless = []
    endless.append(endless)
    for odd in (endless, {(1, 2): 3}, "x" * MAX_CHARACTERS, Liar):
        assert len(encode_observation((odd,))) < 100
        assert isinstance(decode_observation(encode_observation((odd,)))[0], str)


def test_what_the_examiner_never_writes_makes_no_object():
    assert decode_observation('[{"Exercise": []}, {"__class__": "x"}]') == [
        {"Exercise": []},
        {"__class__": "x"},
    ]
    with pytest.raises(TypeError):
        decode_observation('[{"Crashed": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}}]')
    with pytest.raises((RecursionError, json.JSONDecodeError)):
        decode_observation("[" * MAX_CHARACTERS)


def test_a_check_that_is_changed_is_named(monkeypatch):
    before = list_definitions()
    assert not name_changes(before)
    ex_3(1)
    ex_3.hint()
    assert not name_changes(before), "attempts and hints are no change"
    ex_3.begin_again()
    for thing, name, value, said in [
        (ex_3, "expected", 7.0, "ex_3.expected"),
        (ex_3, "observe", print, "ex_3.observe"),
        (type(ex_3), "_judge", print, "checks.exercise.Exercise._judge"),
        (compare, "SIX_DIGITS", 1.0, "checks.compare.SIX_DIGITS"),
        (compare.agrees, "__code__", (lambda *_: True).__code__, "checks.compare.agrees"),
        (compare.agrees, "__defaults__", (1.0,), "checks.compare.agrees"),
        (compare.Finding, "__doc__", "", "checks.compare.Finding.__doc__"),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(thing, name, value)
            assert any(each.endswith(said) for each in name_changes(before)), said
        assert not name_changes(before), "and back again"


def test_data_of_a_check_that_is_changed_in_place_is_named(monkeypatch):
    from autodiff_lab.lessons.verification import exercises

    before = list_definitions()
    tables = [
        name
        for name, thing in vars(exercises).items()
        if isinstance(thing, dict) and not name.startswith("__")
    ]
    assert tables, "the cases that answers are tried with"
    monkeypatch.setitem(getattr(exercises, tables[0]), "another", 1)
    assert f"verification.exercises.{tables[0]}" in name_changes(before)
