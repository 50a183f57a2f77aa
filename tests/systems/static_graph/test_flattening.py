"""A sum of n terms is one node with n operands, and no node that somebody holds is changed for it."""

import math
import warnings

import pytest

from autodiff_lab.systems import static_graph
from autodiff_lab.systems.static_graph import Graph, Variable, gradients


@pytest.mark.parametrize("n", [2, 3, 5, 10])
@pytest.mark.parametrize("operation", [lambda a, b: a + b, lambda a, b: a * b])
def test_a_sum_of_n_terms_has_n_plus_1_nodes(n: int, operation: object) -> None:
    for flatten, expected in ((True, n + 1), (False, 2 * n - 1)):
        with Graph(flatten) as graph:
            xs = [Variable(float(k + 1)) for k in range(n)]
            total = xs[0]
            for x in xs[1:]:
                total = operation(total, x)
        assert len(graph) == expected
        assert graph.run(total) == (math.fsum if operation(1, 1) == 2 else math.prod)(
            range(1, n + 1)
        )


def test_flattening_works_on_both_sides() -> None:
    with Graph() as graph:
        a, b, c, d = (Variable(v) for v in (1e200, 1e200, 1e-300, 2.0))
        product = a * (b * c) * (d * 1.0)
        total = (a + b) + (c + d)
    assert [len(product.operands), len(total.operands)] == [5, 4] and len(graph) == 7
    # From left to right a * b would be infinite: the terms are still combined as they were written.
    assert graph.run(product) == 1e200 * (1e200 * 1e-300) * (2.0 * 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the slope for c, which would overflow, is not asked for
        assert graph.jacobian(product, a).tolist() == [[pytest.approx(2e-100, rel=1e-15)]]


def test_flattening_never_changes_a_node_that_others_hold() -> None:
    with Graph() as graph:
        x, y, z = Variable(1.0, "x"), Variable(2.0, "y"), Variable(3.0, "z")
        s = x + y
        u = s * 10
        t = s + z
    assert t is not s
    assert graph.run([s, u, t]) == [3.0, 30.0, 6.0]
    assert t.expression == "add_1 + z"  # s is held: it is a node of its own, and has a gradient
    t.backward()
    assert s.grad == 1.0
    assert graph.run(gradients(t, s)) == 1.0
    del s, u
    assert t.expression == "x + y + z" and len(graph) == 4
    assert graph.run(t) == 6.0


def test_a_sum_added_to_itself() -> None:
    with Graph() as graph:
        x, y = Variable(1.0), Variable(2.0)
        s = x + y
        twice = s + s
        d = x - x
        q = x / x
        p = y * y
        cube = y * y * y
    assert graph.run([twice, d, q, p, cube]) == [6.0, 0.0, 1.0, 4.0, 8.0]
    assert graph.jacobian([twice, d, q, p, cube], [x, y]).tolist() == [
        [2, 2],
        [0, 0],
        [0, 0],
        [0, 4],
        [0, 12],
    ]


def test_a_named_sum_stays() -> None:
    with Graph() as graph:
        x, y, z = Variable(1.0, "x"), Variable(2.0, "y"), Variable(3.0, "z")
        t = static_graph.add(x, y, name="s") + z
    assert t.expression == "s + z" and len(graph) == 5


def test_product_with_two_zeros() -> None:
    for factors, expected in (
        ([2, 0, 3], [0, 6, 0]),
        ([2, 0, 0], [0, 0, 0]),
        ([0, 5, 7], [35, 0, 0]),
    ):
        with Graph() as graph:
            xs = [Variable(v) for v in factors]
            y = xs[0] * xs[1] * xs[2]
        assert len(graph) == 4
        assert graph.jacobian(y, xs).tolist() == [expected]
        assert graph.run(gradients(y, xs)) == expected
