"""Custom derivative rules, checkpoints, and stopped gradients."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    check_grads,
    checkpoint,
    custom_gradient,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    no_recording,
    record,
    stop_gradient,
    vjp,
)
from autodiff_lab.engine.errors import InputError, ShapeError, UnsupportedError
from autodiff_lab.engine.levels import open_levels

V = np.array([0.3, -0.7, 1.1])
MODES = {"rev": grad, "fwd": lambda f: lambda x: jvp(f, (x,), (1.0,))[1]}

RULES = {
    "partials": {
        "partials": (lambda y, a, b: b * np.cos(a * b), lambda y, a, b: a * np.cos(a * b))
    },
    "vjp": {"vjp": lambda g, y, a, b: (g * b * np.cos(a * b), g * a * np.cos(a * b))},
    "jvp": {"jvp": lambda t, y, a, b: np.cos(a * b) * (t[0] * b + a * t[1])},
}
RULES["vjp and jvp"] = RULES["vjp"] | RULES["jvp"]


@pytest.fixture(params=list(RULES))
def product(request: pytest.FixtureRequest) -> Any:
    """sin(a b), with a rule of its own."""

    @custom_gradient(**RULES[request.param])
    def sine_of_product(a: Any, b: Any) -> Any:
        """The sine of a product."""
        return np.sin(a * b)

    return sine_of_product


def test_a_rule_of_ones_own(product: Any) -> None:
    check_grads(product, (0.7, 1.3), order=3)
    check_grads(product, (V, V[::-1] + 1), order=3)
    check_grads(lambda x: product(x, x), (V,), order=2)
    check_grads(lambda x: product(x, 2.0) + product(3.0, x), (0.4,), order=2)
    assert product(0.5, 2.0) == np.sin(1.0)
    assert product.__name__ == "sine_of_product"
    assert product.__doc__ == "The sine of a product."


@pytest.mark.parametrize("path", list(itertools.product(MODES, repeat=3)), ids="-".join)
def test_nested_to_order_three(product: Any, path: tuple[str, ...]) -> None:
    f: Any = lambda x: product(x, x)  # noqa: E731
    for mode in path:
        f = MODES[mode](f)
    x = 0.6
    assert f(x) == pytest.approx(-12 * x * np.sin(x * x) - 8 * x**3 * np.cos(x * x), rel=1e-12)


def test_a_function_with_its_own_rule_is_one_tape_line(product: Any) -> None:
    _, tape = record(lambda a, b: product(a, b) * 2, 0.5, 2.0)
    assert [tape.expression(i) for i in range(2, len(tape))] == [
        "sine_of_product(v-1, v0)",
        "v1 * 2",
    ]
    assert tape.replay(0.25, 2.0) == 2 * np.sin(0.5)
    assert grad(tape.replay)(0.25, 2.0) == pytest.approx(4 * np.cos(0.5))


def test_jacobians_of_a_rule_of_ones_own(product: Any) -> None:
    expected = np.diag(2 * np.cos(2 * V))
    for transform in (jacfwd, jacrev):
        np.testing.assert_allclose(
            transform(lambda x: product(x, np.full(3, 2.0)))(V), expected, rtol=1e-14
        )


def test_a_rule_decides_and_not_the_function() -> None:
    clipped = custom_gradient(vjp=lambda g, y, x: np.clip(g, -1.0, 1.0))(lambda x: x)
    assert grad(lambda x: 100 * clipped(x))(2.0) == 1.0
    rounded = custom_gradient(partials=lambda y, x: 1.0)(lambda x: np.round(x))  # straight through
    assert grad(lambda x: rounded(x) * 3)(1.4) == 3.0
    assert jvp(rounded, (1.4,), (2.0,)) == (1.0, 2.0)


def test_an_array_rule_is_transposed_for_the_other_mode() -> None:
    logdet = custom_gradient(vjp=lambda g, y, a: g * np.linalg.inv(a).T)(
        lambda a: np.log(np.linalg.det(a))
    )
    a = np.array([[2.0, 0.3], [0.1, 1.5]])
    check_grads(logdet, (a,), order=3)
    half = custom_gradient(jvp=lambda t, y, x: np.cumsum(t[0]) / 2)(lambda x: np.cumsum(x) / 2)
    check_grads(half, (V,), order=2)


def test_misuse_of_custom_gradient() -> None:
    for rules in ({}, {"partials": np.cos, "vjp": np.cos}, {"partials": np.cos, "jvp": np.cos}):
        with pytest.raises(InputError, match="partials=…, or vjp=…"):
            custom_gradient(**rules)
    short = custom_gradient(vjp=lambda g, y, a, b: (g,))(lambda a, b: a * b)
    with pytest.raises(UnsupportedError, match=r"returned 1 contributions for 2 operands"):
        grad(short)(1.0, 2.0)
    with pytest.raises(UnsupportedError, match=r"returned 3 contributions for 1 operands"):
        grad(custom_gradient(vjp=lambda g, y, a: (g, g, g))(lambda a: a * 2))(1.0)
    for rule in (lambda g, y, a: [g], lambda g, y, a: list(g), lambda g, y, a: ([1.0, 2.0],)):
        listed = custom_gradient(vjp=rule)(lambda a: a)
        with pytest.raises(UnsupportedError, match=r"returned a list. Return an array"):
            grad(lambda a, listed=listed: np.sum(listed(a)))(np.array([1.0, 2.0]))


def test_a_rule_that_omits_the_broadcast_sum_is_refused() -> None:
    shifted = custom_gradient(vjp=lambda g, y, x, b: (g, g))(lambda x, b: x + b)
    np.testing.assert_array_equal(grad(lambda b: np.sum(shifted(V, b)))(V), np.ones(3))
    with pytest.raises(
        ShapeError, match=r"of shape \(2, 3\) for operand 1, which has shape \(3,\)\. Sum it over"
    ):
        grad(lambda b: np.sum(shifted(np.zeros((2, 3)), b)))(V)


# stop_gradient


@pytest.mark.parametrize("mode", list(MODES.values()))
def test_stop_gradient(mode: Any) -> None:
    assert mode(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert mode(lambda x: stop_gradient(x * x))(3.0) == 0.0
    assert mode(mode(lambda x: x**3 * stop_gradient(x)))(2.0) == 24.0
    assert mode(lambda x: stop_gradient({"a": [x, 2.0]})["a"][0] * x)(3.0) == 3.0
    np.testing.assert_array_equal(grad(lambda x: np.sum(stop_gradient(x) * x))(V), V)
    assert stop_gradient(3.0) == 3.0
    assert mode(lambda x: mode(lambda y: stop_gradient(x) * y * x)(1.0))(3.0) == 3.0


# no_recording


@pytest.mark.parametrize("mode", list(MODES.values()))
def test_no_recording(mode: Any) -> None:
    def f(x: Any) -> Any:
        with no_recording():
            with no_recording():
                scale = x * x
            scale = np.sin(scale) * x
        return scale * x + np.square(x)

    assert mode(f)(0.5) == pytest.approx(np.sin(0.25) * 0.5 + 1.0)
    assert mode(lambda x: x * mode(lambda y: f(y) * x)(0.5))(2.0) == pytest.approx(4 * mode(f)(0.5))


def test_no_recording_writes_no_line_and_gives_plain_numbers() -> None:
    kept = []

    def f(x: Any) -> Any:
        with no_recording():
            kept.append(np.sum(np.tanh(x) * 2))
        return np.sum(x * x)

    _, tape = record(f, V)
    assert len(tape) == 3
    assert kept[0] == np.sum(np.tanh(V) * 2)
    assert type(kept[0]) is np.float64
    np.testing.assert_allclose(jacfwd(f)(V), 2 * V)
    np.testing.assert_allclose(hessian(f)(V), 2 * np.eye(3))


def test_an_exception_in_no_recording_ends_the_pause() -> None:
    def f(x: Any) -> Any:
        try:
            with no_recording():
                raise ZeroDivisionError
        except ZeroDivisionError:
            return x * x

    assert grad(f)(3.0) == 6.0
    assert jvp(f, (3.0,), (1.0,))[1] == 6.0


def test_a_derivative_taken_inside_no_recording_is_a_constant() -> None:
    def f(x: Any) -> Any:
        with no_recording():
            slope = grad(lambda y: y * y * x)(x)
        return slope * x

    assert grad(f)(3.0) == 18.0
    assert jvp(f, (3.0,), (1.0,))[1] == 18.0


def test_no_recording_in_one_thread_leaves_the_others_alone() -> None:
    inside, done, wrong = threading.Event(), threading.Event(), []

    def quiet() -> None:
        with no_recording():
            inside.set()
            done.wait(5)

    def busy(x: Any) -> Any:
        thread = threading.Thread(target=quiet)
        thread.start()
        inside.wait(5)
        y = x * x
        done.set()
        thread.join()
        return y

    wrong.append(grad(busy)(3.0))
    assert wrong == [6.0]
    assert open_levels == []


# checkpoint


def layer(x: Any, w: Any) -> Any:
    for _ in range(20):
        x = np.tanh(x * w + 0.1)
    return x


@pytest.mark.parametrize(
    "path", [p for n in (1, 2, 3) for p in itertools.product(MODES, repeat=n)], ids="-".join
)
def test_checkpoint_changes_no_derivative(path: tuple[str, ...]) -> None:
    plain: Any = lambda x: layer(x, 1.2) * x  # noqa: E731
    kept: Any = lambda x: checkpoint(layer)(x, 1.2) * x  # noqa: E731
    double: Any = lambda x: checkpoint(lambda x: checkpoint(layer)(x, 1.2) * x)(x)  # noqa: E731
    for mode in path:
        plain, kept, double = (MODES[mode](f) for f in (plain, kept, double))
    assert kept(0.4) == pytest.approx(plain(0.4), rel=1e-11, abs=1e-12)
    assert double(0.4) == pytest.approx(plain(0.4), rel=1e-11, abs=1e-12)


def test_checkpoint_remembers_arguments_only() -> None:
    x = np.linspace(0, 1, 1000)
    _, long = record(lambda x: layer(layer(x, 1.2), 0.9), x)
    _, short = record(lambda x: checkpoint(layer)(checkpoint(layer)(x, 1.2), 0.9), x)
    assert len(short) == 3
    assert len(long) > 100
    assert short.nbytes < long.nbytes / 30
    assert [short.ops[i].name for i in (1, 2)] == ["layer", "layer"]
    np.testing.assert_allclose(short.replay(x / 2), long.replay(x / 2), rtol=1e-13)


def test_checkpoint_runs_the_function_again_in_the_sweep() -> None:
    runs = []
    f = checkpoint(lambda x: runs.append(1) or np.sin(x))
    _, pullback = vjp(f, V)
    assert len(runs) == 1
    pullback(np.ones(3))
    assert len(runs) == 2


def test_checkpoint_of_containers_and_of_branches() -> None:
    f = checkpoint(lambda p, x: np.sum(p["w"] @ x if x[0] > 0 else p["b"][0] * x))
    p = {"w": np.ones((2, 3)), "b": [2.0]}
    np.testing.assert_array_equal(grad(f)(p, V)["w"], np.stack([V, V]))
    assert grad(f)(p, -V)["b"][0] == pytest.approx(-np.sum(V))
    np.testing.assert_array_equal(grad(f, 1)(p, V), np.full(3, 2.0))


@pytest.mark.parametrize(
    "way", [grad, lambda f: lambda x: jvp(f, (x,), (1.0,)), lambda f: lambda x: record(f, x)]
)
def test_what_checkpoint_cannot_follow_is_an_error(way: Any) -> None:
    with pytest.raises(UnsupportedError, match=r"as an argument \(not from around it\)"):
        way(lambda x: checkpoint(lambda z: z * x)(x))(3.0)
    with pytest.raises(UnsupportedError, match=r"as an argument \(not from around it\)"):
        way(lambda x: checkpoint(lambda z: z * x)(2.0))(3.0)
    with pytest.raises(UnsupportedError, match=r"one number or array"):
        way(lambda x: checkpoint(lambda z: (z, z))(x)[0])(3.0)


def settled(turn, z):
    """Turn until nothing changes: a loop that stops by its numbers."""
    while True:
        z, before = turn(z), z
        if abs(z - before) < 1e-14:
            return z


def by_loop(g, y, x):
    """The adjoint of y = cos(x y), found by a loop of its own."""
    w = settled(lambda w: g - w * x * np.sin(x * y), g)
    return -w * y * np.sin(x * y)


def test_a_rule_that_branches_is_not_transposed():
    """Recorded at 0, its loop would stop at once, and the other mode would be wrong in silence."""

    def solve(x):
        return settled(lambda y: np.cos(x * y), 1.0)

    by_vjp = custom_gradient(vjp=by_loop)(solve)
    by_jvp = custom_gradient(jvp=lambda tangents, y, x: by_loop(tangents[0], y, x))(solve)
    slope = grad(by_vjp)(1.0)
    assert slope == pytest.approx((solve(1.0 + 1e-5) - solve(1.0 - 1e-5)) / 2e-5, rel=1e-8)
    assert jvp(by_jvp, (1.0,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)
    for call in (lambda: jvp(by_vjp, (1.0,), (1.0,)), lambda: grad(by_jvp)(1.0)):
        with pytest.raises(UnsupportedError, match=r"compares the tangent or adjoint.*both rules"):
            call()
    both = custom_gradient(vjp=by_loop, jvp=lambda tangents, y, x: by_loop(tangents[0], y, x))(
        solve
    )
    assert jvp(both, (1.0,), (1.0,))[1] == pytest.approx(grad(both)(1.0), rel=1e-12)


def test_a_rule_that_loops_without_end_at_zero_is_refused():
    def by_relative_loop(g, y, x):
        w, before = g, 0.0
        while not abs(w - before) < 1e-12 * abs(w):
            w, before = g - w * x * np.sin(x * y), w
        return -w * y * np.sin(x * y)

    solve = custom_gradient(vjp=by_relative_loop)(lambda x: settled(lambda y: np.cos(x * y), 1.0))
    with pytest.raises(UnsupportedError, match="compares"):
        jvp(solve, (1.0,), (1.0,))


@pytest.mark.parametrize(
    "factor",
    [
        lambda g, x: np.where(x > 0, 1.0, 0.2),
        lambda g, x: 2.0 if np.max(np.abs(x)) > 1 and g.shape == x.shape else 3.0,
        lambda g, x: np.maximum(np.abs(x), 0.5),
    ],
)
def test_a_rule_may_compare_operands_and_shapes(factor):
    f = custom_gradient(vjp=lambda g, y, x: factor(g, x) * g)(lambda x: 1.0 * x)
    assert jvp(f, (V,), (V,))[1] == pytest.approx(factor(V, V) * V)
    assert hessian(lambda x: np.sum(f(x) ** 2))(V).shape == (3, 3)


# Rules that are not linear

NONLINEAR: dict[str, tuple[Any, str]] = {
    "clipped": (lambda g, x: np.clip(g, -1.0, 1.0), "clip in it"),
    "clipped far out": (lambda g, x: np.clip(g, -1e12, 1e12), "clip in it"),
    "a square": (lambda g, x: g * g, "multiply in it"),
    "a power": (lambda g, x: g**3, "power in it"),
    "shifted": (lambda g, x: g + 1.0, "does not give 0 for 0"),
    "shifted a little": (lambda g, x: x * g + 1e-12, "does not give 0 for 0"),
    "normed": (lambda g, x: g / (np.sqrt(np.sum(g * g)) + 1e-30), "multiply in it"),
    "an absolute value": (lambda g, x: np.abs(g), "absolute in it"),
    "a sign": (lambda g, x: np.sign(g), "sign in it"),
    "a maximum": (lambda g, x: np.maximum(g, 0.0), "maximum in it"),
    "a remainder": (lambda g, x: g % 3.0, "remainder in it"),
    "a tanh": (lambda g, x: np.tanh(1e-9 * g), "tanh in it"),
    "over itself": (lambda g, x: x / (1.0 + g) - x, "divide in it"),
    "stopped": (lambda g, x: x * stop_gradient(g), "stop_gradient in it"),
    "the largest": (lambda g, x: x * np.sum(np.fmax(g, -g)), "fmax in it"),
}


@pytest.mark.parametrize("x", [2.0, V], ids=["number", "array"])
@pytest.mark.parametrize("name", list(NONLINEAR))
def test_a_rule_that_is_not_linear_is_not_transposed(name: str, x: Any) -> None:
    rule, why = NONLINEAR[name]
    g = 10.0 * np.ones(np.shape(x))[()]
    by_vjp = custom_gradient(vjp=lambda g, y, x: rule(g, x))(lambda x: x * 1.0)
    by_jvp = custom_gradient(jvp=lambda t, y, x: rule(t[0], x))(lambda x: x * 1.0)
    np.testing.assert_array_equal(vjp(by_vjp, x)[1](g)[0], rule(g, x))
    np.testing.assert_array_equal(jvp(by_jvp, (x,), (g,))[1], rule(g, x))
    for call in (
        lambda: jvp(by_vjp, (x,), (g,)),
        lambda: jacfwd(by_vjp)(x),
        lambda: linearize(by_vjp, x)[1](g),
        lambda: hessian(lambda x: np.sum(by_vjp(x) ** 2))(x),
        lambda: jvp(checkpoint(lambda x: 2.0 * by_vjp(x)), (x,), (g,)),
    ):
        with pytest.raises(UnsupportedError, match=rf"vjp of <lambda> is not linear.*{why}.*jvp=…"):
            call()
    for call in (lambda: vjp(by_jvp, x)[1](g), lambda: jacrev(by_jvp)(x)):
        with pytest.raises(UnsupportedError, match=rf"jvp of <lambda> is not linear.*{why}.*vjp=…"):
            call()


def test_a_pause_makes_no_constant_of_what_a_rule_is_transposed_in() -> None:
    def clipped_by_norm(g: Any, y: Any, x: Any) -> Any:
        with no_recording():
            size = np.sum(g * g)
        return g / (1.0 + size)

    f = custom_gradient(vjp=clipped_by_norm)(lambda x: x * 1.0)
    assert grad(lambda x: 3.0 * f(x))(2.0) == pytest.approx(0.3)
    with pytest.raises(UnsupportedError, match="multiply in it"):
        jvp(f, (2.0,), (1.0,))


A = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.0], [0.4, 0.1, 1.1]])

LINEAR: dict[str, Any] = {
    "sums, products and quotients": lambda g, x: (2 * g - g / x + x * -g) * np.exp(x) + 0.0,
    "matrices": lambda g, x: A.T @ np.linalg.solve(A, g) + np.einsum("ij,j->i", A, g),
    "shapes": lambda g, x: (
        np.concatenate([g[1:], g[:1]]) + np.flip(np.cumsum(g)) + np.roll(np.stack([g, g])[0], 1)
    ),
    "chosen by the operand": lambda g, x: np.where(x > 0, g, 0.1 * g),
    "sums and means": lambda g, x: (
        np.sum(g) * x + np.mean(g) - np.average(g) + np.diff(g, prepend=0.0 * x[0])
    ),
    "another pullback": lambda g, x: vjp(lambda x: np.tanh(x) * np.linalg.norm(x), x)[1](g)[0],
    "another tangent": lambda g, x: jvp(np.sin, (x,), (g,))[1],
    "eigenvectors": lambda g, x: vjp(
        lambda x: np.linalg.eigh(np.diag(x) + A + A.T)[1][:, 0] * x, x
    )[1](g)[0],
    "a convolution": lambda g, x: np.convolve(g, [1.0, 2.0, 3.0], "same"),
    "a checkpoint": lambda g, x: vjp(checkpoint(np.sin), x)[1](g)[0],
}


@pytest.mark.parametrize("name", list(LINEAR))
def test_a_linear_rule_is_transposed_in_both_ways(name: str) -> None:
    rule = LINEAR[name]
    matrix = np.stack([rule(e, V) for e in np.eye(3)], axis=1)
    by_vjp = custom_gradient(vjp=lambda g, y, x: rule(g, x))(lambda x: x * 1.0)
    by_jvp = custom_gradient(jvp=lambda t, y, x: rule(t[0], x))(lambda x: x * 1.0)
    np.testing.assert_allclose(jacfwd(by_vjp)(V), matrix.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(jacrev(by_vjp)(V), matrix.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(jacfwd(by_jvp)(V), matrix, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(jacrev(by_jvp)(V), matrix, rtol=1e-12, atol=1e-13)


def test_a_rule_may_call_a_function_with_a_rule_of_its_own_if_that_is_linear() -> None:
    def solve_by_iteration(a: Any, b: Any) -> Any:
        x = b * 0.0
        for _ in range(200):
            x, before = x + (b - a @ x) / 3.0, x
            if np.max(np.abs(x - before)) < 1e-13:  # compares, so its lines could not be transposed
                break
        return x

    iterated = custom_gradient(
        vjp=lambda g, y, a, b: (-np.outer(iterated(a.T, g), y), iterated(a.T, g))
    )(solve_by_iteration)
    np.testing.assert_allclose(jacfwd(lambda b: iterated(A, b))(V), np.linalg.inv(A), rtol=1e-9)
    np.testing.assert_allclose(jacrev(lambda b: iterated(A, b))(V), np.linalg.inv(A), rtol=1e-9)

    squashed = custom_gradient(partials=lambda y, x: 1 - y * y)(np.tanh)
    f = custom_gradient(vjp=lambda g, y, x: squashed(g))(lambda x: x * 1.0)
    with pytest.raises(UnsupportedError, match="tanh in it is not"):
        jvp(f, (2.0,), (1.0,))


def test_a_clipped_gradient_keeps_its_second_derivative_in_reverse() -> None:
    clipped = custom_gradient(vjp=lambda g, y, x: np.clip(g, -1.0, 1.0))(lambda x: x * 1.0)
    f = lambda x: np.sum(clipped(x) ** 2)  # noqa: E731
    # The outer sweep comes to the clipping rule too, with an adjoint of 2.
    np.testing.assert_array_equal(jacrev(grad(f))(V), np.diag(1.0 * (np.abs(2 * V) < 1)))
    both = custom_gradient(vjp=lambda g, y, x: np.clip(g, -1.0, 1.0), jvp=lambda t, y, x: t[0])(
        lambda x: x * 1.0
    )
    assert jvp(both, (2.0,), (10.0,)) == (2.0, 10.0)
