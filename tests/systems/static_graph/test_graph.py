"""A static graph: the interfaces and numbers of source text 1, and none of its defects."""

import gc
import math
import warnings

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import (
    InputError,
    MutationError,
    UnsupportedError,
)
from autodiff_lab.systems import static_graph
from autodiff_lab.systems.static_graph import (
    Constant,
    Graph,
    Operator,
    Placeholder,
    Variable,
    gradients,
)

# The three examples of the document


def test_example_1_value_and_gradient() -> None:
    with Graph() as graph:
        a, b = Placeholder(name="a"), Placeholder(name="b")
        f = a * b + np.log(a + b)
    # the document prints 46.63906, 4 too much
    assert graph.run(f, {a: 10, b: 4}) == 42.639057329615255
    f.backward()
    assert a.grad == pytest.approx(4.0714285714285712, rel=1e-15)
    assert b.grad == pytest.approx(10.071428571428571, rel=1e-15)


def test_example_2_jacobian() -> None:
    with Graph() as graph:
        x1, x2 = Variable(1.0, "x1"), Variable(2.0, "x2")
        d = x1 - x2
        ys = [x1 + x2 + static_graph.log(x1), x1 / x2 + d * d]  # d * d: the same operand twice
    assert graph.jacobian(ys, [x1, x2]).tolist() == [[2, 1], [-1.5, 1.75]]


def test_example_3_descent() -> None:
    with Graph() as graph:
        x = Variable(1.0, name="x")
        f = np.log((x - 7) ** 2 + 10)
        second = gradients(gradients(f, x), x)
    # not convex, whatever the document says
    assert graph.run(second) == pytest.approx(-0.0245747, abs=1e-7)
    for _ in range(300):
        graph.run(f)
        f.backward()
        x.value -= 0.5 * x.grad
    assert x.value == pytest.approx(7, abs=1e-8)
    assert graph.run(f) == pytest.approx(math.log(10), rel=1e-14)


# Building computes nothing


def test_building_computes_nothing() -> None:
    calls = []
    with Graph() as graph:
        x = Variable(2.0, name="x")
        y = static_graph.operation("Watched", lambda v: calls.append(v) or v, x) + np.log(x) / 0.0
    assert y.value is None and "not computed yet" in repr(y) and not calls
    with np.errstate(all="ignore"):
        graph.run(y)
    assert calls == [2.0]
    with graph:
        total = x + 2 + Constant(3.0, "three")
    assert total.expression == "x + 2 + three"
    assert repr(y) == "<Operator add_1 = Watched_1 + divide_1: inf>"


def test_kinds_of_node() -> None:
    with Graph() as graph:
        c, v, p = Constant(3), Variable(2), Placeholder()
        y = c * v * p
    assert [type(node) for node in graph.nodes] == [Constant, Variable, Placeholder, Operator]
    assert [node.name for node in graph.nodes] == [
        "constant_1",
        "variable_1",
        "placeholder_1",
        "multiply_2",
    ]
    assert graph.run(y, {p: 5}) == 30.0
    assert c.value == 3
    with pytest.raises(MutationError, match="constant_1 is a Constant"):
        c.value = 4
    with pytest.raises(UnsupportedError, match="constant_1 is a Constant and has no gradient"):
        _ = c.grad
    v.assign(4)
    assert v.value == 4.0 and y.value is None  # what was computed belonged to the old value
    assert graph.run(y, {p: 5}) == 60.0


def test_a_constant_array_is_read_only_and_its_own() -> None:
    given = np.array([1.0, 2.0])
    with Graph() as graph:
        c = Constant(given)
    given[0] = 7.0
    assert graph.run(c).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        c.value[0] = 5.0


def test_names_are_unique_and_deterministic() -> None:
    def names() -> list[str]:
        with Graph() as graph:
            x, again, z = Variable(1.0, "x"), Variable(2.0, "x"), Variable(3.0, "add_1")
            held = [x + again, static_graph.add(x, z, name="total"), np.sin(x), np.sin(z)]
            assert len(held) == 4
            return [node.name for node in graph.nodes]

    assert names() == names() == ["x", "x_1", "add_1", "add_2", "total", "sin_1", "sin_2"]


