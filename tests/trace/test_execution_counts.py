"""Which lines ran, how often, and in which turn of a loop: counted by the program itself, and read from its trace."""

import json
import sys
import threading

import numpy as np
import pytest

from autodiff_lab import Trace, play, record
from autodiff_lab.transforms import execution_log


def rows_of(trace, source=0):
    """Each row of a source, without its indentation, with how often it ran."""
    found = trace.sources[source]
    return list(zip((row.strip() for row in found.text), found.ran, strict=True))


def branches(x, log):
    """Rows with a mark say by themselves how often they ran."""
    total = 0.0
    # a comment
    for k in range(5):
        log.append("if")
        if k % 2:
            log.append("odd")
        elif k > 10:
            log.append("never")
        else:
            # why
            log.append("even")
            total = total + (
                k
                * x
            )  # fmt: skip
    while total > 1e9:
        log.append("huge")
    else:
        log.append("else")
    for i in range(3):
        for _ in range(i):
            log.append("inner")
            total = total * x
    k = 0
    while True:
        log.append("true")
        k += 1
        if k == 4:
            break
    try:
        log.append("try")
    except ValueError:
        log.append("caught")
    finally:
        log.append("finally")
    with np.errstate(all="ignore"):
        log.append("with")
    match k:
        case 3:
            log.append("three")
        case _:
            log.append("four")
    if not log:
        return x
    return total


def test_a_row_ran_as_often_as_the_program_says():
    log = []
    trace = Trace.of(lambda x: branches(x, log), 1.5)
    source = next(n for n, source in enumerate(trace.sources) if source.name == "branches")
    rows = rows_of(trace, source)
    marked = {row.split('"')[1]: times for row, times in rows if row.startswith("log.append")}
    assert len(marked) == 14
    assert marked == {mark: log.count(mark) for mark in marked}
    assert {mark for mark, times in marked.items() if not times} == {
        "never",
        "huge",
        "caught",
        "three",
    }


def test_a_loop_head_counts_its_turns_and_a_comment_nothing():
    log = []
    trace = Trace.of(lambda x: branches(x, log), 1.5)
    rows = dict(rows_of(trace, 1))
    assert rows["for k in range(5):"] == 5
    assert (rows["for i in range(3):"], rows["for _ in range(i):"]) == (3, 3)
    assert rows["while True:"] == 4
    assert rows["while total > 1e9:"] == 1, "its head ran, though it never turned"
    assert rows["return x"] == rows["except ValueError:"] == 0
    assert rows["# a comment"] == rows["# why"] == rows["else:"] == -1
    assert rows["k"] == rows["* x"] == -1, (
        "the rest of a statement that ran is not said to have been left out"
    )


def test_every_operation_has_the_turns_that_it_was_recorded_in():
    turns = []

    def f(x):
        for i in range(3):
            x = x * 1.5
            turns.append((i + 1,))
            for j in range(i):
                x = np.sin(x)
                turns.append((i + 1, j + 1))
        while x < 4:
            x = x + 1
            turns.append((1 + sum(len(turn) == 1 for turn in turns[6:]),))
        return -x

    trace = Trace.of(f, 0.5)
    said = [tuple(turn.n for turn in line.turns) for line in trace.lines[1:-1]]
    assert said == turns
    assert trace.lines[-1].turns == ()
    heads = {
        trace.sources[turn.source].text[turn.line].strip()
        for line in trace.lines
        for turn in line.turns
    }
    assert heads == {"for i in range(3):", "for j in range(i):", "while x < 4:"}
    assert [turn.count for turn in trace.lines[2].turns] == [3]
    assert [turn.count for turn in trace.lines[6].turns] == [3, 2], "of this visit, not of all"


def test_a_function_that_is_called_in_a_loop_is_in_its_turns():
    def square(x):
        return x * x

    def f(x):
        for _ in range(3):
            x = square(x)
        return x

    trace = Trace.of(f, 1.1)
    assert [[tuple(turn[2:]) for turn in line.turns] for line in trace.lines[1:]] == [
        [(1, 3)],
        [(2, 3)],
        [(3, 3)],
    ]
    own = next(n for n, source in enumerate(trace.sources) if source.name == "square")
    assert rows_of(trace, own) == [("def square(x):", -1), ("return x * x", 3)]


