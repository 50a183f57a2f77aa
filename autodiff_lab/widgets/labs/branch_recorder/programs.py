"""The programs of BranchRecorder, and their runs: which lines run, what they record on the tape, and for which inputs.

Each program takes a branch that depends on its input; all run for x between 1.3 and 4. The lab shows their text, so
they are written as a learner writes them: without types and without a docstring.

The engine's tape records the comparisons of a program (`Tape.comparisons`). If all comparisons have the same outcomes
at two inputs, the same lines run; a *piece* is an interval of such inputs.
"""
# ruff: noqa: D103

import functools
import sys
from collections import Counter, deque
from collections.abc import Callable
from itertools import groupby, pairwise
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.lessons.examples.loops import until_ten
from autodiff_lab.trace.source_map import locate
from autodiff_lab.transforms.gradients import value_and_grad
from autodiff_lab.transforms.recording import record

LOW, HIGH, STEP = 1.3, 4.0, 0.02


def bent(x):
    if x > 2:
        return x * 2
    return x * x


def growth(x):
    if x < 0.4:
        return 1 + x
    half = growth(x / 2)
    return half * half


def root(x):
    t = x
    while t * t > x + 0.1:
        t = (t + x / t) / 2
    return t


def stairs(x):
    y = 0.0
    while y < x:
        y = y + 1
    return y


def pierced(x):
    if x == 2:
        return 4 + 0 * x
    return x * x


class Program(NamedTuple):
    """A program of the branch recorder, and the function that it is meant to compute, if that is a different one."""

    run: Callable[[Any], Any]
    meant: Callable[[Any], Any] | None = None
    meant_as: str = ""


PROGRAMS = {
    "while: multiply until 10": Program(until_ten),
    "if: a bend at 2": Program(bent),
    "recursion: eˣ by halving": Program(growth, np.exp, "eˣ"),
    "while: Babylonian root": Program(root, np.sqrt, "√x"),
    "steps: count up to x": Program(stairs),
    "if: one point apart": Program(pierced),
}


# The runs


class Piece(NamedTuple):
    """An interval of x on which a program runs the same lines, with points (x, value, slope)."""

    low: float
    high: float
    points: tuple[tuple[float, float, float], ...]


def run_program(program: str, x: float) -> dict[str, Any]:
    """Run a program of the branch recorder at x, and return everything that the lab shows of the run.

    Returns
    -------
    dict
        Value and slope, and the numbers of operations and comparisons. For each line of the `source`: its text, how
        often it ran, and how many operations it recorded. For each operation on the `tape`: name, expression, value and
        adjoint, which is None if the result does not depend on it.

    Examples
    --------
    >>> run = run_program("while: multiply until 10", 1.5)
    >>> run["value"], run["slope"], len(run["tape"])
    (11.390625, 45.5625, 5)
    >>> [(text.strip(), ran, recorded) for text, ran, recorded in run["source"][2:4]]
    [('while y < 10:', 6, 0), ('y = y * x', 5, 5)]
    """
    f = PROGRAMS[program].run
    value, tape = record(f, x, sites=True)
    adjoints: list[Any] = [None] * len(tape)
    if tape.output is not None:
        deque(tape.sweep(tape.output, np.float64(1.0), adjoints), maxlen=0)
    found = [None if adjoint is None else float(adjoint) for adjoint in adjoints]
    located = locate(f, tape.call_stacks, len(tape))
    source = located.sources[0]
    ran = count_lines_run(f, x)
    recorded = Counter(spans[-1].line for spans in located.spans if spans)
    return {
        "value": float(value),
        "slope": found[0] or 0.0,
        "operations": len(tape) - 1,
        "questions": len(tape.comparisons),
        "source": [
            [text, ran[source.first_line + k], recorded[k]] for k, text in enumerate(source.text)
        ],
        "tape": [
            [tape.name(i), tape.expression(i), float(tape.values[i]), found[i]]
            for i in range(1, len(tape))
        ],
    }


def count_lines_run(f: Callable[..., Any], *args: Any) -> Counter[int]:
    """Count how often each line of a program runs; a call counts for the line of the `def`."""
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


@functools.cache
def find_pieces(program: str) -> tuple[Piece, ...]:
    """Find all pieces of a program between the ends of the slider; the ends of a piece are exact to the last digit."""
    stops = [round(LOW + STEP / 2 * k, 12) for k in range(round(2 * (HIGH - LOW) / STEP) + 1)]
    groups = [list(same) for _, same in groupby(stops, key=lambda x: _list_outcomes(program, x))]
    starts = [groups[0][0]]
    ends = []
    for here, there in pairwise(groups):
        end, next_start = _find_switch(program, here[-1], there[0])
        ends.append(end)
        starts.append(next_start)
    ends.append(groups[-1][-1])
    pieces = []
    for low, group, high in zip(starts, groups, ends, strict=True):
        xs = sorted({low, *group, high})
        points = tuple((x, *measure(PROGRAMS[program].run, x)) for x in xs)
        pieces.append(Piece(low, high, points))
    return tuple(pieces)


def find_piece(program: str, x: float) -> Piece:
    """Find the piece of a program to which an input belongs."""
    return next(piece for piece in find_pieces(program) if piece.low <= x <= piece.high)


def _find_switch(program: str, a: float, b: float) -> tuple[float, float]:
    """Find two neighbouring numbers between `a` and `b`: the last that runs the same lines as `a`, and the next."""
    same_as_a = _list_outcomes(program, a)
    while a < (middle := (a + b) / 2) < b:
        if _list_outcomes(program, middle) == same_as_a:
            a = middle
        else:
            b = middle
    return a, b


def _list_outcomes(program: str, x: float) -> list[tuple[int, bool]]:
    """List the comparisons of a run: the place of each on the tape, and its outcome."""
    tape = record(PROGRAMS[program].run, x)[1]
    return [(comparison.line, bool(comparison.outcome)) for comparison in tape.comparisons]


def measure(f: Callable[[Any], Any], x: float) -> tuple[float, float]:
    """Return value and slope of a function at x."""
    value, slope = value_and_grad(f)(x)
    return float(value), float(slope)
