"""The fast paths compute the same as the plain code: the fast sweep, and operators without the dispatch."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, record, value_and_grad
from autodiff_lab.engine.dual import ForwardPass, dual
from autodiff_lab.engine.fast_sweep import sweep_fast
from autodiff_lab.engine.tape import Tape
from autodiff_lab.transforms.recording import record_call, sweep_tape
from tests.programs.random_programs import Case, plain, write_program

SEEDS = range(1000, 1120)
NUMBERS = Case(
    -1,
    """def f(x, y):
    z = 2 * x + y / 3 - np.sin(x) ** 2 + np.float64(1.5) * y - 1
    for _ in range(3):
        z = z * x + 2.0 ** y - 1.0 / z + abs(-z) + np.hypot(z, y) + np.clip(z, x, 4.0)
    return z
""",
    ("x", "y"),
    (np.array(0.7), np.array(1.3)),
    (np.array(1.1), np.array(0.4)),
)
INTEGERS = Case(
    -2,
    """def f(x):
    whole = np.arange(3)
    return np.sum(whole * x - x / np.float32(2.0) + np.ones(3, np.float32) ** x + x[1] * [1.0, 2.0, 3.0])
""",
    ("x",),
    (np.array([0.5, 1.5, 2.5]),),
    (np.array([1.5, 0.5, 2.0]),),
)
CASES = [NUMBERS, INTEGERS, *map(write_program, SEEDS)]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def assert_same(found: Any, expected: Any) -> None:
    """Assert that two values have the same type, shape and bits."""
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.seed)
def test_the_sweep_without_a_stop_gives_what_the_sweep_gives(case: Case) -> None:
    _, tape = record(case.function(), *plain(case.first))
    if tape.output is None:
        return
    stepped: list[Any] = [None] * len(tape)
    deque(tape.sweep(tape.output, np.float64(1.0), stepped), maxlen=0)
    fast: list[Any] = [None] * len(tape)
    fast[tape.output] = np.float64(1.0)
    sweep_fast(tape, tape.output, fast, keep=True)
    for found, expected in zip(fast, stepped, strict=True):
        assert_same(found, expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.seed)
def test_operators_without_the_dispatch_write_the_lines_that_it_writes(case: Case) -> None:
    _, fast = record(case.function(), *plain(case.first))
    # which has no fast path
    _, dispatched = record(case.function(), *plain(case.first), sites=True)
    assert [op and op.name for op in fast.ops] == [op and op.name for op in dispatched.ops]
    assert fast.parents == dispatched.parents
    assert fast.kwargs.keys() == dispatched.kwargs.keys()
    for found, expected in zip(fast.values, dispatched.values, strict=True):
        assert_same(found, expected)
    for found, expected in zip(fast.args, dispatched.args, strict=True):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)


class DispatchedPass(ForwardPass):
    """A forward pass whose operators all go by the dispatch."""

    has_fast_path = False


@pytest.mark.parametrize("batch", [None, 2], ids=["one direction", "two directions"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.seed)
def test_dual_operators_without_the_dispatch_give_what_it_gives(
    case: Case, batch: int | None
) -> None:
    point = [np.float64(x) if isinstance(x, float) else x for x in plain(case.first)]
    random = np.random.default_rng(abs(case.seed))
    axis = () if batch is None else (batch,)
    tangents = [random.normal(size=(*axis, *np.shape(x)))[()] for x in point]

    def tangent(forward: ForwardPass) -> Any:
        result = forward.run(
            case.function(), [dual(x, t, forward) for x, t in zip(point, tangents, strict=True)]
        )
        return getattr(result, "tangent", None)

    found, expected = tangent(ForwardPass(batch)), tangent(DispatchedPass(batch))
    if expected is None:
        assert found is None
        return
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_a_gradient_of_numbers_is_that_of_arrays_of_one_entry() -> None:
    """Numbers alone need no conversions on the way out; arrays do."""

    def of_entries(x: Any) -> Any:
        return NUMBERS.function()(x[0], x[1])

    value, gradient = value_and_grad(NUMBERS.function(), (0, 1))(0.7, 1.3)
    value_there, gradient_there = value_and_grad(of_entries)(np.array([0.7, 1.3]))
    assert value == value_there
    assert gradient == tuple(gradient_there)
    assert list(map(type, gradient)) == [float, float]
    assert value_and_grad(lambda x, y: 3 * x, (1, 0))(1.0, 7.0) == (3.0, (0.0, 3.0))
    assert value_and_grad(lambda x, n: x**n, -2)(3.0, 2.0) == (9.0, 6.0)


def test_tanh_of_an_array_has_the_derivative_that_its_numbers_have() -> None:
    """A plain array may overflow on the way, and a traced value may not."""
    x = np.array([0.0, -1.5, 30.0, 350.0, 401.0, 720.0, -800.0, np.inf, -np.inf, np.nan])
    with np.errstate(all="raise", under="ignore", invalid="ignore"):
        found = grad(lambda x: np.sum(np.tanh(x)))(x)
        np.testing.assert_array_equal(found, [grad(np.tanh)(float(entry)) for entry in x])
        twice = grad(lambda x: np.sum(grad(lambda x: np.sum(np.tanh(x)))(x)))(x[:7])
        np.testing.assert_array_equal(twice, [grad(grad(np.tanh))(float(entry)) for entry in x[:7]])


def test_a_tape_that_is_used_up_has_its_inputs_left() -> None:
    result, tape = record_call(lambda x: np.sum(np.sin(x) * x), (np.ones(3),), (0,))
    kept = sweep_tape(tape, (result,), (np.float64(1.0),))
    used = sweep_tape(tape, (result,), (np.float64(1.0),), use_up=True)
    np.testing.assert_array_equal(used[0], kept[0])
    assert tape.values[1:] == [None] * (len(tape) - 1)
    np.testing.assert_array_equal(tape.values[0], np.ones(3))


def test_a_slow_tape_and_a_fast_one_say_which_they_are() -> None:
    assert Tape().fast
    assert not Tape(sites=True).fast
