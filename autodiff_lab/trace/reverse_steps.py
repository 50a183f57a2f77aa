"""The steps of reverse mode: the contribution that each line sends along each edge, and the sums that result."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.text.messages import join_sentences
from autodiff_lab.trace import births
from autodiff_lab.trace.model import Contribution, Line, Meter, Number, Question, Step
from autodiff_lab.trace.recorded_run import (
    RawContribution,
    RecordedRun,
    SweepEvent,
    number_of,
    size_of,
)
from autodiff_lab.trace.wording import equations, explanations


def seed_of(tape: Tape) -> Any:
    """The adjoint of the result that the reverse steps begin with: 1 for every element."""
    return np.ones(np.shape(tape.values[tape.output_line]))[()]


def seed_adjoints(tape: Tape) -> list[Any]:
    """The adjoints before the first reverse step: the seed for the result, and None for every other line."""
    adjoints: list[Any] = [None] * len(tape)
    adjoints[tape.output_line] = seed_of(tape)
    return adjoints


def watch_sweep(
    tape: Tape, seeded: Mapping[int, Any] = MappingProxyType({})
) -> Iterator[SweepEvent]:
    """Run the engine's own reverse sweep, and yield its events: the contributions that each line sends.

    The sweep starts with the adjoints in `seeded`, by line; if that is empty, with an adjoint of 1 at the result.
    """
    held = [seeded.get(i) for i in range(len(tape))] if seeded else seed_adjoints(tape)
    adjoints = list(held)
    for i in tape.sweep(tape.output_line, held[tape.output_line], adjoints):
        yield from send(tape, i, adjoints[i], held)


def list_events(
    tape: Tape, sweep: Callable[[Tape], Iterable[SweepEvent]] = watch_sweep
) -> list[SweepEvent]:
    """List the events of a sweep, from which reverse steps are made; none if the result is constant."""
    return [] if tape.output is None else list(sweep(tape))


def send(
    tape: Tape, i: int, adjoint: Any, held: list[Any], overwrites: bool = False
) -> list[SweepEvent]:
    """Take the reverse steps of line `i`: add each contribution to the adjoint of its parent in `held`.

    If `overwrites`, the contribution replaces the adjoint. There is an event for each contribution, and one event for
    a line that sends none.
    """
    events = []
    for slot, parent, contribution in pull_back(tape, i, adjoint):
        before = held[parent]
        held[parent] = contribution if overwrites else add_to(before, contribution)
        replaces = overwrites and before is not None
        sent = RawContribution(slot, parent, contribution, before, held[parent], replaces)
        events.append(SweepEvent(i, adjoint, (sent,)))
    return events or [SweepEvent(i, adjoint)]


def pull_back(tape: Tape, i: int, adjoint: Any) -> Iterator[tuple[int, int, Any]]:
    """Yield the contributions of line `i` in its reverse steps: the slot, the parent, and what the pullback returns."""
    static = tape.kwargs.get(i, {})
    for slot, parent in enumerate(tape.parents[i]):
        if parent < 0:
            continue
        op = tape.operation(i)
        contribution = op.pullback(slot, adjoint, tape.values[i], tape.args[i], static)
        if contribution is not None:
            yield slot, parent, contribution


def add_to(before: Any, contribution: Any) -> Any:
    """Add the contribution of a reverse step to the sum so far; None is the empty sum."""
    return contribution if before is None else before + contribution


def sweep_steps(
    run: RecordedRun,
    lines: Sequence[Line],
    events: Sequence[SweepEvent],
    largest: float,
    of: Container[int] | None = None,
) -> list[Step]:
    """Make the steps of a reverse sweep: the seeds, then one step for each event.

    Parameters
    ----------
    run : RecordedRun
    lines : sequence of Line
    events : sequence of SweepEvent
    largest : float
        The size of the largest contribution, see `find_largest_size`.
    of : container of int, optional
        The lines whose events become steps; by default, all lines.
    """
    steps = _seed_results(run, lines) if run.outcome.seeds else _seed_result(run, lines)
    for event, (senders, count) in zip(events, _find_waiting(events), strict=True):
        i = event.line
        if of is not None and i not in of:
            continue
        adjoint = run.number_of(event.adjoint)
        remarks = [explanations.explain_remark(lines, *remark) for remark in event.remarks]
        if event.again:
            steps.append(_seed_step(lines, i, adjoint, join_sentences(*remarks)))
            continue
        sends = tuple(_describe_contributions(run, lines[i], event, largest))
        waiting_for = senders[:count][::-1]
        sentence = explanations.explain_sweep(lines, i, adjoint, sends, waiting_for)
        birth = join_sentences(
            *(births.explain_contribution(run, lines, event, sent) for sent in event.sent)
        )
        step = Step(
            "sweep",
            i,
            adjoint,
            sends,
            sentence=join_sentences(sentence, birth, *remarks),
            equations=equations.write_sweep(lines, i, adjoint, sends),
            arithmetic=equations.calculate_contribution(lines, i, adjoint, sends),
            announcement=explanations.announce_sweep(lines, i, adjoint, sends),
            birth=birth,
        )
        steps.append(step)
    return steps


def _seed_result(run: RecordedRun, lines: Sequence[Line]) -> list[Step]:
    """Make the step that seeds the only result; there is none if the result is constant."""
    steps = []
    for _, i, adjoint in run.seeds:
        seed = run.number_of(adjoint)
        step = _seed_step(lines, i, seed, explanations.explain_seed(lines, i, seed))
        steps.append(replace(step, announcement=explanations.announce_seed(lines, i)))
    return steps


def _seed_results(run: RecordedRun, lines: Sequence[Line]) -> list[Step]:
    """Make a step for the seed of each result, if several results are differentiated together."""
    steps = []
    held: dict[int, Any] = {}
    for _, i, adjoint in run.seeds:
        # Two results can be the same line. Their seeds are added.
        before = None if i not in held else run.number_of(held[i])
        held[i] = add_to(held.get(i), adjoint)
        seed = run.number_of(adjoint)
        after = run.number_of(held[i])
        steps.append(
            Step(
                "seed",
                i,
                after,
                sentence=explanations.explain_one_seed(lines, i, seed, after),
                equations=equations.write_one_seed(lines[i], before, seed, after),
                arithmetic=equations.calculate_one_seed(lines[i], before, seed, after),
                announcement=explanations.announce_one_seed(lines, i, len(run.seeds)),
            )
        )
    return steps


def _seed_step(lines: Sequence[Line], i: int, seed: Number, sentence: str) -> Step:
    symbols = equations.write_seed(lines[i], seed)
    numbers = equations.calculate_seed(lines[i], seed)
    return Step("seed", i, seed, (), sentence, symbols, arithmetic=numbers)


def _describe_contributions(
    run: RecordedRun, line: Line, event: SweepEvent, largest: float
) -> Iterator[Contribution]:
    for sent in event.sent:
        # For an operand that was broadcast: what goes to each of its copies, before these are added up.
        copies = None
        if line.operands[sent.slot].is_copied:
            partial = run.read_partial(event.line, sent.slot)
            if partial is not None:
                copies = number_of(np.broadcast_to(event.adjoint * partial, line.value.shape))
        send = Contribution(
            sent.slot,
            sent.parent,
            contribution=run.number_of(sent.contribution),
            after=run.number_of(sent.after),
            before=None if sent.before is None else run.number_of(sent.before),
            share=share_of(sent.contribution, largest),
            replaces=sent.replaces,
            copies=copies,
        )
        term = equations.write_term(line, run.number_of(event.adjoint), send)
        yield replace(send, term=equations.join_pieces(term).text)


def record_step(
    run: RecordedRun, lines: Sequence[Line], i: int, questions: Iterable[Question] = ()
) -> Step:
    """Make the step of reverse mode that records line `i`."""
    birth = births.explain_line(run, lines, i)
    return Step(
        "record",
        i,
        sentence=join_sentences(explanations.explain_line(lines, i), birth),
        equations=equations.write_line(lines[i]),
        arithmetic=equations.calculate_line(lines[i]),
        meter=Meter(max(0, i + 1 - run.n_inputs), 0, *run.held[i + 1]),
        questions=tuple(questions),
        birth=birth,
        announcement=explanations.announce_line(lines, i),
        outcome=births.join_outcome(explanations.tell_recorded(lines, i), birth),
    )


def share_of(contribution: Any, largest: float) -> float:
    """The size of a contribution of a reverse step relative to the `largest` of the run, from 0 to 1."""
    return round(size_of(contribution) / largest, 3) if largest else 0.0


def find_largest_size(events: Iterable[SweepEvent]) -> float:
    """Find the size of the largest contribution in all reverse steps, which `share_of` divides by."""
    return max((size_of(sent.contribution) for event in events for sent in event.sent), default=0.0)


def _find_waiting(events: Sequence[SweepEvent]) -> list[tuple[list[int], int]]:
    """For each event of the sweep, find the lines that will send to the same parent later.

    Returns for each event a list of lines and a count: the lines are the first `count` of the list, last to send first.
    All events of a parent share one list. Separate lists would take quadratic memory for an input that every line uses.
    """
    senders: dict[
        int, list[int]
    ] = {}  # for each parent, the lines that send to it, last to send first
    waiting: list[tuple[list[int], int]] = []
    for event in reversed(events):
        if event.again:
            senders = {}
        own = senders.setdefault(event.sent[0].parent, []) if event.sent else []
        waiting.append((own, len(own)))
        own.append(event.line)
    return waiting[::-1]
