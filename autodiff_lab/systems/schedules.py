"""Checkpointing schedules: which states of a chain to store and which to recompute, for reverse mode in little memory.

A chain is a step that is repeated `l` times. Its reverse sweep needs the states in reverse order, and each state is
either stored in a *slot* or recomputed from an earlier one. A schedule is a list of actions, without any numbers;
`reverse` runs one on a real step, with the engine:

>>> import numpy as np
>>> def logistic(x):
...     return 4.0 * x * (1.0 - x)
>>> plain = reverse(logistic, 0.3, keep_all(10))
>>> thrifty = reverse(logistic, 0.3, binomial(10, 3))
>>> plain.gradient == thrifty.gradient
True
>>> (plain.slots, plain.extra), (thrifty.slots, thrifty.extra)
((10, 9), (3, 15))

Every step is run once while it is recorded. The *extra* steps are those that are run only to reach a later state; there
are at least l − 1 of them, because the last step is the first to be reversed. Step k + 1 starts from state number k, so
the initial state is number 0; it takes a slot too.

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

    - ``store``: copy the current state, number `start`, into a slot.
    - ``advance``: run the steps from state `start` to state `end` without recording.
    - ``reverse``: record the step from state `start` to `end`, and run its backward pass.
    - ``restore``: make state `start`, which is in a slot, the current state again.
    - ``drop``: empty the slot of state `start`.
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
    """The checkpointing schedule that stores every state, as an ordinary tape does.

    It needs as many slots as there are steps, and runs each step at most twice.
    """
    return binomial(steps, steps)


def keep_none(steps: int) -> list[Action]:
    """The checkpointing schedule that stores only the initial state, and starts from it again for each step."""
    return binomial(steps, 1)


def segments(steps: int, length: int | None = None) -> list[Action]:
    """The checkpointing schedule that stores the first state of every segment, and all states of one at a time.

    Parameters
    ----------
    steps : int
    length : int, optional
        The number of steps in a segment; by default the square root of `steps`, rounded up.
    """
    if length is None:
        length = math.isqrt(max(steps - 1, 0)) + 1
    steps, length = _check_counts(steps, length)
    starts = range(0, steps, length)
    actions = [Action("store", 0, 0)]
    for start in starts[1:]:
        actions.append(Action("advance", start - length, start))
        actions.append(Action("store", start, start))
    current = starts[-1]
    for start in reversed(starts):
        end = min(start + length, steps)
        actions += _with_slots(start, end, end - start, current)
        actions.append(Action("drop", start, start))
        current = -1
    return actions


def _with_slots(start: int, end: int, slots: int, current: int) -> Iterator[Action]:
    """Reverse the steps from state `start`, which is in one of the slots, to state `end`.

    `current` is the number of the current state; -1 if there is none, as after a step has been reversed.
    """
    while end - start > 1 and slots > 1:
        middle = start + _split_point(end - start, slots)
        if current != start:
            yield Action("restore", start, start)
        yield Action("advance", start, middle)
        yield Action("store", middle, middle)
        yield from _with_slots(middle, end, slots - 1, middle)
        yield Action("drop", middle, middle)
        end = middle
        current = -1
    for k in range(end - 1, start - 1, -1):
        if current != start:
            yield Action("restore", start, start)
        if k > start:
            yield Action("advance", start, k)
        yield Action("reverse", k, k + 1)
        current = -1


def _split_point(steps: int, slots: int) -> int:
    """The distance to the next stored state, chosen so that neither part needs another repetition."""
    r = repetitions(steps, slots)
    return max(1, beta(slots, r - 2), steps - beta(slots - 1, r))


def _check_counts(steps: int, slots: int) -> tuple[int, int]:
    if steps < 1 or slots < 1:
        raise InputError(
            f"A schedule needs at least one step, and at least one slot for the initial state. Here there are {steps} "
            f"steps and {slots} slots."
        )
    return int(steps), int(slots)


# The checkpointing schedules, as functions of the number of steps and of slots; only the last uses the slots.
SCHEDULES: dict[str, Callable[[int, int], list[Action]]] = {
    "all": lambda steps, slots: keep_all(steps),
    "none": lambda steps, slots: keep_none(steps),
    "segments of √l": lambda steps, slots: segments(steps),
    "binomial": binomial,
}


def beta(slots: int, runs: int) -> int:
    """The longest chain that can be reversed with `slots` slots if no step is advanced over more than `runs` times.

    It is the binomial coefficient "slots + runs choose slots".

    >>> beta(3, 3), beta(1, 4), beta(4, 1)
    (20, 5, 5)
    """
    return math.comb(slots + runs, slots) if runs >= 0 and slots >= 0 else 0


def repetitions(steps: int, slots: int) -> int:
    """The repetition number of a schedule: the smallest r for which beta(slots, r) is at least the number of steps."""
    r = 0
    while beta(slots, r) < steps:
        r += 1
    return r


def fewest_extra_steps(steps: int, slots: int) -> int:
    """The fewest extra steps of any checkpointing schedule: r · l − beta(slots + 1, r − 1), where r is `repetitions`.

    >>> fewest_extra_steps(10, 3), fewest_extra_steps(20, 3), fewest_extra_steps(100, 5)
    (15, 45, 316)
    """
    steps, slots = _check_counts(steps, slots)
    r = repetitions(steps, slots)
    return r * steps - beta(slots + 1, r - 1)


class Cost(NamedTuple):
    """The cost of a checkpointing schedule: the largest number of slots in use at a time, and the extra steps."""

    slots: int
    extra: int


def cost(schedule: Iterable[Action]) -> Cost:
    """Count the slots and extra steps of a checkpointing schedule, without running anything.

    >>> cost(segments(100)), cost(keep_all(100)), cost(keep_none(100))
    (Cost(slots=19, extra=180), Cost(slots=100, extra=99), Cost(slots=1, extra=4950))
    """
    used = most = extra = 0
    for action in schedule:
        if action.kind == "store":
            used += 1
            most = max(most, used)
        elif action.kind == "drop":
            used -= 1
        elif action.kind == "advance":
            extra += action.end - action.start
    return Cost(most, extra)


# Running a schedule


class Reversal(NamedTuple):
    """The result of reversing a chain of steps by a checkpointing schedule.

    Attributes
    ----------
    value : number or array
        The last state.
    gradient : number or array
        The adjoint of the initial state.
    slots : int
        The largest number of states that were in slots at a time.
    extra : int
        The number of steps that were run without being recorded.
    recorded : int
        The number of steps that were recorded and reversed, one at a time.
    """

    value: Any
    gradient: Any
    slots: int
    extra: int
    recorded: int


def reverse(
    step: Callable[[Any], Any], state: Any, schedule: Iterable[Action], adjoint: Any = 1.0
) -> Reversal:
    """Reverse a chain of steps by a checkpointing schedule, and count the slots and steps that it needs.

    Parameters
    ----------
    step : callable
        Returns the state after a state: a number, an array, or nested tuples, lists and dicts of these.
    state : number, array or nested containers
        The initial state.
    schedule : iterable of Action
    adjoint : like a state
        The adjoint of the last state.

    Raises
    ------
    InputError
        If the schedule needs a state that is neither in a slot nor the current one, or doesn't end at state 0.

    Examples
    --------
    >>> reverse(lambda x: x * x, 3.0, binomial(3, 2))
    Reversal(value=6561.0, gradient=17496.0, slots=2, extra=2, recorded=3)
    """
    # The caller holds the initial state anyway. It counts as a slot only after the schedule has stored it.
    slots: dict[int, Any] = {0: state}
    counted: set[int] = set()
    current = 0
    value = None
    reversed_to: int | None = None  # the state whose adjoint is known
    most = extra = recorded = 0
    for kind, start, end in schedule:
        _check_action(kind, start, end, slots, current, reversed_to)
        if kind == "store":
            slots[start] = state
            counted.add(start)
            most = max(most, len(counted))
        elif kind == "restore":
            state = slots[start]
            current = start
        elif kind == "drop":
            del slots[start]
            counted.discard(start)
        elif kind == "advance":
            for _ in range(start, end):
                state = step(state)
            current = end
            extra += end - start
        else:
            reached, pullback = vjp(step, state)
            (adjoint,) = pullback(adjoint)
            if reversed_to is None:
                value = reached
            # Free the record of this step before the next one is run.
            del reached, pullback
            current = -1
            reversed_to = start
            recorded += 1
    if reversed_to != 0:
        raise InputError(
            f"After this schedule, the adjoint of state {reversed_to} is known, but not that of state 0. Add actions "
            "that reverse the steps before it."
        )
    return Reversal(value, adjoint, most, extra, recorded)


def _check_action(
    kind: str, start: int, end: int, slots: dict[int, Any], current: int, reversed_to: int | None
) -> None:
    """Raise an InputError for an action of a schedule that can't be done now."""
    if kind in ("restore", "drop"):
        if start not in slots:
            raise InputError(
                f"The schedule has the action {kind} for state {start}, but the slots contain only the states "
                f"{sorted(slots)}. Store the state before."
            )
    elif current != start:
        now = f"the current state is {current}" if current >= 0 else "there is no current state"
        raise InputError(
            f"The schedule has the action {kind} for state {start}, but {now}. Restore the state before, or advance to "
            "it."
        )
    if kind == "reverse" and reversed_to not in (None, end):
        raise InputError(
            f"The schedule reverses the step to state {end}, but the adjoint is that of state {reversed_to}. Reverse "
            "the steps one by one, from the last to the first."
        )
