"""Faulty sweeps, for teaching: each makes one mistake that people make when they write their first engine.

Nothing here computes a derivative that anybody uses. The local partials are the engine's own and right; what is wrong
is how contributions are put together, and in which order. Each sweep is a generator of events, as `watch_sweep` is,
so that a player can show it step by step, next to the true adjoints.
"""

from collections.abc import Iterator
from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.engine.tape import Tape
from autodiff_lab.trace import reverse_steps
from autodiff_lab.trace.model import run_options
from autodiff_lab.trace.recorded_run import RawContribution, SweepEvent

_MAX_STEPS = 400


def _sweep_by_overwriting(tape: Tape) -> Iterator[SweepEvent]:
    """Assign where one has to add: of several contributions only the last is left."""
    for event in _send_in_order(tape, reverse_steps.seed_adjoints(tape), overwrites=True):
        yield _remark(event, "overwritten", [one.parent for one in event.sent if one.replaces])


def _sweep_in_wrong_order(tape: Tape) -> Iterator[SweepEvent]:
    """Let a line send as soon as anything has reached it, before its other users have spoken."""
    adjoints, done = reverse_steps.seed_adjoints(tape), set()
    stack = [tape.output_line]
    users = _users(tape)
    while stack:
        i = stack.pop()
        if i in done or i < tape.n_inputs:
            continue
        done.add(i)
        events = reverse_steps.send(tape, i, adjoints[i], adjoints)
        sent = [one.parent for event in events for one in event.sent]
        events[0] = _remark(events[0], "too early", [user for user in users[i] if user not in done])
        for event in events:
            yield _remark(
                event, "too late", [one.parent for one in event.sent if one.parent in done]
            )
        stack += reversed(sent)


def _sweep_in_recursion(tape: Tape) -> Iterator[SweepEvent]:
    """Pass on at once whatever arrives, and each time the whole adjoint: what was sent before is sent again."""
    adjoints, times = reverse_steps.seed_adjoints(tape), [0] * len(tape)

    def enter(i: int) -> Iterator[SweepEvent]:
        times[i] += 1
        again = (("sends again", ()),) if times[i] > 1 else ()
        for slot, parent, contribution in reverse_steps.pull_back(tape, i, adjoints[i]):
            before, adjoints[parent] = (
                adjoints[parent],
                reverse_steps.add_to(adjoints[parent], contribution),
            )
            sent = RawContribution(slot, parent, contribution, before, adjoints[parent])
            yield SweepEvent(i, adjoints[i], (sent,), again)
            if parent >= tape.n_inputs:
                yield from enter(parent)

    for count, event in enumerate(
        enter(tape.output_line) if tape.output_line >= tape.n_inputs else ()
    ):
        if count == _MAX_STEPS:
            raise InputError(
                f"A recursion along every path takes more than {_MAX_STEPS} steps on this function; show this fault on "
                "a smaller one."
            )
        yield event


def _sweep_twice(tape: Tape) -> Iterator[SweepEvent]:
    """Press backward a second time without setting the adjoints back: the old ones are still there."""
    adjoints = reverse_steps.seed_adjoints(tape)
    for event in reverse_steps.watch_sweep(tape):
        for sent in event.sent:
            adjoints[sent.parent] = sent.after
        yield event
    adjoints[tape.output_line] = reverse_steps.seed_of(tape)
    yield SweepEvent(
        tape.output_line, adjoints[tape.output_line], remarks=(("second sweep", ()),), again=True
    )
    for event in _send_in_order(tape, adjoints):
        yield event._replace(remarks=(("on top", ()),) if event.sent else ())


def _send_in_order(
    tape: Tape, adjoints: list[Any], overwrites: bool = False
) -> Iterator[SweepEvent]:
    """Let each line send that something has reached, from the result down."""
    for i in range(tape.output_line, tape.n_inputs - 1, -1):
        if adjoints[i] is not None:
            yield from reverse_steps.send(tape, i, adjoints[i], adjoints, overwrites)


def _users(tape: Tape) -> list[list[int]]:
    """The lines that use each line and that the result depends on."""
    users: list[list[int]] = [[] for _ in range(len(tape))]
    reached = {tape.output_line}
    for i in range(tape.output_line, -1, -1):
        if i in reached:
            for j in dict.fromkeys(tape.parents[i]):
                if j >= 0:
                    users[j].append(i)
                    reached.add(j)
    return users


def _remark(event: SweepEvent, key: str, lines: list[int]) -> SweepEvent:
    """Add a remark that names lines, if there are any."""
    return event._replace(remarks=(*event.remarks, (key, lines))) if lines else event


_SWEEPS = (_sweep_by_overwriting, _sweep_in_wrong_order, _sweep_in_recursion, _sweep_twice)
# The faulty sweeps on show, by the name of the fault.
FAULTS = dict(zip(run_options.FAULTS, _SWEEPS, strict=True))
