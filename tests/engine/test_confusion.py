"""Perturbation confusion: levels stay apart. The names are those of the threads in which others met it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from autodiff_lab import checkpoint, grad, jacfwd, jacrev, jvp, linearize, record, vjp
from autodiff_lab.engine.errors import LeakError

MODES = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
}
CLOSED = {  # what these differentiate must be an argument, not a variable from around
    "checkpoint": lambda f, x: grad(checkpoint(f))(x),
    "replay": lambda f, x: grad(record(f, x)[1].replay)(x),
}
EVERY = MODES | {
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "jacrev": lambda f, x: jacrev(f)(x),
    "linearize": lambda f, x: linearize(f, x)[1](1.0),
}


PAIRS = pytest.mark.parametrize("outer,inner", list(itertools.product(["grad", "jvp"], repeat=2)))


@pytest.mark.parametrize("outer", list(EVERY))
@pytest.mark.parametrize("inner", list(EVERY))
def test_the_seven_nested_cases_through_every_transformation(outer: str, inner: str) -> None:
    out, inn = EVERY[outer], EVERY[inner]
    assert out(lambda x: x * inn(lambda y: x + y, 1.0), 1.0) == 1.0
    assert out(lambda x: x * inn(lambda y: x * y, 1.0), 4.0) == 8.0
    assert out(lambda x: x * inn(lambda y: x * y * y, 2.0), 3.0) == 24.0
    assert out(lambda x: inn(np.sin, x), 0.8) == pytest.approx(-np.sin(0.8), rel=1e-15)
    assert out(lambda x: inn(lambda y: inn(lambda z: z * z * z, y), x), 2.0) == 6.0
    assert out(lambda x: inn(lambda y: x * x * y * y * y, 2.0), 3.0) == 72.0
    assert out(lambda x: inn(lambda y: y * y, 3.0), 5.0) == 0.0


@pytest.mark.parametrize("outer", list(EVERY))
@pytest.mark.parametrize("inner", list(CLOSED))
def test_checkpoints_and_replays_inside_a_derivative(outer: str, inner: str) -> None:
    out, inn = EVERY[outer], CLOSED[inner]
    assert out(lambda x: x * inn(lambda y: y * y, x), 3.0) == 12.0
    assert out(lambda x: x * inn(lambda y: y**3, x), 2.0) == 36.0
    assert out(lambda x: grad(lambda y: inn(lambda z: z**3, y) * x)(x), 2.0) == 24.0


@PAIRS
def test_forwarddiff_83(outer: str, inner: str) -> None:
    out, inn = MODES[outer], MODES[inner]
    assert out(lambda x: x * inn(lambda y: x + y, 1.0), 1.0) == 1.0
    assert out(lambda x: x * inn(lambda y: x * y, 1.0), 4.0) == 8.0  # ReverseDiff 45
    assert out(lambda x: x * inn(lambda y: y**2, 1.0), 1.0) == 2.0
    assert out(lambda x: x / inn(lambda y: y**3, 1.0), 1.0) == pytest.approx(1 / 3)
    v = np.array([3.0, 4.0])
    if outer == "grad":  # sum(v) |v| has the gradient |v| + sum(v) v / |v|
        got = grad(lambda v: np.sum(v) * inn(lambda y: y * np.sqrt(np.sum(v * v)), 1.0))(v)
        np.testing.assert_allclose(got, 5 + 7 * v / 5)


@PAIRS
def test_forwarddiff_238_lagrangian(outer: str, inner: str) -> None:
    mass = 2.0

    def lagrangian(q: Any, w: Any) -> Any:
        return mass / 2 * (w @ w) * q[0] - mass * 9.8 * q[1]

    q, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])

    def momentum(q: Any) -> Any:
        if inner == "grad":
            return grad(lambda w: lagrangian(q, w))(w)
        return np.stack([jvp(lambda w: lagrangian(q, w), (w,), (e,))[1] for e in np.eye(2)])

    if outer == "jvp":
        columns = np.stack([jvp(momentum, (q,), (e,))[1] for e in np.eye(2)])
    else:
        pullback = vjp(momentum, q)[1]
        columns = np.stack([pullback(e)[0] for e in np.eye(2)]).T
    np.testing.assert_allclose(columns, [mass * w, [0.0, 0.0]])


@PAIRS
def test_forwarddiff_313_one_class_on_both_levels(outer: str, inner: str) -> None:
    """A tag made from the type of the function would be the same on both levels."""

    class Confuse:
        def __init__(self, first: bool, x: Any) -> None:
            self.first, self.x = first, x

        def __call__(self, y: Any) -> Any:
            return y * MODES[inner](Confuse(False, y), 1.0) if self.first else self.x + y

    assert MODES[outer](Confuse(True, 0.0), 1.0) == 1.0


@PAIRS
def test_forwarddiff_443_a_perturbation_that_escapes(outer: str, inner: str) -> None:
    """Whatever an inner derivative leaves behind raises; it never counts as a constant, or as someone else's."""
    out, inn = MODES[outer], MODES[inner]

    def mutated(x: Any) -> Any:  # ForwardDiff2 37
        state = x

        def f(y: Any) -> Any:
            nonlocal state
            state = y * state
            return state

        inn(f, 1.0)
        return inn(f, 1.0)

    def kept(x: Any) -> Any:
        box: list[Any] = []
        inn(lambda y: box.append(y) or y * x, 1.0)
        return box[0] * x

    def kept_and_returned(x: Any) -> Any:
        box: list[Any] = []
        inn(lambda y: box.append(x * y) or y, 1.0)
        return box[0]

    def curried(x: Any) -> Any:
        box: list[Any] = []
        inn(lambda y: box.append(lambda z: x * y * z) or y, 1.0)
        return inn(box[0], 2.0)

    for program in (mutated, kept, kept_and_returned, curried):
        with pytest.raises(LeakError, match=r"already ended"):
            out(program, 2.0)


