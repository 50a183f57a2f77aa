"""Graphs are objects: one default graph per block, thread and task; branches; drawings."""

import asyncio
import math
import threading
import warnings

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import (
    InputError,
    ShapeError,
)
from autodiff_lab.figures.graph.render import render
from autodiff_lab.systems import static_graph
from autodiff_lab.systems.static_graph import (
    Constant,
    Graph,
    Placeholder,
    Variable,
    cond,
    gradients,
)

# Graphs are objects


def test_there_is_no_graph_of_the_process() -> None:
    with pytest.raises(InputError, match=r"no graph here for this variable.*with Graph"):
        Variable(1.0)
    graph = Graph()
    x = Variable(2.0, graph=graph)
    assert graph.run(x * x) == 4.0  # what is built on a node goes into its graph
    with Graph() as outer:
        with Graph() as inner:
            b = Variable(1.0)
        a = Variable(1.0)
    assert a.graph is outer and b.graph is inner
    with pytest.raises(
        InputError, match="variable_1 was an operand of add, but belongs to another graph"
    ):
        _ = a + b
    with pytest.raises(InputError, match="variable_1 was asked for, but belongs to another graph"):
        outer.run(b)
    with pytest.raises(InputError, match="another graph"):
        gradients(a * a, b)


def test_threads_and_tasks_have_their_own_default_graph() -> None:
    found = {}

    def in_thread() -> None:
        try:
            Variable(1.0)
        except InputError as error:
            found["thread"] = str(error)
        with Graph() as mine:
            found["own"] = Variable(1.0).graph is mine

    async def task(wait: float) -> bool:
        with Graph() as mine:
            await asyncio.sleep(wait)
            return Variable(1.0).graph is mine

    async def both() -> list[bool]:
        return await asyncio.gather(task(0.01), task(0.0), task(0.005))

    with Graph():
        thread = threading.Thread(target=in_thread)
        thread.start()
        thread.join()
    assert "no graph here" in found["thread"] and found["own"]
    assert asyncio.run(both()) == [True, True, True]


