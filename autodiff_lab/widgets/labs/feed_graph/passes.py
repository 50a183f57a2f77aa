"""The passes through FeedGraph's static graph: a forward run or a sweep, one node at a time.

All steps of a pass are stored, so that the lab can stop at any of them.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems.static_graph import Graph, Node, Snapshot


@dataclass
class Pass:
    """A pass through a static graph, run or sweep, with all its steps and the current one.

    Attributes
    ----------
    phase : {"forward", "backward", ""}
        Empty if there is no pass; it then counts as finished, and no node waits.
    steps : list of Snapshot
        All steps; the first is the state before any node is processed.
    found : dict
        The result of each node by its name: a value in a run, an adjoint in a sweep.
    target : str
        The name of the output from which a sweep begins.
    refused, told : str
        The message of the error that stopped the pass, and the text of its warnings.
    at : int
        The index of the current step.
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
        """The current step."""
        return self.steps[self.at]

    @property
    def over(self) -> bool:
        """Whether no step is left."""
        return self.at == len(self.steps) - 1

    @property
    def found_so_far(self) -> dict[str, Any]:
        """The results up to the current step, by the names of the nodes."""
        done = {step.node for step in self.steps[: self.at + 1]}
        return {name: x for name, x in self.found.items() if name in done}

    @property
    def stuck(self) -> list[str]:
        """The nodes that still wait when the pass is over, if it did not end with an error."""
        if not self.over or self.refused:
            return []
        return [name for name, count in self.now.waiting.items() if count]


def run_graph(graph: Graph, fetches: list[Node], feed: Mapping[Node, float]) -> Pass:
    """Run a graph; if the run raises an error, the values up to that point are kept.

    >>> from autodiff_lab.systems.static_graph import Placeholder
    >>> with Graph() as graph:
    ...     x, y = Placeholder((), "x"), Placeholder((), "y")
    ...     f = np.sin(x) * y
    >>> way = run_graph(graph, [f], {x: 0.0})
    >>> way.found, way.refused.partition(",")[0]
    ({'x': 0.0}, 'y is a Placeholder and was not fed')
    """
    way = _collect(Pass("forward", []), graph.forward_steps(fetches, feed))
    names = {step.node for step in way.steps}
    done = [node for node in graph.nodes if node.name in names]
    if way.refused:
        graph.run(done, feed)
    way.found = {node.name: node.value for node in done}
    return way


def sweep_graph(graph: Graph, node: Node | None, target: str) -> Pass:
    """Sweep a graph back from a node, or from every output if `node` is None."""
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