def test_functions_build_from_numbers_too() -> None:
    with Graph() as graph:
        y = static_graph.exp(3.0, name="y")
        z = static_graph.sub(static_graph.add(1, 2, 3), static_graph.mul(2, static_graph.div(1, 4)))
    assert y.name == "y" and y.value is None
    assert graph.run({"y": y, "z": (z,)}) == {"y": math.exp(3.0), "z": (5.5,)}
    with pytest.raises(AttributeError):
        _ = static_graph.no_such_function


# The way back


def test_every_function_that_evaluates_also_differentiates() -> None:
    with Graph() as graph:
        x = Variable(0.5)
        y = static_graph.sin(x) * static_graph.cos(x) + static_graph.tanh(x)
    graph.run(y)
    y.backward()
    assert x.grad == pytest.approx(math.cos(1.0) + 1 - math.tanh(0.5) ** 2, rel=1e-14)


def test_jacobian_of_an_interior_node() -> None:
    with Graph() as graph:
        x = Variable(2.0)
        h = np.exp(x)
        y = h * h
    assert graph.jacobian([h, y], x).tolist() == [[7.38905609893065], [2 * 7.38905609893065**2]]
    assert graph.jacobian(y, h).tolist() == [[2 * 7.38905609893065]]
    graph.run(y)
    graph.backward_from(h)
    assert x.grad == 7.38905609893065


def test_jacobian_runs_with_what_is_fed() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y = x * x
    assert [graph.jacobian(y, x, {x: at}).item() for at in (1, 2)] == [2.0, 4.0]
    assert graph.jacobian(y, x).item() == 4.0  # the last run
    assert x.grad is None  # a Jacobian leaves the adjoints of the nodes alone


