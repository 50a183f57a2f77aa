"""The exercises of `memory`: the learner's checkpointing schedules, with their slots and steps counted."""

import functools
import itertools
import math
import weakref
from collections.abc import Callable
from typing import Any

from autodiff_lab import Variable, grad
from autodiff_lab.lessons.checks import (
    Crashed,
    attempt,
    borrow_names,
    run_cases,
    summarize,
    vet_code,
)
from autodiff_lab.lessons.examples.chain import START, logistic, sweep_whole_chain
from autodiff_lab.systems.schedules import Action, cost, fewest_extra_steps, reverse

# The chain


def keep_to(limit: int, count: int) -> str:
    """Exercises 1 and 3: "at most" and the limit, if a count of slots or steps keeps to it; otherwise the count."""
    return f"at most {limit}" if count <= limit else str(count)


# A chain in segments


def other_map(x: Any) -> Any:
    """Exercise 1: a step that differs from the notebook's."""
    return 3.5 * x * (1.0 - x)


OTHER = "the gradient of 7 steps of another map"
CHAINS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "the gradient of 1 step": (logistic, 1),
    "the gradient of 7 steps": (logistic, 7),
    OTHER: (other_map, 7),
    "the gradient of 20 steps": (logistic, 20),
    "the gradient of 100 steps": (logistic, 100),
}
PEAK = "states in slots, of 100 steps"
ALIVE = "states alive anywhere, of 100 steps"
EXTRA = "extra steps, of 100 steps"
# Not judged: a hint uses it to find out in which pass the slots were filled.
AT_FIRST = "states in slots when the first step is recorded, of 100 steps"
# The number of lines that one step adds to a tape.
LINES = 3
# Twice the square root; two more, for the current state and the next one; two runs of the chain.
WITHIN = {PEAK: 20, ALIVE: 22, EXTRA: 200}


class State(float):
    """Exercise 1: a state of the chain: a number that can be referenced weakly, to notice when it is freed."""


class Slots(dict[Any, Any]):
    """Exercise 1: the slots for states: a dictionary that stores its largest size as `peak`."""

    peak = 0

    def __setitem__(self, number: Any, state: Any) -> None:
        super().__setitem__(number, state)
        self.peak = max(self.peak, len(self))


