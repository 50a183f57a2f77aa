"""`gradients` adds nodes to a static graph: source text 2's first machine, and none of its defects."""

import math
import warnings

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.systems.static_graph import (
    Graph,
    Node,
    Placeholder,
    Variable,
    gradients,
    operation,
    pending_counts,
)

# Nodes are added


def test_gradients_add_nodes_and_compute_nothing() -> None:
    with Graph() as graph:
        x = Variable(2.0, "x")
        y = np.exp(x) * x
    before = len(graph)
    dy = gradients(y, x)
    assert isinstance(dy, Node) and len(graph) > before and dy.value is None
    assert graph.run(dy) == pytest.approx(3 * math.exp(2.0))
    del dy
    assert len(graph) == before  # what nobody holds is gone


def test_example_1_as_nodes() -> None:
    with Graph() as graph:
        a, b = Placeholder((), "a"), Placeholder((), "b")
        f = a * b + np.log(a + b)
        ga, gb = gradients(f, [a, b])
        gab = gradients(ga, b)
    assert ga.expression == "b + divide_1"
    values = graph.run([ga, gb, gab], {a: 10, b: 4})
    assert values == pytest.approx([4.0714285714285712, 10.071428571428571, 1 - 1 / 196], rel=1e-15)


def test_structure_of_xs() -> None:
    with Graph() as graph:
        x, w = Variable(2.0), Variable(5.0)
        y = x * x * w
        found = gradients(y, {"x": x, "rest": (w, [x])})
    assert graph.run(found) == {"x": 20.0, "rest": (4.0, [20.0])}


def test_several_ys_are_summed() -> None:
    with Graph() as graph:
        x = Variable(2.0)
        ys = [x * x, 1 / x]
        dx = gradients(ys, x)
    assert graph.run(dx) == 3.75
    assert graph.run(gradients([ys[0], ys[0]], x)) == 8.0


def test_a_y_that_another_y_uses() -> None:
    with Graph() as graph:
        x = Variable(2.0)
        h = np.sin(x)
        dx, dh = gradients([h, h * h], [x, h])
    assert graph.run([dx, dh]) == pytest.approx(
        [math.cos(2.0) * (1 + 2 * math.sin(2.0)), 1 + 2 * math.sin(2.0)]
    )


def test_grad_ys() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y, z = x * x, 3 * x
        weight = Placeholder(name="weight")
        dx = gradients([y, z], x, grad_ys=[weight, None])
        scaled = gradients(y, x, grad_ys=np.array([1.0, 10.0]))
    feed = {x: [1.0, 2.0], weight: [5.0, 7.0]}
    assert graph.run(dx, feed).tolist() == [13.0, 31.0]
    assert graph.run(scaled, feed).tolist() == [2.0, 40.0]
    with pytest.raises(
        ShapeError, match=r"grad_ys gives multiply_1 an adjoint of shape \(2,\) .* shape \(3,\)"
    ):
        graph.run(scaled, {x: np.ones(3)})
    with pytest.raises(ShapeError, match="2 elements for 1 ys"):
        gradients(y, x, grad_ys=[1.0, 2.0])
    assert graph.run(gradients(dx, weight), feed).tolist() == [2.0, 4.0]  # the seed is followed too


def test_stop_gradients() -> None:
    with Graph() as graph:
        a = Variable(3.0)
        b = 2 * a
        total = gradients(a + b, [a, b])
        partial = gradients(a + b, [a, b], stop_gradients=[a, b])
        inner = gradients(b * b * a, a, stop_gradients=b)
    assert graph.run([total, partial, inner]) == [[3.0, 1.0], [1.0, 1.0], 36.0]