@PAIRS
def test_a_function_valued_derivative_is_refused(outer: str, inner: str) -> None:
    """The shift operator of Manzyuk et al., whose derivative at 0 is itself a function."""
    from autodiff_lab.engine.errors import InputError, ShapeError

    def shift(u: Any) -> Any:
        return lambda f: lambda x: f(x + u)

    with pytest.raises((InputError, ShapeError)):
        MODES[outer](shift, 0.0)
    twice = MODES[outer](
        lambda u: MODES[inner](lambda v: shift(u)(shift(v)(np.sin))(0.3), 0.0), 0.0
    )
    assert twice == pytest.approx(-np.sin(0.3))


@PAIRS
def test_siblings_do_not_share_a_level(outer: str, inner: str) -> None:
    out, inn = MODES[outer], MODES[inner]
    assert out(
        lambda x: inn(lambda y: x * y, 2.0) * inn(lambda y: y**2 * x, 3.0), 5.0
    ) == pytest.approx(60.0)
    assert out(lambda x: inn(lambda y: inn(lambda z: x * y * z, 1.0) * y, x), 5.0) == pytest.approx(
        20.0
    )


@PAIRS
def test_the_inner_result_does_not_depend_on_the_outer_input(outer: str, inner: str) -> None:
    assert MODES[outer](lambda x: MODES[inner](lambda y: y * y, 3.0), 5.0) == 0.0
    assert MODES[outer](lambda x: MODES[inner](lambda y: x * x, 3.0), 5.0) == 0.0


def test_derivative_with_respect_to_a_cotangent_and_a_tangent() -> None:
    for mode in MODES.values():
        _, pullback = vjp(np.sin, 0.3)
        assert mode(lambda c, p=pullback: p(c)[0], 2.0) == pytest.approx(np.cos(0.3))
        assert mode(lambda t: jvp(np.sin, (0.3,), (t,))[1], 2.0) == pytest.approx(np.cos(0.3))
        assert mode(lambda x: vjp(np.sin, x)[1](x)[0], 0.3) == pytest.approx(
            np.cos(0.3) - 0.3 * np.sin(0.3)
        )
        assert mode(lambda x: jvp(np.sin, (x,), (x,))[1], 0.3) == pytest.approx(
            np.cos(0.3) - 0.3 * np.sin(0.3)
        )


def test_record_inside_a_derivative() -> None:
    for mode in MODES.values():

        def f(x: Any) -> Any:
            value, tape = record(lambda y: x * y, 3.0)
            assert "np.float64(" not in str(tape)
            return value * x

        assert mode(f, 2.0) == pytest.approx(12.0)
