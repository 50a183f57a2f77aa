"""Operator nodes of a static graph: what ``x + y`` or ``np.log(x)`` becomes when nothing is computed.

Nodes have a level of their own, so the engine's dispatch hands every operation on a node to :class:`GraphLevel`, which
notes it as an :class:`Operator`. Any row of the engine's table can be noted; there is no second list of operations.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.broadcasting import shape_of
from ...engine.dispatch import NO_OPTIONS, TABLE, apply, as_operand
from ...engine.errors import AutodiffError, ShapeError
from ...engine.levels import StandingLevel
from ...engine.printing import format_call, format_value
from ...engine.rules.rows import Op
from ...engine.rules.shapes import dummy_array
from .nodes import Constant, Extent, Node, innermost_graph


class GraphLevel(StandingLevel):
    """The level of nodes, above every derivative: an operation on a node builds an operator node."""

    number = float("inf")

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Note one operation as an operator node. Where a shape is known, a question about it is answered at once."""
        if op.kind != "shape":
            return Operator(op, operands, static)
        if op.name.endswith("_like") and not isinstance(extent_of(operands[0]), tuple):
            return Operator(op, operands, static, extent=operands[0].extent)
        return as_operand(op.fn(*(np.empty(x.shape) if isinstance(x, Node) else x for x in operands), **static))


Node.level = GraphLevel()


class Partial(NamedTuple):
    """A partial sum (or product) inside one of the longer operators: its own node, if there still is one; its slots."""

    ref: weakref.ref[Operator]
    slots: tuple[Any, ...]


class Operator(Node):
    """An operator node of a static graph: an operation on other nodes.

    ``x + y + z`` is one node with three operands: the sum ``x + y`` on the way to it is merged, unless it was given a
    name or somebody holds it (a variable of the program, another node). Merging changes no node and no number: the
    terms are still added in the order in which they were written.
    """

    def __init__(
        self,
        op: Op,
        operands: tuple[Any, ...],
        static: Mapping[str, Any] = NO_OPTIONS,
        name: str | None = None,
        extent: Extent | None = None,
        outputs: int = 1,
    ) -> None:
        graph = next((x.graph for x in operands if isinstance(x, Node)), None) or innermost_graph(op.name)
        for x in operands:
            if isinstance(x, Node):
                graph.require(x, f"an operand of {op.name}")
        taken = tuple(x if isinstance(x, Node) else Constant(x, graph=graph) for x in operands)
        self.op, self.static, self.outputs = op, static, outputs
        self.slots: tuple[Any, ...] = tuple(_slot(x, op) for x in taken) if graph.flatten else taken
        super().__init__(op.name, _extent_after(op, taken, static) if extent is None else extent, graph, name)

    def merged_operands(self) -> tuple[tuple[Node, ...], tuple[tuple[int, int], ...]]:
        """An operator node's operands; and of a merged sum the pairs to add: i is operand i, -r the result of pair r.

        >>> from autodiff_lab.systems.static_graph import Graph, Variable
        >>> with Graph():
        ...     x, y, z = Variable(1.0, "x"), Variable(2.0, "y"), Variable(3.0, "z")
        >>> [node.name for node in (x + (y + z)).merged_operands()[0]], (x + (y + z)).merged_operands()[1]
        (['x', 'y', 'z'], ((1, 2), (0, -1)))
        """
        if not any(isinstance(slot, Partial) for slot in self.slots):
            return self.slots, ()
        operands: list[Node] = []
        pairs: list[tuple[int, int]] = []
        done: list[int] = []
        todo = [None, *reversed(self.slots)]
        while todo:
            slot = todo.pop()
            if slot is None:
                right, left = done.pop(), done.pop()
                pairs.append((left, right))
                done.append(-len(pairs))
                continue
            node = slot.ref() if isinstance(slot, Partial) else slot
            if node is None:
                todo += [None, *reversed(slot.slots)]
            else:
                done.append(len(operands))
                operands.append(node)
        return tuple(operands), tuple(pairs) if len(pairs) > 1 else ()

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes that this operator node works on, by position; one that is used twice stands there twice."""
        return self.merged_operands()[0]

    def compute(self, values: Mapping[int, Any]) -> Any:
        """Compute an operator's value from those of its operands (by number; a branch not taken has none)."""
        operands, pairs = self.merged_operands()
        terms = [values.get(x.number) for x in operands]
        try:
            if not pairs:
                value = self.op.fn(*terms, **self.static)
                return value if self.outputs > 1 else as_operand(value)
            return as_operand(fold_pairs(self.op, terms, pairs)[-1])
        except ValueError as error:
            if isinstance(error, (AutodiffError, np.linalg.LinAlgError)):
                raise
            shapes = ", ".join(f"{x.name} {shape_of(t)}" for x, t in zip(operands, terms, strict=True))
            raise ShapeError(
                f"{self.name} = {self.expression} cannot be computed: {error}. Shapes of its operands: {shapes}."
            ) from error

    @property
    def expression(self) -> str:
        """What this operator computes, in the names of its operands: ``x + y + z``."""
        names = [format_value(x.value) if isinstance(x, Constant) and not x.named else x.name for x in self.operands]
        symbol = self.op.symbol
        return f" {symbol} ".join(names) if symbol else format_call(self.op.name, None, names, dict(self.static))

    def __repr__(self) -> str:
        return super().__repr__().replace(":", f" = {self.expression}:", 1)