def test_many_threads_build_one_graph() -> None:
    graph = Graph()
    held: list[list[Variable]] = [[] for _ in range(8)]
    threads = [
        threading.Thread(
            target=lambda mine=mine: mine.extend(Variable(1.0, graph=graph) for _ in range(200))
        )
        for mine in held
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({node.name for node in graph.nodes}) == len(graph) == 1600


# What can be built


@pytest.mark.parametrize(
    "given",
    [3, 3.0, np.float32(3), np.array(3), np.array([3, 4]), [3.0, 4.0], np.array([True]), True],
)
def test_what_a_constant_can_be(given: object) -> None:
    with Graph() as graph:
        c = Constant(given)
        y = c * Variable(2.0)
    np.testing.assert_array_equal(c.value, given)
    np.testing.assert_array_equal(graph.run(y), np.multiply(given, 2.0))
    assert c.shape == np.shape(given)


@pytest.mark.parametrize("kind", ["elementwise", "flat", "comparison"])
def test_the_whole_table_of_ufuncs_can_be_built(kind: str) -> None:
    rows = {
        key: op for key, op in static_graph.functions.TABLE.items() if isinstance(key, np.ufunc)
    }
    tried = 0
    for ufunc, op in rows.items():
        takes_floats = any(types.startswith("d" * ufunc.nin) for types in ufunc.types)
        if op.kind != kind or not takes_floats:
            continue
        at = [1.3, 1.7][: ufunc.nin] if ufunc is np.arccosh else [0.3, 0.7][: ufunc.nin]
        with Graph() as graph:
            xs = [Placeholder(name=f"x{k}") for k in range(ufunc.nin)]
            y = ufunc(*xs)
            built = getattr(static_graph, op.name)(*xs)
        feed = dict(zip(xs, at, strict=True))
        assert graph.run([y, built], feed) == [ufunc(*at)] * 2
        if kind == "elementwise":
            expected = ad.grad(lambda *x, ufunc=ufunc: ufunc(*x), argnums=tuple(range(len(at))))(
                *at
            )
            graph.backward_from(y)
            assert [x.grad for x in xs] == pytest.approx(expected, rel=1e-14)
            assert graph.run(gradients(y, xs, unconnected="zero"), feed) == pytest.approx(
                expected, rel=1e-14
            )
        tried += 1
    assert tried > {"elementwise": 40, "flat": 4, "comparison": 8}[kind]


# Control flow


def test_cond_holds_both_branches_and_computes_one() -> None:
    seen = []
    with Graph() as graph:
        x, other = Placeholder(name="x"), Placeholder(name="other")
        branch = static_graph.operation("Seen", lambda v: seen.append(v) or v, np.log(x))
        y = cond(x > 0, branch * x, other * 3) + x
    assert {"log_1", "Seen_1", "other"} <= {node.name for node in graph.nodes}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # log(-2) is not computed
        assert graph.run(y, {x: -2.0, other: 5.0}) == 13.0
    assert not seen
    y.backward()
    assert (x.grad, other.grad, branch.grad) == (1.0, 3.0, None)
    assert graph.run(y, {x: 2.0}) == math.log(2.0) * 2.0 + 2.0  # `other` need not be fed


def test_gradients_of_cond_take_the_branch_that_was_taken() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y = cond(x > 0, np.log(x) * x, cond(x < -5, x, 3 * x * x)) + x
        dy = gradients(y, x)
        ddy = gradients(dy, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graph.run([dy, ddy], {x: 2.0}) == pytest.approx([math.log(2.0) + 2, 0.5])
        assert graph.run([dy, ddy], {x: 0.0}) == [1.0, 6.0]
        assert graph.run([dy, ddy], {x: -1.0}) == [-5.0, 6.0]
        assert graph.run([dy, ddy], {x: -6.0}) == [2.0, 0.0]


def test_cond_needs_one_yes_or_no() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y = cond(x > 0, x, -x)
        z = np.where(x > 0, x, -x)
    with pytest.raises(ShapeError, match=r"cond_1 needs a single condition.*np\.where"):
        graph.run(y, {x: [1.0, -2.0]})
    assert graph.run(z, {x: [1.0, -2.0]}).tolist() == [1.0, 2.0]
    z.backward()
    assert x.grad.tolist() == [1.0, -1.0]
    with Graph() as graph:
        assert graph.run(np.where(np.array([True, False]), Variable(1.0), 5.0)).tolist() == [
            1.0,
            5.0,
        ]


# Drawn like everything else


def test_drawing_before_and_after_a_run() -> None:
    with Graph() as graph:
        a, b = Placeholder((), name="a"), Placeholder((), name="b")
        f = a * b + np.log(a + b)
    before = graph.draw(f)
    assert before.source.count("not computed yet</b>") == 6
    graph.run(f, {a: 10.0, b: 4.0})
    f.backward()
    after = graph.draw(f)
    for text in ("42.6391", "4.0714", "10.0714", "1 / add_1 = 0.0714", "a = 10"):
        assert text in after.source
    assert "not computed yet" not in after.source
    assert (
        after.description.startswith("Nodes: a = placeholder = 10")
        and "a: 4.0714" in after.description
    )
    assert render(after, "png")[:4] == b"\x89PNG"
    graph.run(f, {a: 1.0, b: 1.0})
    assert "4.0714" not in graph.draw(f).source  # adjoints of another run are not shown


def test_drawing_gradient_nodes_batches_and_big_graphs() -> None:
    with Graph() as graph:
        x = Placeholder(name="x")
        y = np.sum(np.sin(x) * x * 2.0)
        dy = gradients(y, x)
        both = graph.draw(y, dy)
        assert (
            "sum_back" not in both.source and "sum_pullback" in both.source and "cos" in both.source
        )
        assert "cos" not in graph.draw(y).source.replace("cos x", "")
        graph.run([y, dy], {x: np.ones((2, 3))})
        assert "(2, 3)" in graph.draw().source
        for _ in range(100):
            y = np.sin(y)
    assert render(graph.draw(y), "png")[:4] == b"\x89PNG"
    with pytest.raises(InputError, match="not a node"):
        graph.draw("y")
    assert "rankdir=TB" in graph.draw(dy, direction="TB").source
