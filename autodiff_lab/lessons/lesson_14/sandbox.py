"""What the learner builds in notebook 14, run for a check: a thrifty reversal, a compiler of tapes, a guard."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from autodiff_lab import Variable, grad
from autodiff_lab.lessons.checks import Crashed, attempt, summarize, vet_code

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
