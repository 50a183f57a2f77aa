"""The exercises of `static_graphs`: the learner's functions, run on the notebook's static graph.

A learner's function there uses the notebook's node classes, `needed`, `run`, `backward`, and the tables `COMPUTE` and
`PARTIALS`. The expected results come from NumPy or from the package's static graph.
"""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, jacrev
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    attempt,
    call_case,
    plain,
    run_cases,
    summarize,
    vet_code,
)
from autodiff_lab.lessons.examples.graph_builder import GraphBuilder
from autodiff_lab.systems import static_graph

_NODES = ("Node", "Constant", "Variable", "Placeholder", "Operator", "needed", "COMPUTE", "log")
MACHINE: dict[str, Any] = {"listing": (*_NODES, "run", "backward", "PARTIALS"), "machine": "graph"}
POINT = (2.0, 3.0)


# Running

PROGRAMS: dict[str, Callable[..., Any]] = {
    "x * x": lambda log, x, y: x * x,
    "x + 1.5": lambda log, x, y: x + 1.5,
    "log(x)": lambda log, x, y: log(x),
    "(x + y) * x - y / x": lambda log, x, y: (x + y) * x - y / x,
    "log((x * x) * (x * x)) * y": lambda log, x, y: log((x * x) * (x * x)) * y,
}
FLAT = "x + x + log(log(y)) as one sum of three"
UNUSED = "x * x, with a y beside it that is not fed"
UNFED = "x * y, where y is not fed"
TWO = "two targets, x * x and x + y"
ARRAYS = "x * y, where x is fed the array [2, 4]"
AGAIN = "x * y at (2, 3), and then the same graph at (5, 3)"
BETWEEN = "the value that the node x + y holds after (x + y) * x was run"
DOUBLINGS = 12
ONCE = f"how many operations are computed if x is doubled {DOUBLINGS} times"
LOOP = "a sum that is an input of itself, and so never has all its inputs"


def expected_runs() -> dict[str, Any]:
    """Exercise 1: the values of the programs, and the error for a placeholder that is not fed."""
    x, y = POINT
    return {case: float(f(np.log, x, y)) for case, f in PROGRAMS.items()} | {
        FLAT: float(x + x + np.log(np.log(y))),
        TWO: (x * x, x + y),
        UNUSED: x**2,
        UNFED: Crashed("ValueError", "was not fed"),
        ARRAYS: (x * y, 2 * x * y),
        AGAIN: (x * y, 5 * y),
        BETWEEN: x + y,
        ONCE: float(DOUBLINGS),
        LOOP: None,
    }


def run_programs(run: Any) -> Any:
    """Exercise 1: the values by the learner's `run` on the notebook's nodes."""

    def values_of(names: dict[str, Any], f: Callable[..., Any], fed: int = 2) -> Any:
        inputs = names["Placeholder"]("x"), names["Placeholder"]("y")
        feed = dict(zip(inputs[:fed], POINT[:fed], strict=True))
        return run(f(names["log"], *inputs), feed)

    def answer(names: dict[str, Any], f: Callable[..., Any], fed: int = 2) -> Any:
        return first(values_of(names, lambda *given: [f(*given)], fed))

    def flat(log: Any, x: Any, y: Any) -> Any:
        return run.__globals__["Operator"]("add", x, x, log(log(y)))

    def first(values: Any) -> Any:
        return values[0] if isinstance(values, list | tuple) and len(values) == 1 else values

    def feed_array(names: dict[str, Any]) -> Any:
        x, y = names["Placeholder"]("x"), names["Placeholder"]("y")
        return first(run([x * y], {x: np.array([2.0, 4.0]), y: 3.0}))

    def feed_again(names: dict[str, Any]) -> Any:
        x, y = names["Placeholder"]("x"), names["Placeholder"]("y")
        target = x * y
        return tuple(first(run([target], {x: fed, y: 3.0})) for fed in (2.0, 5.0))

    def value_between(names: dict[str, Any]) -> Any:
        x, y = names["Placeholder"]("x"), names["Placeholder"]("y")
        between = x + y
        run([between * x], {x: 2.0, y: 3.0})
        return between.value

    def count_operations(names: dict[str, Any]) -> float:
        add, computed = names["COMPUTE"]["add"], []

        def counted(*values: Any) -> Any:
            computed.append(values)
            return add(*values)

        names["COMPUTE"]["add"] = counted
        x = result = names["Placeholder"]("x")
        for _ in range(DOUBLINGS):
            result = result + result
        run([result], {x: 1.0})
        return float(max(len(computed), DOUBLINGS))

    def wait_for_itself(names: dict[str, Any]) -> Any:
        looped = names["Variable"](1.0) + names["Variable"](2.0)
        looped.inputs.append(looped)
        return first(run([looped], {}))

    cases: dict[str, tuple[Any, ...]] = {case: (answer, f) for case, f in PROGRAMS.items()} | {
        FLAT: (answer, flat),
        TWO: (values_of, lambda log, x, y: [x * x, x + y]),
        UNUSED: (answer, lambda log, x, y: (x * x, x * y)[0], 1),
        UNFED: (answer, lambda log, x, y: x * y, 1),
        ARRAYS: (feed_array,),
        AGAIN: (feed_again,),
        BETWEEN: (value_between,),
        ONCE: (count_operations,),
        LOOP: (wait_for_itself,),
    }
    return run_cases(call_case, cases, run, listing=_NODES, machine="graph")


