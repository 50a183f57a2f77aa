"""The exercises of notebook 14: the price of a chain, a schedule of that price, and segments of one's own."""

from __future__ import annotations

import math
from typing import Any

import autodiff_lab
from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_14 import sandbox
from autodiff_lab.lessons.lesson_14.sandbox import (
    ALIVE,
    LONG,
    PEAK,
    START,
    WITHIN,
    Watched,
    extra_of,
    price_of,
    slots_of,
)

# 1. the price

_PRICE = """\


@functools.cache
def price(l, s):
    if l == 1:
        return 0
    return min(total(l, s, k) for k in range(1, l)) if s > 0 else math.inf"""


def _total(sum_of_three: str = "k + price(l - k, s - 1) + price(k, s)") -> str:
    return f"def total(l, s, k):\n    return {sum_of_three}\n{_PRICE}"


ex_14_1 = Exercise(
    gave={"slots": 3, "runs": 3, "steps": 21},
    expects="a function total(l, s, k) that returns a number of steps",
    expected=sandbox.expected_prices(),
    observe=sandbox.find_prices,
    cases="I made a table of prices with your function.",
    reference=_total(),
    misconceptions={
        _total("price(l - k, s - 1) + price(k, s)"): (
            {price_of(3, 1): 0},
            "Two of the three parts are there. Running ahead to state k costs steps too: k of them.",
        ),
        _total("k + price(l - k, s) + price(k, s)"): (
            {price_of(3, 1): 2, price_of(10, 3): sandbox.price_with("k + price(l - k, s) + price(k, s)", 10, 3)},
            "With your prices no step is ever run ahead twice. Does running ahead cost k steps? While the last part is "
            "reversed, state 0 stays in its slot: has that part one slot less? And have the first k steps their price, "
            "too?",
        ),
        _total("k + price(l - k, s - 1) + price(k, s - 1)"): (
            {price_of(3, 1): math.inf},
            "When the last part is done its slots are free again. The first part has all s of them.",
        ),
        _total("k + price(l - k, s - 1) + price(k - 1, s)"): (
            {price_of(3, 1): Crashed("ValueError", "empty")},
            "The first part goes from state 0 to state k: that is k steps.",
        ),
    },
    hints=(
        "Three things are done one after the other: run ahead, reverse the last part, reverse the first part. Add.",
        "Running ahead to state k takes k steps. The last part has l − k steps, the first has k.",
        "The last part has one slot less, since state 0 stays in its slot. The first part has all: price(k, s).",
    ),
    praise="Three terms, and a table of all prices follows. Nothing is left to guess.",
)

# 2. a schedule


def _plan(
    far: str = "min(range(1, l), key=lambda k: total(l, s, k))",
    last: str = "plan(start + k, end, s - 1)",
    first: str = "plan(start, start + k, s)",
) -> str:
    return f"""\
def plan(start, end, s):
    l = end - start
    if l == 1:
        yield "reverse", start, end
        return
    k = {far}
    yield "advance", start, start + k
    if s > 1:
        yield "store", start + k, start + k
    yield from {last}
    if s > 1:
        yield "drop", start + k, start + k
    yield "restore", start, start
    yield from {first}"""


_PRICE_OF_THE_BEST = "min(total(l, s, k) for k in range(1, l))"
_HALF = "l // 2 if s > 1 else l - 1"
_SWAPPED = _plan(last="plan(start, start + k, s)", first="plan(start + k, end, s - 1)")

ex_14_2 = Exercise(
    gave={"steps": 20, "slots": 3},
    expects="a function plan(start, end, s) that yields actions",
    expected=sandbox.expected_plans(),
    observe=sandbox.follow_plans,
    cases="I carried your schedules out.",
    reference=_plan(),
    misconceptions={
        _plan(far=_HALF): (
            {extra_of(20, 3): sandbox.extra_with(_plan(far=_HALF), 20, 3)},
            "The gradient is right, and halving is not the best. `total` knows the price of each k: take the k at "
            "which it is smallest.",
        ),
        _plan(far=_PRICE_OF_THE_BEST): (
            {extra_of(3, 2): 3, sandbox.gradient_by(10, 3): Crashed("ValueError", "empty")},
            "Your k is a price, the smallest total. Take the k from 1 to l - 1 at which the total is smallest.",
        ),
        _plan(far="1"): (
            {sandbox.gradient_by(10, 3): Crashed("InputError", "are in slots")},
            "With one slot left nothing can be kept on the way, so there is one k only, l - 1. For the others `total` "
            "is infinite: take the k at which it is smallest.",
        ),
        _plan(last="plan(start + k, end, s)"): (
            {slots_of(3, 2): "3"},
            "More slots are in use than there are. State `start` stays in its slot while the last part is reversed, so "
            "that part has s - 1.",
        ),
        _SWAPPED: (
            {sandbox.gradient_by(3, 2): Crashed("InputError", "reverse from state 0")},
            "The parts are in the wrong order. The sweep needs the last part first.",
        ),
        _plan(last="plan(k, l, s - 1)", first="plan(0, k, s)"): (
            {sandbox.gradient_by(3, 2): Crashed("InputError", "reverse from state 1")},
            "Inside a part the numbers still count from state 0 of the chain: the last part goes from start + k to "
            "end, the first from start to start + k.",
        ),
        _plan(last="plan(k, end, s - 1)"): (
            {sandbox.gradient_by(3, 2): Crashed("TookTooLong", "")},
            "A part never gets shorter. k counts from state `start`: the last part goes from start + k to end.",
        ),
        _plan(first="plan(start, k, s)"): (
            {sandbox.gradient_by(3, 2): Crashed("ValueError", "empty")},
            "A part has no steps. k counts from state `start`: the first part goes from start to start + k.",
        ),
        _plan(first="plan(start, start + k, s - 1)"): (
            {extra_of(10, 3): sandbox.extra_with(_plan(first="plan(start, start + k, s - 1)"), 10, 3)},
            "The first part has all s slots again: those of the last part are free.",
        ),
    },
    hints=(
        "k is the argument with the smallest total: min(range(1, l), key=…) finds it.",
        "The last part goes from state start + k to state end. State `start` keeps its slot meanwhile.",
        "The first part goes from state start to state start + k, and all s slots are there for it.",
    ),
    praise="A schedule of the lowest price there is, for any chain and any number of slots.",
)

