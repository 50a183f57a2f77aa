"""The steps of reverse mode: which line sends what, along which edge, and how the sums grow."""

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
    """The adjoint of the result that the reverse steps begin with: 1, for every entry."""
    return np.ones(np.shape(tape.values[tape.output_line]))[()]


def seed_adjoints(tape: Tape) -> list[Any]:
    """The adjoints before the first reverse step: the result has its seed, and nothing has arrived anywhere else."""
    adjoints: list[Any] = [None] * len(tape)
    adjoints[tape.output_line] = seed_of(tape)
    return adjoints


def watch_sweep(
    tape: Tape, seeded: Mapping[int, Any] = MappingProxyType({})
) -> Iterator[SweepEvent]:
    """Watch the steps of the engine's own reverse sweep: which lines send, in which order, and with which adjoint.

    If several lines are `seeded`, the sweep starts with the adjoints of all of them; else with that of the result.
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
    """Take the reverse steps of line `i`: add each contribution to what its parent has `held`, or replace that.

    Each contribution is an event; a line that has none is one, too.
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
    """The contributions of line `i` in its reverse steps, by the engine's pullback: slot, parent, contribution."""
    for slot, parent in enumerate(tape.parents[i]):
        if parent < 0:
            continue
        static = tape.kwargs.get(i, {})
        contribution = tape.operation(i).pullback(
            slot, adjoint, tape.values[i], tape.args[i], static
        )
        if contribution is not None:
            yield slot, parent, contribution


def add_to(before: Any, contribution: Any) -> Any:
    """Add the contribution of a reverse step to the sum so far, of which nothing may be there yet."""
    return contribution if before is None else before + contribution


def sweep_steps(
    run: RecordedRun,
    lines: Sequence[Line],
    events: Sequence[SweepEvent],
    largest: float,
    of: Container[int] | None = None,
) -> list[Step]:
    """Make the steps of a reverse sweep: the seeds, and one for each event; of these lines, or of all.

    `largest` is the size of the largest contribution, see `find_largest_size`.
    """
    made = _seed_results(run, lines) if run.outcome.seeds else _seed_result(run, lines)
    for event, (users, count) in zip(events, _find_waiting(events), strict=True):
        if of is not None and event.line not in of:
            continue
        i, adjoint = event.line, run.number_of(event.adjoint)
        remarks = [explanations.explain_remark(lines, *remark) for remark in event.remarks]
        if event.again:
            made.append(_seed_step(lines, i, adjoint, join_sentences(*remarks)))
            continue
        sends = tuple(_describe_contributions(run, lines[i], event, largest))
        sentence = explanations.explain_sweep(lines, i, adjoint, sends, users[:count][::-1])
        symbols = equations.write_sweep(lines, i, adjoint, sends)
        numbers = equations.calculate_contribution(lines, i, adjoint, sends)
        birth = join_sentences(
            *(births.explain_contribution(run, lines, event, sent) for sent in event.sent)
        )
        made.append(
            Step(
                "sweep",
                i,
                adjoint,
                sends,
                sentence=join_sentences(sentence, birth, *remarks),
                equations=symbols,
                arithmetic=numbers,
                announcement=explanations.announce_sweep(lines, i, adjoint, sends),
                birth=birth,
            )
        )
    return made


def _seed_result(run: RecordedRun, lines: Sequence[Line]) -> list[Step]:
    """Seed the only result; a constant needs no step."""
    made = []
    for _, i, adjoint in run.seeds:
        seed = run.number_of(adjoint)
        started = _seed_step(lines, i, seed, explanations.explain_seed(lines, i, seed))
        made.append(replace(started, announcement=explanations.announce_seed(lines, i)))
    return made


def _seed_results(run: RecordedRun, lines: Sequence[Line]) -> list[Step]:
    """Seed one result after another, where all are followed: a step for each."""
    made = []
    held: dict[int, Any] = {}
    for _, i, adjoint in run.seeds:
        before = None if i not in held else run.number_of(held[i])
        held[i] = add_to(held.get(i), adjoint)
        seed, after = run.number_of(adjoint), run.number_of(held[i])
        made.append(
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
    return made


def _seed_step(lines: Sequence[Line], i: int, seed: Number, sentence: str) -> Step:
    symbols, numbers = (
        equations.write_seed(lines[i], seed),
        equations.calculate_seed(lines[i], seed),
    )
    return Step("seed", i, seed, (), sentence, symbols, arithmetic=numbers)


def _describe_contributions(
    run: RecordedRun, line: Line, event: SweepEvent, largest: float
) -> Iterator[Contribution]:
    for sent in event.sent:
        copies = None
        partial = (
            run.read_partial(event.line, sent.slot) if line.operands[sent.slot].is_copied else None
        )
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
    """How large a contribution of a reverse step is beside the largest of the run, from 0 to 1."""
    return round(size_of(contribution) / largest, 3) if largest else 0.0


def find_largest_size(events: Iterable[SweepEvent]) -> float:
    """Find the size of the largest contribution in all reverse steps: what `share_of` is a share of."""
    return max((size_of(sent.contribution) for event in events for sent in event.sent), default=0.0)


def _find_waiting(events: Sequence[SweepEvent]) -> list[tuple[list[int], int]]:
    """For each event of the sweep: which lines will send to the same parent later on.

    These are the first so many of a list, backwards. The list is shared: an input that every line uses waits for all of
    them, at every step.
    """
    users: dict[int, list[int]] = {}  # of each parent, the last one to send first
    waiting: list[tuple[list[int], int]] = []
    for i, _, sent, _, again in reversed(events):
        if again:
            users = {}
        own = users.setdefault(sent[0].parent, []) if sent else []
        waiting.append((own, len(own)))
        own.append(i)
    return waiting[::-1]