MERGED = (TABLE[np.add], TABLE[np.multiply])


def _slot(x: Node, op: Op) -> Any:
    within = op in MERGED and isinstance(x, Operator) and x.op is op and not x.named
    return Partial(weakref.ref(x), x.slots) if within else x


def fold_pairs(op: Op, terms: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> list[Any]:
    """Fold the operands of a merged operator by pairs: its partial sums, of numbers or (for a derivative) of nodes."""
    results: list[Any] = []
    for left, right in pairs:
        results.append(apply(op, tuple(terms[i] if i >= 0 else results[-i - 1] for i in (left, right))))
    return results


# Shapes, as far as they are known while nothing is computed


def extent_of(x: Any) -> Extent:
    """The shape of an operator's operand; while that is not known, the number of the node that will bring it."""
    return x.extent if isinstance(x, Node) else shape_of(x)


def _extent_after(op: Op, operands: tuple[Node, ...], static: Mapping[str, Any]) -> Extent | None:
    """The extent of a result; None if it is one of its own."""
    extents = [x.extent for x in operands]
    shapes = all(isinstance(extent, tuple) for extent in extents)
    try:
        if _entrywise(op):
            others = {extent for extent in extents if extent != ()}
            if len(others) < 2:
                return next(iter(others), ())
            return np.broadcast_shapes(*others) if shapes else None  # type: ignore[arg-type]
        if op.kind == "reduction" and static.get("axis") is None and not static.get("keepdims"):
            return ()
        if shapes and op in TABLE.values():  # NumPy knows, and is asked with arrays that hold no numbers
            return shape_of(op.fn(*map(dummy_array, operands), **static))
    except np.linalg.LinAlgError:
        return None
    except ValueError as error:
        given = ", ".join(f"{x.name} {x.extent}" for x in operands)
        raise ShapeError(f"{op.name} cannot be computed with operands of these shapes: {given} ({error}).") from None
    return None


def _entrywise(op: Op) -> bool:
    if op.kind in ("flat", "comparison"):
        return isinstance(getattr(np, op.name, None), np.ufunc)
    return op.kind == "elementwise" or op.name in ("where", "unless")


# Two operations that are not in the table

COND = Op(
    "cond",
    lambda condition, a, b: a if condition else b,
    "general",
    (
        None,
        lambda g, y, condition, a, b: g if condition else None,
        lambda g, y, condition, a, b: None if condition else g,
    ),
)
OUTPUT = Op("output", lambda results, k: results[k], "general", (None,))
