"""How answers are checked: comparing them, running them, and noticing that they are unfinished."""

import builtins
import importlib
import sys
import weakref

import numpy as np
import pytest

from autodiff_lab.lessons import printing_tape
from autodiff_lab.lessons.checks.compare import agrees, describe, is_rounded, plain
from autodiff_lab.lessons.checks.exercise import is_unfinished
from autodiff_lab.lessons.checks.run_code import Crashed, attempt


class Variable:
    def __init__(self, value):
        self.value = value


def test_plain_data():
    assert plain([np.float64(1.5), (2, np.int64(3)), Variable(np.float64(4.0))]) == (
        1.5,
        (2.0, 3.0),
        4.0,
    )
    assert plain(np.array([1.0, 2.0])) == (1.0, 2.0)
    assert plain(np.array(2.0)) == 2.0
    assert plain(np.True_) is True


@pytest.mark.parametrize(
    ("seen", "wanted", "yes"),
    [
        (5.5, 5.5, True),
        (5.5 * (1 + 1e-7), 5.5, True),
        (5.5 * (1 + 1e-5), 5.5, False),
        (float("nan"), 5.5, False),
        (True, 1, False),
        (1, True, False),
        (0.0, None, False),
        (None, 0.0, False),
        ((1, 2), (1, 2, 3), False),
        ("5.5", 5.5, False),
        (" v1=log( v0 )", "v1 = log(v0)", True),
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"b": 2}, {"a": 1}, False),
        (Crashed("TypeError", "no None here"), Crashed("TypeError", "None"), True),
        (Crashed("TypeError", "other"), Crashed("TypeError", "None"), False),
    ],
)
def test_agreement(seen, wanted, yes):
    assert agrees(seen, wanted) is yes


def test_a_rounded_number_is_told_from_a_wrong_one():
    assert is_rounded((6.87, 2.15), printing_tape.ex_5a.expected)
    assert not is_rounded((5.5, 1.7163), printing_tape.ex_5a.expected)
    assert "Give at least 7 digits" in printing_tape.ex_5a((6.87, 2.15)).text


def test_descriptions_are_short_and_without_addresses():
    for thing in (object(), [object()], lambda: 1, "x" * 500, list(range(500)), Variable(1)):
        assert len(describe(thing)) < 120 and "0x" not in describe(thing)


def empty(x): ...


def documented(x):
    """Say what it will do."""


def passes(x):
    pass


def hole(x):
    y = ...
    return x + y


def inner_hole(x):
    def propagate():
        return [x, ...]

    return propagate


@pytest.mark.parametrize(
    "answer", [..., (5, ...), [...], {"a": ...}, empty, documented, passes, hole, inner_hole]
)
def test_unfinished(answer):
    assert is_unfinished(answer)


@pytest.mark.parametrize("answer", [None, 0, "...", (), [None], lambda x: x, plain, len, Variable])
def test_finished(answer):
    assert not is_unfinished(answer)


def test_running_is_quiet_and_leaves_no_trace(capsys):
    before = sys.gettrace()
    assert attempt(lambda: print("noise") or 3) == 3
    assert capsys.readouterr().out == ""
    assert sys.gettrace() is before


def loop():
    things = [1]
    for _ in things:
        things.append(1)


def loop_on_one_line():
    while True: pass  # noqa: E701  # fmt: skip


def catch_everything():
    while True:
        try:  # noqa: SIM105
            loop()
        except:  # noqa: E722
            pass


def leave_for_another_reason():
    try:
        loop()
    finally:
        raise ValueError


def return_after_the_stop():
    try:
        loop()
    finally:
        return 3  # noqa: B012


class Watched:
    pass


def work_in_finalizers():
    while True:
        watched = Watched()
        weakref.finalize(watched, int, "5").atexit = False


ENDLESS = [
    loop,
    loop_on_one_line,
    catch_everything,
    leave_for_another_reason,
    return_after_the_stop,
]


@pytest.mark.parametrize("endless", [*ENDLESS, work_in_finalizers])
def test_code_that_never_ends_is_stopped(endless):
    crashed = attempt(endless, steps=5000)
    assert crashed.kind == "TookTooLong"
    assert "stopped" in crashed.sentence()


def test_a_debugger_goes_on_after_a_learners_code():
    def debugger(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        for code in (lambda: 5, lambda: 1 / 0):
            attempt(code)
            assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)


def test_a_learners_code_is_stopped_although_it_checked_code_itself():
    def check_and_go_on():
        attempt(int, "5")
        for _ in range(20_000):
            pass

    assert attempt(check_and_go_on, steps=5000).never_ends


@pytest.mark.parametrize("more", range(60))
def test_wherever_the_limit_falls_in_a_finalizer_the_code_is_stopped(more, capfd):
    """Python ignores an error in a finalizer, and only prints it to the error stream."""
    before = sys.gettrace(), sys.getprofile(), sys.unraisablehook
    assert attempt(work_in_finalizers, steps=1000 + more).never_ends
    assert (sys.gettrace(), sys.getprofile(), sys.unraisablehook) == before
    assert capfd.readouterr().err == ""


def test_what_is_stopped_can_clean_up():
    cleaned = []

    def clean_up():
        try:
            loop()
        finally:
            for k in range(100):
                cleaned.append(k)

    assert attempt(clean_up, steps=1000).never_ends
    assert len(cleaned) == 100


def test_the_steps_of_an_import_are_not_counted(tmp_path, monkeypatch):
    (tmp_path / "imported_by_a_check.py").write_text("for k in range(10_000):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert attempt(importlib.import_module, "imported_by_a_check", steps=1000).k == 9999
    assert attempt(loop, steps=1000).never_ends, "the count goes on"


def test_errors_become_sentences():
    def recurse():
        return recurse()

    assert "without an end" in attempt(recurse).sentence()
    assert attempt(builtins.exit).kind == "SystemExit"
    crashed = attempt(lambda: undefined_name)  # noqa: F821
    assert "does not know a name" in crashed.sentence()

    def too_early():
        seen = [late for _ in range(1)]  # noqa: F821
        late = 1
        return seen, late

    assert "uses late" in attempt(too_early).sentence()


def test_the_interrupt_key_still_works():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupted)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(printing_tape.ex_1.expected),
        [line.replace("2.0", "2").replace(" ", "") for line in printing_tape.ex_1.expected],
    ],
)
def test_the_seven_lines_in_other_forms(text):
    assert printing_tape.ex_1(text).passed