def test_unconnected() -> None:
    with Graph() as graph:
        x, w = Placeholder(name="x"), Variable([1.0, 2.0])
        y = np.sin(x)
        assert gradients(y, [w]) == [None]
        assert gradients(np.floor(x), x) is None
        zero_w, zero_x = (
            gradients(y, w, unconnected="zero"),
            gradients(np.sum(w), x, unconnected="zero"),
        )
        with pytest.raises(InputError, match="'zeros'"):
            gradients(y, w, unconnected="zeros")
    assert graph.run(zero_w).tolist() == [0.0, 0.0]
    assert graph.run(zero_x, {x: np.ones((2, 2))}).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_an_interior_x_gets_its_gradient_and_passes_it_on() -> None:
    with Graph() as graph:
        x = Variable(2.0)
        h = x * x
        dx, dh = gradients(h * h, [x, h])
    assert graph.run([dx, dh]) == [32.0, 8.0]


# Higher order


@pytest.mark.parametrize(
    "placeholder", [lambda: Placeholder((), "x"), lambda: Placeholder(name="x")]
)
def test_derivatives_of_derivatives(placeholder: object) -> None:
    with Graph() as graph:
        x = placeholder()
        node, orders = x * x * x, []
        for _ in range(4):
            orders.append(node)
            node = gradients(node, x, unconnected="zero")
        orders.append(node)
    assert graph.run(orders, {x: 3.0}) == [27.0, 27.0, 18.0, 6.0, 0.0]


def test_hessian_of_the_running_example() -> None:
    with Graph() as graph:
        x, y = Placeholder(name="x"), Placeholder(name="y")
        f = np.log(x) + x * y - np.sin(y)
        rows = [gradients(g, [x, y]) for g in gradients(f, [x, y])]
    hessian = graph.run(rows, {x: 2.0, y: 5.0})
    np.testing.assert_allclose(hessian, [[-0.25, 1], [1, -0.9589242746631385]], rtol=1e-15)


def test_tanh_to_order_four() -> None:
    with Graph() as graph:
        x = Variable(0.5)
        node = np.tanh(x)
        expected, value = np.tanh, []
        for _ in range(4):
            node, expected = gradients(node, x), ad.grad(expected)
            value.append(expected(0.5))
            assert graph.run(node) == pytest.approx(value[-1], rel=1e-12)


def test_numeric_backward_through_gradient_nodes() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        dx = gradients(np.mean(x * x * x), x)
        penalty = np.sum(dx * dx)
    at = np.array([[1.0, 2.0], [3.0, 4.0]])
    graph.run(penalty, {x: at})
    penalty.backward()
    np.testing.assert_allclose(x.grad, 4 * 9 * at**3 / 16, rtol=1e-14)


# Pending counts


def test_pending_counts_of_the_diamond() -> None:
    with Graph():
        x, w = Variable(3.0, "x"), Variable(1.0, "w")
        a, b = np.sin(x), np.exp(x)
        y = a * b + w
        # nobody uses it: TensorFlow's queue does not start here, whatever the document says
        other = np.tanh(x)
        assert other is not y
    assert pending_counts(y, x) == {"x": 2, "sin_1": 1, "exp_1": 1, "multiply_1": 1, "add_1": 0}
    assert pending_counts(a, x) == {"x": 1, "sin_1": 0}
    assert pending_counts(y, [x, w])["w"] == 1
    assert pending_counts(y, x, stop_gradients=a) == {
        "x": 1,
        "exp_1": 1,
        "multiply_1": 1,
        "add_1": 0,
    }
    assert pending_counts([y, other], x)["x"] == 3
    assert pending_counts(x * x, x) == {"x": 2, "multiply_2": 0}
    assert pending_counts(np.floor(x), x) == {}


def test_what_does_not_lead_to_x_is_never_differentiated() -> None:
    with Graph() as graph:
        x, w = Variable(2.0), Variable(-1.0)
        y = x * operation("Opaque", lambda v: v, w)  # it has no gradient, and none is asked for
        dx = gradients(y, x)
        power = gradients(w**x, w)  # log(-1) is not needed
    assert graph.run(dx) == -1.0
    assert graph.run(power) == -2.0


def test_numeric_backward_differentiates_for_no_constant() -> None:
    with Graph() as graph:
        x = Variable(-2.0)
        y = x**3.0
    graph.run(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the partial for the exponent has log(-2)
        y.backward()
    assert x.grad == 12.0
