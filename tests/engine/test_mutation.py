"""A program may overwrite an array that it has used: the tape keeps the values that were used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff_lab import checkpoint, grad, jacrev, linearize, record, vjp
from autodiff_lab.engine.errors import MutationError
from autodiff_lab.engine.values import MAX_COPIED_BYTES, _copies

X = np.array([1.0, 2.0, 3.0])
LARGE = MAX_COPIED_BYTES // 8 + 1  # one entry more than is copied every time

USES: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    # name: y = f(x, c), and a constant c; c is overwritten with its reverse afterwards
    "x * c": (lambda x, c: x * c, [1.0, 2.0, 4.0]),
    "c * x": (lambda x, c: c * x, [1.0, 2.0, 4.0]),
    "c / x": (lambda x, c: c / x, [1.0, 2.0, 4.0]),
    "c @ x": (lambda x, c: c @ x, [1.0, 2.0, 4.0]),
    "np.multiply(c, x)": (lambda x, c: np.multiply(c, x), [1.0, 2.0, 4.0]),
    "single precision": (lambda x, c: x * c.astype(np.float32), [1.0, 2.0, 4.0]),
    "whole numbers": (lambda x, c: x * c, [1, 2, 4]),
    "a view": (lambda x, c: x * c[::-1], [1.0, 2.0, 4.0]),
    "a row": (lambda x, c: x * c[1:4], [1.0, 2.0, 4.0, 8.0, 16.0]),
    "a condition": (lambda x, c: np.where(c, x * x, 0.0), [True, False, False]),
    "an index": (lambda x, c: x[c] ** 2, [0, 0, 1]),
    "an index of two": (lambda x, c: np.outer(x, x)[c, 1:], [0, 0, 1]),
    "positions to take": (lambda x, c: np.take(x, c) ** 2, [0, 0, 1]),
    "an operand of einsum": (lambda x, c: np.einsum("i,i->i", x, c), [1.0, 2.0, 4.0]),
    "a stack": (lambda x, c: np.stack([x, c]) ** 2, [1.0, 2.0, 4.0]),
    "a comparison": (lambda x, c: np.where(x > c, x * x, x), [0.0, 9.0, 2.0]),
}


def total(y: Any) -> Any:
    """One number, whose derivative depends on every entry of `y` and on its place."""
    return np.sin(np.sum(np.ravel(y) * np.arange(1.0, np.size(y) + 1)))


def before(use: Any, c: Any) -> Any:
    return lambda x: total(use(x, c))


@pytest.mark.parametrize("name", list(USES))
def test_a_constant_that_is_overwritten_inside_the_function(name: str) -> None:
    use, given = USES[name]

    def f(x: Any) -> Any:
        c = np.array(given)
        y = total(use(x, c))
        c[:] = c[::-1].copy()
        return y

    expected = grad(before(use, np.array(given)))(X)
    np.testing.assert_array_equal(grad(f)(X), expected)
    assert not np.array_equal(grad(before(use, np.array(given)[::-1].copy()))(X), expected), (
        "the case shows nothing"
    )


@pytest.mark.parametrize("name", list(USES))
def test_a_constant_that_is_overwritten_after_recording(name: str) -> None:
    use, given = USES[name]
    c = np.array(given)
    f = before(use, c)
    expected, push = grad(f)(X), linearize(f, X)[1]
    _, pullback = vjp(f, X)
    value, tape = record(f, X)
    c[:] = c[::-1].copy()
    np.testing.assert_array_equal(pullback(1.0)[0], expected)
    assert push(np.ones(3)) == pytest.approx(np.sum(expected), rel=1e-14)
    assert tape.replay(X) == value
    np.testing.assert_array_equal(grad(tape.replay)(X), expected)
    adjoints: list[Any] = [None] * len(tape)
    for _ in tape.sweep(tape.output or 0, np.float64(1.0), adjoints):
        pass
    np.testing.assert_array_equal(adjoints[0], expected)


@pytest.mark.parametrize("n", [3, LARGE])
def test_one_buffer_filled_again_and_again(n: int) -> None:
    """The commonest case: a loop that builds its constants in one array."""
    x = np.arange(1.0, n + 1)

    def f(x: Any) -> Any:
        buffer, y = np.zeros(n), 0.0
        for k in range(3):
            buffer[:] = 0.0
            buffer[k] = k + 1.0
            y = y + buffer @ (x * x)
        return y

    expected = np.zeros(n)
    expected[:3] = 2 * x[:3] * [1, 2, 3]
    np.testing.assert_array_equal(grad(f)(x), expected)
    np.testing.assert_array_equal(jacrev(f)(x), expected)


def test_a_kept_tape_has_its_own_inputs() -> None:
    x = X.copy()
    _, pullback = vjp(lambda x: np.sum(x**3), x)
    x[:] = 0.0
    np.testing.assert_array_equal(pullback(1.0)[0], 3 * X**2)


def test_a_nested_derivative_keeps_what_was_used() -> None:
    def f(x: Any) -> Any:
        c = np.ones(3)
        slope = grad(lambda z: np.sum(z**3 * c))(x)
        c[:] = 7.0
        return np.sum(slope)

    np.testing.assert_array_equal(grad(f)(X), 6 * X)


def test_a_large_constant_is_copied_once_while_it_stays_the_same() -> None:
    x, c = np.ones(LARGE), np.arange(1.0, LARGE + 1)

    def f(x: Any) -> Any:
        return np.sum(x * c * c + c / x)

    _, tape = record(f, x)
    kept = {id(a) for args, lines in zip(tape.args, tape.parents, strict=True) for a, j in zip(args, lines, strict=True)
            if j < 0 and type(a) is np.ndarray}  # fmt: skip
    assert len(kept) == 1
    assert id(c) not in kept
    own = _copies[id(c)][1]
    assert {id(own)} == kept
    grad(f)(x)
    assert _copies[id(c)][1] is own, "the next tape shares it"
    c[0] = np.nan
    grad(f)(x)
    own = _copies[id(c)][1]
    grad(f)(x)
    assert _copies[id(c)][1] is own, "NaN is the same as itself"
    view = np.ones(LARGE + 1)
    locked = view[1:]
    locked.flags.writeable = False  # but not the array behind it
    _, pullback = vjp(lambda x, locked=locked: np.sum(x * locked), x)
    view[:] = 5.0
    np.testing.assert_array_equal(pullback(1.0)[0], np.ones(LARGE))
    key = id(locked)
    assert key in _copies
    del locked, pullback, tape, f
    assert key not in _copies, "the copy goes with the array"


@pytest.mark.parametrize("n", [3, LARGE])
@pytest.mark.parametrize("dtype", [float, np.float32, np.longdouble])
def test_a_zero_that_changes_its_sign_is_another_constant(n: int, dtype: Any) -> None:
    """Of arctan2 the value differs by 2π."""
    c, x = np.zeros(n, dtype), np.full(n, -1.0)
    zero = record(lambda x: np.arctan2(c, x), x)[0]
    c[:] = -0.0
    minus, tape = record(lambda x: np.arctan2(c, x), x)
    np.testing.assert_allclose(zero, np.full(n, np.pi), rtol=1e-6)
    np.testing.assert_allclose(minus, np.full(n, -np.pi), rtol=1e-6)
    np.testing.assert_allclose(tape.replay(x), minus, rtol=1e-6)


def test_one_buffer_in_two_uses_with_zeros_of_two_signs() -> None:
    c = np.zeros(LARGE)

    def f(x: Any) -> Any:
        c[:] = 0.0
        y = np.arctan2(c, x)
        c[:] = -0.0
        return y - np.arctan2(c, x)

    x = np.full(LARGE, -1.0)
    _, tape = record(f, x)
    np.testing.assert_array_equal(tape.replay(x), np.full(LARGE, 2 * np.pi))


@pytest.mark.parametrize("n", [3, LARGE])
def test_a_constant_that_is_written_to_through_a_view_taken_before_it_was_locked(n: int) -> None:
    c = np.ones(n)
    view = c[:]
    c.flags.writeable = False
    _, pullback = vjp(lambda x: np.sum(x * c), np.ones(n))
    view[:] = 5.0
    np.testing.assert_array_equal(pullback(1.0)[0], np.ones(n))


def test_a_checkpoint_that_would_run_something_else_says_so() -> None:
    c = np.ones(3)

    def f(x: Any) -> Any:
        y = checkpoint(lambda x: np.sum(x * x * c))(x)
        c[0] += 1.0
        return y

    with pytest.raises(MutationError, match=r"another result.*as an argument"):
        grad(f)(X)
    random = np.random.default_rng(0)
    with pytest.raises(MutationError, match="another result"):
        grad(checkpoint(lambda x: np.sum(x * (random.random(3) < 0.5))))(
            np.array([1.0, 10.0, 100.0])
        )

    def as_argument(x: Any) -> Any:
        y = checkpoint(lambda x, c: np.sum(x * x * c))(x, c)
        c[0] += 1.0
        return y

    now = c.copy()
    np.testing.assert_array_equal(grad(as_argument)(X), 2 * X * now)
