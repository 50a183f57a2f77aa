"""check_grads is itself checked: it must find wrong rules, and say which mode and which order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import CheckError, check_grads, policy
from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.errors import AutodiffError, InputError
from autodiff_lab.engine.primitives import Op


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a row for np.sinh into the table for one test; the table does not have to have one."""

    def put(partial: Any, kind: str = "elementwise") -> None:
        monkeypatch.setitem(TABLE, np.sinh, Op("sinh", np.sinh, kind, (partial,)))

    return put


def _plain(x: Any) -> Any:
    while hasattr(x, "value"):
        x = x.value
    return x


def test_a_right_rule_passes(rule: Any) -> None:
    rule(lambda y, x: np.sqrt(1 + y * y))
    check_grads(np.sinh, (0.3,), order=2)
    check_grads(np.sinh, (np.array([0.3, -1.0]),), order=3)


@pytest.mark.parametrize("mode,name", [("fwd", "forward"), ("rev", "reverse")])
def test_a_wrong_rule_is_found(rule: Any, mode: str, name: str) -> None:
    rule(lambda y, x: y)
    with pytest.raises(
        CheckError, match=rf"{name} mode, order 1, argument 0: .*relative error .*the rule is wrong"
    ):
        check_grads(np.sinh, (0.3,), order=2, modes=(mode,))


@pytest.mark.parametrize(
    "modes", [("fwd",), ("rev",), ("fwd", "rev"), ("rev", "fwd")], ids="-".join
)
def test_a_rule_that_loses_its_own_derivative_fails_at_order_2(
    rule: Any, modes: tuple[str, ...]
) -> None:
    rule(lambda y, x: float(np.cosh(_plain(x))))
    check_grads(np.sinh, (0.3,), order=1, modes=modes)
    with pytest.raises(CheckError, match="order 2"):
        check_grads(np.sinh, (0.3,), order=2, modes=modes)


def test_a_rule_that_is_nearly_right_is_found(rule: Any) -> None:
    rule(lambda y, x: np.sqrt(1 + y * y) * (1 + 1e-4))
    with pytest.raises(CheckError):
        check_grads(np.sinh, (0.3,), order=1)


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9, 1e-100, 1e9])
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_wrong_rule_of_a_small_function_is_found(rule: Any, size: float, mode: str) -> None:
    """The error is relative to the slope, not to 1."""
    f = lambda x: np.sum(size * np.sinh(x))  # noqa: E731
    rule(lambda y, x: np.sqrt(1 + y * y))
    check_grads(f, (X,), order=3, modes=(mode, "rev"))
    rule(lambda y, x: np.sqrt(1 + y * y) * (1 + 1e-4))
    with pytest.raises(
        CheckError, match=r"order 1, argument 0: .*relative error (5\.0e-05|1\.0e-04)"
    ):
        check_grads(f, (X,), order=1, modes=(mode, "rev"))


def test_a_slope_wrong_by_a_millionth_beside_one_is_found(rule: Any) -> None:
    rule(lambda y, x: -np.sqrt(1 + y * y))
    with pytest.raises(CheckError, match=r"relative error 2\.0e\+00"):
        check_grads(lambda x: 1.0 + 1e-6 * np.sinh(x), (0.3,), order=1)


def softmax(x: Any) -> Any:
    e = np.exp(x)
    return e / np.sum(e)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "f,x",
    [
        (lambda x: x**3, 0.0),
        (lambda x: 1e-6 * x**3, 0.0),
        (np.cos, 0.0),
        (lambda x: np.cos(x) ** 2 + np.sin(x) ** 2, 0.7),
        (lambda x: 1e-6 * (np.cos(x) ** 2 + np.sin(x) ** 2), 0.7),
        (lambda x: np.sum(softmax(x)), np.arange(5.0)),
        (lambda x: np.log(np.sum(softmax(x))), np.arange(5.0)),
        (lambda x: np.exp(-x * x), 6.0),
        (np.tanh, 20.0),
        (lambda x: 1e-8 * (x @ x), np.arange(4.0)),
    ],
)
def test_what_the_quotient_cannot_tell_from_nothing_is_forgiven(f: Any, x: Any, seed: int) -> None:
    """Slopes that are 0, or far below the rounding of the values they belong to."""
    check_grads(f, (x,), order=3, seed=seed)


def test_the_argument_that_is_blamed_is_the_one_that_differs(rule: Any) -> None:
    """Of an argument whose slope is 0 the quotient is rounding, all of it; that is no reason to blame it."""
    rule(lambda y, x: -np.sqrt(1 + y * y))
    with pytest.raises(CheckError, match="argument 1: "):
        check_grads(lambda a, b: np.sum(softmax(a)) + np.sinh(b), (np.arange(5.0), 0.3), order=1)


X, W = np.array([0.4, -0.7, 1.2]), np.array([[0.3, 1.1, -0.2], [0.8, -0.5, 0.9]])