def test_generators_and_comprehensions_are_no_loops_of_the_row():
    def weights():
        yield 0
        for k in (1, 2):
            yield k + 0

    def f(x):
        y = sum(x * w for w in weights())
        z = [x * k for k in range(4)]
        if y is None:
            return x
        return y + z[0]

    trace = Trace.of(f, 2.0)
    assert [times for _, times in rows_of(trace)] == [-1, 1, 1, 1, 0, 1]


def test_a_function_that_was_not_entered_is_not_known():
    def f(x):
        def later():
            return x

        if x > 100:
            return later()
        return x * 2

    rows = dict(rows_of(Trace.of(f, 1.0)))
    assert rows["return x"] == -1
    assert rows["return later()"] == 0


def test_straight_line_code_has_nothing_to_say(example_trace):
    assert example_trace.sources[0].ran == ()
    assert all(line.turns == () for line in example_trace.lines)


def two_ways(x):
    if x > 0:
        return x * 2
    return -x


def test_a_debugger_is_left_alone_and_nothing_is_claimed():
    seen = []

    def debugger(frame, event, arg):
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        trace = Trace.of(two_ways, 1.0)
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
    assert seen and trace.sources[0].ran == ()
    assert Trace.of(two_ways, 1.0).sources[0].ran == (-1, 1, 1, 0)


def test_a_walk_that_is_too_long_claims_nothing(monkeypatch):
    monkeypatch.setattr(execution_log, "MAX_EVENTS", 3)
    before = sys.gettrace()
    assert Trace.of(two_ways, 1.0).sources[0].ran == ()
    assert sys.gettrace() is before


def test_tracing_ends_even_if_the_function_fails():
    def bad(x):
        raise KeyError("no")

    with pytest.raises(KeyError):
        record(bad, 1.0, sites=True)
    assert sys.gettrace() is None
    done = threading.Thread(target=lambda: None)
    done.start()
    done.join()


def test_without_sites_nobody_watches():
    assert record(two_ways, 1.0)[1].execution_log is None


def test_the_transcript_says_which_way_the_run_took():
    text = Trace.of(two_ways, 1.0).transcript().text()
    first = two_ways.__code__.co_firstlineno
    assert f"In two_ways: line {first + 3} did not run." in text

    def f(x):
        for _ in range(2):
            x = x * x
        return x

    text = Trace.of(f, 3.0).transcript().text()
    first = f.__code__.co_firstlineno
    assert f"In f: lines {first + 1} to {first + 2} ran 2 times." in text
    assert "2. Iteration 1 of 2: x (v₁) = x · x" in text and "3. Iteration 2 of 2: x (v₂)" in text
    forward = Trace.of(f, 3.0, mode="forward")
    assert forward.steps[2].sentence.startswith("Iteration 2 of 2: ")


def test_execution_counts_are_kept_in_json():
    trace = Trace.of(two_ways, 1.0)
    assert Trace.from_json(trace.to_json()) == trace
    assert json.loads(trace.to_json())["sources"][0]["ran"] == [-1, 1, 1, 0]


def test_a_stretch_of_a_long_run_knows_its_turns():
    def f(x):
        for _ in range(700):
            x = x * 1.001
        return x

    player = play(f, 1.0)
    player.step = 350
    line = player.trace.lines[1]
    assert line.display_name == "v₃₀₁" and tuple(line.turns[0][2:]) == (301, 700)
    assert player.trace.sources[0].ran == (-1, 700, 700, 1)


def test_a_choice_that_is_the_whole_turn_counts_each_of_them():
    """No other statement is between two turns: the first leads back to itself."""

    def until_ten(x):
        while True:
            if x > 10:
                return x
            else:
                x = x * 2

    rows = dict(rows_of(Trace.of(until_ten, 2.0)))
    assert (rows["if x > 10:"], rows["x = x * 2"], rows["return x"]) == (4, 3, 1)
