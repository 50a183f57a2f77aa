"""BranchRecorder: the branch that ran, its lines on the tape, and where the next piece begins."""

import itertools
import sys

import numpy as np
import pytest

from autodiff_lab import grad, record
from autodiff_lab.widgets.labs import BranchRecorder
from autodiff_lab.widgets.labs.branch_recorder.lab import ROWS
from autodiff_lab.widgets.labs.branch_recorder.programs import (
    HIGH,
    LOW,
    PROGRAMS,
    STEP,
    count_lines_run,
    find_piece,
    find_pieces,
)

WHILE, IF, RECURSION, ROOT, STEPS, POINT = PROGRAMS
every_program = pytest.mark.parametrize("program", PROGRAMS)


def at(x, program=WHILE):
    lab = BranchRecorder()
    lab.set(program=program, x=x)
    return lab


def source(lab):
    """(ran, recorded) by the text of the line."""
    return {text.strip(): (ran, recorded) for text, ran, recorded in lab.snapshot()["source"]}


@pytest.mark.parametrize(
    ("x", "value", "slope", "factors"), [(1.5, 11.390625, 45.5625, 6), (1.6, 10.48576, 32.768, 5)]
)
def test_until_ten(x, value, slope, factors):
    snap = at(x).snapshot()
    assert (snap["value"], snap["slope"]) == pytest.approx((value, slope), rel=1e-15)
    assert snap["operations"] == factors - 1
    assert snap["questions"] == factors
    assert snap["value"] == pytest.approx(x**factors, rel=1e-15)


def test_it_opens_one_stop_before_the_next_piece():
    lab = BranchRecorder()
    assert lab.snapshot()["operations"] == 5
    lab.set(x=lab.x + STEP)
    assert lab.snapshot()["operations"] == 4


def test_the_switches_of_until_ten():
    low, high = at(1.5).snapshot()["piece"]
    assert low == pytest.approx(1.4677992676220695, rel=2e-16)
    assert high == pytest.approx(1.5848931924611136, rel=2e-16)
    assert at(1.6).snapshot()["piece"][0] == np.nextafter(high, 2), (
        "no number is left out between two pieces"
    )


def test_a_condition_runs_and_records_nothing():
    lines = source(at(1.5))
    assert lines["while y < 10:"] == (6, 0)
    assert lines["y = y * x"] == (5, 5)


def test_a_conditions_arithmetic_is_recorded_and_leads_nowhere():
    lab = at(3.6, ROOT)
    assert source(lab)["while t * t > x + 0.1:"] == (4, 8)
    dead = [note for note in lab.snapshot()["tape"] if note[3] is None]
    assert len(dead) == 8
    assert "8 of them lead nowhere" in lab.picture()


def test_the_line_that_did_not_run():
    assert source(at(1.5, IF))["return x * 2"] == (0, 0)
    assert source(at(2.5, IF))["return x * x"] == (0, 0)
    assert source(at(2.5, IF))["return x * 2"] == (1, 1)


def test_recursion_is_counted_by_its_calls():
    assert source(at(2.0, RECURSION))["def growth(x):"] == (4, 0)
    assert [at(x, RECURSION).snapshot()["operations"] for x in (1.5, 2.0, 3.5)] == [5, 7, 9]


def test_steps_leave_nothing_and_have_no_slope():
    for x in (1.5, 2.0, 2.5, 4.0):
        snap = at(x, STEPS).snapshot()
        assert (snap["value"], snap["slope"], snap["operations"]) == (np.ceil(x), 0.0, 0)
    assert "the tape: nothing" in at(2.5, STEPS).picture()


def test_one_point_is_a_piece_of_its_own():
    snap = at(2.0, POINT).snapshot()
    assert snap["piece"] == (2.0, 2.0)
    assert (snap["value"], snap["slope"]) == (4.0, 0.0)
    assert "a single point" in at(2.0, POINT).sentence()
    assert at(2.02, POINT).snapshot()["slope"] == pytest.approx(4.04)


def test_the_sentence_says_how_far_the_piece_reaches():
    assert "from 1.4678 to 1.5849 takes this path" in at(1.5).sentence()
    assert "up to 1.3335 takes this path" in at(1.3).sentence()
    assert "from 3.1623 on takes this path" in at(3.5).sentence()
    assert "1 operation." in at(3.5).sentence()


@every_program
def test_the_pieces_cover_the_slider_without_a_gap(program):
    found = find_pieces(program)
    assert found[0].low == LOW and found[-1].high == HIGH
    for one, other in itertools.pairwise(found):
        assert np.nextafter(one.high, HIGH) == other.low
    for k in range(round((HIGH - LOW) / STEP) + 1):
        x = round(LOW + STEP * k, 12)
        assert any(x == point[0] for point in find_piece(program, x).points)


@every_program
def test_within_a_piece_the_tape_can_be_replayed(program):
    """What a piece is, said by the engine: replay raises where a question has another answer."""
    f = PROGRAMS[program].run
    for piece in find_pieces(program):
        middle = (piece.low + piece.high) / 2
        _, tape = record(f, middle)
        for x, value, slope in piece.points:
            assert tape.replay(x) == value
            assert grad(f)(x) == pytest.approx(slope, rel=1e-12)


@every_program
def test_all_that_ran_is_on_the_picture(program):
    for x in (LOW, 2.0, HIGH):
        snap = at(x, program).snapshot()
        assert len(snap["tape"]) <= 2 * ROWS, "there is room for the longest tape"
        assert sum(recorded for _, _, recorded in snap["source"]) == snap["operations"]
        assert snap["source"][0][1] >= 1


def test_tracing_is_given_back():
    def before(frame, event, arg):
        return None

    found = sys.gettrace()
    sys.settrace(before)
    try:
        count_lines_run(PROGRAMS[WHILE].run, 1.5)
        assert sys.gettrace() is before
        with pytest.raises(TypeError):
            count_lines_run(PROGRAMS[WHILE].run, "x")
        assert sys.gettrace() is before
    finally:
        sys.settrace(found)
