"""What the learner builds in notebook 14, run for a check: a table of prices, a schedule, a thrifty reversal."""

from __future__ import annotations

import functools
import itertools
import math
import weakref
from collections.abc import Callable
from typing import Any

from autodiff_lab import Variable, grad
from autodiff_lab.lessons.checks import Crashed, attempt, borrow_names, run_cases, summarize, vet_code
from autodiff_lab.systems.schedules import Action, cost, fewest_extra_steps, reverse

# A chain in segments

START, LONG = 0.3, 100
CHAINS = (1, 7, 20, LONG)
PEAK = "states in slots, of 100 steps"
ALIVE = "states alive anywhere, of 100 steps"
EXTRA = "extra steps, of 100 steps"
LINES = 3
"""What one step puts on a tape."""
WITHIN = {PEAK: 20, ALIVE: 22, EXTRA: 200}
"""Twice the root; two more, for the state at hand and the one that is being made; two runs of the chain."""


class State(float):
    """A number of which one can see whether anybody still holds it."""


class Slots(dict[Any, Any]):
    """A dictionary that knows how full it has been."""

    peak = 0

    def __setitem__(self, number: Any, state: Any) -> None:
        super().__setitem__(number, state)
        self.peak = max(self.peak, len(self))


class Watched:
    """The logistic map, with its calls counted, and with an eye on the states that it has made."""

    def __init__(self) -> None:
        self.alive = self.most = self.calls = 0

    def __call__(self, x: Any) -> Any:
        """Do one step; a recorded one is no extra one, and its state is alive as long as its tape."""
        if isinstance(x, Variable):
            self.most = max(self.most, self.alive + (len(x.tape) - x.tape.n_inputs) // LINES)
            return 4.0 * x * (1.0 - x)
        self.calls += 1
        self.alive += 1
        self.most = max(self.most, self.alive)
        state = State(4.0 * x * (1.0 - x))
        weakref.finalize(state, self._gone).atexit = False
        return state

    def _gone(self) -> None:
        self.alive -= 1


def gradient_of(steps: int) -> str:
    """The name of a case."""
    return f"the gradient of {steps} step{'s' * (steps > 1)}"


def expected_segments() -> dict[str, Any]:
    """The gradients of plain loops, and that the limits are kept."""
    found = {gradient_of(steps): grad(_chain(steps))(START) for steps in CHAINS}
    return found | {case: f"at most {limit}" for case, limit in WITHIN.items()}


def reverse_in_segments(in_segments: Any) -> Any:
    """What the learner's function gives, and what it took."""
    vet_code(in_segments, listing=("ad", "math"))
    found: dict[str, Any] = {}
    for steps in CHAINS:
        step, slots = Watched(), Slots()
        found[gradient_of(steps)] = went = attempt(
            lambda s, n, k: summarize(in_segments(s, START, n, k)), step, steps, slots
        )
        if isinstance(went, Crashed):
            return found
    for case, count in ((PEAK, slots.peak), (ALIVE, step.most), (EXTRA, step.calls)):
        found[case] = f"at most {WITHIN[case]}" if count <= WITHIN[case] else str(count)
    return found


def _chain(steps: int) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        for _ in range(steps):
            x = 4.0 * x * (1.0 - x)
        return x

    return run


# Prices

PRICED = ((3, 1), (4, 2), (10, 3), (20, 3), (12, 5))
"""Steps and slots."""


def price_of(steps: int, slots: int) -> str:
    """The name of a case."""
    return f"the price of {steps} steps with {slots} slot{'s' * (slots > 1)}"


def expected_prices() -> dict[str, Any]:
    """What the best schedules cost."""
    return {price_of(*each): fewest_extra_steps(*each) for each in PRICED}


def find_prices(total: Any) -> Any:
    """The prices that follow from the learner's sum of three."""

    def run(names: dict[str, Any], steps: int, slots: int) -> Any:
        names["price"] = price = make_price(names["total"])
        return price(steps, slots)

    return run_cases(run, {price_of(*each): each for each in PRICED}, total, listing=("math",), total=total)


def make_price(total: Callable[..., Any]) -> Callable[..., Any]:
    """The notebook's ``price``, anew: it remembers nothing of an earlier ``total``."""

    @functools.cache
    def price(steps: int, slots: int) -> Any:
        if steps == 1:
            return 0
        return min(total(steps, slots, k) for k in range(1, steps)) if slots > 0 else math.inf

    return price


def make_right_names() -> dict[str, Any]:
    """The names ``total`` and ``price`` as they should be, whatever the learner's are."""

    def total(steps: int, slots: int, k: int) -> Any:
        return k + price(steps - k, slots - 1) + price(k, slots)

    price = make_price(total)
    return {"total": total, "price": price}


# Schedules

PLANNED = ((1, 1), (3, 2), (10, 3), (20, 3), (20, 1), (15, 6))
MOST_ACTIONS = 2000


def gradient_by(steps: int, slots: int) -> str:
    """The name of a case: what comes out."""
    return f"the gradient of {steps} step{'s' * (steps > 1)}, with {slots} slot{'s' * (slots > 1)}"


def slots_of(steps: int, slots: int) -> str:
    """The name of a case: the most slots in use."""
    return f"slots in use, for {steps} steps and {slots} slot{'s' * (slots > 1)}"


def extra_of(steps: int, slots: int) -> str:
    """The name of a case: the steps that are only run ahead."""
    return f"extra steps, for {steps} steps and {slots} slot{'s' * (slots > 1)}"


def expected_plans() -> dict[str, Any]:
    """The gradients of plain loops, few slots, and the lowest price."""
    found: dict[str, Any] = {}
    for each in PLANNED:
        found[gradient_by(*each)] = grad(_chain(each[0]))(START)
        found[slots_of(*each)] = f"at most {each[1]}"
        found[extra_of(*each)] = fewest_extra_steps(*each)
    return found


def follow_plans(plan: Any) -> Any:
    """What the learner's schedules give, and what they take."""
    vet_code(plan, listing=("total", "price"))
    found: dict[str, Any] = {}
    with borrow_names(plan, plan=plan, **make_right_names()):
        for steps, slots in PLANNED:
            seen = attempt(_carry_out, plan, steps, slots)
            found[gradient_by(steps, slots)] = seen if isinstance(seen, Crashed) else seen[0]
            if isinstance(seen, Crashed):
                break
            found[slots_of(steps, slots)] = f"at most {slots}" if seen[1] <= slots else str(seen[1])
            found[extra_of(steps, slots)] = seen[2]
    return found


def _carry_out(plan: Any, steps: int, slots: int) -> tuple[Any, int, int]:
    asked = itertools.islice(plan(0, steps, slots), MOST_ACTIONS)
    actions = [Action("store", 0, 0), *(Action(*action) for action in asked), Action("drop", 0, 0)]
    went = reverse(lambda x: 4.0 * x * (1.0 - x), START, actions)
    return summarize(went.gradient), cost(actions).slots, went.extra