# 3. segments


def _segments(
    first: str = "i % length == 0",
    again: str = "step(slots[i - 1])",
    used: str = "slots[i]",
    freed: str = "slots[i]",
    length: str = "math.isqrt(l - 1) + 1",
) -> str:
    return f"""\
def in_segments(step, x, l, slots):
    length = {length}
    state = x
    for i in range(l):
        if {first}:
            slots[i] = state
        if i < l - 1:
            state = step(state)
    adjoint = 1.0
    for start in reversed(range(0, l, length)):
        end = min(start + length, l)
        for i in range(start + 1, end):
            slots[i] = {again}
        for i in reversed(range(start, end)):
            _, pullback = ad.vjp(step, {used})
            (adjoint,) = pullback(adjoint)
            del {freed}
    return adjoint"""


_ALL_IN_A_LIST = """\
def in_segments(step, x, l, slots):
    states = [x]
    for _ in range(l - 1):
        states.append(step(states[-1]))
    adjoint = 1.0
    while states:
        _, pullback = ad.vjp(step, states.pop())
        (adjoint,) = pullback(adjoint)
    return adjoint"""


def _gives(written: str) -> dict[str, float]:
    """The gradient that some code finds for a chain of seven steps."""
    names: dict[str, Any] = {"ad": autodiff_lab, "math": math}
    exec(written, names)
    return {sandbox.gradient_of(7): names["in_segments"](Watched(), START, 7, {})}


ex_14_3 = Exercise(
    expects="a function in_segments(step, x, l, slots) that returns the gradient of the chain in x",
    expected=sandbox.expected_segments(),
    observe=sandbox.reverse_in_segments,
    tolerance=1e-12,
    cases="The gradients are at x = 0.3, and a limit is what √l segments need.",
    reference=_segments(),
    misconceptions={
        _segments(first="True"): (
            {PEAK: str(LONG)},
            "The gradient is right, and all states are in slots. On the way forward keep the first one of each "
            "segment only: those whose number is a multiple of the length.",
        ),
        _ALL_IN_A_LIST: (
            {PEAK: f"at most {WITHIN[PEAK]}", ALIVE: str(LONG - 1)},
            "The gradient is right, but the states are in a place of your own, a list or one long tape: I count those "
            "that are alive anywhere. Keep states in slots, and few of them, and record a step or a segment at a time.",
        ),
        _segments(used="slots[start]"): (
            _gives(_segments(used="slots[start]")),
            "Every step of a segment is recorded at the segment's first state. Step number i + 1 starts from state i.",
        ),
        _segments(used="state"): (
            _gives(_segments(used="state")),
            "Every step is recorded at the state where the way forward ended. Step number i + 1 starts from state i, "
            "which is in a slot.",
        ),
        _segments(again="step(slots[start])"): (
            _gives(_segments(again="step(slots[start])")),
            "Inside a segment every state is made from the segment's first. Each is one step from the one before it.",
        ),
        _segments(again="step(state)"): (
            _gives(_segments(again="step(state)")),
            "Inside a segment every state is made from the state where the way forward ended. State i is one step from "
            "state i - 1, which is in a slot.",
        ),
        _segments(first="i == 0"): (
            {sandbox.gradient_of(7): Crashed("KeyError", "6")},
            "The last segment wants its first state, and that is in no slot. Keep one at each multiple of the length.",
        ),
        _segments(freed="slots[start]"): (
            {sandbox.gradient_of(7): Crashed("KeyError", "3")},
            "The first state of a segment is dropped while its segment still needs it. Drop the state that has just "
            "been used.",
        ),
    },
    hints=(
        "State number i is what step number i + 1 starts from. The first states of the segments are 0, k, 2k, …",
        "Inside a segment each state is one step from the one before, which is in a slot: slots[i - 1].",
        "A state is done with as soon as its step has been rewound: del slots[i].",
    ),
    praise="Nineteen slots for a hundred states, at the price of a little less than one run more.",
)