class Watched:
    """Exercise 1: a step of a chain that counts its calls and the states that are alive."""

    def __init__(self, step: Callable[[Any], Any], slots: Slots) -> None:
        self.step, self.slots = step, slots
        self.alive = self.most = self.calls = 0
        self.at_first: int | None = None

    def __call__(self, x: Any) -> Any:
        """Run one step. A recorded step is not an extra one, and its state is alive as long as its tape."""
        if isinstance(x, Variable):
            if self.at_first is None:
                self.at_first = len(self.slots)
            self.most = max(self.most, self.alive + (len(x.tape) - x.tape.n_inputs) // LINES)
            return self.step(x)
        self.calls += 1
        self.alive += 1
        self.most = max(self.most, self.alive)
        state = State(self.step(x))
        weakref.finalize(state, self._gone).atexit = False
        return state

    def _gone(self) -> None:
        self.alive -= 1


def expected_segments() -> dict[str, Any]:
    """Exercise 1: the gradients of plain loops, and the limits on states and steps."""
    found: dict[str, Any] = {}
    for case, (step, steps) in CHAINS.items():
        chain = functools.partial(_run_chain, step, steps)
        found[case] = float(grad(chain)(START))
    return found | {case: keep_to(limit, limit) for case, limit in WITHIN.items()}


def _run_chain(step: Callable[[Any], Any], steps: int, x: Any) -> Any:
    for _ in range(steps):
        x = step(x)
    return x


def reverse_in_segments(in_segments: Any) -> Any:
    """Exercise 1: the gradients of the chains by the learner's segments, and the states and steps that were needed."""
    vet_code(in_segments, listing=("ad", "math"))
    found: dict[str, Any] = {}
    for case, (own_step, steps) in CHAINS.items():
        slots = Slots()
        step = Watched(own_step, slots)
        found[case] = summarize(attempt(in_segments, step, START, steps, slots))
        if isinstance(found[case], Crashed):
            return found
    counts = {PEAK: slots.peak, ALIVE: step.most, EXTRA: step.calls}
    found |= {case: keep_to(WITHIN[case], count) for case, count in counts.items()}
    return found | {AT_FIRST: step.at_first}


# Prices

PRICED = {
    f"the price of {steps} steps with {slots} slot{'s' * (slots > 1)}": (steps, slots)
    for steps, slots in ((3, 1), (4, 2), (10, 3), (20, 3), (12, 5))
}
# The sum is tried by itself too: a wrong one that ignores its k and takes the best leads to the same prices.
SUMMED = {f"total{each}": each for each in ((2, 1, 1), (10, 3, 8))}


def expected_prices() -> dict[str, Any]:
    """Exercise 2: two values of `total`, and the prices of the best checkpointing schedules."""
    prices: dict[str, Any] = {case: fewest_extra_steps(*each) for case, each in PRICED.items()}
    return {case: make_right_names()["total"](*each) for case, each in SUMMED.items()} | prices


def find_prices(total: Any) -> Any:
    """Exercise 2: the same values of the learner's `total`, and the prices that follow from it."""

    def run(names: dict[str, Any], name: str, *numbers: int) -> Any:
        names["price"] = make_price(total)
        return names[name](*numbers)

    cases: dict[str, tuple[Any, ...]] = {case: ("total", *each) for case, each in SUMMED.items()}
    cases |= {case: ("price", *each) for case, each in PRICED.items()}
    return run_cases(run, cases, total, listing=("math",), total=total)


def make_price(total: Callable[..., Any]) -> Callable[..., Any]:
    """Exercises 2 and 3: the notebook's ``price`` with an empty cache, so that it calls this ``total``."""

    @functools.cache
    def price(l: int, s: int) -> Any:  # noqa: E741  (an error shows the names of the notebook)
        if l == 1:
            return 0
        return min(total(l, s, k) for k in range(1, l)) if s > 0 else math.inf

    return price


def make_right_names() -> dict[str, Any]:
    """Exercise 3: a correct ``total`` and ``price``, so that this exercise does not depend on exercise 2."""

    def total(l: int, s: int, k: int) -> Any:  # noqa: E741
        return k + price(l - k, s - 1) + price(k, s)

    price = make_price(total)
    return {"total": total, "price": price}


# Schedules

PLANNED = ((1, 1), (3, 2), (10, 3), (20, 3), (20, 1), (15, 6), (2, 8))
MOST_ACTIONS = 2000


def name_cases(steps: int, slots: int) -> tuple[str, str, str]:
    """Exercise 3: the names of the three cases of a plan: its gradient, slots in use, and extra steps."""
    room = f"{slots} slot{'s' * (slots > 1)}"
    gradient = f"the gradient of {steps} step{'s' * (steps > 1)}, with {room}"
    return (
        gradient,
        f"slots in use, for {steps} steps and {room}",
        f"extra steps, for {steps} steps and {room}",
    )


def expected_plans() -> dict[str, Any]:
    """Exercise 3: the gradients of plain loops, the limits on slots, and the lowest prices."""
    found: dict[str, Any] = {}
    for steps, slots in PLANNED:
        wanted = sweep_whole_chain(steps), keep_to(slots, slots), fewest_extra_steps(steps, slots)
        found |= zip(name_cases(steps, slots), wanted, strict=True)
    return found


def follow_plans(plan: Any) -> Any:
    """Exercise 3: the gradients by the learner's checkpointing plans, and the slots and extra steps that they need."""
    vet_code(plan, listing=("total", "price"))
    found: dict[str, Any] = {}
    with borrow_names(plan, plan=plan, **make_right_names()):
        for steps, slots in PLANNED:
            names = name_cases(steps, slots)
            seen = attempt(_carry_out, plan, steps, slots)
            if isinstance(seen, Crashed):
                return found | {names[0]: seen}
            found |= zip(names, seen, strict=True)
    return found


def _carry_out(plan: Any, steps: int, slots: int) -> tuple[Any, str, int]:
    asked = itertools.islice(plan(0, steps, slots), MOST_ACTIONS)
    actions = [Action("store", 0, 0), *(Action(*action) for action in asked), Action("drop", 0, 0)]
    went = reverse(logistic, START, actions)
    return summarize(went.gradient), keep_to(slots, cost(actions).slots), went.extra
