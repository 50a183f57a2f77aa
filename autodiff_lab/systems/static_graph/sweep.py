"""The reverse sweep over a static graph: pending counts and a queue of ready nodes.

For each node between the xs and the ys, the *pending count* is the number of contributions that are still to come; a
node is ready when it is 0. The sweep works either with the numbers of the last run (`Graph.backward`), or with nodes;
then every step of the chain rule adds nodes to the graph (`gradients`). Both use the same code and the same rules.

TensorFlow's sweep is in ``tensorflow/python/ops/gradients_util.py``. According to source text 2, its queue starts with
every operation whose result is unused. In fact it starts with those of the ys, and only nodes that depend on an x are
counted.
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
    """The reverse sweep over a static graph; each iteration does one node.

    Parameters
    ----------
    ys, seeds : sequences
        The nodes to start from, and their adjoints.
    xs, stops : iterables of Node
        The nodes whose adjoints are wanted, and the nodes that pass nothing on.
    values : mapping, optional
        The values of a run, by the numbers of the nodes: then adjoints are numbers. If not given, they are nodes.

    Attributes
    ----------
    pending : dict
        For each node between xs and ys, in the order they were made, how many contributions are still to come.
    queue : deque
        The nodes that are ready.
    adjoints : dict
        The adjoint of each node that is done; None if nothing arrived.
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
                self._send_to_operands(node, gate, adjoint)
            yield node

    def _send_to_operands(self, node: Operator, gate: _Gate | None, adjoint: Any) -> None:
        """Add a node's contributions to its operands, and queue the operands that become ready."""
        sent = [] if adjoint is None else self._contributions(node, gate, adjoint)
        for k, x in enumerate(node.operands):
            if x not in self.pending:
                continue
            contribution = sent[k] if sent else None
            if contribution is not None:
                self.arrived[x].append(contribution)
            self.pending[x] -= 1
            if self.pending[x] == 0:
                self.queue.append(x)

    def _collect(self, node: Node) -> tuple[_Gate | None, Any]:
        """Add up the contributions to a node; return the gate that all of them came through, if any, and the sum.

        For a node with several outputs, the second value is a list with the sum for each output.
        """
        arrived = self.arrived.pop(node)
        if not arrived:
            return None, None
        if isinstance(node, Operator) and node.outputs > 1:
            sums = []
            for k in range(node.outputs):
                sums.append(self._sum_of_output(node, k, [g for _, (j, g) in arrived if j == k]))
            return None, sums
        gate = arrived[0][0]
        if all(other is gate for other, _ in arrived):
            return gate, reduce(operator.add, [g for _, g in arrived])
        return None, reduce(operator.add, [_pass_gates(other, g, node) for other, g in arrived])

    def _sum_of_output(self, node: Operator, k: int, contributions_to_it: list[Any]) -> Any:
        """The adjoint of one output of several; zeros of its shape if nothing arrived."""
        if contributions_to_it:
            return reduce(operator.add, contributions_to_it)
        if self.values is not None:
            return zeros(self._read(node)[k])
        return np.zeros_like(self._outputs(node)[k])

    def _contributions(
        self, node: Operator, gate: _Gate | None, adjoint: Any
    ) -> list[tuple[_Gate | None, Any] | None]:
        """Compute a node's contribution to each operand, with its gate; None if there is no derivative."""
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
        y = self._read(node)
        terms = [self._read(x) for x in operands]
        if node.op.rules:
            wanted = [x in self.pending for x in operands]
            sent = contributions(node.op, pairs, adjoint, y, terms, node.static, wanted)
        else:
            operation = Operation(node.name, node.op.name, tuple(terms), self._outputs(node))
            out_grads = adjoint if node.outputs > 1 else [adjoint]
            sent = apply_registered(operation, out_grads, operands)
        return [None if g is None else (gate, g) for g in sent]

    def _outputs(self, node: Operator) -> tuple[Any, ...]:
        if self.values is not None:
            return self._read(node) if node.outputs > 1 else (self._read(node),)
        if node.outputs == 1:
            return (node,)
        return tuple(Operator(OUTPUT, (node,), {"k": k}) for k in range(node.outputs))

    def _read(self, node: Node) -> Any:
        if self.values is not None:
            return self.values.get(node.number)  # a branch that was not taken has no value
        return node.value if isinstance(node, Constant) else node


def count_pending(
    ys: Iterable[Node],
    xs: Iterable[Node],
    stops: Iterable[Node] = (),
    values: Mapping[int, Any] | None = None,
) -> dict[Node, int]:
    """Count the pending contributions of a sweep for each node from xs to ys, in the order they were made.

    With `values`, only nodes with a value are counted, because the last run computed only the branches it took.
    """
    stopped = set(stops)
    sources = set(xs)
    # the operands that a node sends adjoints to, for each node that the sweep can reach
    operands: dict[Node, list[Node]] = {}
    todo = list(ys)
    while todo:
        node = todo.pop()
        if node in operands:
            continue
        operands[node] = []
        if isinstance(node, Operator) and _passes(node) and node not in stopped:
            operands[node] = [x for x in node.operands if values is None or x.number in values]
            todo += operands[node]
    pending: dict[Node, int] = {}
    for node in sorted(operands, key=lambda node: node.number):
        on_path = [x for x in operands[node] if x in pending]
        if on_path or node in sources:
            pending[node] = 0
            for x in on_path:
                pending[x] += 1
    return pending


def _passes(node: Operator) -> bool:
    """Whether a sweep goes through this node; it doesn't through comparisons, steps and functions of the shape."""
    return node.op.kind not in ("flat", "comparison", "shape")


class _Gate(NamedTuple):
    """A branch of a `cond` that the sweep has entered: it was taken if `condition` is equal to `wanted`."""

    condition: Node
    wanted: bool
    outer: _Gate | None


def _pass_gates(gate: _Gate | None, adjoint: Any, node: Node) -> Any:
    """Pass an adjoint out of its branches: a node that computes it only if the branch was taken, and else is zero."""
    while gate is not None:
        zero: Any = np.zeros_like(node)
        branches = (adjoint, zero) if gate.wanted else (zero, adjoint)
        adjoint = cond(gate.condition, *branches)
        gate = gate.outer
    return adjoint
