"""What ran: the lines of a program that were executed, those that left something on the tape, and for which inputs.

The engine's tape notes the questions that a program asks of its values (`Tape.comparisons`). Two inputs whose questions
get the same answers run the same lines; a *piece* is an interval of such inputs.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.trace.source_map import locate
from autodiff_lab.transforms.gradients import record
from autodiff_lab.widgets.labs.branch_recorder.programs import HIGH, LOW, PROGRAMS, STEP

Answers = tuple[tuple[int, bool], ...]


class Row(NamedTuple):
    """One line of the source: how often it ran, and how many operations on the tape come from it."""

    text: str
    ran: int
    recorded: int


class Note(NamedTuple):
    """One line of the tape; without an `adjoint` nothing of the result goes through it."""

    name: str
    expression: str
    value: float
    adjoint: float | None


class Run(NamedTuple):
    """One run of a program and its sweep."""

    value: float
    slope: float
    rows: tuple[Row, ...]
    tape: tuple[Note, ...]
    answers: Answers


class Piece(NamedTuple):
    """Neighbouring inputs that run the same lines: from `low` to `high`, and points (x, value, slope) in between."""

    low: float
    high: float
    points: tuple[tuple[float, float, float], ...]


def run_program(program: str, x: float) -> Run:
    """Run a program at x, and write down all that is shown of it.

    >>> run = run_program("while: multiply until 10", 1.5)
    >>> run.value, run.slope, len(run.tape)
    (11.390625, 45.5625, 5)
    >>> [(row.text.strip(), row.ran, row.recorded) for row in run.rows[2:4]]
    [('while y < 10:', 6, 0), ('y = y * x', 5, 5)]
    """
    f = PROGRAMS[program].run
    value, tape = record(f, x, sites=True)
    adjoints = _sweep(tape)
    located = locate(f, tape.call_stacks, len(tape))
    source = located.sources[0]
    ran = count_lines_run(f, x)
    recorded = Counter(spans[-1].line for spans in located.spans if spans)
    return Run(
        float(value),
        _slope(adjoints),
        tuple(Row(text, ran[source.first_line + k], recorded[k]) for k, text in enumerate(source.text)),
        tuple(_make_note(tape, line, adjoints[line]) for line in range(tape.n_inputs, len(tape))),
        list_answers(tape),
    )


def count_lines_run(f: Callable[..., Any], *args: Any) -> Counter[int]:
    """Count how often each line of a function's own source is executed; a call counts for the line with its name."""
    ran: Counter[int] = Counter()

    def count(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code is not f.__code__:
            return None
        if event == "call":
            ran[frame.f_code.co_firstlineno] += 1
        elif event == "line":
            ran[frame.f_lineno] += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        f(*args)
    finally:
        sys.settrace(before)
    return ran


def list_answers(tape: Tape) -> Answers:
    """List the questions a run asked, each by its place on the tape, and what came out."""
    return tuple((question.line, bool(question.outcome)) for question in tape.comparisons)


@functools.cache
def find_pieces(program: str) -> tuple[Piece, ...]:
    """Find all pieces between the ends of the slider; where they begin and end is found to the last digit."""
    stops = [round(LOW + STEP / 2 * k, 12) for k in range(round(2 * (HIGH - LOW) / STEP) + 1)]
    groups = [list(same) for _, same in groupby(stops, key=lambda x: _answers(program, x))]
    found, low = [], groups[0][0]
    for here, there in zip(groups, [*groups[1:], []], strict=True):
        high, after = _find_switch(program, here[-1], there[0]) if there else (here[-1], 0.0)
        xs = sorted({low, *here, high})
        found.append(Piece(low, high, tuple((x, *_measure(program, x)) for x in xs)))
        low = after
    return tuple(found)


def find_piece(program: str, x: float) -> Piece:
    """Find the piece that an input belongs to."""
    return next(piece for piece in find_pieces(program) if piece.low <= x <= piece.high)


def _find_switch(program: str, a: float, b: float) -> tuple[float, float]:
    """Find the last number that runs as `a` does, and the next one, which does not."""
    like_a = _answers(program, a)
    while a < (middle := (a + b) / 2) < b:
        a, b = (middle, b) if _answers(program, middle) == like_a else (a, middle)
    return a, b


def _answers(program: str, x: float) -> Answers:
    return list_answers(record(PROGRAMS[program].run, x)[1])


def _measure(program: str, x: float) -> tuple[float, float]:
    value, tape = record(PROGRAMS[program].run, x)
    return float(value), _slope(_sweep(tape))


def _sweep(tape: Tape) -> list[Any]:
    adjoints: list[Any] = [None] * len(tape)
    if tape.output is not None:
        for _ in tape.sweep(tape.output, np.float64(1.0), adjoints):
            pass
    return adjoints


def _slope(adjoints: list[Any]) -> float:
    return 0.0 if adjoints[0] is None else float(adjoints[0])


def _make_note(tape: Tape, line: int, adjoint: Any) -> Note:
    arrived = None if adjoint is None else float(adjoint)
    return Note(tape.name(line), tape.expression(line), float(tape.values[line]), arrived)
