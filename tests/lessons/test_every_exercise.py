"""Every exercise of every lesson, found automatically: which answers pass, which don't, and what the reply is."""

import contextlib
import functools
import io
import sys

import pytest

from ..about import about
from ..notebooks.reading import exercises, listing


@pytest.fixture(autouse=True)
def usual_recursion_limit():
    """Python's own limit: jedi, which IPython loads, raises it so far that a traced recursion overflows the stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


EXERCISES = exercises()
every_exercise = pytest.mark.parametrize(
    ("number", "exercise"), EXERCISES, ids=[exercise.name for _, exercise in EXERCISES]
)
# An exercise that asks for code observes several cases of it; its near misses are its misconceptions.
ASKS_FOR_CODE = [
    (number, exercise) for number, exercise in EXERCISES if isinstance(exercise.expected, dict)
]
ASKS_A_VALUE = [exercise for _, exercise in EXERCISES if not isinstance(exercise.expected, dict)]
RIGHT_TOO = {"ex_6": [(None, -1, 0), (None, 1, -1)]}
"""Near misses that are right: axis -1 is the last."""
JUNK = [
    "None", "3", "-7.25", "True", "'x'", "''", "[]", "()", "{}", "object()", "float('nan')", "float('inf')", "1j",
    "print", "int", "(1, 2, 3)", "[None, None]", "['a'] * 7", "range(3)", "{'x / y': 1}", "lambda: 1", "RAISES",
    "RUNS_ON", "RECURSES", "LEAVES", "RETURNS_NONE", "RETURNS_ITSELF", "Hostile()", "Hostile",
]  # fmt: skip
BROKEN = """
def RAISES(*args):
    raise ValueError("on purpose")
def RUNS_ON(*args):
    while True: pass
def RECURSES(*args):
    return RECURSES(*args)
def LEAVES(*args):
    raise SystemExit
def RETURNS_NONE(*args):
    del args
def RETURNS_ITSELF(*args):
    return args
class Hostile:
    def __getattr__(self, name): raise RuntimeError
    def __repr__(self): raise RuntimeError
    def __eq__(self, other): raise RuntimeError
    __hash__ = None
"""


@functools.cache
def compiled_listing(number):
    return compile(listing(number), "<listing>", "exec")


def in_the_notebook(number, written):
    """Run the cells that an exercise depends on, then the learner's code, and return all names."""
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compiled_listing(number), names)
        exec(compile(written, "<cell>", "exec"), names)
    return names


def submit(number, exercise, written):
    names = in_the_notebook(number, written)
    return exercise(*(names[name] for name in exercise.takes))


def test_there_are_exercises():
    assert EXERCISES


@every_exercise
def test_unanswered_is_said_so(number, exercise):
    reply = exercise(*[...] * len(exercise.takes))
    assert reply.status == "not attempted"
    assert "not attempted" in repr(reply) and repr(reply).startswith("…")


@every_exercise
def test_the_reference_answer_passes(number, exercise):
    reply = submit(number, exercise, exercise.reference)
    assert reply.passed, reply
    assert exercise.passed
    assert repr(reply).startswith("✓")


@every_exercise
def test_a_known_wrong_answer_gets_its_own_hint(number, exercise):
    for wrong in exercise.misconceptions:
        with about(wrong.written):
            reply = submit(number, exercise, wrong.written)
            assert reply.status == "not yet"
            assert reply.text.endswith(wrong.hint), reply
            assert repr(reply).startswith("✗")


@every_exercise
def test_hints_are_distinct_and_there_are_enough(number, exercise):
    said = [wrong.hint for wrong in exercise.misconceptions]
    assert len(said) >= 2
    assert len({*said, *exercise.hints, exercise.praise}) == len(said) + len(exercise.hints) + 1
    assert exercise.hints


@every_exercise
def test_junk_neither_raises_nor_passes(number, exercise):
    names = in_the_notebook(number, BROKEN)
    for junk in JUNK:
        with about(junk):
            reply = exercise(*[eval(junk, names)] * len(exercise.takes))
            assert reply.status in {"not yet", "not attempted"}
            assert len(reply.text) > 40, "say something useful"
            assert "0x" not in repr(reply)


@every_exercise
def test_a_wrong_number_of_things_does_not_raise(number, exercise):
    for answers in ((), (1,) * (len(exercise.takes) + 1)):
        reply = exercise(*answers)
        assert reply.status == "not yet" and exercise.call in reply.text


def near(value, tolerance=0.0):
    """Answers that differ from this one in a single place, by one or by a little more than the tolerance."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value * (1 + max(0.01, 3 * tolerance)), -value)
    elif isinstance(value, str):
        yield from (value + "1", value[1:], value.replace("v1", "v2"))
    elif isinstance(value, tuple):
        yield from (value[:-1], (*value, value[-1]), value[::-1])
        for k, part in enumerate(value):
            for other in near(part, tolerance):
                if other != part:
                    yield (*value[:k], other, *value[k + 1 :])


@pytest.mark.parametrize("exercise", ASKS_A_VALUE, ids=lambda exercise: exercise.name)
def test_a_near_miss_does_not_pass(exercise):
    for answer in near(exercise.expected, exercise.tolerance):
        reply = exercise(list(answer) if isinstance(answer, tuple) else answer)
        assert reply.passed == (answer in RIGHT_TOO.get(exercise.name, ())), answer


@pytest.mark.parametrize(
    ("number", "exercise"), ASKS_FOR_CODE, ids=[e.name for _, e in ASKS_FOR_CODE]
)
def test_the_learners_names_are_given_back(number, exercise):
    names = in_the_notebook(number, exercise.reference)
    before = {name: names[name] for name in names}
    tape = list(names.get("gradient_tape", ()))
    exercise(*(names[name] for name in exercise.takes))
    assert {name: names[name] for name in names} == before
    assert names.get("gradient_tape", []) == tape


@every_exercise
def test_hints_come_one_after_the_other(number, exercise):
    exercise.hints_given = 0
    for k, hint in enumerate(exercise.hints, 1):
        assert exercise.hint().text.endswith(f"{k} of {len(exercise.hints)}: {hint}")
    assert "solution()" in exercise.hint().text


@every_exercise
def test_the_solution_is_shown_after_an_attempt(number, exercise):
    exercise.attempts = 0
    exercise(*[...] * len(exercise.takes))
    assert "try it first" in exercise.solution().text, "leaving it unanswered is no attempt"
    exercise(*["?"] * len(exercise.takes))
    assert exercise.reference.strip() in repr(exercise.solution())
