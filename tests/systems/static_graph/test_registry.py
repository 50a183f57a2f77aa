"""Operations of one's own in a static graph, and how their gradients are registered."""

import math

import numpy as np
import pytest

from autodiff_lab.engine.errors import InputError, ShapeError, UnsupportedError
from autodiff_lab.systems.static_graph import (
    Graph,
    Placeholder,
    Variable,
    gradients,
    operation,
    register_gradient,
    sum_back,
)


@pytest.fixture
def rules() -> None:
    @register_gradient("Log")
    def _(op, grad):
        return grad * (1 / op.inputs[0])

    @register_gradient("NaiveSub")
    def _(op, grad):
        return grad, -grad

    @register_gradient("Sub")
    def _(op, grad):
        x, y = op.inputs
        return sum_back(grad, x), sum_back(-grad, y)


def test_log_as_in_the_document(rules: None) -> None:
    with Graph() as graph:
        x = Variable(4.0)
        y = operation("Log", np.log, x, name="y")
        first = gradients(y, x)
        second = gradients(first, x)
    assert y.name == "y"
    assert graph.run([y, first, second]) == [math.log(4.0), 0.25, -0.0625]
    y.backward()  # the rule serves numbers too
    assert x.grad == 0.25


@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((2, 3), (2, 3)), ((), (3,)), ((2, 1), (3,))])
def test_sub_with_broadcasting(rules: None, shapes: tuple) -> None:
    a, b = (np.ones(shape)[()] for shape in shapes)
    with Graph() as graph:
        x, y = Placeholder(name="x"), Placeholder(name="y")
        z = operation("Sub", np.subtract, x, y)
        gx, gy = gradients(z, [x, y])
        ggy = gradients(np.sum(gy * y), y)
    feed = {x: a, y: b}
    size = np.broadcast(a, b).size
    for g, at, sign in ((gx, a, 1), (gy, b, -1), (ggy, b, -1)):
        value = graph.run(g, feed)
        assert np.shape(value) == np.shape(at)
        np.testing.assert_array_equal(value, np.full(np.shape(at), sign * size / np.size(at)))
    graph.run(z, feed)
    z.backward()
    np.testing.assert_array_equal(y.grad, graph.run(gy, feed))


def test_the_naive_sub_fails_and_says_why(rules: None) -> None:
    message = (
        r"'NaiveSub' sends to y, an input of NaiveSub_1, an adjoint of shape \(2, 3\)"
        r".*\(3,\).*sum_back\(grad, x\)"
    )
    with Graph() as graph:
        x, y = Placeholder(name="x"), Placeholder(name="y")
        z = operation("NaiveSub", np.subtract, x, y)
        gx, gy = gradients(z, [x, y])
    shapes = {x: np.ones((2, 3)), y: np.ones(3)}
    with pytest.raises(ShapeError, match=message):
        graph.run(gy, shapes)
    assert graph.run(gx, shapes).shape == (2, 3)
    assert graph.run(gy, {x: np.ones(3), y: np.ones(3)}).tolist() == [-1, -1, -1]
    graph.run(z, shapes)
    with pytest.raises(ShapeError, match=message):
        z.backward()


def test_several_outputs_give_several_incoming_gradients() -> None:
    incoming = []

    @register_gradient("SinCos")
    def _(op, gs, gc):
        incoming.append((gs, gc))
        s, c = op.outputs
        return gs * c - gc * s

    with Graph() as graph:
        x = Placeholder(name="x")
        s, c = operation("SinCos", lambda v: (np.sin(v), np.cos(v)), x, outputs=2)
        both = gradients(s * s * c, x)
        one = gradients(c, x)  # the other output sends zero
        again = gradients(one, x)
        summed = gradients([s, c], x)
    sin, cos = math.sin(0.7), math.cos(0.7)
    assert graph.run([s, c], {x: 0.7}) == [sin, cos]
    values = graph.run([both, one, again, summed], {x: 0.7})
    assert values == pytest.approx([2 * sin * cos * cos - sin**3, -sin, -cos, cos - sin], rel=1e-14)
    assert all(len(pair) == 2 for pair in incoming)
    graph.run(c, {x: np.array([0.7, 0.1])})
    c.backward()
    np.testing.assert_allclose(x.grad, [-sin, -math.sin(0.1)])


def test_errors_of_the_registry() -> None:
    with Graph():
        x = Variable(1.0, "x")
        y = operation("NoRule", np.sin, x)
        with pytest.raises(
            UnsupportedError,
            match=r"NoRule_1 is an operation 'NoRule'.*@register_gradient\('NoRule'\)",
        ):
            gradients(y, x)
        register_gradient("TooMany")(lambda op, g: (g, g))
        with pytest.raises(
            UnsupportedError, match=r"'TooMany' returned 2 gradients for the 1 inputs of TooMany_1"
        ):
            gradients(operation("TooMany", np.sin, x), x)
        with pytest.raises(InputError, match="'log' is already the name of an operation"):
            operation("log", np.log, x)
    with pytest.raises(
        InputError, match="'log' is an operation of the engine, which already has its rule"
    ):
        register_gradient("log")
    register_gradient("Nothing")(lambda op, g: None)
    with Graph():
        x = Variable(1.0)
        assert gradients(operation("Nothing", np.sin, x), x) is None
