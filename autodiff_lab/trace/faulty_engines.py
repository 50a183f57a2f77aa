"""Faulty sweeps, for teaching: each makes one mistake that people make when they write their first engine.

Nothing here computes a derivative that anybody uses. The local partials are the engine's own and right; what is wrong
is how contributions are put together, and in which order. Each sweep is a generator of events, as `watch_sweep` is,
so that a player can show it step by step, with the true adjoints beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.text.messages import message
from autodiff_lab.trace import reverse_steps, run_options
from autodiff_lab.trace.reverse_steps import RawContribution, Remark, SweepEvent

_MAX_STEPS = 400


@dataclass(frozen=True)
class Fault:
    """A mistake, and the sweep that makes it."""

    name: str
    sweep: Callable[[Any], Iterator[SweepEvent]]

    @property
    def badge(self) -> str:
        """What the engine does, in two or three words."""
        return message(f"fault {self.name}, badge")

    @property
    def mistake(self) -> str:
        """What the engine does, in a sentence."""
        return message(f"fault {self.name}")


def _sweep_by_overwriting(tape: Any) -> Iterator[SweepEvent]:
    """Assign where one has to add: of several contributions only the last is left."""
    adjoints = _seed_adjoints(tape)
    for i in range(tape.output, tape.n_inputs - 1, -1):
        if adjoints[i] is None:
            continue
        for event in _send(tape, i, adjoints, overwrites=True):
            yield _remark(event, "overwritten", [one.parent for one in event.sent if one.replaces])


def _sweep_in_wrong_order(tape: Any) -> Iterator[SweepEvent]:
    """Let a line send as soon as anything has reached it, before its other users have spoken."""
    adjoints, done = _seed_adjoints(tape), set()
    stack = [tape.output]
    users = _users(tape)
    while stack:
        i = stack.pop()
        if i in done or i < tape.n_inputs:
            continue
        done.add(i)
        events = _send(tape, i, adjoints)
        sent = [one.parent for event in events for one in event.sent]
        events[0] = _remark(events[0], "too early", [user for user in users[i] if user not in done])
        for event in events:
            yield _remark(event, "too late", [one.parent for one in event.sent if one.parent in done])
        stack += reversed(sent)


def _sweep_in_recursion(tape: Any) -> Iterator[SweepEvent]:
    """Pass on at once whatever arrives, and each time the whole adjoint: what was sent before is sent again."""
    adjoints, times = _seed_adjoints(tape), [0] * len(tape)

    def entered(i: int) -> tuple[int, list[tuple[int, int, Any]]]:
        times[i] += 1
        return i, list(reverse_steps.pull_back(tape, i, adjoints[i]))[::-1]

    calls = [entered(tape.output)] if tape.output >= tape.n_inputs else []
    for _ in range(_MAX_STEPS):
        while calls and not calls[-1][1]:
            calls.pop()
        if not calls:
            return
        i, left = calls[-1]
        slot, parent, contribution = left.pop()
        before, adjoints[parent] = adjoints[parent], reverse_steps.add_to(adjoints[parent], contribution)
        again = (Remark("sends again"),) if times[i] > 1 else ()
        yield SweepEvent(
            i, adjoints[i], (RawContribution(slot, parent, contribution, before, adjoints[parent]),), again
        )
        if parent >= tape.n_inputs:
            calls.append(entered(parent))
    raise InputError(
        f"A recursion along every path takes more than {_MAX_STEPS} steps on this function; show this fault on a "
        "smaller one."
    )


def _sweep_twice(tape: Any) -> Iterator[SweepEvent]:
    """Press backward a second time without setting the adjoints back: the old ones are still there."""
    yield from reverse_steps.watch_sweep(tape)
    adjoints: list[Any] = [None] * len(tape)
    for _ in tape.sweep(tape.output, reverse_steps.seed_of(tape), adjoints):
        pass
    adjoints[tape.output] = reverse_steps.seed_of(tape)
    yield SweepEvent(tape.output, adjoints[tape.output], remarks=(Remark("second sweep"),), again=True)
    for i in range(tape.output, tape.n_inputs - 1, -1):
        if adjoints[i] is not None:
            for event in _send(tape, i, adjoints):
                yield event._replace(remarks=(Remark("on top"),) if event.sent else ())


def _seed_adjoints(tape: Any) -> list[Any]:
    adjoints: list[Any] = [None] * len(tape)
    adjoints[tape.output] = reverse_steps.seed_of(tape)
    return adjoints


def _send(tape: Any, i: int, adjoints: list[Any], overwrites: bool = False) -> list[SweepEvent]:
    """Let a line send: each contribution is added to what is there, or takes its place."""
    sent = []
    for slot, parent, contribution in reverse_steps.pull_back(tape, i, adjoints[i]):
        before = adjoints[parent]
        adjoints[parent] = contribution if overwrites else reverse_steps.add_to(before, contribution)
        replaces = overwrites and before is not None
        sent.append(RawContribution(slot, parent, contribution, before, adjoints[parent], replaces))
    return reverse_steps.send_one_by_one(i, adjoints[i], sent)


def _users(tape: Any) -> list[list[int]]:
    """The lines that use each line and that the result depends on."""
    users: list[list[int]] = [[] for _ in range(len(tape))]
    reached = {tape.output}
    for i in range(tape.output, -1, -1):
        if i in reached:
            for j in dict.fromkeys(tape.parents[i]):
                if j >= 0:
                    users[j].append(i)
                    reached.add(j)
    return users


def _remark(event: SweepEvent, key: str, lines: list[int]) -> SweepEvent:
    """Add a remark that names lines, if there are any."""
    return event._replace(remarks=(*event.remarks, Remark(key, lines))) if lines else event


_SWEEPS = (_sweep_by_overwriting, _sweep_in_wrong_order, _sweep_in_recursion, _sweep_twice)
FAULTS = {name: Fault(name, sweep) for name, sweep in zip(run_options.FAULTS, _SWEEPS, strict=True)}
"""The faults on show, by name."""
