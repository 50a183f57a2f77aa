"""The programs of FeedGraph, built into a static graph one line at a time, with three ways to flatten a sum of sums.

``"off"`` makes one node for each operation, ``"copy"`` is the package's own flattening, and ``"mutate"`` is that of
founding document 1: ``s + z`` hands `z` to the node `s` that is there already, whoever else holds it. A pass through a
graph, forward or backward, is kept step by step, so that the lab can stop anywhere in it.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems.static_graph import Constant, Graph, Node, Placeholder, Snapshot
from autodiff_lab.systems.static_graph.nodes import MERGED, Operator, Partial
from autodiff_lab.text.notation import format_expression, number
from autodiff_lab.widgets.labs.expression import parse_expression

PROGRAMS = {
    "f1 = x · y + log(x + y)": ("f1 = x * y + log(x + y)",),
    "f1 = x + y, f2 = x − y": ("f1 = x + y", "f2 = x - y"),
    "document 1's two functions": ("f1 = x + y + log(x)", "d = x - y", "f2 = x / y + d * d"),
    "f1 = x + y + z": ("f1 = x + y + z",),
    "s = x + y, u = s · 10, t = s + z": ("s = x + y", "u = s * 10", "t = s + z"),
    "s = x + y, t = s + s": ("s = x + y", "t = s + s"),
}
INPUTS = ("x", "y", "z")
FLATTEN = ("off", "copy", "mutate")


class GraphBuilder:
    """A builder of the static graph of a FeedGraph program, one line of the program at a time.

    Attributes
    ----------
    lines : tuple of str
        The whole program.
    done : int
        How many of its lines are built.
    named : dict
        The node that each name of the program means; two names may mean one node.

    Examples
    --------
    >>> for flatten in FLATTEN:
    ...     built = GraphBuilder(("s = x + y", "t = s + z"), flatten)
    ...     built.next()
    ...     built.next()
    ...     print(flatten, built.named["t"] is built.named["s"], built.named["s"].expression)
    off False x + y
    copy False x + y
    mutate True x + y + z
    """

    def __init__(self, lines: tuple[str, ...], flatten: str) -> None:
        self.lines, self.done, self.mutate = lines, 0, flatten == "mutate"
        self.graph = Graph(flatten=flatten != "off")
        used = [name for name in INPUTS if any(name in line for line in lines)]
        self.named: dict[str, Node] = {name: Placeholder((), name, graph=self.graph) for name in used}

    def next(self) -> None:
        """Build the next line of a FeedGraph program into its graph. Nothing is computed."""
        name, expression = self.lines[self.done].split(" = ")
        before = set(self.graph.nodes)
        node = parse_expression(expression, tuple(self.named))(*self.named.values())
        if self.mutate:
            node = _merge_into_operand(node)
        # A new node is called as in the program, or else by what it computes: every message says it so.
        for new in self.graph.nodes:
            if new not in before:
                new.name = number(new.value) if isinstance(new, Constant) else format_expression(new.expression)
        if node not in before:
            node.name = name
        self.named[name], self.done = node, self.done + 1

    @property
    def inputs(self) -> list[str]:
        """The names of the placeholders in a FeedGraph program."""
        return [name for name in self.named if name in INPUTS]

    @property
    def results(self) -> dict[str, Node]:
        """The nodes of the lines that are built of a FeedGraph program, by name."""
        return {name: node for name, node in self.named.items() if name not in INPUTS}

    @property
    def outputs(self) -> dict[str, Node]:
        """The nodes of a FeedGraph program's built lines that no later line mentions, by name."""
        lines = [line.split(" = ") for line in self.lines]
        mentioned = {part for _, expression in lines for part in expression.split()}
        return {name: node for name, node in self.results.items() if name not in mentioned}


def _merge_into_operand(node: Node) -> Node:
    """Flatten as document 1 does: a sum gives its terms to a sum among its operands, and that one is the result."""
    if not isinstance(node, Operator) or node.op not in MERGED:
        return node
    operands = node.operands
    for k, host in enumerate(operands):
        if isinstance(host, Operator) and host.op is node.op:
            for other in (*operands[:k], *operands[k + 1 :]):
                # Instead of a weak reference to the node that had these slots: there is no such node.
                host.slots = (Partial(lambda: None, host.slots), other)  # type: ignore[arg-type]
            return host
    return node


# Passes


@dataclass
class Pass:
    """A pass through the graph of a FeedGraph program, with all its steps, and how far it has come.

    Attributes
    ----------
    phase : {"forward", "backward", ""}
        Empty where there is no pass: then it is over, and no node waits.
    steps : list of Snapshot
        The first is before any node had its turn.
    found : dict
        What each node gets in its turn, by its name: a value, or an adjoint.
    target : str
        Where a sweep begins.
    refused, told : str
        The error that ends it before its time; what was said as a warning.
    at : int
        The step it stands at.
    """

    phase: str = ""
    steps: list[Snapshot] = field(default_factory=lambda: [Snapshot(None, (), {})])
    found: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    refused: str = ""
    told: str = ""
    at: int = 0

    @property
    def now(self) -> Snapshot:
        """The step at which a pass through a FeedGraph program stands."""
        return self.steps[self.at]

    @property
    def over(self) -> bool:
        """Whether a pass through a FeedGraph program has no step left."""
        return self.at == len(self.steps) - 1

    @property
    def found_so_far(self) -> dict[str, Any]:
        """Of FeedGraph's programs: what a pass through one has found up to here, by its nodes' names."""
        done = {step.node for step in self.steps[: self.at + 1]}
        return {name: x for name, x in self.found.items() if name in done}

    @property
    def stuck(self) -> list[str]:
        """The nodes of a FeedGraph program that still wait although the pass is over and nobody has refused."""
        return [name for name, count in self.now.waiting.items() if count] if self.over and not self.refused else []


def run_graph(graph: Graph, fetches: list[Node], feed: Mapping[Node, float]) -> Pass:
    """Run the graph of a FeedGraph program; where a run is refused, the values up to there are kept.

    >>> from autodiff_lab.systems.static_graph import Placeholder
    >>> with Graph() as graph:
    ...     x, y = Placeholder((), "x"), Placeholder((), "y")
    ...     f = np.sin(x) * y
    >>> way = run_graph(graph, [f], {x: 0.0})
    >>> way.found, way.refused.partition(",")[0]
    ({'x': 0.0}, 'y is a Placeholder and was not fed')
    """
    way = _collect(Pass("forward", []), graph.forward_steps(fetches, feed))
    done = [node for node in graph.nodes if node.name in {step.node for step in way.steps}]
    if way.refused:
        graph.run(done, feed)
    way.found = {node.name: node.value for node in done}
    return way


def sweep_graph(graph: Graph, node: Node | None, target: str) -> Pass:
    """Sweep the graph of a FeedGraph program back from a node, or with None from every output."""
    way = _collect(Pass("backward", [], target=target), graph.backward_steps(node))
    way.found = {each.name: graph.grads.get(each.number) for each in graph.nodes}
    return way


def _collect(way: Pass, steps: Iterable[Snapshot]) -> Pass:
    with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            way.steps.extend(steps)
        except AutodiffError as problem:
            way.refused = str(problem)
            way.steps.append(way.steps[-1]._replace(node=None))
    way.told = " ".join(str(warning.message) for warning in told)
    return way