BUGS: dict[str, tuple[Any, Any, Any, tuple[Any, ...], str]] = {
    # name: key of the row, its rule number k and what is put there, program, point, argument blamed
    "wrong sign": (
        np.sin,
        (0, lambda y, x: -np.cos(x)),
        lambda a, b: np.sum(np.sin(a) * b),
        (X, X + 1),
        "argument 0",
    ),
    "lost factor": (
        np.square,
        (0, lambda y, x: x),
        lambda a, b: a @ np.square(b),
        (X, X),
        "argument 1",
    ),
    "double factor": (
        np.exp,
        (0, lambda y, x: 2 * y),
        lambda a, b: a + np.exp(b),
        (X, X),
        "argument 1",
    ),
    "wrong argument": (np.arctan2, (0, lambda y, a, b: a), np.arctan2, (X, X + 1), "argument 0"),
    "in some entries": (
        np.tanh,
        (0, lambda y, x: 1 - y * abs(y)),
        lambda a, b: np.tanh(a) - b,
        (X, X),
        "argument 0",
    ),
    "in a leaf": (
        np.cos,
        (0, lambda y, x: np.sin(x)),
        lambda p: p["u"] @ np.cos(p["v"][0]),
        ({"u": X, "v": [X]},),
        "argument 0['v'][0]",
    ),
}


@pytest.mark.parametrize("name", list(BUGS))
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_an_injected_bug_is_found_and_its_argument_named(
    name: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, (k, rule), f, args, blamed = BUGS[name]
    right = TABLE[key]
    check_grads(f, args, order=2, modes=(mode,))
    rules = (*right.rules[:k], rule, *right.rules[k + 1 :])
    monkeypatch.setattr(right, "rules", rules)
    monkeypatch.setattr(right, "partials", rules)
    with pytest.raises(CheckError) as error:
        check_grads(f, args, order=2, modes=(mode,))
    assert f"{'forward' if mode == 'fwd' else 'reverse'} mode, order 1, {blamed}: " in str(
        error.value
    )


def test_a_missing_sum_over_broadcast_axes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bias of a layer, whose adjoint must be summed over the rows."""
    from autodiff_lab.engine import fast_sweep

    f = lambda w, b: np.sum(np.sin(w + b))  # noqa: E731
    check_grads(f, (W, X), order=1)
    right = fast_sweep.unbroadcast
    monkeypatch.setattr(
        fast_sweep, "unbroadcast", lambda g, x: g[0] if np.ndim(g) > np.ndim(x) else right(g, x)
    )
    check_grads(f, (W, X), order=1, modes=("fwd",))
    with pytest.raises(CheckError, match=r"reverse mode, order 1, argument 1: "):
        check_grads(f, (W, X), order=1)


def test_an_adjoint_that_keeps_the_shape_of_the_batch_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Multiplied by the direction it would broadcast, and the right number come out."""
    keeps = Op(
        "hypot", np.hypot, "general", (lambda g, y, a, b: g * a / y, lambda g, y, a, b: g * b / y)
    )
    monkeypatch.setitem(TABLE, np.hypot, keeps)
    check_grads(np.hypot, (X, X + 1), order=1, modes=("rev",))
    with pytest.raises(CheckError, match=r"shape \(2, 3\), and \(3,\) is needed.*has to sum"):
        check_grads(lambda b: np.hypot(W, b), (X,), order=1, modes=("rev",))


@pytest.mark.parametrize(
    "rows", [np.sum, np.prod, np.max, np.linalg.solve, np.einsum, np.concatenate]
)
def test_a_wrong_rule_of_any_kind_is_found(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    op, square = (
        TABLE[{np.einsum: "einsum", np.concatenate: "concatenate"}.get(rows, rows)],
        W[:, :2],
    )
    calls = {
        np.linalg.solve: lambda a: np.linalg.solve(a, X[:2]),
        np.einsum: lambda a: np.einsum("ij,ij->i", a, W[:, :2]),
        np.concatenate: lambda a: np.concatenate([a, a * a]),
    }
    f = calls.get(rows, rows)
    check_grads(f, (square,), order=2)
    wrong = tuple(
        lambda *args, rule=rule, **static: rule(*args, **static) * 1.01 for rule in op.rules
    )
    monkeypatch.setattr(op, "rules", wrong)
    with pytest.raises(CheckError, match="argument 0"):
        check_grads(f, (square,), order=1, modes=("rev",))


def test_the_message_has_the_ladder_of_relative_errors(rule: Any) -> None:
    rule(lambda y, x: y)
    with pytest.raises(CheckError) as error:
        check_grads(np.sinh, (0.3,), order=1)
    for rung in (
        "Above 1e-2 the rule is wrong",
        "around 1e-4 look for a kink",
        "below 1e-7 it is right",
    ):
        assert rung in str(error.value)


def test_nan_is_not_agreement(rule: Any) -> None:
    rule(lambda y, x: np.nan * x)
    with pytest.raises(CheckError):
        check_grads(np.sinh, (0.3,), order=1)


def test_one_wrong_operand_of_several_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        TABLE,
        np.hypot,
        Op("hypot", np.hypot, "elementwise", (lambda y, a, b: a / y, lambda y, a, b: a / y)),
    )
    check_grads(lambda a: np.hypot(a, 2.0), (1.0,), order=1)
    with pytest.raises(CheckError):
        check_grads(np.hypot, (1.0, 2.0), order=1)


def test_a_wrong_transpose_is_found_in_reverse_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, np.flip, Op("flip", np.flip, "linear", (lambda g, y, x: g,)))
    x = np.array([1.0, 2.0, 3.0])
    check_grads(np.flip, (x,), order=1, modes=("fwd",))
    with pytest.raises(CheckError, match="reverse"):
        check_grads(np.flip, (x,), order=1, modes=("rev",))


