"""Kinks: where there is no derivative, or a formula alone would give 0 · ∞, the result follows the policy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from autodiff_lab import grad, hessian, jacfwd, jacrev, jvp, policy, vjp
from autodiff_lab.engine.errors import UnsupportedError

pytestmark = pytest.mark.filterwarnings("error")  # a guard that warns is not a guard

la = np.linalg


def forward(f: Any, x: Any) -> Any:
    return jacfwd(lambda x: np.sum(f(x)))(x)


def reverse(f: Any, x: Any) -> Any:
    return grad(lambda x: np.sum(f(x)))(x)


KINKS: dict[str, tuple[Any, Any, Any]] = {
    # name: function, point, gradient of its sum
    "abs at 0": (np.absolute, 0.0, 0.0),
    "abs at -0": (np.absolute, -0.0, 0.0),
    "fabs at 0": (np.fabs, [0.0, 1.0, -1.0], [0.0, 1.0, -1.0]),
    "maximum, a tie": (lambda x: np.maximum(x, 1.0), [0.5, 1.0, 2.0], [0.0, 0.5, 1.0]),
    "minimum, a tie": (lambda x: np.minimum(1.0, x), [0.5, 1.0, 2.0], [1.0, 0.5, 0.0]),
    "fmax, a tie": (lambda x: np.fmax(x, 1.0), [0.5, 1.0, 2.0], [0.0, 0.5, 1.0]),
    "fmin, a tie": (lambda x: np.fmin(x, 1.0), [0.5, 1.0, 2.0], [1.0, 0.5, 0.0]),
    "fmax beside NaN": (lambda x: np.fmax(x, [np.nan, 3.0]), [2.0, 2.0], [1.0, 0.0]),
    "fmin of NaN": (lambda x: np.fmin(x, 3.0), [np.nan, 2.0], [0.0, 1.0]),
    "maximum(x, x)": (lambda x: np.maximum(x, x), 2.0, 1.0),
    "max, a tie": (np.max, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    "max, all tie": (np.max, [3.0, 3.0, 3.0, 3.0], [0.25] * 4),
    "max along an axis, a tie": (
        lambda x: np.max(x, axis=1),
        [[1.0, 3.0, 3.0], [5.0, 4.0, 4.0]],
        [[0, 0.5, 0.5], [1, 0, 0]],
    ),
    "min, a tie": (np.min, [1.0, 1.0, 3.0], [0.5, 0.5, 0.0]),
    "amax, a tie": (np.amax, [3.0, 3.0], [0.5, 0.5]),
    "ptp, a tie": (np.ptp, [1.0, 1.0, 3.0], [-0.5, -0.5, 1.0]),
    "ptp of equals": (np.ptp, [2.0, 2.0], [0.0, 0.0]),
    "sort, a tie": (
        lambda x: np.sort(x) @ np.array([1.0, 10.0, 100.0]),
        [3.0, 1.0, 1.0],
        [100.0, 1.0, 10.0],
    ),
    "sort along an axis, a tie": (
        lambda x: np.sort(x, axis=0)[0],
        [[2.0, 1.0], [2.0, 5.0]],
        [[1.0, 1.0], [0.0, 0.0]],
    ),
    "median, a tie in the middle": (np.median, [1.0, 2.0, 2.0], [0.0, 0.5, 0.5]),
    "quantile, a tie": (
        lambda x: np.quantile(x, 0.75),
        [1.0, 2.0, 2.0, 0.0, 2.0],
        [0.0, 1 / 3, 1 / 3, 0.0, 1 / 3],
    ),
    "quantile between, a tie": (
        lambda x: np.quantile(x, 0.75),
        [1.0, 3.0, 2.0, 2.0],
        [0.0, 0.25, 0.375, 0.375],
    ),
    "nanmedian, a tie": (np.nanmedian, [1.0, 2.0, 2.0], [0.0, 0.5, 0.5]),
    "nanmax, a tie": (np.nanmax, [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
    "partition, a tie": (
        lambda x: np.sum(np.partition(x, 1)[1:]),
        [2.0, 1.0, 2.0],
        [1.0, 0.0, 1.0],
    ),
    "maximum.accumulate, ties": (
        lambda x: np.maximum.accumulate(x)[-1],
        [2.0, 3.0, 1.0, 3.0, 3.0],
        [0.0, 1 / 3, 0.0, 1 / 3, 1 / 3],
    ),
    "minimum.accumulate, ties": (
        lambda x: np.minimum.accumulate(x)[1:] @ np.array([1.0, 10.0, 100.0]),
        [1.0, 1.0, 2.0, 1.0],
        [5.5 + 100 / 3, 5.5 + 100 / 3, 0.0, 100 / 3],
    ),
    "median of an even number, a tie": (np.median, [1.0, 2.0, 2.0, 3.0], [0.0, 0.5, 0.5, 0.0]),
    "clip, its edges": (
        lambda x: np.clip(x, 0.0, 1.0),
        [-1.0, 0.0, 0.5, 1.0, 2.0],
        [0.0, 0.0, 1.0, 0.0, 0.0],
    ),
    "clip, the lower edge": (lambda e: np.clip(np.array([-1.0, 0.0, 0.5]), e, 1.0), 0.0, 2.0),
    "clip, the upper edge": (lambda e: np.clip(np.array([0.5, 1.0, 2.0]), 0.0, e), 1.0, 2.0),
    "norm at 0": (la.norm, [0.0, 0.0], [0.0, 0.0]),
    "norm along an axis, one at 0": (
        lambda x: la.norm(x, axis=1),
        [[0.0, 0.0], [3.0, 4.0]],
        [[0, 0], [0.6, 0.8]],
    ),
    "norm, ord 1, at 0": (lambda x: la.norm(x, 1), [0.0, -2.0], [0.0, -1.0]),
    "norm, ord 3, at 0": (lambda x: la.norm(x, 3), [0.0, 0.0], [0.0, 0.0]),
    "norm, ord inf, a tie": (lambda x: la.norm(x, np.inf), [2.0, -2.0], [0.5, -0.5]),
    "Frobenius norm at 0": (la.norm, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    "norm of a number at 0": (lambda x: la.norm(x), 0.0, 0.0),
    "std of equals": (np.std, [2.0, 2.0, 2.0], [0.0, 0.0, 0.0]),
    "std along an axis, one of equals": (
        lambda x: np.std(x, axis=0, ddof=1),
        [[1.0, 2.0], [1.0, 4.0]],
        [[0.0, -(0.5**0.5)], [0.0, 0.5**0.5]],
    ),
    "eigvalsh, equal values": (
        lambda a: la.eigvalsh((a + a.T) / 2) @ np.array([1.0, 2.0, 6.0]),
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]],
        [[1.5, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 6.0]],
    ),
    "largest of equal eigenvalues": (
        lambda a: la.eigvalsh(a)[-1],
        [[2.0, 0.0], [0.0, 2.0]],
        [[0.5, 0.0], [0.0, 0.5]],
    ),
    "eigh, values only": (
        lambda a: la.eigh(a)[0] ** 2,
        [[2.0, 0.0], [0.0, 2.0]],
        [[4.0, 0.0], [0.0, 4.0]],
    ),
    "svdvals, equal values": (
        lambda a: la.svdvals(a) @ np.array([1.0, 3.0]),
        [[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]],
        [[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]],
    ),
    "hypot at 0": (lambda x: np.hypot(x, x), 0.0, 0.0),
    "hypot, one side 0": (lambda x: np.hypot(x, 2.0), 0.0, 0.0),
    "x ** 0 at 0": (lambda x: x**0, 0.0, 0.0),
    "x ** 0 beside others": (
        lambda x: x ** np.array([0.0, 1.0, 2.0]),
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ),
    "0 ** b": (lambda b: 0.0**b, 2.0, 0.0),
    "0 ** b, an array": (lambda b: np.zeros(2) ** b, [1.0, 2.0], [0.0, 0.0]),
    "prod with one zero": (np.prod, [0.0, 2.0, 3.0], [6.0, 0.0, 0.0]),
    "prod with two zeros": (np.prod, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]),
    "prod along an axis": (
        lambda x: np.prod(x, axis=0),
        [[0.0, 2.0], [3.0, 4.0]],
        [[3.0, 4.0], [0.0, 2.0]],
    ),
    "cumprod with a zero": (np.cumprod, [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    "det, singular": (la.det, [[1.0, 2.0], [2.0, 4.0]], [[4.0, -2.0], [-2.0, 1.0]]),
    "det of zeros": (la.det, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    "det, one of a stack singular": (
        la.det,
        [[[1.0, 2.0], [2.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]],
        [[[4.0, -2.0], [-2.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]],
    ),
    "spectral norm, rank 1": (
        lambda x: la.norm(x, 2),
        [[2.0, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [0.0, 0.0]],
    ),
    "nuclear norm, rank 1": (
        lambda x: la.norm(x, "nuc"),
        [[2.0, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [0.0, 0.0]],
    ),
    "singular values at 0": (la.svdvals, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]),
    "sign at 0": (np.sign, 0.0, 0.0),
    "floor at a step": (np.floor, 2.0, 0.0),
    "round at a step": (np.round, 0.5, 0.0),
    "heaviside at 0": (lambda x: np.heaviside(x, 0.5), 0.0, 0.0),
    "the value of heaviside at 0": (
        lambda h: np.heaviside(np.array([-1.0, 0.0, 1.0]), h),
        0.5,
        1.0,
    ),
    "x // 1": (lambda x: x // 1.0, 2.0, 0.0),
    "x % 1 at a step": (lambda x: x % 1.0, 2.0, 1.0),
    "sinc at 0": (np.sinc, [0.0, 1.0], [0.0, -1.0]),
    "cbrt of a negative": (np.cbrt, -8.0, 1 / 12),
    "nan_to_num": (np.nan_to_num, [np.nan, 1.0, np.inf, -np.inf], [0.0, 1.0, 0.0, 0.0]),
    "nansum": (lambda x: np.nansum(x) ** 2, [np.nan, 3.0], [0.0, 6.0]),
    "nanmean": (np.nanmean, [np.nan, 3.0, 5.0], [0.0, 0.5, 0.5]),
    "interp at a knot": (lambda x: np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]), 1.0, 2.0),
    "interp outside": (lambda x: np.interp(x, [0.0, 1.0], [5.0, 6.0]), [-1.0, 2.0], [0.0, 0.0]),
    "interp of one point": (lambda x: np.interp(x, [1.0], [2.0]), [0.0, 1.0, 3.0], [0.0, 0.0, 0.0]),
    "interp at a jump": (
        lambda x: np.interp(x, [0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.5]),
        [0.5, 1.0],
        [1.0, 1.5],
    ),
    "interp at a jump at the end": (
        lambda x: np.interp(x, [0.0, 1.0, 1.0], [0.0, 1.0, 5.0]),
        [1.0, 1.5],
        [0.0, 0.0],
    ),
    "logaddexp far out": (lambda x: np.logaddexp(x, 0.0), [-800.0, 800.0], [0.0, 1.0]),
    "tanh far out": (np.tanh, [-800.0, 800.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("mode", [reverse, forward])
@pytest.mark.parametrize("name", list(KINKS))
def test_a_kink_has_the_stated_derivative(name: str, mode: Any) -> None:
    f, x, expected = KINKS[name]
    x = np.array(x) if isinstance(x, list) else x
    got = mode(f, x)
    assert np.shape(got) == np.shape(x)
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-15)
    assert not np.any(np.isnan(got))


@pytest.mark.parametrize(
    "knots", [[1.0], [1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 2.0]], ids=str
)
@pytest.mark.parametrize("outside", [{}, {"left": -7.0, "right": 9.0}], ids=str)
def test_interp_has_numpys_values_at_few_and_repeated_knots(
    knots: list[float], outside: Any
) -> None:
    xp, fp = np.array(knots), np.arange(3.0, 3.0 + len(knots)) ** 2
    for x in (*np.arange(-1.0, 3.5, 0.5), np.arange(-1.0, 3.5, 0.5)):
        expected = np.interp(x, xp, fp, **outside)
        seed = np.ones(np.shape(x))[()]
        for f, at in (
            (lambda x: np.interp(x, xp, fp, **outside), x),
            (lambda xp, x=x: np.interp(x, xp, fp, **outside), xp),
            (lambda fp, x=x: np.interp(x, xp, fp, **outside), fp),
        ):
            value, pullback = vjp(f, at)
            np.testing.assert_array_equal(value, expected)
            assert np.all(np.isfinite(pullback(seed)[0]))


def test_every_kink_of_the_policy_is_tested() -> None:
    first, *lines, last = policy().splitlines()
    assert first.endswith("is taken to be:")
    assert last.startswith("Second derivatives")
    assert [line[:18].strip() for line in lines] == [
        "|x|", "maximum, minimum", "sort", "clip", "norm, hypot, std", "eigvalsh, svdvals", "eigh",
        "x ** 0", "0 ** b", "steps",
    ]  # fmt: skip
    for line in lines:
        word = line.split(" ")[0].strip("|,")
        assert any(word in name.replace("abs", "x").replace("sign", "steps") for name in KINKS), (
            line
        )


@pytest.mark.parametrize(
    "name", [n for n in KINKS if "prod" in n or "det" in n or n.startswith(("sort", "max,"))]
)
def test_second_derivatives_at_a_kink_of_first_order(name: str) -> None:
    """All four nestings agree, and where the function is a polynomial they are those of the polynomial."""
    f, x, _ = KINKS[name]
    x = np.array(x)
    v, w = (
        np.cos(np.arange(x.size)).reshape(x.shape),
        np.sin(1.0 + np.arange(x.size)).reshape(x.shape),
    )

    def along(s: Any, t: Any) -> Any:
        return np.sum(f(x + s * v + t * w))

    modes = {"fwd": lambda f: lambda s: jvp(f, (s,), (1.0,))[1], "rev": grad}
    seconds = [
        modes[outer](lambda s, i=inner: modes[i](lambda t: along(s, t))(0.0))(0.0)
        for outer, inner in itertools.product(modes, repeat=2)
    ]
    np.testing.assert_allclose(seconds, seconds[0], rtol=1e-12, atol=1e-13)
    if "prod" in name or "det" in name:
        h = 1e-4
        wanted = sum(a * b * along(a * h, b * h) for a in (1, -1) for b in (1, -1)) / (4 * h * h)
        assert seconds[0] == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_a_determinants_hessian_is_right_at_a_singular_matrix() -> None:
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    expected = np.zeros((2, 2, 2, 2))
    expected[0, 0, 1, 1] = expected[1, 1, 0, 0] = 1.0
    expected[0, 1, 1, 0] = expected[1, 0, 0, 1] = -1.0
    np.testing.assert_allclose(hessian(la.det)(a), expected, atol=1e-14)
    zero = np.zeros((3, 3))
    third = jacfwd(hessian(la.det))(zero)
    assert third[0, 0, 1, 1, 2, 2] == 1.0
    assert third[0, 1, 1, 0, 2, 2] == -1.0
    np.testing.assert_array_equal(hessian(la.det)(zero), np.zeros((3, 3, 3, 3)))


def test_the_hessian_of_a_product_is_right_at_zeros() -> None:
    np.testing.assert_array_equal(
        hessian(np.prod)(np.array([0.0, 0.0, 3.0])), [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    )
    np.testing.assert_array_equal(hessian(np.prod)(np.zeros(2)), [[0, 1], [1, 0]])


def symmetric(x: Any) -> Any:
    a = x.reshape(2, 2)
    return (a + a.T) / 2


# The second derivatives of the sum of squares of a symmetrised matrix
SQUARES = np.array([[2.0, 0, 0, 0], [0, 1.0, 1.0, 0], [0, 1.0, 1.0, 0], [0, 0, 0, 2.0]])

LENGTHS: dict[str, tuple[Any, Any]] = {
    "norm": (la.norm, np.zeros(3)),
    "norm, ord 1": (lambda x: la.norm(x, 1), np.zeros(3)),
    "norm, ord 3": (lambda x: la.norm(x, 3), np.zeros(3)),
    "norm of a number": (la.norm, 0.0),
    "Frobenius norm": (la.norm, np.zeros((2, 2))),
    "nuclear norm": (lambda x: la.norm(x, "nuc"), np.zeros((2, 2))),
    "spectral norm": (lambda x: la.norm(x, 2), np.zeros((2, 2))),
    "norms of rows": (lambda x: np.sum(la.norm(x, axis=1)), np.zeros((2, 2))),
    "hypot": (lambda x: np.hypot(x[0], x[1]), np.zeros(2)),
    "std": (np.std, np.full(3, 2.0)),
    "std of columns": (lambda x: np.sum(np.std(x, axis=0, keepdims=True)), np.ones((2, 3))),
}


NESTINGS = pytest.mark.parametrize(
    "outer, inner", list(itertools.product((jacfwd, jacrev), repeat=2))
)


@pytest.mark.parametrize("name", list(LENGTHS))
@NESTINGS
def test_a_length_of_0_has_no_second_derivative(name: str, outer: Any, inner: Any) -> None:
    """The first is 0 by convention. Of the length nothing is right after that, and of its square not 0."""
    f, x = LENGTHS[name]
    np.testing.assert_array_equal(inner(f)(x), np.zeros(np.shape(x)))
    n = np.size(x)
    if name in OF_ABSOLUTE_VALUES:
        np.testing.assert_array_equal(outer(inner(f))(x), np.zeros(2 * np.shape(x)))
        return
    for function in (f, lambda x: f(x) ** 2):
        second = outer(inner(function))(x).reshape(n, n)
        assert np.all(np.isnan(np.diag(second)))


# Sums of |x|, whose second derivatives are 0 by the same convention
OF_ABSOLUTE_VALUES = {"norm, ord 1", "norm of a number"}

SMOOTH: dict[str, tuple[Any, Any, Any]] = {
    # name: a smooth function made of functions with kinks, a point where they have one, its second derivative
    "sorted squares": (lambda x: np.sum(np.sort(x) ** 2), np.ones(2), 2 * np.eye(2)),
    "sorted cubes, three equal": (
        lambda x: np.sum(np.sort(x) ** 3),
        np.array([2.0, 1.0, 2.0, 2.0]),
        np.diag([12.0, 6.0, 12.0, 12.0]),
    ),
    "sorted rows": (lambda x: np.sum(np.sort(x.reshape(2, 2), axis=0) ** 2), np.ones(4), 2 * np.eye(4)),
    "median of two": (lambda x: np.median(x) ** 2, np.ones(2), np.full((2, 2), 0.5)),
    "median of four, two equal": (
        lambda x: np.median(x) ** 2,
        np.array([1.0, 2.0, 2.0, 3.0]),
        np.array([[0, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 0]]),
    ),
    "largest and smallest of two": (lambda x: (np.max(x) + np.min(x)) ** 2, np.ones(2), np.full((2, 2), 2.0)),
    "squared norm": (lambda x: np.linalg.norm(x) ** 2, np.zeros(2), 2 * np.eye(2)),
    "squared hypot": (lambda x: np.hypot(x[0], x[1]) ** 2, np.zeros(2), 2 * np.eye(2)),
    "norm to the fourth": (lambda x: np.linalg.norm(x) ** 4, np.zeros(2), np.zeros((2, 2))),
    "norm of differences": (lambda x: np.linalg.norm(x - 1.0) ** 2, np.ones(2), 2 * np.eye(2)),
    "ord 4": (lambda x: np.linalg.norm(x, 4) ** 4, np.zeros(2), np.zeros((2, 2))),
    "variance by std": (lambda x: np.std(x) ** 2, np.ones(2), np.array([[0.5, -0.5], [-0.5, 0.5]])),
    "distances": (lambda x: np.sum(np.linalg.norm(x - x, keepdims=True) + x**2), np.ones(2), 2 * np.eye(2)),
    "singular values": (lambda x: np.sum(la.svdvals(x.reshape(2, 2)) ** 2), np.zeros(4), 2 * np.eye(4)),
    "singular values, rank 1": (
        lambda x: np.sum(la.svdvals(x.reshape(2, 2)) ** 2), np.array([2.0, 0, 0, 0]), 2 * np.eye(4)
    ),
    "equal singular values": (
        lambda x: np.sum(la.svdvals(x.reshape(2, 2)) ** 2), np.eye(2).ravel(), 2 * np.eye(4)
    ),
    "equal singular values, at a minimum": (
        lambda x: np.sum(la.svdvals(x.reshape(2, 2)) ** 4) - 2 * np.sum(la.svdvals(x.reshape(2, 2)) ** 2),
        np.eye(2).ravel(), np.array([[8, 0, 0, 0], [0, 4, 4, 0], [0, 4, 4, 0], [0, 0, 0, 8.0]])
    ),
    "equal eigenvalues": (
        lambda x: np.sum(la.eigvalsh(symmetric(x)) ** 2), np.eye(2).ravel(), SQUARES
    ),
    "equal eigenvalues of 0": (lambda x: np.sum(la.eigvalsh(symmetric(x)) ** 2), np.zeros(4), SQUARES),
    "trace": (lambda x: np.sum(la.eigvalsh(symmetric(x))), np.eye(2).ravel(), np.zeros((4, 4))),
    "product of values": (
        lambda x: np.prod(la.eigvalsh(symmetric(x))),
        np.eye(2).ravel(),
        np.array([[0, 0, 0, 1.0], [0, -0.5, -0.5, 0], [0, -0.5, -0.5, 0], [1.0, 0, 0, 0]]),
    ),
    "one matrix of two": (
        lambda x: np.sum(la.eigvalsh(np.stack([symmetric(x), np.diag([1.0, 2.0]) + symmetric(x)])) ** 2),
        np.eye(2).ravel(),
        2 * SQUARES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SMOOTH))
@NESTINGS
def test_a_second_derivative_at_a_kink_is_right_or_nan(name: str, outer: Any, inner: Any) -> None:
    f, x, expected = SMOOTH[name]
    found = outer(inner(f))(x)
    np.testing.assert_allclose(
        found, np.where(np.isnan(found), np.nan, expected), rtol=1e-12, atol=1e-12
    )
    if "sort" in name or "median" in name or "largest" in name:
        assert not np.any(np.isnan(found))


def test_a_second_derivative_beside_equal_eigenvalues_is_right() -> None:
    """What does not turn the vectors of the equal ones has derivatives."""
    a, e = np.diag([1.0, 1.0, 4.0]), np.eye(3)
    direction = np.outer(e[0], e[2]) + np.outer(e[2], e[0])
    f = lambda a: np.sum(la.eigvalsh(a) ** 3)  # noqa: E731
    by_hand = 3.0 * (direction @ a + a @ direction)
    np.testing.assert_allclose(jvp(grad(f), (a,), (direction,))[1], by_hand, atol=1e-12)


def test_a_length_beside_one_of_0_keeps_its_second_derivative() -> None:
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    expected = np.zeros((2, 2, 2, 2))
    expected[1, :, 1, :] = np.array([[16.0, -12.0], [-12.0, 9.0]]) / 125
    expected[0, :, 0, :] = np.diag([np.nan, np.nan])
    np.testing.assert_allclose(
        hessian(lambda x: np.sum(la.norm(x, axis=1)))(rows), expected, atol=1e-16
    )


def matrix_function(a: Any) -> Any:
    w, v = la.eigh(a)
    # a @ a, whose derivative exists, but not by way of vectors that are not determined
    return v @ (w * w * v).T


USING_VECTORS: dict[str, Any] = {
    "a matrix function, weighted": lambda a: matrix_function(a) * np.diag([1.0, 2.0, 4.0]),
    "the vectors": lambda a: la.eigh(a)[1] ** 3,
    "a matrix function": matrix_function,
    "one entry": lambda a: la.eigh(a)[1][0, 0],
    "a length": lambda a: la.eigh(a).eigenvectors[:, 0] ** 2,
}


@pytest.mark.parametrize("name", list(USING_VECTORS))
@pytest.mark.parametrize("mode", [reverse, forward])
def test_vectors_of_equal_eigenvalues_give_nan_and_no_number(name: str, mode: Any) -> None:
    f = USING_VECTORS[name]
    assert np.any(np.isnan(mode(f, 2 * np.eye(3))))
    assert np.any(np.isnan(mode(f, np.diag([2.0, 2.0, 5.0]))))
    assert np.all(np.isfinite(mode(f, np.diag([2.0, 3.0, 5.0]))))
    one_of_two = np.stack([np.diag([2.0, 3.0]), np.eye(2)])
    stacked = mode(lambda a: la.eigh(a)[1] ** 3, one_of_two)
    assert np.all(np.isfinite(stacked[0]))
    assert np.any(np.isnan(stacked[1]))


def test_a_simple_eigenvector_is_followed_beside_equal_ones() -> None:
    a = np.diag([1.0, 1.0, 4.0])
    direction = np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 6.0], [3.0, 6.0, 0.0]])

    def moving(s: Any) -> Any:
        return la.eigh(a + s * direction)[1][:, 2] ** 2 @ np.array([1.0, 2.0, 3.0]) + s * 0

    def by_hand(s: float) -> float:
        return float(la.eigh(a + s * direction)[1][:, 2] ** 2 @ np.array([1.0, 2.0, 3.0]))

    for at in (0.0, 0.1):
        expected = (by_hand(at + 1e-6) - by_hand(at - 1e-6)) / 2e-6
        assert grad(moving)(at) == pytest.approx(expected, abs=1e-7)
        assert jvp(moving, (at,), (1.0,))[1] == pytest.approx(expected, abs=1e-7)


def test_minus_zero_infinity_and_nan_pass_through() -> None:
    with np.errstate(all="ignore"):
        assert grad(np.sqrt)(0.0) == np.inf
        assert grad(np.log)(0.0) == np.inf
        assert np.isnan(grad(np.absolute)(np.nan))
        assert np.isnan(grad(lambda x: np.maximum(x, 1.0) * 0 + x * np.nan)(1.0))
        assert grad(np.exp)(1000.0) == np.inf


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_of_one_variable_twice(axis: int) -> None:
    weights = np.arange(6.0).reshape((2, 3) if axis == 0 else (3, 2))
    gradient = grad(lambda x: np.sum(np.stack([x, x], axis=axis) * weights))(np.ones(3))
    np.testing.assert_array_equal(gradient, weights.sum(axis=axis))


def test_power_with_a_negative_base_and_a_whole_exponent() -> None:
    assert grad(lambda x: x**3)(-1.3) == pytest.approx(3 * 1.3**2, rel=1e-15)
    assert grad(grad(lambda x: x**3))(-1.3) == pytest.approx(-6 * 1.3, rel=1e-15)
    np.testing.assert_allclose(
        grad(lambda x: np.sum(x ** np.array([0, 1, 2])))(np.array([-2.0, -2.0, -2.0])), [0, 1, -4]
    )


@pytest.mark.parametrize("x", [0.0, np.zeros(2)], ids=["number", "array"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 0.0, 2.0])
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_powers_at_zero(x: Any, n: float, mode: str) -> None:
    def derivative(f: Any, x: Any) -> Any:
        ones = np.ones(np.shape(x))[()]
        return vjp(f, x)[1](ones)[0] if mode == "reverse" else jvp(f, (x,), (ones,))[1]

    first = derivative(lambda x: x**n, x)
    second = derivative(lambda x: derivative(lambda x: x**n, x), x)
    np.testing.assert_array_equal(first, np.full(np.shape(x), float(n == 1)))
    np.testing.assert_array_equal(second, np.full(np.shape(x), 2.0 * (n == 2)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_every_derivative_of_a_whole_power_at_zero(n: int, order: int) -> None:
    def forward(f: Any) -> Any:
        return lambda x: jvp(f, (x,), (1.0,))[1]

    f: Any = lambda x: x**n  # noqa: E731
    for k in range(order):
        f = grad(f) if k % 2 else forward(f)
    assert f(0.0) == (math.factorial(n) if order == n else 0.0)


def test_zero_to_a_variable_power() -> None:
    assert grad(lambda b: 0.0**b)(2.0) == 0.0
    assert grad(lambda b: np.zeros(2)[0] ** b)(2.0) == 0.0


@pytest.mark.parametrize("rcond", [None, -1, 1e-8])
def test_lstsq_is_numpys_at_full_rank_and_else_refused(rcond: Any) -> None:
    full, b = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 0.0, 2.0])
    value, pullback = vjp(lambda a: np.linalg.lstsq(a, b, rcond=rcond)[0], full)
    np.testing.assert_allclose(value, np.linalg.lstsq(full, b, rcond=rcond)[0], rtol=1e-10)
    assert np.all(np.isfinite(pullback(np.ones(2))[0]))
    dependent = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(UnsupportedError, match="full rank"):
        vjp(lambda a: np.linalg.lstsq(a, b, rcond=rcond)[0], dependent)


def test_lstsq_does_not_ignore_a_cut_that_drops_a_column() -> None:
    nearly = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.1]])
    b = np.ones(3)
    assert np.linalg.lstsq(nearly, b, rcond=0.5)[2] == 1
    with pytest.raises(UnsupportedError, match="full rank"):
        vjp(lambda a: np.linalg.lstsq(a, b, rcond=0.5)[0], nearly)


@pytest.mark.parametrize("first,slopes", [([3.0, 3.0], [0.5, 0.5]), ([3.0, 4.0], [0.0, 1.0])])
def test_a_largest_entry_beside_a_row_of_nan(first: list[float], slopes: list[float]) -> None:
    """As many entries are the largest as there are rows, though one ties; and a row with NaN has slope NaN."""
    x = np.array([first, [np.nan, 1.0]])
    _, pullback = vjp(lambda x: np.max(x, axis=1), x)
    with np.errstate(invalid="ignore"):
        found = pullback(np.ones(2))[0]
    np.testing.assert_array_equal(found, [slopes, [np.nan, np.nan]])
