"""The learner's sums and products of notebook 06, tried on the learner's own graph; see `graph_bench`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import call_case, plain, run_cases
from autodiff_lab.lessons.lesson_06.sandbox import MACHINE
from autodiff_lab.systems.static_graph import graph as static_graph
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.jacobians import jacrev

# Flat sums

THREE = (1.0, 2.0, 3.0)
ALIAS = "s = x + y, u = s * 10, t = s + z: the values of s, u, t, and whether t is a new node"
COUNT = "x + y + z: how many nodes it needs"
BOTH = "(x + y) + (z + x): its value and its number of operands"
TWICE = "s + s with s = x + y: its value and its number of operands"
OTHER = "x * y + z: its value and its number of operands"


def expected_sums() -> dict[str, Any]:
    """What becomes of sums that change nobody."""
    x, y, z = THREE
    return {
        ALIAS: (x + y, (x + y) * 10, x + y + z, True),
        COUNT: 4.0,
        BOTH: (x + y + z + x, 4.0),
        TWICE: (2 * (x + y), 4.0),
        OTHER: (x * y + z, 2.0),
    }


def summed(flat_add: Any) -> Any:
    """The same with the learner's function, on the learner's nodes."""

    def alias(names: dict[str, Any], x: Any, y: Any, z: Any) -> Any:
        s = flat_add(x, y)
        u = s * 10
        t = flat_add(s, z)
        return *names["run"]([s, u, t], {}), t is not s

    def count(names: dict[str, Any], x: Any, y: Any, z: Any) -> Any:
        return len(names["needed"]([flat_add(flat_add(x, y), z)]))

    def twice(x: Any, y: Any, z: Any) -> Any:
        s = flat_add(x, y)
        return flat_add(s, s)

    def measure(make: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
        def run(names: dict[str, Any], *inputs: Any) -> Any:
            node = make(*inputs)
            return names["run"]([node], {})[0], len(node.operands)

        return run

    cases: dict[str, tuple[Callable[..., Any]]] = {
        ALIAS: (alias,),
        COUNT: (count,),
        BOTH: (measure(lambda x, y, z: flat_add(flat_add(x, y), flat_add(z, x))),),
        TWICE: (measure(twice),),
        OTHER: (measure(lambda x, y, z: flat_add(x * y, z)),),
    }
    return run_cases(lambda names, f: f(names, *map(names["Variable"], THREE)), cases, flat_add, **MACHINE)


# Counting nodes

LENGTHS = (2, 3, 5, 10)


def nodes_of_a_sum(n: int, flatten: bool) -> int:
    """How many nodes the package's graph has for a sum of n terms.

    >>> nodes_of_a_sum(3, True), nodes_of_a_sum(3, False)
    (4, 5)
    """
    with static_graph.Graph(flatten=flatten) as graph:
        terms = [static_graph.Variable(1.0) for _ in range(n)]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return len(graph)


def expected_counts() -> dict[str, Any]:
    """Counted, for a few n."""
    return {f"n = {n}": (float(nodes_of_a_sum(n, True)), float(nodes_of_a_sum(n, False))) for n in LENGTHS}


def counted(flat: Any, pairs: Any) -> Any:
    """What the learner's formulas say."""
    return run_cases(lambda names, n: (flat(n), pairs(n)), {f"n = {n}": (n,) for n in LENGTHS}, flat, pairs)


# Partials

PRODUCTS = ((2.0, 0.0, 3.0), (2.0, 0.0, 0.0), (4.0, 4.0), (2.0, 3.0, 5.0, 7.0))
CUBE = "x * x * x as one product, through your graph, at x = 2"


def expected_partials() -> dict[str, Any]:
    """By the engine."""
    found: dict[str, Any] = {f"{f.__name__} at 0.5": (grad(f)(0.5),) for f in (np.sin, np.cos)}
    for values in PRODUCTS:
        slopes = jacrev(lambda *v: np.prod(np.stack(v)), argnums=tuple(range(len(values))))(*values)
        found[_product(values)] = plain(slopes)
    return found | {CUBE: grad(lambda x: x * x * x)(2.0)}


def _product(values: tuple[float, ...]) -> str:
    return f"the product {' * '.join(f'{v:g}' for v in values)}"


def partials(sin_partials: Any, cos_partials: Any, mul_partials: Any) -> Any:
    """The learner's, and the slope that comes out when the learner's sweep uses them."""

    def through_the_graph(names: dict[str, Any]) -> Any:
        names["PARTIALS"]["mul"] = mul_partials
        x = names["Variable"](2.0)
        cube = names["Operator"]("mul", x, x, x)
        names["run"]([cube], {})
        names["backward"]([cube])
        return x.grad

    cases: dict[str, Any] = {
        "sin at 0.5": (lambda names: sin_partials(0.5),),
        "cos at 0.5": (lambda names: cos_partials(0.5),),
        **{_product(values): (lambda names, values=values: mul_partials(*values),) for values in PRODUCTS},
        CUBE: (through_the_graph,),
    }
    return run_cases(call_case, cases, sin_partials, cos_partials, mul_partials, **MACHINE)
