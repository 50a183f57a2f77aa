"""Schedules for the reverse sweep of a chain: the known minima, and real runs with the engine."""

from __future__ import annotations

import functools
import gc
import json
import math
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab import checkpoint, grad, value_and_grad
from autodiff_lab.engine.errors import InputError
from autodiff_lab.systems.schedules import (
    SCHEDULES,
    Action,
    beta,
    binomial,
    cost,
    fewest_extra_steps,
    keep_all,
    keep_none,
    repetitions,
    reverse,
    segments,
)

DATA = Path(__file__).parents[1] / "data" / "reference_cases.json"
REFERENCE = json.loads(DATA.read_text(encoding="utf-8"))["checkpointing"]
FEWEST = {
    tuple(map(int, key.split(","))): t
    for key, t in REFERENCE["min_extra_forward_steps_l_s"].items()
}
BETA = {tuple(map(int, key.split(","))): b for key, b in REFERENCE["beta_s_t"].items()}


@functools.cache
def by_dynamic_programming(steps, slots):
    """The fewest extra steps, by trying every place for the next state to be kept."""
    if steps == 1:
        return 0
    if slots == 1:
        return steps * (steps - 1) // 2
    return min(
        m + by_dynamic_programming(steps - m, slots - 1) + by_dynamic_programming(m, slots)
        for m in range(1, steps)
    )


def logistic(x):
    return 3.7 * x * (1.0 - x)


def loop(step, steps):
    def run(x):
        for _ in range(steps):
            x = step(x)
        return x

    return run


def test_there_are_36_pairs():
    assert len(FEWEST) == 36 and len(BETA) == 25


@pytest.mark.parametrize(("steps", "slots"), list(FEWEST))
def test_the_fewest_extra_steps_four_ways(steps, slots):
    assert by_dynamic_programming(steps, slots) == FEWEST[steps, slots]
    assert fewest_extra_steps(steps, slots) == FEWEST[steps, slots]
    assert cost(binomial(steps, slots)).extra == FEWEST[steps, slots]
    assert reverse(logistic, 0.3, binomial(steps, slots)).extra == FEWEST[steps, slots]


@given(st.integers(1, 70), st.integers(1, 12))
@settings(deadline=None, max_examples=60)
def test_the_schedule_is_as_good_as_the_best(steps, slots):
    counted = cost(binomial(steps, slots))
    assert counted.extra == by_dynamic_programming(steps, slots) == fewest_extra_steps(steps, slots)
    assert counted.slots == min(steps, slots)


@pytest.mark.parametrize(("slots", "runs"), list(BETA))
def test_beta_is_the_longest_chain(slots, runs):
    length = beta(slots, runs)
    assert length == BETA[slots, runs]
    assert repetitions(length, slots) == runs and repetitions(length + 1, slots) == runs + 1
    assert most_runs(binomial(length, slots), length) == runs
    assert most_runs(binomial(length + 1, slots), length + 1) == runs + 1


def most_runs(schedule, steps):
    """How often the step that is run ahead most often is run ahead."""
    runs = [0] * steps
    for kind, start, end in schedule:
        if kind == "advance":
            for k in range(start, end):
                runs[k] += 1
    return max(runs)


EVERY = [
    pytest.param(name, steps, slots, id=f"{name}, {steps} steps, {slots} slots")
    for name in SCHEDULES
    for steps in (1, 2, 3, 7, 10, 20, 33)
    for slots in (1, 2, 3, 5)
]


@pytest.mark.parametrize(("name", "steps", "slots"), EVERY)
def test_the_gradient_is_that_of_the_whole_loop(name, steps, slots):
    schedule = SCHEDULES[name](steps, slots)
    run = reverse(logistic, 0.3, schedule)
    value, gradient = value_and_grad(loop(logistic, steps))(0.3)
    assert run.value == value
    assert run.gradient == pytest.approx(gradient, rel=1e-12)
    assert (run.slots, run.extra) == cost(schedule)
    assert run.recorded == steps


def test_states_may_be_arrays_or_have_several_parts():
    def step(state):
        x, rate = state
        return rate * x * (1.0 - x), rate

    def whole(x, rate):
        state = x, rate
        for _ in range(12):
            state = step(state)
        return np.sum(state[0])

    start = (np.array([0.2, 0.5, 0.9]), 3.7)
    run = reverse(step, start, binomial(12, 3), (np.ones(3), 0.0))
    for found, wanted in zip(run.gradient, grad(whole, argnums=(0, 1))(*start), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 10, 20, 35, 64, 99, 100, 101, 1000])
def test_segments_keep_at_most_twice_the_root(steps):
    assert cost(segments(steps)).slots <= 2 * math.sqrt(steps)
    assert cost(segments(steps)).extra < 2 * steps


def test_all_and_none_are_the_two_ends():
    assert cost(keep_all(100)) == (100, 99)
    assert cost(keep_none(100)) == (1, 100 * 99 // 2)
    assert cost(segments(100, 1)) == cost(keep_all(100)) == cost(segments(100, 100))


@pytest.mark.parametrize("slots", [1, 3, 5])
def test_no_more_states_are_alive_than_slots(slots):
    """The arrays themselves are counted: those in slots, the state at hand, and the next one while it is made."""
    alive, most = weakref.WeakValueDictionary(), 0

    def step(x):
        nonlocal most
        y = 3.7 * x * (1.0 - x)
        if isinstance(y, np.ndarray):
            alive[id(y)] = y
            most = max(most, len(alive))
        return y

    gc.collect()
    reverse(step, np.full(5, 0.3), binomial(30, slots), np.ones(5))
    assert most <= slots + 1
    assert not alive


def test_a_checkpointed_segment_is_one_line():
    """What `checkpoint` does to a loop: a line of tape for a segment, and the same gradient."""
    inner = checkpoint(loop(logistic, 5))
    assert grad(loop(inner, 4))(0.3) == pytest.approx(grad(loop(logistic, 20))(0.3), rel=1e-12)


@pytest.mark.parametrize(
    "make", [lambda: binomial(0, 3), lambda: binomial(3, 0), lambda: segments(5, 0)]
)
def test_without_steps_or_slots_there_is_no_schedule(make):
    with pytest.raises(InputError, match="at least one step"):
        make()


WRONG = {
    "the current state is": [Action("store", 0, 0), Action("reverse", 4, 5)],
    "the slots contain only": [Action("store", 0, 0), Action("restore", 3, 3)],
    "the adjoint is that of state": [
        *binomial(3, 3)[:-6],
        Action("restore", 0, 0),
        Action("reverse", 0, 1),
    ],
    "but not that of state 0": binomial(3, 3)[:6],
}


@pytest.mark.parametrize("message", WRONG)
def test_a_schedule_that_cannot_be_run_raises(message):
    with pytest.raises(InputError, match=message):
        reverse(logistic, 0.3, WRONG[message])
