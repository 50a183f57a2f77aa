"""The reverse sweep as steps of a trace: who sends what, along which edge, and how the sums grow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.text.messages import together
from autodiff_lab.trace import equations, explanations, partials
from autodiff_lab.trace.model import Line, Number, Send, Step


class Sent(NamedTuple):
    """One contribution as the engine has it, and what the parent held before and after."""

    slot: int
    parent: int
    contribution: Any
    before: Any
    after: Any
    replaces: bool = False


class Move(NamedTuple):
    """A line sends: its adjoint, and its contributions. Or `again`: the sweep is seeded a second time."""

    line: int
    adjoint: Any
    sent: tuple[Sent, ...] = ()
    remark: str = ""
    again: bool = False


def seed_of(tape: Any) -> Any:
    """The adjoint that the result starts with: 1, for every entry."""
    return np.ones(np.shape(tape.values[tape.output]))[()]


def moves(tape: Any) -> Iterator[Move]:
    """Watch the engine's own sweep."""
    adjoints: list[Any] = [None] * len(tape)
    held: list[Any] = [None] * len(tape)
    held[tape.output] = seed_of(tape)
    for i in tape.sweep(tape.output, held[tape.output], adjoints):
        yield Move(i, adjoints[i], tuple(_sent(tape, i, adjoints, held)))


def pulled(tape: Any, i: int, adjoint: Any) -> Iterator[tuple[int, int, Any]]:
    """What line `i` has for each of its operands, by the engine's own pullback: slot, parent, contribution."""
    for slot, parent in enumerate(tape.parents[i]):
        if parent >= 0:
            contribution = tape.ops[i].pullback(slot, adjoint, tape.values[i], tape.args[i], tape.kwargs.get(i, {}))
            if contribution is not None:
                yield slot, parent, contribution


def total(before: Any, contribution: Any) -> Any:
    """The sum so far, of which nothing may be there yet."""
    return contribution if before is None else before + contribution


def _sent(tape: Any, i: int, adjoints: list[Any], held: list[Any]) -> Iterator[Sent]:
    """What line `i` has just sent; the engine's adjoint has the last word."""
    last = {parent: slot for slot, parent in enumerate(tape.parents[i])}
    for slot, parent, contribution in pulled(tape, i, adjoints[i]):
        before = held[parent]
        # Between two operands that are the same line the engine does not stop, so that sum is formed here.
        held[parent] = adjoints[parent] if last[parent] == slot else total(before, contribution)
        yield Sent(slot, parent, contribution, before, held[parent])


def steps(
    tape: Any,
    lines: Sequence[Line],
    watched: Iterable[Move] | None = None,
    *,
    of: Container[int] | None = None,
    most: float | None = None,
) -> list[Step]:
    """The seed and the steps of a sweep: of the engine's own, unless another is given; of these lines, or of all.

    `most` is the size of the largest contribution of the run, where it is known.
    """
    result, seed = tape.output, Number.of(seed_of(tape))
    start = explanations.seeded(lines, result, seed), equations.seeded(lines[result], seed)
    swept = list(moves(tape) if watched is None else watched)
    if most is None:
        most = largest(sent.contribution for move in swept for sent in move.sent)
    made = [Step("seed", result, seed, (), *start)]
    for move, waiting in zip(swept, _still_to_come(swept), strict=True):
        if of is not None and move.line not in of:
            continue
        i, adjoint = move.line, Number.of(move.adjoint)
        if move.again:
            made.append(Step("seed", i, adjoint, (), move.remark, equations.seeded(lines[i], adjoint)))
            continue
        sends = tuple(_with_copies(tape, move, _send(lines[i], adjoint, sent, most)) for sent in move.sent)
        sentence = explanations.swept(lines, i, adjoint, sends, waiting())
        sentence = together(sentence, move.remark)
        made.append(Step("sweep", i, adjoint, sends, sentence, equations.swept(lines, i, adjoint, sends)))
    return made


def _send(line: Line, adjoint: Number, sent: Sent, most: float) -> Send:
    slot, parent, contribution, before, after, replaces = sent
    send = Send(
        slot,
        parent,
        contribution=Number.of(contribution),
        after=Number.of(after),
        before=None if before is None else Number.of(before),
        share=share(contribution, most),
        replaces=replaces,
    )
    return replace(send, term=equations.term(line, adjoint, send))


def _with_copies(tape: Any, move: Move, send: Send) -> Send:
    """Add what each copy of an operand contributes, if it was copied to the shape of the result."""
    shape = np.shape(tape.values[move.line])
    if tape.ops[move.line].kind != "elementwise" or send.contribution.shape == shape or not shape:
        return send
    partial = partials.local_partial(tape, move.line, send.slot)
    return replace(send, copies=Number.of(np.broadcast_to(move.adjoint * partial, shape)))


def share(contribution: Any, most: float) -> float:
    """How large a contribution is beside the largest of the run, from 0 to 1."""
    return round(_size(contribution) / most, 3) if most else 0.0


def _size(x: Any) -> float:
    """The largest entry that is a number, without its sign."""
    entries = np.abs(np.asarray(x, dtype=float))
    return float(np.max(entries, initial=0.0, where=np.isfinite(entries)))


def largest(contributions: Iterable[Any]) -> float:
    """The size of the largest of them: what `share` is a share of."""
    return max(map(_size, contributions), default=0.0)


def final(made: Iterable[Step]) -> dict[int, Number]:
    """The adjoints that are there in the end, by line."""
    adjoints: dict[int, Number] = {}
    for step in made:
        if step.phase == "seed" and step.adjoint is not None:
            adjoints[step.line] = step.adjoint
        adjoints |= {send.parent: send.after for send in step.sends}
    return adjoints


def with_gradient(
    name: str, lines: tuple[Line, ...], made: list[Step], truth: Mapping[int, Number] | None = None
) -> Step:
    """The last step, which says what it all was for; beside it the `truth`, where the sweep was a faulty one."""
    last = made[-1]
    gradient = equations.gradient(name, lines, final(made), truth)
    return replace(last, equations=(*last.equations, gradient)) if gradient else last


def _still_to_come(swept: list[Move]) -> list[Callable[[], Mapping[int, tuple[int, ...]]]]:
    """For each step of the sweep: which lines will send to the same parents later on.

    Each is found when it is asked for: an input that every line uses waits for all of them, at every step.
    """
    users: dict[int, list[int]] = {}  # of each parent, the last one to send first
    waiting = []
    for i, _, sent, _, again in reversed(swept):
        now = {one.parent: (users.get(one.parent, []), len(users.get(one.parent, []))) for one in sent}
        waiting.append(partial(_later, now))
        if again:
            users = {}
        for one in sent:
            users.setdefault(one.parent, []).append(i)
    return waiting[::-1]


def _later(now: Mapping[int, tuple[list[int], int]]) -> dict[int, tuple[int, ...]]:
    return {parent: tuple(reversed(users[:count])) for parent, (users, count) in now.items()}
