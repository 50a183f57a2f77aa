"""Whole Jacobians and Hessians: JAX's layout, one pass through the function, any structure of arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    vjp,
)
from autodiff_lab.engine.errors import InputError, ShapeError

V, M = np.array([1.0, -2.0, 3.0]), np.arange(6.0).reshape(2, 3)
ALL = pytest.mark.parametrize("transform", [jacfwd, jacrev, jacobian])


class Counted:
    """A function that counts its calls."""

    def __init__(self, f: Any) -> None:
        self.f, self.calls = f, 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.f(*args, **kwargs)


# Layout


@ALL
@pytest.mark.parametrize("result", [(), (4,), (2, 2), (0,)], ids=str)
@pytest.mark.parametrize("argument", [(), (3,), (2, 3), (0,), (1, 1)], ids=str)
def test_a_jacobian_block_has_result_axes_before_argument_axes(
    transform: Any, result: Any, argument: Any
) -> None:
    weights = np.cos(np.arange(np.prod(result + argument))).reshape(result + argument)
    axes = tuple(range(len(result), len(result + argument)))

    def f(x: Any) -> Any:
        return np.sum(weights * np.sin(x), axis=axes)

    x = np.linspace(0.1, 0.9, int(np.prod(argument))).reshape(argument)[()]
    block = transform(f)(x)
    assert np.shape(block) == result + argument
    np.testing.assert_allclose(block, weights * np.cos(x), rtol=1e-15)


@ALL
def test_nested_arguments_and_results(transform: Any) -> None:
    def f(p: Any, x: Any) -> Any:
        return {"y": p["W"] @ x + p["b"][0], "s": [np.sum(x), (x * x, 7.0)]}

    blocks = transform(f, argnums=(0, 1))({"W": M, "b": [0.5]}, V)
    assert list(blocks) == ["y", "s"]
    (by_p, by_x) = blocks["y"]
    assert np.shape(by_p["W"]) == (2, 2, 3)
    assert np.shape(by_p["b"][0]) == (2,)
    np.testing.assert_array_equal(by_x, M)
    np.testing.assert_array_equal(by_p["W"], np.einsum("ij,k->ijk", np.eye(2), V))
    np.testing.assert_array_equal(by_p["b"][0], [1.0, 1.0])
    np.testing.assert_array_equal(blocks["s"][0][1], np.ones(3))
    np.testing.assert_array_equal(blocks["s"][1][0][1], np.diag(2 * V))
    np.testing.assert_array_equal(blocks["s"][1][1][1], np.zeros(3))
    np.testing.assert_array_equal(blocks["s"][1][1][0]["W"], np.zeros((2, 3)))


@ALL
@pytest.mark.parametrize(
    "argnums,expected",
    [
        (0, 6.0),
        (-1, 2.0),
        (np.int64(1), 3.0),
        ((0, 2), (6.0, 2.0)),
        ([2, 0], (2.0, 6.0)),
        (range(3), (6.0, 3.0, 2.0)),
        ((1, 1), (3.0, 3.0)),
        ((0, -3), (6.0, 6.0)),
        ((np.int32(2),), (2.0,)),
    ],
    ids=str,
)
def test_argnums(transform: Any, argnums: Any, expected: Any) -> None:
    assert transform(lambda a, b, c: a * b * c, argnums)(1.0, 2.0, 3.0) == expected


@ALL
def test_argnums_that_ask_for_too_much(transform: Any) -> None:
    with pytest.raises(InputError, match="argnums asks for argument 5"):
        transform(lambda x: x, 5)(1.0)


@ALL
def test_keywords_and_plain_arguments_pass_through(transform: Any) -> None:
    f = lambda x, name, *, power=2, extra=None: (x * len(name)) ** power  # noqa: E731
    assert transform(f)(3.0, "four", power=3) == 3 * 16 * 9 * 4


@ALL
def test_results_are_plain_and_the_callers_own(transform: Any) -> None:
    x = V.copy()
    block = transform(lambda x: x * x)(x)
    block *= 0.0
    assert type(transform(lambda x: x * x)(2.0)) is float
    assert type(transform(transform(lambda x: x**3))(2.0)) is float
    np.testing.assert_array_equal(transform(lambda x: x * x)(x), np.diag(2 * V))
    constant = transform(lambda x: np.ones(2))(x)
    np.testing.assert_array_equal(constant, np.zeros((2, 3)))


# How often the function runs


@pytest.mark.parametrize(
    "f", [lambda x: np.sin(x) * x[::-1], lambda x: np.linalg.inv(np.outer(x, x) + np.eye(3))[0]]
)
def test_one_pass_through_the_function(f: Any) -> None:
    for transform in (jacfwd, jacrev):
        counted = Counted(f)
        transform(counted)(V)
        assert counted.calls == 1, transform
    counted = Counted(lambda x: np.sum(f(x)))
    hessian(counted)(V)
    assert counted.calls == 1
    counted = Counted(lambda x: np.sum(f(x)))
    hvp(counted, (V,), (V,))
    assert counted.calls == 1
    counted = Counted(f)
    _, push = linearize(counted, V)
    for t in np.eye(3):
        push(t)
    assert counted.calls == 1


def test_jacfwd_pushes_all_directions_in_one_batch() -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append(np.shape(x.tangent))
        y = np.tanh(x @ np.ones((3, 4))) * 2
        seen.append(np.shape(y.tangent))
        return y

    jacfwd(f)(V)
    assert seen == [(3, 3), (3, 4)]


def test_jacobian_takes_the_cheaper_mode() -> None:
    from autodiff_lab import Dual, Variable

    seen: list[type] = []
    jacobian(lambda x: seen.append(type(x)) or np.sum(x))(V)
    jacobian(lambda x: seen.append(type(x)) or np.ones(3) * x)(2.0)
    assert [t for t in seen if t in (Dual, Variable)] == [Variable, Dual]


# Second order


def rosenbrock(x: Any) -> Any:
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_every_way_to_a_hessian() -> None:
    x, v = np.array([-1.2, 1.0, 0.5]), np.array([1.0, -2.0, 0.5])
    expected = hessian(rosenbrock)(x)
    assert expected[0, 0] == pytest.approx(1200 * 1.44 - 400 + 2)
    assert expected[0, 1] == pytest.approx(480.0)
    for outer in (jacfwd, jacrev, jacobian):
        for inner in (jacfwd, jacrev, grad):
            np.testing.assert_allclose(outer(inner(rosenbrock))(x), expected, rtol=1e-13)
    np.testing.assert_allclose(hvp(rosenbrock, (x,), (v,)), expected @ v, rtol=1e-13)
    np.testing.assert_allclose(linearize(grad(rosenbrock), x)[1](v), expected @ v, rtol=1e-13)
    np.testing.assert_allclose(vjp(grad(rosenbrock), x)[1](v)[0], expected @ v, rtol=1e-13)
    np.testing.assert_allclose(
        jvp(lambda x: hvp(rosenbrock, (x,), (v,)), (x,), (v,))[1],
        (jacfwd(hessian(rosenbrock))(x) @ v) @ v,
    )


def test_the_hessian_of_several_arguments_is_a_block_matrix() -> None:
    f = lambda x, y: np.sum(x * x) * y**3  # noqa: E731
    (xx, xy), (yx, yy) = hessian(f, argnums=(0, 1))(V, 2.0)
    np.testing.assert_array_equal(xx, 16 * np.eye(3))
    np.testing.assert_array_equal(xy, 24 * V)
    np.testing.assert_array_equal(yx, 24 * V)
    assert yy == 12.0 * np.sum(V * V)
    assert hvp(f, (V, 2.0), (np.zeros(3), 1.0))[1] == yy


def test_the_hessian_of_a_dict() -> None:
    blocks = hessian(lambda p: p["a"] ** 2 * np.sum(p["b"]))({"a": 3.0, "b": V})
    assert blocks["a"]["a"] == 2 * np.sum(V)
    np.testing.assert_array_equal(blocks["a"]["b"], 6.0 * np.ones(3))
    np.testing.assert_array_equal(blocks["b"]["b"], np.zeros((3, 3)))


@pytest.mark.parametrize("transform", [hessian, lambda f: lambda x: hvp(f, (x,), (x,)), grad])
def test_a_hessian_belongs_to_one_number(transform: Any) -> None:
    with pytest.raises(ShapeError, match=r"array of shape \(3,\)"):
        transform(lambda x: x * x)(V)


# linearize, elementwise_grad


def test_the_linear_map_is_linear_and_may_be_differentiated() -> None:
    value, push = linearize(lambda p: {"y": np.sin(p["x"]) * p["w"], "c": 3.0}, {"x": V, "w": 2.0})
    np.testing.assert_array_equal(value["y"], 2 * np.sin(V))
    t = {"x": np.ones(3), "w": 0.5}
    pushed = push(t)
    np.testing.assert_allclose(pushed["y"], 2 * np.cos(V) + 0.5 * np.sin(V))
    assert pushed["c"] == 0.0
    np.testing.assert_allclose(
        grad(lambda s: np.sum(push({"x": s * t["x"], "w": s * t["w"]})["y"]))(1.0),
        np.sum(pushed["y"]),
    )
    slope = grad(lambda x: linearize(lambda z: z**3, x)[1](1.0))(2.0)
    assert slope == 12.0
    with pytest.raises(ShapeError):
        push(V)
    with pytest.raises(ShapeError):
        push()


def test_elementwise_grad() -> None:
    np.testing.assert_allclose(elementwise_grad(np.tanh)(V), 1 - np.tanh(V) ** 2)
    np.testing.assert_allclose(elementwise_grad(elementwise_grad(np.sin))(M), -np.sin(M))
    np.testing.assert_allclose(elementwise_grad(lambda a, x: a * x**2, argnums=1)(3.0, V), 6 * V)
    np.testing.assert_array_equal(elementwise_grad(lambda x, *, k: x**k)(V, k=3), 3 * V**2)
    assert elementwise_grad(np.sin)(0.0) == 1.0
    both = elementwise_grad(lambda p: {"a": p["a"] ** 2, "b": np.sin(p["b"])})({"a": V, "b": M})
    np.testing.assert_allclose(both["a"], 2 * V)
    np.testing.assert_allclose(both["b"], np.cos(M))
    by_hand = elementwise_grad(
        lambda x: np.stack([x[0] * 2, np.where(x[1] > 0, x[1], 0) ** 3, -x[2]])
    )
    np.testing.assert_array_equal(by_hand(np.array([1.0, 2.0, 3.0])), [2.0, 12.0, -1.0])


@pytest.mark.filterwarnings("ignore:divide by zero|invalid value|overflow")
def test_elementwise_grad_of_the_last_argument_passed() -> None:
    scaled = elementwise_grad(lambda x, scale=1.0: scale * x, argnums=-1)
    np.testing.assert_array_equal(scaled(V), np.ones(3))
    np.testing.assert_array_equal(scaled(V, 2 * V), V)
    with pytest.raises(InputError, match="by position"):
        elementwise_grad(np.sin)(x=V)


def test_a_direction_that_jacfwd_lends_again_is_nobodys_to_write_to() -> None:
    first = jacfwd(lambda x: x)(V)
    first[0, 0] = 7.0
    np.testing.assert_array_equal(jacfwd(lambda x: x)(V), np.eye(3))
    inside = []
    jacfwd(lambda x: inside.append(x.tangent) or x * 2)(V)
    with pytest.raises(ValueError, match="read-only"):
        inside[0][0, 0] = 7.0


def test_elementwise_grad_at_the_edges_of_the_numbers() -> None:
    far = np.array([-800.0, -745.0, -300.0, 0.0, 300.0, 709.0, 800.0, np.inf, np.nan])
    np.testing.assert_array_equal(elementwise_grad(np.exp)(far), np.exp(far))
    np.testing.assert_array_equal(elementwise_grad(np.sqrt)(np.zeros(3)), np.full(3, np.inf))
    single = np.array([1e-20, 1e19, 3.0], dtype=np.float32)
    np.testing.assert_array_equal(elementwise_grad(np.square)(single), 2 * single)
    assert elementwise_grad(np.sin)(np.zeros((0, 2))).shape == (0, 2)
    np.testing.assert_array_equal(
        elementwise_grad(elementwise_grad(lambda x: x**3))(np.arange(5000.0)), 6 * np.arange(5000.0)
    )


MIXING = {
    "cumsum": np.cumsum,
    "flip": np.flip,
    "sort": lambda x: np.sort(-x),
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x)),
    "a symmetric matrix": lambda x: (np.eye(x.size) + np.ones((x.size, x.size))) @ x,
    "one step in a long row": lambda x: np.concatenate([x[:1] + x[-1:], x[1:]]),
    "a sum": np.sum,
    "more results": lambda x: np.stack([x, x]),
    "scaled by the mean": lambda x: x * np.mean(x),
}


@pytest.mark.parametrize("name", list(MIXING))
@pytest.mark.parametrize("n", [2, 3, 64, 65, 4097])
def test_elementwise_grad_refuses_what_is_not_elementwise(name: str, n: int) -> None:
    x = np.sin(np.arange(1.0, n + 1)) if n < 1000 or "matrix" not in name else V
    with pytest.raises(ShapeError, match=r"entry by entry.*jacobian"):
        elementwise_grad(MIXING[name])(x)
    with pytest.raises(ShapeError, match="entry by entry"):
        grad(lambda x: np.sum(elementwise_grad(MIXING[name])(x)))(x)
    with pytest.raises(ShapeError):
        elementwise_grad(lambda x: x * np.ones(n))(2.0)
