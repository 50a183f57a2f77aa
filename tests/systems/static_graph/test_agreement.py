"""The gradients that are added to a static graph, and its backward pass, agree with the engine's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_lab as ad
from autodiff_lab.systems.static_graph import Constant, Graph, Placeholder, Variable, gradients

# Shapes are decided when the graph is run


@pytest.mark.parametrize(
    "shapes", [((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 4)), ((), (2, 2)), ((4,), (4,))]
)
@pytest.mark.parametrize(
    "combine",
    [
        lambda a, b: a - b,
        lambda a, b: a / b,
        lambda a, b: a**b,
        lambda a, b: a * b * a * 2.0,
        np.hypot,
        np.maximum,
    ],
)
def test_broadcast_operands_and_second_derivatives(shapes: tuple, combine: object) -> None:
    rng = np.random.default_rng(1)
    a_at, b_at = (rng.uniform(1, 2, size=shape)[()] for shape in shapes)
    with Graph() as graph:
        a, b = Placeholder(name="a"), Placeholder(name="b")
        y = np.sum(np.sin(combine(a, b)))
        first = gradients(y, [a, b])
        second = gradients([np.sum(g * g) for g in first], [a, b])

    def f(a, b):
        return np.sum(np.sin(combine(a, b)))

    def squares(a, b):
        return sum(np.sum(g * g) for g in ad.grad(f, argnums=(0, 1))(a, b))

    feed = {a: a_at, b: b_at}
    for nodes, reference in ((first, f), (second, squares)):
        for found, expected in zip(
            graph.run(nodes, feed), ad.grad(reference, argnums=(0, 1))(a_at, b_at), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-10)
            assert np.shape(found) == np.shape(expected)


def test_maps_of_arrays() -> None:
    rng = np.random.default_rng(2)
    at = rng.normal(size=(3, 3)) + 4 * np.eye(3)

    def f(m):
        return (
            np.sum(np.linalg.inv(m) @ m[0])
            + np.log(np.linalg.det(m))
            + np.sum(m.T[1:] ** 2)
            + np.max(m)
        )

    with Graph() as graph:
        m = Placeholder((3, 3), "m")
        y = f(m)
        dm = gradients(y, m)
        ddm = gradients(np.sum(dm * dm), m)
    np.testing.assert_allclose(graph.run(dm, {m: at}), ad.grad(f)(at), rtol=1e-10)
    second = ad.grad(lambda m: np.sum(ad.grad(f)(m) ** 2))(at)
    np.testing.assert_allclose(graph.run(ddm, {m: at}), second, rtol=1e-8)


def test_a_scalar_graph_has_no_sum_back() -> None:
    with Graph() as graph:
        x, y = Variable(1.0), Placeholder((), "y")
        found = gradients(np.sin(x / y) ** y, [x, y])
        assert len(found) == 2
        assert not [node.name for node in graph.nodes if "sum_back" in node.name]


# One table: the static graph and the engine agree

VARIABLES = st.sampled_from(["x", "y", 2, 0.5, -1.5])
UNARY = [
    np.sin,
    np.cos,
    np.tanh,
    np.exp,
    lambda v: np.log(1 + v * v),
    lambda v: v**3,
    lambda v: np.sqrt(v * v + 1),
]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: np.where(a > b, a * b, b - a),
    lambda a, b: np.maximum(a, b),
]


def extended(inner: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(st.integers(0, len(UNARY) - 1), inner) | st.tuples(
        st.integers(0, len(BINARY) - 1), inner, inner
    )


EXPRESSIONS = st.recursive(VARIABLES, extended, max_leaves=10)


def evaluated(tree: object, names: dict) -> object:
    if isinstance(tree, tuple):
        number, *operands = tree
        values = [evaluated(operand, names) for operand in operands]
        return (UNARY if len(values) == 1 else BINARY)[number](*values)
    return names.get(tree, tree) if isinstance(tree, str) else tree


@settings(max_examples=60, deadline=None)
@given(
    EXPRESSIONS,
    st.floats(-1.5, 1.5),
    st.floats(-1.5, 1.5),
    st.booleans(),
    st.sampled_from([(), None]),
)
def test_random_expressions_agree_with_the_engine(
    tree: object, x_at: float, y_at: float, flatten: bool, shape: tuple | None
) -> None:
    def f(x: object, y: object) -> object:
        return np.tanh(evaluated(tree, {"x": x, "y": y})) + 0 * x * y

    with Graph(flatten) as graph:
        x, y = Placeholder(shape, "x"), Placeholder(shape, "y")
        z = f(x, y)
        nodes = gradients(z, [x, y])
        mixed = gradients(nodes[0], y, unconnected="zero")
    feed = {x: x_at, y: y_at}
    with np.errstate(all="ignore"):
        value, expected = ad.value_and_grad(f, argnums=(0, 1))(x_at, y_at)
        second = ad.grad(lambda y: ad.grad(f)(x_at, y))(y_at)
        if not np.all(np.isfinite([value, *expected, second])):
            return
        assert graph.run(z, feed) == value
        z.backward()
        assert [x.grad, y.grad] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert graph.run(nodes, feed) == pytest.approx(list(expected), rel=1e-9, abs=1e-12)
        assert graph.jacobian(z, [x, y], feed)[0].tolist() == pytest.approx(
            expected, rel=1e-9, abs=1e-12
        )
        assert graph.run(mixed, feed) == pytest.approx(second, rel=1e-7, abs=1e-9)


def test_a_gradient_that_is_a_number_is_a_constant() -> None:
    with Graph() as graph:
        x, y = Variable(1.0), Variable(2.0)
        dx = gradients(x + y, x)
    assert isinstance(dx, Constant) and graph.run(dx) == 1.0
    assert gradients(x, x).value == 1.0
    assert gradients(dx, x) is None  # no x leads to a constant
    assert graph.run(gradients(dx, x, unconnected="zero")) == 0.0
