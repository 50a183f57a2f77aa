"""Faulty sweeps, for teaching: each makes one mistake that people make when they write their first engine.

Nothing here computes a derivative that anybody uses. The local partials are the engine's own and right; what is wrong
is how contributions are put together, and in which order. Each sweep is a generator of moves, as `sweeping.moves` is,
so that a player can show it step by step, with the true adjoints beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.text import notation
from autodiff_lab.text.messages import say, template, together
from autodiff_lab.trace.reverse_steps import Move, Sent, moves, pulled, seed_of, total

_MOST_MOVES = 400


@dataclass(frozen=True)
class Fault:
    """A mistake, and the sweep that makes it."""

    name: str
    sweep: Callable[[Any], Iterator[Move]]

    @property
    def badge(self) -> str:
        """What the engine does, in two or three words."""
        return say(f"fault {self.name}, badge")

    @property
    def mistake(self) -> str:
        """What the engine does, in a sentence."""
        return say(f"fault {self.name}")


def fault(name: str) -> Fault:
    """Find a fault by its name.

    Raises
    ------
    InputError
        If there is no such fault.
    """
    if name not in FAULTS:
        raise InputError(f"There is no fault {name!r}; there are {', '.join(map(repr, FAULTS))}.")
    return FAULTS[name]


def _overwriting(tape: Any) -> Iterator[Move]:
    """Assign where one has to add: of several contributions only the last is left."""
    adjoints = _seeded(tape)
    for i in range(tape.output, tape.n_inputs - 1, -1):
        if adjoints[i] is None:
            continue
        sent, lost = [], []
        for slot, parent, contribution in pulled(tape, i, adjoints[i]):
            before, adjoints[parent] = adjoints[parent], contribution
            lost += [] if before is None else [parent]
            sent.append(Sent(slot, parent, contribution, before, contribution, replaces=before is not None))
        yield Move(i, adjoints[i], tuple(sent), say("overwritten", names=_names(tape, lost)) if lost else "")


def _in_wrong_order(tape: Any) -> Iterator[Move]:
    """Let a line send as soon as anything has reached it, before its other users have spoken."""
    adjoints, done = _seeded(tape), set()
    stack = [tape.output]
    users = _users(tape)
    while stack:
        i = stack.pop()
        if i in done or i < tape.n_inputs:
            continue
        done.add(i)
        sent = tuple(_added(tape, i, adjoints))
        early = [user for user in users[i] if user not in done]
        late = [one.parent for one in sent if one.parent in done]
        remarks = [say("too early", names=_names(tape, early))] if early else []
        remarks += [say("too late", names=_names(tape, late))] if late else []
        yield Move(i, adjoints[i], sent, together(*remarks))
        stack += [one.parent for one in reversed(sent)]


def _in_recursion(tape: Any) -> Iterator[Move]:
    """Pass on at once whatever arrives, and each time the whole adjoint: what was sent before is sent again."""
    adjoints, times = _seeded(tape), [0] * len(tape)

    def entered(i: int) -> tuple[int, list[tuple[int, int, Any]]]:
        times[i] += 1
        return i, list(pulled(tape, i, adjoints[i]))[::-1]

    calls = [entered(tape.output)] if tape.output >= tape.n_inputs else []
    for _ in range(_MOST_MOVES):
        while calls and not calls[-1][1]:
            calls.pop()
        if not calls:
            return
        i, left = calls[-1]
        slot, parent, contribution = left.pop()
        before, adjoints[parent] = adjoints[parent], total(adjoints[parent], contribution)
        again = say("sends again") if times[i] > 1 else ""
        yield Move(i, adjoints[i], (Sent(slot, parent, contribution, before, adjoints[parent]),), again)
        if parent >= tape.n_inputs:
            calls.append(entered(parent))
    raise InputError(
        f"A recursion along every path takes more than {_MOST_MOVES} steps on this function; show this fault on a "
        "smaller one."
    )


def _twice(tape: Any) -> Iterator[Move]:
    """Press backward a second time without setting the adjoints back: the old ones are still there."""
    yield from moves(tape)
    adjoints: list[Any] = [None] * len(tape)
    for _ in tape.sweep(tape.output, seed_of(tape), adjoints):
        pass
    adjoints[tape.output] = seed_of(tape)
    yield Move(
        tape.output,
        adjoints[tape.output],
        remark=say("second sweep"),
        again=True,
    )
    for i in range(tape.output, tape.n_inputs - 1, -1):
        if adjoints[i] is not None:
            sent = tuple(_added(tape, i, adjoints))
            yield Move(i, adjoints[i], sent, say("on top") if sent else "")


def _seeded(tape: Any) -> list[Any]:
    adjoints: list[Any] = [None] * len(tape)
    adjoints[tape.output] = seed_of(tape)
    return adjoints


def _added(tape: Any, i: int, adjoints: list[Any]) -> Iterator[Sent]:
    """Send as one should: each contribution is added to what is there."""
    for slot, parent, contribution in pulled(tape, i, adjoints[i]):
        before = adjoints[parent]
        adjoints[parent] = total(before, contribution)
        yield Sent(slot, parent, contribution, before, adjoints[parent])


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


def _names(tape: Any, lines: list[int]) -> str:
    return template("and").join(dict.fromkeys(notation.pretty(tape.name(i)) for i in lines))


FAULTS = {
    one.name: one
    for one in (
        Fault("overwrite", _overwriting),
        Fault("wrong order", _in_wrong_order),
        Fault("recursion", _in_recursion),
        Fault("stale", _twice),
    )
}
"""The faults on show, by name."""
