"""A recorded tape replayed on other inputs, and a tape whose values were freed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    BranchChanged,
    check_grads,
    elementwise_grad,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    no_recording,
    record,
    stop_gradient,
    vjp,
)
from autodiff_lab.engine.errors import InputError, ReleasedError, ShapeError, UnsupportedError

V = np.array([0.3, -0.7, 1.1])


def powers(x: Any) -> Any:
    y = x
    while y < 10:
        y = y * x
    return y


def test_replay_is_the_function_where_it_goes_the_same_way() -> None:
    _, tape = record(powers, 1.5)
    for x in (1.5, 1.49, 1.52):
        assert tape.replay(x) == powers(x)
        assert grad(tape.replay)(x) == grad(powers)(x)
    assert type(tape.replay(1.5)) is float


def test_replay_where_it_goes_another_way() -> None:
    _, tape = record(powers, 1.5)
    with pytest.raises(BranchChanged) as error:
        tape.replay(1.6)
    assert "v4 < 10 was True" in str(error.value)
    assert "it is False" in str(error.value)
    assert "Record it again" in str(error.value)
    with pytest.raises(BranchChanged):
        grad(tape.replay)(1.6)
    with pytest.raises(BranchChanged):
        jvp(tape.replay, (1.6,), (1.0,))


@pytest.mark.parametrize(
    "f,x,other",
    [
        (lambda x: x * 2 if x > 0 else -x, 1.0, -1.0),
        (lambda x: x * 2 if x else x + 1, 1.0, 0.0),
        (lambda x: x * 2 if np.all(x > 0) else x, V + 1, V),
        (lambda x: x * 2 if np.any(x) else x, V, V * 0),
        (lambda x: np.sort(x), V, V[::-1]),
        (lambda x: x[np.argmax(x)], V, V[::-1]),
        (lambda x: x[x > 0], V, -V),
        (lambda x: np.median(x), V, V[::-1].copy()),
        (lambda x: max(x[0], x[1]), V, -V),
        (lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), 0.5, 1.5),
        (lambda x: np.nansum(x), np.array([np.nan, 1.0]), np.ones(2)),
    ],
)
def test_a_decision_is_never_frozen_in_silence(f: Any, x: Any, other: Any) -> None:
    _, tape = record(f, x)
    np.testing.assert_array_equal(tape.replay(x), f(x))
    with pytest.raises(BranchChanged):
        tape.replay(other)


@pytest.mark.parametrize("other", [-1.0, 20.0])
def test_each_of_two_questions_at_one_line_is_asked_again(other: float) -> None:
    _, tape = record(lambda x: x * x if x > 0 and x < 10 else x, 3.0)
    assert [question.line for question in tape.comparisons] == [1, 1]
    assert tape.replay(4.0) == 16.0
    with pytest.raises(BranchChanged, match="v0 < 10" if other > 0 else "v0 > 0"):
        tape.replay(other)


def test_what_a_pause_computed_is_not_replayed_in_silence() -> None:
    def f(x: Any) -> Any:
        with no_recording():
            square = x * x
        return square * x

    _, tape = record(f, 3.0)
    with pytest.raises(
        UnsupportedError, match=r"`no_recording` block.*Record the function again.*stop_gradient"
    ):
        tape.replay(2.0)
    assert record(lambda x: stop_gradient(x * x) * x, 3.0)[1].replay(2.0) == 8.0
    _, outer = record(lambda x: grad(f)(x) * x, 3.0)
    with pytest.raises(UnsupportedError, match="no_recording"):
        outer.replay(2.0)

    def harmless(x: Any) -> Any:
        with no_recording():
            scale = np.sin(0.5)  # nothing of the tape
        return scale * x

    assert record(harmless, 3.0)[1].replay(2.0) == harmless(2.0)
    slopes = elementwise_grad(np.sin)
    np.testing.assert_array_equal(record(slopes, V)[1].replay(2 * V), np.cos(2 * V))


@pytest.mark.parametrize(
    "f,x,other",
    [
        (lambda x: np.maximum(x, 0.0) + np.absolute(x) + np.sign(x), V, -V),
        (lambda x: np.clip(x, -0.5, 0.5) + np.floor(x), V, -V * 3),
        (lambda x: np.max(x) - np.min(x), V, -V),
        (
            lambda a: np.linalg.slogdet(a)[0] * np.exp(np.linalg.slogdet(a)[1]),
            np.eye(2),
            np.eye(2)[::-1].copy(),
        ),
        (lambda a: np.linalg.det(a) * a, np.eye(2), np.ones((2, 2))),
        (lambda x: np.prod(x), V, V * 0),
        (lambda x: np.nan_to_num(x), np.array([np.inf, 1.0]), np.array([-np.inf, 2.0])),
    ],
)
def test_a_choice_inside_an_operation_follows_new_inputs(f: Any, x: Any, other: Any) -> None:
    _, tape = record(f, x)
    np.testing.assert_allclose(tape.replay(other), f(other), rtol=1e-14)
    if np.all(np.isfinite(other)):
        for transform in (jacfwd, jacrev):
            np.testing.assert_allclose(
                transform(tape.replay)(other), transform(f)(other), rtol=1e-13, atol=1e-14
            )


def test_replay_is_differentiable_to_any_order() -> None:
    f = lambda x, y: np.sum(np.sin(x) * y) * np.mean(x**2)  # noqa: E731
    _, tape = record(f, V, 2.0)
    check_grads(tape.replay, (V + 0.2, 1.5), order=3)
    np.testing.assert_allclose(hessian(tape.replay)(V, 1.5), hessian(f)(V, 1.5), rtol=1e-13)
    value, second = record(tape.replay, V, 1.5)
    assert value == f(V, 1.5)
    np.testing.assert_allclose(second.replay(V, 3.0), f(V, 3.0))
    assert grad(lambda x: tape.replay(V * x, x))(1.2) == pytest.approx(
        grad(lambda x: f(V * x, x))(1.2)
    )


def test_replay_of_a_constant_and_of_an_input() -> None:
    assert record(lambda x: 5.0, 2.0)[1].replay(3.0) == 5.0
    assert record(lambda x, y: y, 2.0, 3.0)[1].replay(4.0, 5.0) == 5.0
    assert record(lambda: 3.0)[1].replay() == 3.0


def test_replay_leaves_the_tape_as_it_was() -> None:
    _, tape = record(lambda x: np.sin(x) * x, V)
    before = str(tape)
    tape.replay(V * 2)
    grad(lambda x: np.sum(tape.replay(x)))(V * 2)
    assert str(tape) == before


def test_misuse_of_replay() -> None:
    _, tape = record(lambda x, weight: np.sum(x) * weight, V, 2.0)
    with pytest.raises(ShapeError, match="has 2 inputs, and replay was given 1"):
        tape.replay(V)
    with pytest.raises(ShapeError, match=r"the input x has shape \(2,\)"):
        tape.replay(V[:2], 2.0)
    with pytest.raises(InputError, match="weight"):
        tape.replay(V, "2")


def test_a_released_tape() -> None:
    _, tape = record(lambda x: np.sin(x) * x, V)
    lines = len(tape)
    assert tape.nbytes > 0
    tape.free_values()
    assert tape.nbytes == 0
    assert len(tape) == lines
    assert tape.parents[1] == (0,)
    assert tape.ops[1].name == "sin"
    assert repr(tape)
    for use in (lambda: tape.replay(V), lambda: list(tape.sweep(2, np.ones(3), [None] * lines))):
        with pytest.raises(ReleasedError, match=r"Record the function again"):
            use()


def test_releasing_one_tape_leaves_pullbacks_alone() -> None:
    _, pullback = vjp(np.sin, V)
    record(np.sin, V)[1].free_values()
    np.testing.assert_allclose(pullback(np.ones(3))[0], np.cos(V))


def test_nbytes_counts_each_array_once() -> None:
    x = np.ones(1000)
    _, tape = record(lambda x: x * x + x, x)
    assert tape.nbytes == 3 * 8000
    assert record(lambda x: x * x, 2.0)[1].nbytes <= 40
