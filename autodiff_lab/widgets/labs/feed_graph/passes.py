"""The passes through FeedGraph's static graph: a run forward or a sweep backward, one node at a time.

A pass is kept step by step, so that the lab can stop anywhere in it.
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
    """A pass through FeedGraph's static graph, run or sweep, with all its steps, and how far it has come.

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
        """The step at which a pass through FeedGraph's graph stands."""
        return self.steps[self.at]

    @property
    def over(self) -> bool:
        """Whether a pass through FeedGraph's graph has no step left."""
        return self.at == len(self.steps) - 1

    @property
    def found_so_far(self) -> dict[str, Any]:
        """What a pass through FeedGraph's graph has found up to here, by the names of its nodes."""
        done = {step.node for step in self.steps[: self.at + 1]}
        return {name: x for name, x in self.found.items() if name in done}

    @property
    def stuck(self) -> list[str]:
        """The nodes that still wait although a pass through FeedGraph's graph is over and nobody has refused."""
        return (
            [name for name, count in self.now.waiting.items() if count]
            if self.over and not self.refused
            else []
        )


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
