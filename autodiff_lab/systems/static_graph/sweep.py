"""The reverse sweep over a static graph: pending counts and a queue of ready nodes.

For each node between the xs and the ys, the *pending count* says how many contributions are still to come; a node is
ready when none is. The sweep reads the graph either as the numbers of the last run (`Graph.backward`) or as nodes, and
then every step of the chain rule adds nodes (`gradients`): one sweep, one table of rules, two readings.

TensorFlow's sweep stands in ``tensorflow/python/ops/gradients_util.py``. Source text 2 says that its queue starts
with every operation nobody uses; it starts with those of the ys, and only what leads to an x is ever counted.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ...engine.values import zeros
from .functions import cond
from .nodes import COND, OUTPUT, Constant, Node, Operator
from .rules import Operation, apply_registered, contributions


class Sweep:
    """The reverse sweep over a static graph, one node at a time: iterate over it. The counters are its own.

    Parameters
    ----------
    ys, seeds : sequences
        Where to start, and with which adjoints.
    xs, stops : iterables of Node
        Where to go, and which nodes pass nothing on.
    values : mapping, optional
        The values of a run, by the numbers of the nodes: then adjoints are numbers. Without, they are nodes.

    Attributes
    ----------
    pending : dict
        For each node between xs and ys, in the order they were made, how many contributions are still to come.
    queue : deque
        The nodes that are ready.
    adjoints : dict
        What each node that has had its turn got; None if nothing arrived.
    """

    def __init__(
        self,
        ys: Sequence[Node],
        seeds: Sequence[Any],
        xs: Iterable[Node],
        stops: Iterable[Node] = (),
        values: Mapping[int, Any] | None = None,
    ) -> None:
        self.values = values
        self.pending = count_pending(ys, xs, stops, values)
        self.stops = set(stops)
        self.queue = deque(node for node in reversed(self.pending) if self.pending[node] == 0)
        self.adjoints: dict[Node, Any] = {}
        self.arrived: dict[Node, list[tuple[_Gate | None, Any]]] = {
            node: [] for node in self.pending
        }
        for y, seed in zip(ys, seeds, strict=True):
            if y in self.arrived:
                self.arrived[y].append((None, seed))

    def __iter__(self) -> Iterator[Node]:
        while self.queue:
            node = self.queue.popleft()
            gate, adjoint = self._collect(node)
            self.adjoints[node] = _pass_gates(gate, adjoint, node)
            if isinstance(node, Operator) and _passes(node) and node not in self.stops:
                sent = [] if adjoint is None else self._send(node, gate, adjoint)
                for k, x in enumerate(node.operands):
                    if x in self.pending:
                        part = sent[k] if sent else None
                        if part is not None:
                            self.arrived[x].append(part)
                        self.pending[x] -= 1
                        if self.pending[x] == 0:
                            self.queue.append(x)
            yield node

    def _collect(self, node: Node) -> tuple[_Gate | None, Any]:
        """Sum what has arrived, within a gate if all of it came through that one; a list for several outputs."""
        parts = self.arrived.pop(node)
        if not parts:
            return None, None
        if isinstance(node, Operator) and node.outputs > 1:
            return None, [
                self._output(node, k, [g for _, (j, g) in parts if j == k])
                for k in range(node.outputs)
            ]
        gate = parts[0][0]
        if any(other is not gate for other, _ in parts):
            gate, parts = None, [(None, _pass_gates(other, g, node)) for other, g in parts]
        return gate, reduce(operator.add, [g for _, g in parts])

    def _output(self, node: Operator, k: int, parts: list[Any]) -> Any:
        """The adjoint of one output of several; a zero of its shape if nothing arrived there."""
        if parts:
            return reduce(operator.add, parts)
        return (
            zeros(self._read(node)[k])
            if self.values is not None
            else np.zeros_like(self._outputs(node)[k])
        )

    def _send(
        self, node: Operator, gate: _Gate | None, adjoint: Any
    ) -> list[tuple[_Gate | None, Any] | None]:
        """Compute what a node sends to each operand, and through which gate; None where nothing flows."""
        operands, pairs = node.merged_operands()
        if node.op is OUTPUT:
            return [(None, (node.static["k"], self.adjoints[node]))]
        if node.op is COND and self.values is None:
            condition = operands[0]
            return [
                None,
                (_Gate(condition, True, gate), adjoint),
                (_Gate(condition, False, gate), adjoint),
            ]
        y, terms = self._read(node), [self._read(x) for x in operands]
        if node.op.rules:
            wanted = [x in self.pending for x in operands]
            sent = contributions(node.op, pairs, adjoint, y, terms, node.static, wanted)
        else:
            told = Operation(node.name, node.op.name, tuple(terms), self._outputs(node))
            sent = apply_registered(told, adjoint if node.outputs > 1 else [adjoint], operands)
        return [None if g is None else (gate, g) for g in sent]

    def _outputs(self, node: Operator) -> tuple[Any, ...]:
        if self.values is not None:
            return self._read(node) if node.outputs > 1 else (self._read(node),)
        if node.outputs == 1:
            return (node,)
        return tuple(Operator(OUTPUT, (node,), {"k": k}) for k in range(node.outputs))

    def _read(self, node: Node) -> Any:
        if self.values is not None:
            return self.values.get(node.number)  # a branch that was not taken has none
        return node.value if isinstance(node, Constant) else node


def count_pending(
    ys: Iterable[Node],
    xs: Iterable[Node],
    stops: Iterable[Node] = (),
    values: Mapping[int, Any] | None = None,
) -> dict[Node, int]:
    """Count the pending contributions of a sweep for each node from xs to ys, in the order they were made.

    With `values`, only what has a value: the last run did not compute the branches it did not take.
    """
    stopped, sources = set(stops), set(xs)
    operands: dict[Node, tuple[Node, ...]] = {}
    todo = list(ys)
    while todo:
        node = todo.pop()
        if node not in operands:
            operands[node] = ()
            if isinstance(node, Operator) and _passes(node) and node not in stopped:
                operands[node] = tuple(
                    x for x in node.operands if values is None or x.number in values
                )
                todo += operands[node]
    pending: dict[Node, int] = {}
    for node in sorted(operands, key=lambda node: node.number):
        if node in sources or any(x in pending for x in operands[node]):
            pending[node] = 0
            for x in operands[node]:
                if x in pending:
                    pending[x] += 1
    return pending


def _passes(node: Operator) -> bool:
    """Whether a sweep passes adjoints through this node: not through comparisons, steps, questions about shape."""
    return node.op.kind not in ("flat", "comparison", "shape")


class _Gate(NamedTuple):
    """A branch of a `cond` that the sweep has entered: it counts only when `condition` comes out as `wanted`."""

    condition: Node
    wanted: bool
    outer: _Gate | None


def _pass_gates(gate: _Gate | None, adjoint: Any, node: Node) -> Any:
    """Pass an adjoint out of its branches: itself if the branch was taken (only then computed), else zero."""
    while gate is not None:
        branches: tuple[Any, Any] = adjoint, np.zeros_like(node)
        adjoint = cond(gate.condition, *(branches if gate.wanted else reversed(branches)))
        gate = gate.outer
    return adjoint
