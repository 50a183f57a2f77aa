"""The learner's own static graph of notebook 06, borrowed for a check and given back as it was.

The functions a learner writes there use what stands beside them in the notebook: the kinds of nodes, `needed`, `run`,
`backward`, and the tables `COMPUTE` and `PARTIALS`. What is right is said by NumPy, or by the package's graph.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, attempt, call_case, plain, refuse, run_cases, summarize
from autodiff_lab.systems.static_graph import graph as static_graph

_NODES = ("Node", "Constant", "Variable", "Placeholder", "Operator", "needed", "COMPUTE", "log")
GRAPH: dict[str, Any] = {"listing": _NODES, "machine": "graph"}
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


def expected_runs() -> dict[str, Any]:
    """The values, and what a placeholder without a number leads to."""
    found: dict[str, Any] = {case: float(f(np.log, *POINT)) for case, f in PROGRAMS.items()}
    x, y = POINT
    return found | {
        FLAT: float(x + x + np.log(np.log(y))),
        TWO: (x * x, x + y),
        UNUSED: POINT[0] ** 2,
        UNFED: Crashed("ValueError", "was not fed"),
    }


def ran(run: Any) -> Any:
    """What the learner's loop computes, on the learner's own nodes."""

    def values_of(names: dict[str, Any], f: Callable[..., Any], fed: int) -> Any:
        inputs = names["Placeholder"]("x"), names["Placeholder"]("y")
        return run(f(names["log"], *inputs), dict(list(zip(inputs, POINT, strict=True))[:fed]))

    def answer(names: dict[str, Any], f: Callable[..., Any], fed: int) -> Any:
        values = values_of(names, lambda *given: [f(*given)], fed)
        return values[0] if isinstance(values, list | tuple) and len(values) == 1 else values

    def flat(log: Any, x: Any, y: Any) -> Any:
        return run.__globals__["Operator"]("add", x, x, log(log(y)))

    cases = {case: (answer, f, 2) for case, f in PROGRAMS.items()} | {
        FLAT: (answer, flat, 2),
        TWO: (values_of, lambda log, x, y: [x * x, x + y], 2),
        UNUSED: (answer, lambda log, x, y: (x * x, x * y)[0], 1),
        UNFED: (answer, lambda log, x, y: x * y, 1),
    }
    return run_cases(call_case, cases, run, **GRAPH)


# A batch

BATCH = (0.5, 1.0, 1.5, 2.0, 2.5)
VALUES, MADE = "of the five values", "of the number of nodes made on the way"
RUN = "of whether wave_out was run"


def wave(x: Any) -> Any:
    """The function of the exercise."""
    return np.sin(x) * x


def expected_batch() -> dict[str, Any]:
    """Five values, no node, and it was the graph that computed them."""
    return {VALUES: plain(wave(np.array(BATCH))), MADE: 0.0, RUN: True}


def fed_batch(feed_all: Any) -> Any:
    """What the learner makes of five values, and how many operations are built meanwhile."""
    refused = refuse(feed_all, listing=(*_NODES, "run", "wave_in", "wave_out"), machine="graph")
    if refused:
        return refused
    made: list[Any] = []
    kind = feed_all.__globals__["Operator"]
    original = kind.__init__

    def counted(self: Any, *args: Any) -> None:
        made.append(self)
        original(self, *args)

    kind.__init__ = counted
    try:
        with _kept_values(feed_all):
            result = feed_all.__globals__["wave_out"]
            result.value = None
            values = attempt(feed_all, list(BATCH))
            has_run = result.value is not None
    finally:
        kind.__init__ = original
    found = summarize(values)
    if isinstance(found, tuple) and len(found) == 1 and isinstance(found[0], tuple):
        found = found[0]  # run gives a list: one array in it is the batch
    return {VALUES: found, MADE: float(len(made)), RUN: has_run}


@contextlib.contextmanager
def _kept_values(function: types.FunctionType) -> Iterator[None]:
    """The values and adjoints in the learner's own graph, as they were."""
    names = function.__globals__
    nodes = [node for node in names.values() if isinstance(node, names["Node"])]
    states = [(node, dict(vars(node))) for node in {id(n): n for n in _reached(nodes)}.values()]
    try:
        yield
    finally:
        for node, state in states:
            vars(node).clear()
            vars(node).update(state)


def _reached(nodes: list[Any]) -> list[Any]:
    found: dict[int, Any] = {}
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if id(node) not in found:
            found[id(node)] = node
            todo += list(getattr(node, "operands", ()))
    return list(found.values())


# Jacobians

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
    }


def expected_jacobians() -> dict[str, Any]:
    """The matrices, by the package's graph."""
    found = {}
    for case, outputs in _outputs(np.exp, np.log).items():
        with static_graph.Graph() as graph:
            ys, xs = outputs(*map(static_graph.Variable, POINT))
            found[case] = plain(graph.jacobian(ys, xs))
    return found


def jacobians(jacobian_any: Any) -> Any:
    """The matrices by the learner's function."""

    def answer(names: dict[str, Any], case: str) -> Any:
        ys, xs = _outputs(names["exp"], names["log"])[case](*map(names["Variable"], POINT))
        names["run"](ys, {})
        return jacobian_any(ys, xs)

    return run_cases(answer, {case: (case,) for case in _outputs(np.exp, np.log)}, jacobian_any, **MACHINE)
