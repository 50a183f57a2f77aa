"""The learner's sums and products of notebook 06, tried on the learner's own graph; see `graph_bench`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks.compare import plain, told
from autodiff_lab.lessons.checks.run_code import attempt
from autodiff_lab.lessons.lesson_03.sandbox import refuse
from autodiff_lab.lessons.lesson_06.sandbox import MACHINE
from autodiff_lab.systems import static_graph
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
    refused = refuse(flat_add, listing=MACHINE, machine="graph")
    if refused:
        return refused
    names = flat_add.__globals__
    run, needed = names["run"], names["needed"]

    def alias(x: Any, y: Any, z: Any) -> Any:
        s = flat_add(x, y)
        u = s * 10
        t = flat_add(s, z)
        return *run([s, u, t], {}), t is not s

    def measured(node: Any) -> Any:
        return run([node], {})[0], len(node.operands)

    cases: dict[str, Callable[[Any, Any, Any], Any]] = {
        ALIAS: alias,
        COUNT: lambda x, y, z: len(needed([flat_add(flat_add(x, y), z)])),
        BOTH: lambda x, y, z: measured(flat_add(flat_add(x, y), flat_add(z, x))),
        TWICE: lambda x, y, z: (lambda s: measured(flat_add(s, s)))(flat_add(x, y)),
        OTHER: lambda x, y, z: measured(flat_add(x * y, z)),
    }
    return {case: told(attempt(f, *map(names["Variable"], THREE))) for case, f in cases.items()}


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
    refused = refuse(flat, pairs, listing=())
    return refused or {f"n = {n}": told(attempt(lambda n=n: (flat(n), pairs(n)))) for n in LENGTHS}


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
    refused = refuse(sin_partials, cos_partials, mul_partials, listing=MACHINE, machine="graph")
    if refused:
        return refused
    names = mul_partials.__globals__
    table, kept = names["PARTIALS"], dict(names["PARTIALS"])

    def through_the_graph() -> Any:
        x = names["Variable"](2.0)
        cube = names["Operator"]("mul", x, x, x)
        names["run"]([cube], {})
        names["backward"]([cube])
        return x.grad

    found: dict[str, Any] = {
        f"{name} at 0.5": told(attempt(f, 0.5)) for name, f in (("sin", sin_partials), ("cos", cos_partials))
    }
    found |= {_product(values): told(attempt(mul_partials, *values)) for values in PRODUCTS}
    table["mul"] = mul_partials
    try:
        found[CUBE] = told(attempt(through_the_graph))
    finally:
        table.clear()
        table.update(kept)
    return found
