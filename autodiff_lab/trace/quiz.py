"""Quiz: the questions before a step is shown, and the wrong answers that reveal which mistake was made.

Wrong answers are computed like correct ones, by the engine's own rules, but at the wrong point or
combined in the wrong way. The questions ask for numbers only, never for arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import atom
from autodiff_lab.trace.model import Hint, Line, Mistake, Number, Question, Step
from autodiff_lab.trace.model.question import QuestionKind
from autodiff_lab.trace.recorded_run import SweepEvent

# A longer run would have too many questions.
MAX_LINES = 40

# The kinds of mistakes, in the order of their hints.
KINDS = (
    "overwrote",
    "missing",
    "incoming",
    "output",
    "point",
    "other",
    "sign",
    "swapped",
    "rate",
    "part",
)


def hints(steps: Iterable[Step]) -> tuple[Hint, ...]:
    """Collect the hints to all mistakes that can be made in the quiz questions of these steps."""
    kinds = set()
    for step in steps:
        for question in step.questions:
            kinds |= {mistake.kind for mistake in question.mistakes}
    return tuple(Hint(kind, message(f"hint {kind}")) for kind in KINDS if kind in kinds)


def is_askable(tape: Tape) -> bool:
    """Whether a tape is short enough for a quiz."""
    return len(tape) <= MAX_LINES


def about_value(tape: Tape, i: int, line: Line) -> Iterator[Question]:
    """Ask a quiz question about the value of an operation."""
    op = tape.ops[i]
    if op is None or not _numbers(tape, i):
        return
    args, static = tape.args[i], tape.kwargs.get(i, {})

    def wrong() -> Iterator[tuple[str, Any]]:
        if len(args) == 2:
            yield "swapped", op.fn(*args[::-1], **static)
        for other in _other_points(tape, i, 0):
            if len(args) == 1:
                yield "point", op.fn(other, **static)
        yield "sign", -tape.values[i]

    yield _question("value", f"{line.learner_name} = {line.reading}", tape.values[i], wrong())


def about_contribution(tape: Tape, lines: Sequence[Line], event: SweepEvent) -> Iterator[Question]:
    """Ask two quiz questions about a contribution: its local partial, then the adjoint that it leads to."""
    i, op = event.line, tape.ops[event.line]
    if not event.sent or not _numbers(tape, i) or op is None or op.partials is None:
        return
    (sent,) = event.sent
    line, parent = lines[i], lines[sent.parent]
    name = f"∂{line.learner_name}/∂{parent.learner_name}"
    partial = _partial(tape, i, sent.slot)
    misread = list(_computable(_misread_partials(tape, i, sent.slot)))
    yield _question("partial", f"{line.learner_name} = {line.reading}: {name}", partial, misread)

    def wrong() -> Iterator[tuple[str, Any]]:
        before = 0.0 if sent.before is None else sent.before
        if sent.before is not None:
            yield "overwrote", sent.contribution
            yield "missing", sent.before
        yield "incoming", before + partial
        for kind, value in misread:
            yield kind, before + event.adjoint * value
        yield "sign", before - sent.contribution
        yield "sign", -sent.after

    held = "" if sent.before is None else f"{Number.of(sent.before).text} + "
    ask = f"{parent.learner_name}: {held}{atom(Number.of(event.adjoint).text)} × {name}"
    yield _question("adjoint", ask, sent.after, wrong())


def about_tangent(
    tape: Tape, lines: Sequence[Line], i: int, tangents: Sequence[Any]
) -> Iterator[Question]:
    """Ask a quiz question about the tangent of an operation."""
    op, line = tape.ops[i], lines[i]
    moving = [slot for slot, j in enumerate(tape.parents[i]) if j >= 0 and tangents[j] is not None]
    if op is None or op.partials is None:
        return
    if tangents[i] is None or not moving or not _numbers(tape, i):
        return
    rates = {slot: tangents[tape.parents[i][slot]] for slot in moving}
    partials = {slot: _partial(tape, i, slot) for slot in moving}

    def wrong() -> Iterator[tuple[str, Any]]:
        if len(moving) > 1:
            for slot in moving:
                yield "part", partials[slot] * rates[slot]
        yield "rate", sum(partials.values())
        for slot in moving:
            for kind, value in _misread_partials(tape, i, slot):
                yield kind, tangents[i] + (value - partials[slot]) * rates[slot]
        yield "sign", -tangents[i]

    terms = []
    for slot, rate in rates.items():
        parent = lines[tape.parents[i][slot]]
        partial = f"∂{line.learner_name}/∂{parent.learner_name}"
        terms.append(f"{partial} × {atom(Number.of(rate).text)}")
    ask = f"{line.learner_name}{message('rate')}{' + '.join(terms)}"
    yield _question("tangent", ask, tangents[i], wrong())


def _partial(tape: Tape, i: int, slot: int) -> Any:
    return tape.operation(i).local_partial(slot, tape.values[i], *tape.args[i])


def _misread_partials(tape: Tape, i: int, slot: int) -> Iterator[tuple[str, Any]]:
    """The local partial as it comes out if it is evaluated at the wrong number, by kind of mistake."""
    op, args = tape.operation(i), tape.args[i]
    for k in range(len(args)):
        if k != slot and op.rules[k] is not None:
            yield "other", _partial(tape, i, k)

    def at(point: Any) -> Any:
        # A rule may use the line's value, so that is computed at the same point.
        moved = (*args[:slot], point, *args[slot + 1 :])
        return op.local_partial(slot, op.fn(*moved, **tape.kwargs.get(i, {})), *moved)

    yield "output", at(tape.values[i])
    for other in _other_points(tape, i, slot):
        yield "point", at(other)
    yield "sign", -_partial(tape, i, slot)


def _other_points(tape: Tape, i: int, slot: int) -> Iterator[Any]:
    """Numbers that a learner might confuse with the operand: the other operands, and the inputs."""
    for x in (*tape.args[i], *tape.values[: tape.n_inputs]):
        if np.ndim(x) == 0 and x != tape.args[i][slot]:
            yield x


def _numbers(tape: Tape, i: int) -> bool:
    return not any(map(np.ndim, (tape.values[i], *tape.args[i])))


def _question(
    kind: QuestionKind, ask: str, exact: Any, wrong: Iterable[tuple[str, Any]]
) -> Question:
    """Make a question of the wrong answers that can be told apart: from the correct one, and from each other."""
    answer = Number.of(exact)
    seen = [float(exact)]
    mistakes = []
    for kind_of_mistake, value in _computable(wrong):
        x = float(value)
        if not math.isfinite(x) or Number.of(x).text == answer.text:
            continue
        if any(math.isclose(x, y, rel_tol=2e-6) for y in seen):
            continue
        seen.append(x)
        mistakes.append(Mistake(kind_of_mistake, x))
    return Question(kind, f"{ask} = ?", answer, tuple(mistakes))


def _computable(wrong: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield wrong answers up to the first that can't be computed."""
    # An operation that a learner defined may raise for a number that isn't its operand.
    try:
        yield from wrong
    except Exception:
        return
