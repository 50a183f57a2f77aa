"""Arbitrary Python objects as answers: no exercise raises an error or passes by accident, and each gives a reply."""

import datetime
import decimal
import fractions
import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff_lab as ad

from ..about import about
from ..notebooks.reading import exercises

EXERCISES = [exercise for _, exercise in exercises()]
MOST = max(len(exercise.takes) for exercise in EXERCISES)


class LeavesWhenAsked:
    @property
    def value(self):
        raise SystemExit


class Liar:
    """Claims to be equal to everything."""

    def __eq__(self, other):
        return True

    def __float__(self):
        return 5.0

    __hash__ = None


def generator():
    yield 1


SELF = []
SELF.append(SELF)
DEEP = []
for _ in range(5000):
    DEEP = [DEEP]

ODD = [
    10**400, -0.0, 1e308, float("nan"), 1j, b"bytes", bytearray(b"x"), range(10**9), object(), type, int, print, math,
    generator, generator(), LeavesWhenAsked(), Liar(), Liar, SELF, DEEP, memoryview(b"x"), NotImplemented, slice(1),
    fractions.Fraction(1, 3), decimal.Decimal("0.1"), datetime.date(2020, 1, 1), frozenset({1}), {"a": {1}},
    lambda: ...,    np.zeros((3, 0)),
    np.zeros((200, 200, 30)), np.array(["a"]), np.array([object()]),
    np.float32(5), np.datetime64("2020"),
    np.array(1 + 2j), ad.Dual(3.0, 1.0), ad.grad, ad.Symbol("x"), ad.record(lambda x: x, 2.0)[1],
    "5.5", "5,5", " ", "\ud800",
    [True, False], {1: ...}, ({},), [[1.0, 2.0], [3.0]], np.ma.masked, np.nan, lambda *a, **k: Liar(), str.upper,
]  # fmt: skip
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text(max_size=20)
    | st.binary(max_size=5) | st.fractions() | st.decimals() | st.dates()
    | st.sampled_from([thing for thing in ODD if thing is not SELF and thing is not DEEP])
)  # fmt: skip
anything = st.recursive(
    leaves,
    lambda part: (
        st.lists(part, max_size=4)
        | st.lists(part, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), part, max_size=3)
    ),
    max_leaves=6,
)


def numbers_in(thing):
    return (
        [float(thing)]
        if not isinstance(thing, list | tuple)
        else [x for part in thing for x in numbers_in(part)]
    )


def is_right(exercise, answer):
    """Without the check's own comparison: the same numbers or the same words, in the same order."""
    if isinstance(exercise.expected, dict) or callable(answer):
        return False
    if isinstance(exercise.expected, str) or isinstance(answer, str):
        return isinstance(answer, str)
    answer = answer.tolist() if isinstance(answer, np.ndarray) else getattr(answer, "value", answer)
    try:
        return np.allclose(
            numbers_in(answer),
            numbers_in(exercise.expected),
            rtol=2 * exercise.tolerance,
            atol=1e-9,
        )
    except (TypeError, ValueError):
        return isinstance(answer, list | tuple) and any(isinstance(part, str) for part in answer)


def useful(reply):
    assert reply.status in {"passed", "not yet", "not attempted"}
    assert len(reply.text) > 40
    assert not re.search(r"0x[0-9a-f]{6}", repr(reply)), "an address"
    assert len(reply.text) < 700, "nobody reads that"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_an_odd_object_gets_a_useful_reply(exercise):
    for k, odd in enumerate(ODD):
        with about(f"ODD[{k}], a {type(odd).__name__}"):
            reply = exercise(*[odd] * len(exercise.takes))
            useful(reply)
            assert not reply.passed or is_right(exercise, odd)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.lists(anything, min_size=MOST, max_size=MOST))
def test_any_object_gets_a_useful_reply(answers):
    """Each odd object is tried on every exercise: finding new ones takes longer than checking them."""
    for exercise in EXERCISES:
        given = answers[: len(exercise.takes)]
        with about(exercise.name):
            reply = exercise(*given)
            useful(reply)
            if reply.passed:
                assert len(given) == 1 and is_right(exercise, given[0])
