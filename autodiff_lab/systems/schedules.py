"""Checkpointing schedules: which states of a chain to keep and which to recompute, for reverse mode in little memory.

A chain is a step done `l` times. Its reverse sweep wants the states in reverse order, and each state is either kept in
a *slot* or computed again from an earlier one. A schedule is a list of actions that says when to do what, and knows
nothing of numbers; `reverse` carries it out on a real step, with the engine:

>>> import numpy as np
>>> def logistic(x):
...     return 4.0 * x * (1.0 - x)
>>> plain = reverse(logistic, 0.3, keep_all(10))
>>> thrifty = reverse(logistic, 0.3, binomial(10, 3))
>>> plain.gradient == thrifty.gradient
True
>>> (plain.slots, plain.extra), (thrifty.slots, thrifty.extra)
((10, 9), (3, 15))

Every step is run once while it is recorded. The *extra* steps are those that are run only to get somewhere: at least
l − 1 of them, since the last step is the first to be reversed. State number k is what step k + 1 starts from, so the
initial state is number 0; it takes a slot too.

A. Griewank, *Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation*
(1992); A. Griewank and A. Walther, *Algorithm 799: revolve* (2000). Segments: T. Chen et al., *Training Deep Nets with
Sublinear Memory Cost* (2016).
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..engine.errors import InputError
from ..transforms.gradients import vjp

__all__ = [
    "SCHEDULES",
    "Action",
    "Cost",
    "Reversal",
    "beta",
    "binomial",
    "cost",
    "fewest_extra_steps",
]
__all__ += ["keep_all", "keep_none", "repetitions", "reverse", "segments"]


class Action(NamedTuple):
    """One action of a checkpointing schedule.

    ``store``: put the state at hand, number `start`, into a slot. ``advance``: run the steps from state `start` to
    state `end`, recording nothing. ``reverse``: record the step from state `start` to `end`, and rewind it.
    ``restore``: take state `start` out of its slot, which keeps it. ``drop``: empty the slot of state `start`.
    """

    kind: str
    start: int
    end: int


def binomial(steps: int, slots: int) -> list[Action]:
    """The checkpointing schedule with the fewest extra steps for that many slots (Griewank and Walther's *revolve*).

    >>> for action in binomial(3, 2):
    ...     print(*action)
    store 0 0
    advance 0 1
    store 1 1
    advance 1 2
    reverse 2 3
    restore 1 1
    reverse 1 2
    drop 1 1
    restore 0 0
    reverse 0 1
    drop 0 0
    """
    steps, slots = _check_counts(steps, slots)
    return [Action("store", 0, 0), *_with_slots(0, steps, slots, 0), Action("drop", 0, 0)]


def keep_all(steps: int) -> list[Action]:
    """The checkpointing schedule that keeps every state, as an ordinary tape does.

    It takes as many slots as steps, and no step is run three times.
    """
    return binomial(steps, steps)


def keep_none(steps: int) -> list[Action]:
    """The checkpointing schedule that keeps the initial state only, and starts from it again for each step."""
    return binomial(steps, 1)


def segments(steps: int, length: int | None = None) -> list[Action]:
    """The checkpointing schedule that keeps the first state of every segment, and all states of one at a time.

    Parameters
    ----------
    steps : int
    length : int, optional
        Of a segment; by default the square root of `steps`, rounded up.
    """
    steps, length = _check_counts(
        steps, math.isqrt(max(steps - 1, 0)) + 1 if length is None else length
    )
    starts = range(0, steps, length)
    actions = [Action("store", 0, 0)]
    for start in starts[1:]:
        actions += [Action("advance", start - length, start), Action("store", start, start)]
    at = starts[-1]
    for start in reversed(starts):
        end = min(start + length, steps)
        actions += [*_with_slots(start, end, end - start, at), Action("drop", start, start)]
        at = -1
    return actions


def _with_slots(start: int, end: int, slots: int, at: int) -> Iterator[Action]:
    """Reverse the steps between two states, the first of which is in one of these slots; `at` is the state at hand."""
    while end - start > 1 and slots > 1:
        middle = start + _split_point(end - start, slots)
        if at != start:
            yield Action("restore", start, start)
        yield Action("advance", start, middle)
        yield Action("store", middle, middle)
        yield from _with_slots(middle, end, slots - 1, middle)
        yield Action("drop", middle, middle)
        end, at = middle, -1
    for k in range(end - 1, start - 1, -1):
        if at != start:
            yield Action("restore", start, start)
        if k > start:
            yield Action("advance", start, k)
        yield Action("reverse", k, k + 1)
        at = -1


def _split_point(steps: int, slots: int) -> int:
    """The distance to the next kept state, such that neither part needs another repetition."""
    r = repetitions(steps, slots)
    return max(1, beta(slots, r - 2), steps - beta(slots - 1, r))


def _check_counts(steps: int, slots: int) -> tuple[int, int]:
    if steps < 1 or slots < 1:
        raise InputError(
            f"A schedule was asked for {steps} steps and {slots} slots. There is at least one step, and at least one "
            "slot, for the initial state."
        )
    return int(steps), int(slots)


# The checkpointing schedules, for a number of steps and of slots; only the last looks at the slots.
SCHEDULES: dict[str, Callable[[int, int], list[Action]]] = {
    "all": lambda steps, slots: keep_all(steps),
    "none": lambda steps, slots: keep_none(steps),
    "segments of √l": lambda steps, slots: segments(steps),
    "binomial": binomial,
}


def beta(slots: int, runs: int) -> int:
    """The longest chain that a checkpointing schedule reverses with so many slots and `runs` runs of each step.

    It is the binomial coefficient of slots + runs over slots.

    >>> beta(3, 3), beta(1, 4), beta(4, 1)
    (20, 5, 5)
    """
    return math.comb(slots + runs, slots) if runs >= 0 and slots >= 0 else 0


def repetitions(steps: int, slots: int) -> int:
    """The repetition number of a schedule: the smallest r for which beta(slots, r) reaches the number of steps."""
    r = 0
    while beta(slots, r) < steps:
        r += 1
    return r


def fewest_extra_steps(steps: int, slots: int) -> int:
    """The fewest extra steps of any checkpointing schedule: r · l − beta(slots + 1, r − 1), with r of `repetitions`.

    >>> fewest_extra_steps(10, 3), fewest_extra_steps(20, 3), fewest_extra_steps(100, 5)
    (15, 45, 316)
    """
    steps, slots = _check_counts(steps, slots)
    r = repetitions(steps, slots)
    return r * steps - beta(slots + 1, r - 1)


class Cost(NamedTuple):
    """The cost of a checkpointing schedule: the most slots in use at a time, and the extra steps."""

    slots: int
    extra: int


def cost(schedule: Iterable[Action]) -> Cost:
    """Count the slots and extra steps of a checkpointing schedule, without running anything.

    >>> cost(segments(100)), cost(keep_all(100)), cost(keep_none(100))
    (Cost(slots=19, extra=180), Cost(slots=100, extra=99), Cost(slots=1, extra=4950))
    """
    used = most = extra = 0
    for action in schedule:
        used += (action.kind == "store") - (action.kind == "drop")
        most = max(most, used)
        extra += action.end - action.start if action.kind == "advance" else 0
    return Cost(most, extra)


# Carrying one out


class Reversal(NamedTuple):
    """The result of reversing a chain of steps by a checkpointing schedule.

    Attributes
    ----------
    value : number or array
        The last state.
    gradient : number or array
        The adjoint of the initial state.
    slots : int
        The most states that were in slots at a time.
    extra : int
        The steps that were run without being recorded.
    recorded : int
        The steps that were recorded and rewound, one at a time.
    """

    value: Any
    gradient: Any
    slots: int
    extra: int
    recorded: int


def reverse(
    step: Callable[[Any], Any], state: Any, schedule: Iterable[Action], adjoint: Any = 1.0
) -> Reversal:
    """Reverse a chain of steps by a checkpointing schedule, and count what it really takes.

    Parameters
    ----------
    step : callable
        From one state to the next: a number, an array, or nested tuples, lists and dicts of these.
    state : number, array or nested containers
        The initial state.
    schedule : iterable of Action
    adjoint : like a state
        The adjoint of the last state.

    Raises
    ------
    InputError
        If the schedule wants a state that is neither in a slot nor at hand, or does not come back to state 0.

    Examples
    --------
    >>> reverse(lambda x: x * x, 3.0, binomial(3, 2))
    Reversal(value=6561.0, gradient=17496.0, slots=2, extra=2, recorded=3)
    """
    # the caller holds it anyway; the schedule says when it counts
    slots: dict[int, Any] = {0: state}
    counted: set[int] = set()
    at, value, last = 0, None, None
    most = extra = recorded = 0
    for kind, start, end in schedule:
        if kind in ("restore", "drop") and start not in slots:
            raise InputError(
                f"The schedule wants to {kind} state {start}, and only {sorted(slots)} are in slots."
            )
        if kind in ("store", "advance", "reverse") and at != start:
            raise InputError(
                f"The schedule wants to {kind} from state {start}, and at hand is state {at}."
            )
        if kind == "reverse" and end != (last if last is not None else end):
            raise InputError(
                f"The schedule reverses the step to state {end}, and the next one ends in state {last}."
            )
        if kind == "store":
            slots[start] = state
            counted.add(start)
            most = max(most, len(counted))
        elif kind == "restore":
            at, state = start, slots[start]
        elif kind == "drop":
            del slots[start]
            counted.discard(start)
        elif kind == "advance":
            for _ in range(start, end):
                state = step(state)
            at, extra = end, extra + end - start
        else:
            reached, pullback = vjp(step, state)
            (adjoint,) = pullback(adjoint)
            if last is None:
                value = reached
            del reached, pullback  # with the record of the step, before the next one is run
            at, state, last, recorded = -1, None, start, recorded + 1
    if last != 0:
        raise InputError(
            f"The schedule ends with state {last} as the last one whose adjoint is known, not with 0."
        )
    return Reversal(value, adjoint, most, extra, recorded)