def test_several_outputs_are_summed_with_a_warning() -> None:
    with Graph() as graph:
        x1, x2 = Variable(1.0, "x1"), Variable(2.0, "x2")
        f1, f2 = x1 + x2, x1 - x2
    graph.run([f1, f2])
    with pytest.warns(
        UserWarning, match=r"2 outputs, add_1, subtract_1.*sums.*add_1\.backward\(\).*jacobian"
    ) as told:
        graph.backward()
    assert told[0].filename == __file__
    assert (x1.grad, x2.grad) == (2.0, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f1.backward()
        assert (x1.grad, x2.grad) == (1.0, 1.0)
        f2.backward()
        assert (x1.grad, x2.grad) == (1.0, -1.0)
        assert graph.jacobian([f1, f2], [x1, x2]).tolist() == [[1, 1], [1, -1]]
        graph.run(f1)  # f2 is not part of this run
        graph.backward()
    assert (x1.grad, x2.grad) == (1.0, 1.0)


def test_a_second_backward_starts_from_nothing() -> None:
    with Graph() as graph:
        x, unused = Variable(3.0), Variable(1.0)
        y = x * x
    graph.run(y)
    for _ in range(3):
        graph.backward()
        assert x.grad == 6.0  # the document doubles it
    assert unused.grad is None  # nothing has arrived, which is not 0
    graph.zero_grad()
    assert x.grad is None
    graph.backward_from(y, seed=10)
    assert x.grad == 60.0


def test_degrees_are_not_consumed() -> None:
    with Graph() as graph:
        x = Variable(3.0, "x")
        y = np.sin(x) * np.exp(x)
    first, second = list(graph.forward_steps(y)), list(graph.forward_steps(y))
    assert first == second
    assert list(graph.backward_steps()) == list(graph.backward_steps())


def test_steps_show_queue_and_counters_and_agree_with_backward() -> None:
    with Graph() as graph:
        x = Variable(3.0, "x")
        y = np.sin(x) - x
    steps = list(graph.forward_steps(y))
    assert steps[0] == (None, ("x",), {"x": 0, "sin_1": 1, "subtract_1": 2})
    assert steps[1] == ("x", ("sin_1",), {"x": 0, "sin_1": 0, "subtract_1": 1})
    assert [step.node for step in steps] == [None, "x", "sin_1", "subtract_1"]
    assert y.value == math.sin(3.0) - 3.0
    assert [tuple(step) for step in graph.backward_steps()] == [
        (None, ("subtract_1",), {"x": 2, "sin_1": 1, "subtract_1": 0}),
        ("subtract_1", ("sin_1",), {"x": 1, "sin_1": 0, "subtract_1": 0}),
        ("sin_1", ("x",), {"x": 0, "sin_1": 0, "subtract_1": 0}),
        ("x", (), {"x": 0, "sin_1": 0, "subtract_1": 0}),
    ]
    assert x.grad == math.cos(3.0) - 1


def test_only_what_is_needed_is_computed_and_must_be_fed() -> None:
    with Graph() as graph:
        x, y = Placeholder(name="x"), Placeholder(name="y")
        f, g = x * 2, y * 3
    assert graph.run(f, {x: 1}) == 2.0
    assert g.value is None
    with pytest.raises(
        InputError, match=r"y is a Placeholder and was not fed, and multiply_2 needs it"
    ):
        graph.run([f, g], {x: 1})
    assert f.value == 2.0  # a run that fails leaves the last one as it was


def test_a_batch_goes_through_the_same_graph() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y = np.sin(x) * x
    count = len(graph)
    assert graph.run(y, {x: 2.0}) == math.sin(2.0) * 2.0
    batch = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert graph.run(y, {x: batch}).tolist() == (np.sin(batch) * batch).tolist()
    batch[:] = -1.0  # the run has its own copy
    y.backward()
    at = np.arange(1.0, 6.0)
    assert x.grad.tolist() == pytest.approx((np.sin(at) + np.cos(at) * at).tolist())
    assert graph.run(y, {x: [0, 0]}).tolist() == [0.0, 0.0]
    assert len(graph) == count


def test_sums_means_and_products_of_arrays() -> None:
    rng = np.random.default_rng(0)
    x_at, w_at, b_at = rng.normal(size=(5, 3)), rng.normal(size=3), 0.3
    with Graph() as graph:
        x, w, b = Placeholder((None, 3), "x"), Variable(w_at, "w"), Variable(b_at, "b")
        loss = np.mean((x @ w + b) ** 2) + np.sum(np.abs(w)) + w[1:].sum() + np.stack([w, w]).mean()
    value, expected = ad.value_and_grad(
        lambda w, b: (
            np.mean((x_at @ w + b) ** 2) + np.sum(np.abs(w)) + w[1:].sum() + np.stack([w, w]).mean()
        ),
        argnums=(0, 1),
    )(w_at, b_at)
    assert graph.run(loss, {x: x_at}) == pytest.approx(value, rel=1e-14)
    loss.backward()
    np.testing.assert_allclose(w.grad, expected[0], rtol=1e-13)
    assert b.grad == pytest.approx(expected[1], rel=1e-13)
    assert not isinstance(b.grad, np.ndarray)


def test_ten_thousand_nodes_in_a_chain() -> None:
    with Graph() as graph:
        x = Variable(0.5)
        y = x
        for _ in range(5000):
            y = np.sin(y) + x
    assert len(graph) == 10001
    graph.run(y)
    y.backward()

    def chain(x):
        y = x
        for _ in range(5000):
            y = np.sin(y) + x
        return y

    assert x.grad == pytest.approx(ad.grad(chain)(0.5), rel=1e-12)
    dy = gradients(y, x)
    assert graph.run(dy) == pytest.approx(x.grad, rel=1e-12)
    del y, dy
    gc.collect()
    assert len(graph) == 1


def test_a_long_sum_is_one_node() -> None:
    with Graph() as graph:
        x = Variable(0.5)
        total = x
        for _ in range(10_000):
            total = total + x
    assert len(graph) == 2
    graph.run(total)
    total.backward()
    assert x.grad == 10_001.0