@pytest.mark.parametrize(
    "f,args",
    [
        (
            lambda p: p["w"] @ p["x"] + p["b"][0],
            ({"w": np.ones((2, 2)), "x": np.ones(2), "b": [0.5]},),
        ),
        (lambda x: {"a": np.sin(x), "b": [x, x * x]}, (0.3,)),
        (lambda x, y: (x * y, x), (1, 2)),
        (lambda x: 3.0, (1.0,)),
        (lambda x: np.sum(x), (np.zeros((0,)),)),
        (np.sin, [0.3]),
    ],
)
def test_what_may_be_checked(f: Any, args: Any) -> None:
    check_grads(f, args, order=2)


def test_a_kink_nearby_is_named() -> None:
    with pytest.raises(CheckError, match="kink"):
        check_grads(np.absolute, (1e-7,), order=1)


def test_misuse() -> None:
    with pytest.raises(InputError, match=r"check_grads\(f, \(x,\)\)"):
        check_grads(np.sin, 0.3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'fwd', 'rev' or both"):
        check_grads(np.sin, (0.3,), modes=("forward",))
    with pytest.raises(InputError, match="'fwd', 'rev' or both"):
        check_grads(np.sin, (0.3,), modes=())
    assert issubclass(CheckError, AutodiffError)
    assert issubclass(CheckError, AssertionError)


def test_one_mode_as_a_string_is_not_taken_letter_by_letter() -> None:
    with pytest.raises(InputError, match="modes"):
        check_grads(np.sin, (0.3,), modes="fwd")


def test_the_same_seed_gives_the_same_directions(rule: Any) -> None:
    rule(lambda y, x: y)
    messages = []
    for seed in (0, 0, 1):
        with pytest.raises(CheckError) as error:
            check_grads(np.sinh, (np.array([0.3, 0.4]),), order=1, seed=seed)
        messages.append(str(error.value))
    assert messages[0] == messages[1] != messages[2]


def test_a_message_is_in_plain_numbers(rule: Any) -> None:
    rule(lambda y, x: y)
    with pytest.raises(CheckError) as error:
        check_grads(np.sinh, (np.float64(0.3),), order=1)
    assert "np." not in str(error.value)


def test_nan_that_is_left_out_hides_no_rounding_error() -> None:
    """The third derivative of a product of two is 0, and a difference quotient of it is rounding alone."""
    hole = np.array([False, True, False])
    check_grads(
        lambda x: np.nanprod(np.where(hole, np.nan, x)), (np.array([2.1, -0.4, -1.7]),), order=3
    )


# The policy that is printed is the policy that holds


TIED = np.array([1.0, 1.0, 0.0])


def test_policy() -> None:
    from autodiff_lab import grad, jvp

    text = policy()
    assert "|x|" in text
    assert "tie is split evenly" in text
    derivative = [lambda f, x: grad(f)(x), lambda f, x: jvp(f, (x,), (1.0,))[1]]
    for d in derivative:
        assert d(np.absolute, 0.0) == 0.0
        assert d(lambda x: np.maximum(x, 1.0), 1.0) == 0.5
        assert d(lambda x: np.minimum(1.0, x), 1.0) == 0.5
        assert d(lambda x: x**0, 0.0) == 0.0
        assert d(lambda b: 0.0**b, 2.0) == 0.0
        assert d(np.sign, 0.0) == 0.0
        assert d(lambda x: x * (x > 0), 0.0) == 0.0
        for middle in (np.median, lambda x: np.quantile(x, 0.5), lambda x: np.percentile(x, 50.0)):
            of_entry = [
                d(lambda t, e=e, middle=middle: middle(TIED + t * e), 0.0) for e in np.eye(3)
            ]
            assert of_entry == [0.5, 0.5, 0.0]
    assert "quantile" in text
    array = np.array([1.0, -1.0, 0.0])
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(np.maximum(x, 0.0)))(array), [1.0, 0.0, 0.5]
    )
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.absolute(x)))(array), [1.0, -1.0, 0.0])
    np.testing.assert_array_equal(grad(lambda x: np.sum(x ** np.zeros(3)))(array), np.zeros(3))
