"""The gradient tape: what is watched, and what a gradient of None means."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import InputError
from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant

from .tapes import plain

# The truth table


def test_sum_of_squares() -> None:
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        z = x**2 + y**2
    assert plain(tape.gradient(z, [x, y])) == [4.0, 6.0]


def test_stop_recording() -> None:
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        x_square = x**2
        with tape.stop_recording():
            y_square = y**2
        z = x_square + y_square
    assert plain(tape.gradient(z, {"x": x, "y": y})) == {"x": 4.0, "y": None}


def test_no_recording_of_the_engine_stops_a_tape_too() -> None:
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        x_square = x**2
        with ad.no_recording():
            y_square = y**2
        z = x_square + y_square
    assert plain(tape.gradient(z, [x, y])) == [4.0, None]


def test_a_source_that_the_target_does_not_use() -> None:
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape(persistent=True) as tape:
        z = y * y
    assert tape.gradient(z, x) is None
    assert plain(tape.gradient(z, x, unconnected_gradients="zero")) == 0.0
    assert plain(tape.gradient(z, [x, y], unconnected_gradients="zero")) == [0.0, 6.0]


def test_zeros_have_the_shape_and_type_of_the_source() -> None:
    x = Variable(np.ones((2, 3), np.float32))
    with GradientTape() as tape:
        z = Variable(1.0) * 2
    zeros = tape.gradient(z, x, unconnected_gradients="zero")
    assert (zeros.shape, zeros.dtype, zeros.numpy().any()) == ((2, 3), np.float32, False)


def test_of_an_intermediate_value() -> None:
    x = constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert plain([tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)]) == [
        108.0,
        18.0,
        6.0,
    ]
    # TensorFlow stops at y, and has None for x
    assert plain(tape.gradient(z, [x, y])) == [108.0, 18.0]


def test_two_targets_are_added() -> None:
    x = Variable(2.0)
    with GradientTape() as tape:
        targets = {"y0": x**2, "y1": 1 / x}
    assert plain(tape.gradient(targets, x)) == 3.75


def test_a_target_that_another_target_uses() -> None:
    x = Variable(3.0)
    with GradientTape() as tape:
        y = x * x
        z = y * y
    assert plain(tape.gradient([z, y], x)) == 108.0 + 6.0  # TensorFlow drops the 6


def test_the_entries_of_a_target_are_added() -> None:
    x = Variable(2.0)
    with GradientTape() as tape:
        y = x * [3.0, 4.0]
    assert plain(tape.gradient(y, x)) == 7.0


@pytest.mark.parametrize("shape", [(), (3,)])
def test_sums_and_differences_of_two_inputs(shape: tuple[int, ...]) -> None:
    a, b = Variable(np.ones(shape)), Variable(np.ones(shape))
    with GradientTape() as tape:
        targets = [a + b, a - b]
    assert plain(tape.gradient(targets, [a, b])) == [
        np.full(shape, 2.0).tolist(),
        np.zeros(shape).tolist(),
    ]


# Four ways to get None (TensorFlow's guide to automatic differentiation)


def test_none_because_a_variable_was_replaced_by_a_tensor() -> None:
    x = Variable(2.0)
    seen = []
    for _ in range(2):
        with GradientTape() as tape:
            y = x + 1
        seen.append((type(x).__name__, plain(tape.gradient(y, x))))
        x = x + 1  # where x.assign_add(1) is meant
    assert seen == [("Variable", 1.0), ("Tensor", None)]


def test_assign_add_keeps_the_variable() -> None:
    x = Variable(2.0)
    for n in range(2):
        with GradientTape() as tape:
            y = x**2
        assert plain(tape.gradient(y, x)) == 2 * (2.0 + n)
        x.assign_add(1)


def test_none_because_of_a_computation_outside() -> None:
    x = Variable([[1.0, 2.0], [3.0, 4.0]])
    with GradientTape(persistent=True) as tape:
        bare = np.mean((x**2).numpy(), axis=0)
        y = np.mean(constant(bare))
    assert tape.gradient(y, x) is None
    with pytest.raises(
        InputError, match=r"target is .* but a tape records only tensors and Variables.*\.numpy\(\)"
    ):
        tape.gradient(np.mean(bare), x)


@pytest.mark.parametrize(
    "make", [lambda: Variable(10), lambda: constant([1, 2]), lambda: constant(True)]
)
def test_none_because_of_integers(make: Any) -> None:
    x = make()
    tape = GradientTape()
    with pytest.warns(UserWarning, match=r"has no derivative: its gradient is None\. Use floats"):
        tape.watch(x)
    with tape:
        y = np.sum(x * 2.0)
    with pytest.warns(UserWarning, match="has no derivative"):
        assert tape.gradient(y, x) is None
    assert tape.watched_variables() == () and tape.records == {}


def test_none_because_of_text() -> None:
    x, w = constant("3.0"), Variable(2.0)
    with GradientTape() as tape:
        y = w * float(x.numpy())
    with pytest.warns(UserWarning, match="<U3"):
        assert plain(tape.gradient(y, [w, x])) == [3.0, None]
    with pytest.raises(InputError, match="dtype <U3"):
        x * 2


def test_none_because_of_state() -> None:
    x0, x1 = Variable(3.0), Variable(0.0)
    with GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    assert plain(tape.gradient(y, [x0, x1])) == [None, 6.0]


# What is watched


def test_what_is_watched_without_being_asked() -> None:
    trained, fixed = Variable(3.0, name="trained"), Variable(3.0, trainable=False)
    tensor, number = Variable(2.0) + 1.0, constant(3.0)
    with GradientTape() as tape:
        y = trained**2 + fixed**2 + tensor**2 + number**2
    assert tape.watched_variables() == (trained,)
    assert plain(tape.gradient(y, [trained, fixed, tensor, number])) == [6.0, None, None, None]


def test_an_unwatched_operand_beside_a_watched_one_gets_none() -> None:
    x, c = Variable(3.0), constant(2.0)
    with GradientTape() as tape:
        y = x * c
    assert plain(tape.gradient(y, [x, c])) == [2.0, None]


def test_watch() -> None:
    fixed, number = Variable(3.0, trainable=False), constant(2.0)
    with GradientTape() as tape:
        tape.watch({"fixed": fixed, "others": [number]})
        y = fixed * number
    assert [id(v) for v in tape.watched_variables()] == [id(fixed)]
    assert plain(tape.gradient(y, [fixed, number])) == [2.0, 3.0]


def test_what_came_before_watch_is_not_recorded() -> None:
    x = constant(3.0)
    with GradientTape() as tape:
        before = x * x
        tape.watch(x)
        y = before * x
    assert plain(tape.gradient(y, x)) == 9.0


def test_watch_accessed_variables_off() -> None:
    x0, x1 = Variable(0.0), Variable(10.0)
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = np.sum(np.sin(x0) + np.log1p(np.exp(x1)))
    gradient = tape.gradient(y, {"x0": x0, "x1": x1})
    assert gradient["x0"] is None
    assert gradient["x1"].numpy() == pytest.approx(1 / (1 + math.exp(-10)), rel=1e-14)


def test_a_variable_counts_with_its_value_at_the_read() -> None:
    x = Variable(2.0)
    with GradientTape() as tape:
        y = x * x
        x.assign(5.0)
        z = x * x
    assert plain(tape.gradient([y, z], x)) == 4.0 + 10.0


def test_a_value_read_outside_is_a_constant() -> None:
    w = Variable(3.0)
    old, older = w.copy(), +w
    with GradientTape() as tape:
        y = w * old * older
    assert plain(tape.gradient(y, w)) == 9.0


def test_nothing_is_recorded_outside() -> None:
    x = Variable(3.0)
    tape = GradientTape()
    y = x * x
    with tape:
        z = y * x
    after = z * x
    assert plain(tape.gradient([z, after], x)) == 9.0


def test_flat_functions_and_stop_gradient_cut_the_way() -> None:
    x = Variable(2.5)
    with GradientTape(persistent=True) as tape:
        y, z = np.floor(x), ad.stop_gradient(x) * x
    assert {r.op.name for r in tape.records.values()} == {"read", "multiply"}
    assert tape.gradient(y, x) is None
    assert plain(tape.gradient(z, x)) == 2.5


def test_mutating_what_was_used_changes_nothing() -> None:
    start, factor, mask = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([True, False])
    x = Variable(start)
    with GradientTape() as tape:
        y = np.sum(x * x * factor) + np.sum(x[mask])
    start[:], factor[:], mask[:] = 0.0, 0.0, True
    gradient = tape.gradient(y, x)
    gradient.numpy()[:] = 0.0
    assert plain(gradient) == [7.0, 16.0]


def test_a_tape_records_its_own_thread_only() -> None:
    x = Variable(3.0)
    with GradientTape() as tape, ThreadPoolExecutor(1) as elsewhere:
        there = elsewhere.submit(lambda: x * x).result()
        here = x * x
    assert plain(tape.gradient([there, here], x)) == 6.0