# A batch

BATCH = (0.5, 1.0, 1.5, 2.0, 2.5)
VALUES, MADE = "of the five values", "of the number of nodes made on the way"
RUN = "of whether wave_out was run"


def expected_batch() -> dict[str, Any]:
    """Exercise 3: five values of sin(x) · x, computed by the existing graph without new nodes."""
    return {VALUES: plain(np.sin(BATCH) * BATCH), MADE: 0.0, RUN: True}


def feed_batch(feed_all: Any) -> Any:
    """Exercise 3: the values of a batch by the learner's graph, and how many nodes are made on the way."""
    vet_code(feed_all, listing=(*_NODES, "run", "wave_in", "wave_out"), machine="graph")
    names = feed_all.__globals__
    kind, result = names["Operator"], names["wave_out"]
    made: list[Any] = []
    original = kind.__init__

    def counted(self: Any, *args: Any) -> None:
        made.append(self)
        original(self, *args)

    nodes = names["needed"]([node for node in names.values() if isinstance(node, names["Node"])])
    states = [(node, dict(vars(node))) for node in nodes]
    kind.__init__ = counted
    try:
        result.value = None
        found = summarize(attempt(feed_all, list(BATCH)))
        has_run = result.value is not None
    finally:
        kind.__init__ = original
        # Restore the values and adjoints in the learner's own graph.
        for node, state in states:
            vars(node).clear()
            vars(node).update(state)
    if isinstance(found, tuple) and len(found) == 1 and isinstance(found[0], tuple):
        found = found[0]  # run returns a list of targets: its only element is the batch
    return {VALUES: found, MADE: float(len(made)), RUN: has_run}


# Jacobians

LEFT = "x * x, with a y beside it whose adjoint is 6 from an earlier sweep"
Outputs = Callable[[Any, Any], tuple[list[Any], list[Any]]]


def _outputs(exp: Callable[[Any], Any], log: Callable[[Any], Any]) -> dict[str, Outputs]:
    def interior(x: Any, y: Any) -> tuple[list[Any], list[Any]]:
        h = exp(x)
        return [h, h * h], [x]

    def to_interior(x: Any, y: Any) -> tuple[list[Any], list[Any]]:
        h = exp(x)
        return [h * h + x], [h]

    return {
        "h = exp(x) at 2, and h * h": interior,
        "x * y and x + y": lambda x, y: ([x * y, x + y], [x, y]),
        "h * h + x in h = exp(x)": to_interior,
        "exp(x) and log(y)": lambda x, y: ([exp(x), log(y)], [x, y]),
        LEFT: lambda x, y: ([x * x], [x, y]),
    }


def expected_jacobians() -> dict[str, Any]:
    """Exercise 4: the Jacobians of small graphs, by the package's static graph."""
    found = {}
    for case, outputs in _outputs(np.exp, np.log).items():
        with static_graph.Graph() as graph:
            ys, xs = outputs(*map(static_graph.Variable, POINT))
            found[case] = plain(graph.jacobian(ys, xs))
    return found


def find_jacobians(jacobian_any: Any) -> Any:
    """Exercise 4: the same Jacobians by the learner's `jacobian_any`."""

    def answer(names: dict[str, Any], case: str) -> Any:
        ys, xs = _outputs(names["exp"], names["log"])[case](*map(names["Variable"], POINT))
        names["run"](ys, {})
        if case == LEFT:
            xs[1].grad = 6.0
        return jacobian_any(ys, xs)

    cases = {case: (case,) for case in _outputs(np.exp, np.log)}
    return run_cases(answer, cases, jacobian_any, **MACHINE)


# Flat sums

THREE = (1.0, 2.0, 3.0)
ALIAS = "s = x + y, u = s * 10, t = s + z: the values of s, u, t, and whether t is a new node"
COUNT = "x + y + z: how many nodes it needs"
BOTH = "(x + y) + (z + x): its value and its number of inputs"
TWICE = "s + s with s = x + y: its value and its number of inputs"
OTHER = "x * y + z: its value and its number of inputs"


def expected_sums() -> dict[str, Any]:
    """Exercise 5b: the values and the lengths of flat sums that leave their operands unchanged."""
    x, y, z = THREE
    return {
        ALIAS: (x + y, (x + y) * 10, x + y + z, True),
        COUNT: 4.0,
        BOTH: (x + y + z + x, 4.0),
        TWICE: (2 * (x + y), 4.0),
        OTHER: (x * y + z, 2.0),
    }


