"""Tapes within tapes: higher derivatives, whole matrices; and weights, containers and types."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_lab as ad
from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant

from .tapes import plain

# Higher order, and whole matrices


def test_third_derivative_by_three_tapes() -> None:
    x = Variable(0.7)
    with GradientTape() as outer:
        with GradientTape() as middle:
            with GradientTape() as inner:
                y = np.sin(x) * x
            first = inner.gradient(y, x)
        second = middle.gradient(first, x)
    third = outer.gradient(second, x)
    s, c = math.sin(0.7), math.cos(0.7)
    assert plain([first, second, third]) == pytest.approx(
        [c * 0.7 + s, 2 * c - 0.7 * s, -3 * s - 0.7 * c], rel=1e-14
    )


def test_mixed_partials_agree() -> None:
    x, y = Variable(2.0), Variable(5.0)

    def mixed(first: Variable, second: Variable) -> float:
        with GradientTape() as outer:
            with GradientTape() as inner:
                z = np.log(x) + x * y**2 - np.sin(x * y)
            g = inner.gradient(z, first)
        return outer.gradient(g, second).numpy()

    expected = 2 * 5 - math.cos(10) + 10 * math.sin(10)
    assert mixed(x, y) == pytest.approx(expected, rel=1e-13)
    assert mixed(y, x) == pytest.approx(expected, rel=1e-13)


def test_the_function_of_the_first_document() -> None:
    x, y = Variable(2.0), Variable(5.0)
    with GradientTape() as outer:
        with GradientTape() as tape:
            z = np.log(x) + x * y - np.sin(y)
        gradient = np.stack(tape.gradient(z, [x, y]))
    rows = outer.jacobian(gradient, [x, y])
    assert plain(gradient) == [5.5, 1.7163378145367738]
    assert plain(rows) == [[-0.25, 1.0], [1.0, -0.9589242746631385]]


def test_inner_derivative_is_kept_apart_from_outer() -> None:
    """d/dx (x · d/dy (x + y)) is 1, and 2 where the two are confused."""
    x = Variable(1.0)
    with GradientTape() as outer:
        y = Variable(1.0)
        with GradientTape() as inner:
            z = x + y
        w = x * inner.gradient(z, y)
    assert plain(outer.gradient(w, x)) == 1.0


def test_jacobian_of_an_array_function() -> None:
    x, w = Variable([1.0, 2.0]), Variable(3.0)
    with GradientTape(persistent=True) as tape:
        y = np.stack([x[0] * x[1] * w, np.sin(x[0]), x[1] ** 2])
    blocks = tape.jacobian(y, {"x": x, "w": w})
    assert blocks["x"].numpy() == pytest.approx(
        np.array([[6, 3], [math.cos(1), 0], [0, 4]]), abs=1e-15
    )
    assert plain(blocks["w"]) == [2.0, 0.0, 0.0]
    unused = Variable(np.zeros((2, 2)))
    assert tape.jacobian(y, unused) is None
    assert tape.jacobian(y, unused, unconnected_gradients="zero").shape == (3, 2, 2)


def test_jacobian_shapes_and_a_tape_that_is_not_persistent() -> None:
    a, b = Variable(np.arange(6.0).reshape(2, 3)), Variable(np.ones((3, 2)))
    with GradientTape() as tape:
        y = a @ b
    of_a, of_b = tape.jacobian(y, (a, b))
    assert (of_a.shape, of_b.shape) == ((2, 2, 2, 3), (2, 2, 3, 2))
    with GradientTape() as tape:
        y = np.sum(a) * a[:0]
    assert tape.jacobian(y, a).shape == (0, 3, 2, 3)


def test_hessian_and_hvp_agree_with_the_gradients_jacobian() -> None:
    start, v = np.array([-1.2, 1.0, 0.5]), np.array([1.0, -2.0, 0.5])

    def rosenbrock(x: Any) -> Any:
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    x = Variable(start)
    with GradientTape(persistent=True) as outer:
        with GradientTape() as inner:
            y = rosenbrock(x)
        g = inner.gradient(y, x)
        along = np.sum(g * v)
    expected = ad.hessian(rosenbrock)(start)
    assert g.numpy() == pytest.approx(ad.grad(rosenbrock)(start), rel=1e-13)
    assert outer.jacobian(g, x).numpy() == pytest.approx(expected, rel=1e-13)
    assert outer.gradient(along, x).numpy() == pytest.approx(expected @ v, rel=1e-13)
    assert outer.gradient(g, x, output_gradients=v).numpy() == pytest.approx(
        expected @ v, rel=1e-13
    )


def test_bias_of_a_layer() -> None:
    rng = np.random.default_rng(1)
    data, w, b = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=2)
    parameters = {"w": Variable(w), "b": Variable(b)}

    def loss(p: Any) -> Any:
        return np.mean(np.tanh(data @ p["w"] + p["b"]) ** 2)

    with GradientTape() as tape:
        y = loss(parameters)
    gradient, expected = tape.gradient(y, parameters), ad.grad(loss)({"w": w, "b": b})
    assert gradient["b"].shape == (2,)
    for key in parameters:
        assert gradient[key].numpy() == pytest.approx(expected[key], rel=1e-14)


@given(
    st.lists(
        st.sampled_from(["+", "-", "*", "sin", "exp", "square", "max"]), min_size=1, max_size=12
    ),
    st.data(),
)
def test_the_same_as_the_engine(operations: list[str], data: st.DataObject) -> None:
    """Any program of a few operations: same value, same gradient, same second derivative."""
    picks = [data.draw(st.tuples(st.integers(0, 20), st.integers(0, 20))) for _ in operations]

    def program(x: Any, y: Any) -> Any:
        values = [x, y]
        for name, (i, j) in zip(operations, picks, strict=True):
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(
                {
                    "+": lambda a=a, b=b: a + b,
                    "-": lambda a=a, b=b: a - b,
                    "*": lambda a=a, b=b: 0.1 * a * b,
                    "sin": lambda a=a: np.sin(a),
                    "exp": lambda a=a: np.exp(np.sin(a)),
                    "square": lambda a=a: np.cos(a) ** 2,
                    "max": lambda a=a, b=b: np.maximum(a, b),
                }[name]()
            )
        return values[-1] * x + y

    x, y = Variable(0.3), Variable(-0.7)
    with GradientTape() as outer:
        with GradientTape() as inner:
            z = program(x, y)
        gx, gy = inner.gradient(z, [x, y], unconnected_gradients="zero")
    second = outer.gradient(gx, x, unconnected_gradients="zero")
    value, (ex, ey) = ad.value_and_grad(program, argnums=(0, 1))(0.3, -0.7)
    assert z.numpy() == value
    assert (gx.numpy(), gy.numpy()) == pytest.approx((ex, ey), rel=1e-11, abs=1e-11)
    assert second.numpy() == pytest.approx(ad.grad(ad.grad(program))(0.3, -0.7), rel=1e-9, abs=1e-9)


def test_a_derivative_of_the_engine_inside_a_tape() -> None:
    x = Variable(2.0)
    with GradientTape() as tape:
        y = ad.grad(lambda a: np.sin(a) * a)(x)
    assert plain(tape.gradient(y, x)) == pytest.approx(2 * math.cos(2) - 2 * math.sin(2), rel=1e-14)


# Weights, containers, types


def test_output_gradients() -> None:
    x = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y, z = x**2, np.sum(x)
    assert plain(tape.gradient(y, x, output_gradients=np.array([10.0, 1.0]))) == [20.0, 4.0]
    assert plain(tape.gradient([y, z], x, output_gradients=[constant([1.0, 0.0]), None])) == [
        3.0,
        1.0,
    ]
    assert plain(tape.gradient({"z": z, "y": y}, x, output_gradients={"y": x, "z": 0.0})) == [
        2.0,
        8.0,
    ]


def test_nested_sources() -> None:
    net = {"layers": [{"w": Variable(2.0), "b": Variable(1.0)}, (Variable(3.0), Variable(4.0))]}
    first, (w, b) = net["layers"]
    with GradientTape() as tape:
        y = w * (first["w"] * 5.0 + first["b"]) + b
    assert plain(tape.gradient(y, net)) == {"layers": [{"w": 15.0, "b": 3.0}, (11.0, 1.0)]}


def test_single_precision_stays() -> None:
    x = Variable(np.array([1.0, 2.0], np.float32))
    with GradientTape() as tape:
        y = np.mean(np.tanh(x) ** 2)
    gradient = tape.gradient(y, x)
    assert (y.dtype, gradient.dtype) == (np.float32, np.float32)


def test_a_variable_or_a_source_as_target() -> None:
    x, c = Variable([1.0, 2.0]), constant(1.0)
    with GradientTape(persistent=True) as tape:
        x * c
    assert plain(tape.gradient(x, x)) == [1.0, 1.0]
    assert tape.gradient(c, c) is None


def test_many_ways_of_plain_numpy() -> None:
    x = Variable(np.array([0.5, 1.5]))
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])

    def f(x: Any) -> Any:
        parts = [
            matrix @ x,
            np.float64(2) * x,
            matrix[0] - x,
            x.sum() * x,
            np.where(x > 1, x**2, x),
            x.T.reshape(2),
        ]
        return np.sum(np.concatenate(parts)) + x.mean() + x[0] + np.linalg.norm(x)

    with GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, x).numpy() == pytest.approx(ad.grad(f)(x.numpy()), rel=1e-14)
