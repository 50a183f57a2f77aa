"""A long run, told a stretch at a time, says at every step what the whole run says."""

import numpy as np
import pytest

from autodiff_lab import Trace, record
from autodiff_lab.figures.graph.layout import LaidOutExcerpts as Excerpts
from autodiff_lab.trace.excerpts import MAX_WHOLE_LINES
from autodiff_lab.trace.tape_reader import run_of_tape
from autodiff_lab.transforms.recording import Outcome


def wave(x, w):
    for _ in range(200):
        x = x + 0.01 * np.sin(w * x)
    return x


@pytest.fixture(scope="module")
def runs():
    value, tape = record(wave, 0.5, 1.3, sites=True)
    assert len(tape) > MAX_WHOLE_LINES
    return Excerpts(run_of_tape(tape, wave, Outcome(value)), wave), Trace.from_tape(
        tape, wave, value=value
    )


def told(excerpts):
    for number in range(len(excerpts)):
        trace = excerpts[number]
        for first, last, at in trace.excerpt.parts:
            for s in range(first, last + 1):
                yield at + s - first, trace, s


def test_every_step_of_the_run_is_in_one_stretch(runs):
    excerpts, whole = runs
    assert sorted(at for at, _, _ in told(excerpts)) == list(range(len(whole.steps)))
    assert (
        sum(len(step.sends) > 0 for step in whole.steps)
        == excerpts[0].cost.products
        > len(whole.lines)
    )
    assert all(excerpts.holding(at) == trace.excerpt.number for at, trace, _ in told(excerpts))
    assert excerpts.steps == len(whole.steps)


def test_a_step_says_what_it_says_in_the_whole_run(runs):
    excerpts, whole = runs
    for at, trace, s in told(excerpts):
        own, same = trace.steps[s], whole.steps[at]
        for field in ("phase", "sentence", "equations", "arithmetic", "meter", "adjoint"):
            assert getattr(own, field) == getattr(same, field), (at, field)
        assert [send.after for send in own.sends] == [send.after for send in same.sends]
        assert [send.share for send in own.sends] == [send.share for send in same.sends]


def test_adjoints_that_have_come_from_later_lines_are_there(runs):
    excerpts, whole = runs
    trace = excerpts[4]
    place = {line.name: i for i, line in enumerate(whole.lines)}
    first, last, at = trace.excerpt.parts[1]
    for s in range(first, last + 1, 17):
        right = whole.adjoints_at(at + s - first)
        assert trace.adjoints_at(s) == [right[place[line.name]] for line in trace.lines]


def test_a_stretch_can_be_stored_and_is_laid_out(runs):
    excerpts, _ = runs
    trace = excerpts[3]
    assert Trace.from_json(trace.to_json()) == trace
    nodes = {
        name for group in excerpts.layout(3)["groups"].values() for name in group["layout"]["nodes"]
    }
    own = range(trace.excerpt.parts[0].first, len(trace.lines))
    assert {name for name in nodes if name[0] == "n"} == {f"n{i}" for i in own}


def by_turns(x):
    for _ in range(150):
        x = x + 0.01 * np.sin(x)
    for _ in range(150):
        x = x * 1.001
    return np.log(x)


def test_where_the_sweep_goes_through_a_chapter_is_known():
    value, tape = record(by_turns, 0.5, sites=True)
    excerpts, whole = (
        Excerpts(run_of_tape(tape, by_turns, Outcome(value)), by_turns),
        Trace.from_tape(tape, by_turns, value=value),
    )
    assert len(whole.chapters) == len(excerpts[1].excerpt.swept) == 3
    for chapter, (start, end) in zip(whole.chapters, excerpts[1].excerpt.swept, strict=True):
        own = [
            s
            for s, step in enumerate(whole.steps)
            if step.phase == "sweep" and chapter.first <= step.line < chapter.end
        ]
        assert own == list(range(start, end))


def test_the_names_of_a_long_run(runs):
    excerpts, whole = runs
    for trace in (excerpts[0], excerpts[3]):
        same = {line.name: line for line in whole.lines}
        for line in trace.lines:
            own = same[line.name]
            assert (line.assigned_name, line.occurrence, line.reading) == (
                own.assigned_name,
                own.occurrence,
                own.reading,
            )
    assert {line.assigned_name for line in whole.lines} == {"x", "w", ""}
    assert whole.lines[-1].occurrence == 201


def falling(x):
    for k in range(1500):
        x = x - 0.001
        x = np.sqrt(x) if k == 1200 else x + 0.0
    return x


def test_every_stretch_says_that_a_nan_is_born_somewhere():
    with np.errstate(invalid="ignore"):
        value, tape = record(falling, 1.0)
    excerpts = Excerpts(run_of_tape(tape, falling, Outcome(value)), falling)
    for number in (0, len(excerpts) - 1):
        assert "A NaN is born in" in excerpts[number].warning and "sqrt" in excerpts[number].warning
    value, fine = record(falling, 5.0)
    assert Excerpts(run_of_tape(fine, falling, Outcome(value)), falling)[0].warning == ""
