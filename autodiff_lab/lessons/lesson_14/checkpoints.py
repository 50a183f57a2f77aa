"""The exercises of notebook 14 about memory: how far some slots reach, what that costs, and segments of one's own."""

from __future__ import annotations

import math
from typing import Any

import autodiff_lab
from autodiff_lab.lessons.checks import Crashed, Exercise, Instance
from autodiff_lab.lessons.lesson_14 import sandbox
from autodiff_lab.lessons.lesson_14.sandbox import ALIVE, LONG, PEAK, START, WITHIN, Watched
from autodiff_lab.systems.schedules import beta, cost, fewest_extra_steps, keep_all, keep_none, repetitions, segments

# 1. beta, and what fits


def reach_instance(slots: int = 3, runs: int = 3, steps: int = 21) -> Instance:
    """How long a chain some slots can reverse, and what a longer one takes."""
    right = (beta(slots, runs), repetitions(steps, slots))
    wrong = {
        (right[0], float(fewest_extra_steps(steps, slots))): "The first is right. The second number counts all extra "
        "steps of the chain; asked for is how often one step is run ahead, at most.",
        (right[0], right[1] + 1): "The first is right. The second is more than needed: one run less is enough for "
        "this chain.",
        (right[0], right[1] - 1): f"The first is right. With that many runs ahead {slots} slots reach only "
        f"{beta(slots, right[1] - 1)} steps, and the chain has {steps}.",
        (beta(slots, runs - 1), right[1]): "That is how far one run less would reach.",
        (beta(slots - 1, runs), right[1]): "You left the initial state out of the slots. It takes one too.",
        (slots * runs, right[1]): "The first number is a product: slots times runs. A slot is used again when its "
        "state is done with, and that gives a binomial coefficient.",
    }
    how = f"# math.comb({slots + runs}, {slots}); then more runs until {steps} steps fit"
    return Instance(right, wrong, f"answer = {right}  {how}")


ex_14_1 = Exercise(
    expects="two whole numbers, (the longest chain, how often a step of the other chain is run ahead)",
    make=reach_instance,
    draws={"slots": (2, 3, 4), "runs": (2, 3, 4), "steps": (16, 21, 40, 60)},
    hints=(
        "β(s, r) is the number of ways to choose s things out of s + r.",
        "For the second number try r = 1, 2, 3, … and take the first for which β(s, r) reaches the chain's length.",
    ),
    praise="One step more than fits, and some step has to be run once more. The price rises in small stairs.",
)

# 2. the fewest extra steps


def price_instance(steps: int = 20, slots: int = 3) -> Instance:
    """The fewest extra steps for a chain."""
    right, r = fewest_extra_steps(steps, slots), repetitions(steps, slots)
    wrong = {
        float(cost(segments(steps)).extra): "That is the cost of segments of √l, which need more slots.",
        float(right + steps): "You counted the steps that are recorded as well. Extra ones are those that are only "
        "run ahead.",
        float(cost(keep_none(steps)).extra): "That is the cost with one slot only.",
        float(cost(keep_all(steps)).extra): "That is the cost if every state is kept, in as many slots as steps.",
        float(fewest_extra_steps(steps, slots + 1)): "That is right for one slot more. The initial state takes one of "
        "the slots.",
        float(r * steps - beta(slots, r - 1)): "Look at the formula again: the saving is β(s + 1, r − 1).",
        float(r * steps): "You let every step run r times. The steps near the end of the chain, and next to a slot, "
        "run fewer times: β(s + 1, r − 1) is what they save.",
    }
    how = f"# r = {r}, since β({slots}, {r - 1}) = {beta(slots, r - 1)} < {steps} ≤ β({slots}, {r}) = {beta(slots, r)}"
    return Instance(float(right), wrong, f"{how}\nanswer = {r} * {steps} - {beta(slots + 1, r - 1)}")


ex_14_2 = Exercise(
    expects="a whole number",
    make=price_instance,
    draws={"steps": (12, 20, 30, 50), "slots": (2, 3, 4)},
    hints=(
        "First find r: the smallest for which β(s, r) is at least l.",
        "Then T = r · l − β(s + 1, r − 1). In Python: math.comb(s + r, s + 1) is β(s + 1, r − 1).",
    ),
    praise="Memory for time, at the best rate there is. And you know the price before the first step is run.",
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