def sum_flat(flat_add: Any) -> Any:
    """Exercise 5b: the values and the lengths of the learner's flat sums, by `flat_add`."""

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
            return names["run"]([node], {})[0], len(node.inputs)

        return run

    cases: dict[str, tuple[Callable[..., Any]]] = {
        ALIAS: (alias,),
        COUNT: (count,),
        BOTH: (measure(lambda x, y, z: flat_add(flat_add(x, y), flat_add(z, x))),),
        TWICE: (measure(twice),),
        OTHER: (measure(lambda x, y, z: flat_add(x * y, z)),),
    }
    return run_cases(
        lambda names, f: f(names, *map(names["Variable"], THREE)), cases, flat_add, **MACHINE
    )


# Counting nodes

LENGTHS = (2, 3, 5, 10)


def nodes_of_a_sum(n: int, flatten: bool) -> int:
    """Exercise 6: the number of nodes in the package's graph for a sum of n terms, flat or in pairs.

    >>> nodes_of_a_sum(3, True), nodes_of_a_sum(3, False)
    (4, 5)
    """
    with static_graph.Graph(flatten=flatten) as graph:
        _ = functools.reduce(operator.add, [static_graph.Variable(1.0) for _ in range(n)])
        return len(graph)  # counts only nodes that are still referenced


def expected_counts() -> dict[str, Any]:
    """Exercise 6: the numbers of nodes in sums of n terms, for a few n."""
    return {
        f"n = {n}": (float(nodes_of_a_sum(n, True)), float(nodes_of_a_sum(n, False)))
        for n in LENGTHS
    }


def count_terms(flat: Any, pairs: Any) -> Any:
    """Exercise 6: the same numbers by the learner's two formulas."""
    cases = {f"n = {n}": (n,) for n in LENGTHS}
    return run_cases(lambda names, n: (flat(n), pairs(n)), cases, flat, pairs)


# Partials

PRODUCTS = ((2.0, 0.0, 3.0), (2.0, 0.0, 0.0), (4.0, 4.0), (2.0, 3.0, 5.0, 7.0))
CUBE = "x * x * x as one product, through your graph, at x = 2"


def expected_partials() -> dict[str, Any]:
    """Exercise 7: the partials of sin, cos and products of many factors, by the engine."""
    found: dict[str, Any] = {f"{f.__name__} at 0.5": (grad(f)(0.5),) for f in (np.sin, np.cos)}
    for values in PRODUCTS:
        slopes = jacrev(lambda *v: np.prod(np.stack(v)), argnums=tuple(range(len(values))))(*values)
        found[_product(values)] = plain(slopes)
    return found | {CUBE: grad(lambda x: x * x * x)(2.0)}


def _product(values: tuple[float, ...]) -> str:
    return f"the product {' * '.join(f'{v:g}' for v in values)}"


def find_partials(sin_partials: Any, cos_partials: Any, mul_partials: Any) -> Any:
    """Exercise 7: the learner's partials, and a slope that `backward` computes with them."""

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
        **{
            _product(values): (lambda names, values=values: mul_partials(*values),)
            for values in PRODUCTS
        },
        CUBE: (through_the_graph,),
    }
    return run_cases(call_case, cases, sin_partials, cos_partials, mul_partials, **MACHINE)


# With numbers of one's own

# The value that the source text prints for its first example.
PRINTED = 46.63906


def evaluate_first_example(a: float = 10.0, b: float = 4.0) -> Instance:
    """Exercise 2: the value of a·b + log(a + b), and whether the source text prints this value."""

    def example(a: Any, b: Any) -> Any:
        return a * b + np.log(a + b)

    value = float(example(a, b))
    mistakes = {
        "printed": (PRINTED, True),
        "said to agree": (value, True),
        "base 10": (a * b + math.log10(a + b), False),
        "logarithms one by one": (a * b + math.log(a) + math.log(b), False),
        "slope": (float(grad(example)(a, b)), False),
    }
    return Instance((value, math.isclose(value, PRINTED, rel_tol=1e-6)), mistakes=mistakes)


def run_aliased_sum(x: float, y: float, z: float, k: float, flatten: str) -> tuple[float, float]:
    """Exercise 5a: the values of s and u in s = x + y, u = s * k, t = s + z, if sums are flattened in this way.

    >>> run_aliased_sum(1.0, 2.0, 3.0, 10.0, "mutate"), run_aliased_sum(1.0, 2.0, 3.0, 10.0, "copy")
    ((6.0, 60.0), (3.0, 30.0))
    """
    built = GraphBuilder(("s = x + y", f"u = s * {k!r}", "t = s + z"), flatten)
    for _ in built.lines:
        built.next()
    named = built.named
    return tuple(
        built.graph.run([named["s"], named["u"]], {named["x"]: x, named["y"]: y, named["z"]: z})
    )


def alias_sum(x: float = 1.0, y: float = 2.0, z: float = 3.0, k: float = 10.0) -> Instance:
    """Exercise 5a: the values of a sum and of its user after the sum was extended in place."""
    right, meant = (run_aliased_sum(x, y, z, k, flatten) for flatten in ("mutate", "copy"))
    mistakes = {
        "as meant": meant,
        "only u changed": (meant[0], right[1]),
        "only s changed": (right[0], meant[1]),
        "s and t": (meant[0], right[0]),
    }
    return Instance(right, mistakes=mistakes)
