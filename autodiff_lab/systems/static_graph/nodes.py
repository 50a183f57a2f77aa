"""The nodes of a static graph: constants, variables and placeholders, which hold a value, and operators.

A node flows through a program like any traced value, at a level of its own. So Python's operators, NumPy's functions
and the rules of the engine's table all apply to nodes, and the engine's dispatch hands every operation on a node to
:class:`GraphLevel`, which computes nothing and notes it as an :class:`Operator`: what ``x + y`` or ``np.log(x)``
becomes. Any row of the engine's table can be noted; there is no second list of operations.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.broadcasting import shape_of
from ...engine.dispatch import NO_OPTIONS, TABLE, apply
from ...engine.errors import (
    AutodiffError,
    DetachedError,
    InputError,
    MutationError,
    ShapeError,
    UnsupportedError,
)
from ...engine.levels import StandingLevel
from ...engine.operators import Overloaded
from ...engine.primitives import Op
from ...engine.printing import format_call, format_value
from ...engine.rules.shapes import dummy_array
from ...engine.values import Traced, as_operand, as_shaped, as_value, to_output

# A shape; or, while that is not known, the number of the node that will bring it.
Extent = tuple[int, ...] | int


class Home(Protocol):
    """What a node asks of the static graph that it belongs to; a `Graph` has it, and more."""

    flatten: bool
    values: dict[int, Any]
    grads: dict[int, Any]

    def register(self, node: Node, kind: str, asked: str | None) -> tuple[str, int]:
        """Give a new node of the static graph a name and a number."""

    def require(self, node: Any, what: str) -> None:
        """Refuse what is no node of this static graph."""

    def backward_from(self, node: Node, seed: Any = None) -> None:
        """Sweep back over the static graph from one node."""


# The graphs of the ``with`` blocks around, innermost last; each thread and each task has its own.
OPEN_GRAPHS: ContextVar[tuple[Home, ...]] = ContextVar("open static graphs", default=())


class Node(Overloaded):
    """A node of a static graph. It has a name from the start, and a value once the graph has been run.

    Attributes
    ----------
    graph : Graph
    name : str
        Unique in its graph: the one that was asked for, or the kind and a number (``add_1``).
    number : int
        Nodes are numbered as they are made, so an operand's number is always the smaller one.
    extent : tuple of int or int
        The shape; while that is not known, the number of the node that will bring it.
    """

    def __init__(
        self, kind: str, extent: Extent | None, graph: Home | None, name: str | None
    ) -> None:
        self.graph = graph or _innermost_graph(kind)
        self.named = name is not None
        self.name, self.number = self.graph.register(self, kind, name)
        self.extent = self.number if extent is None else extent

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes of the static graph that this one works on: none, unless it is an operator."""
        return ()

    @property
    def value(self) -> Any:
        """The value that the last run of the static graph gave this node; None: not computed yet."""
        return to_output(self.graph.values.get(self.number))

    @property
    def grad(self) -> Any:
        """The adjoint that the last sweep over the static graph gave this node; None (not 0) if nothing arrived."""
        return to_output(self.graph.grads.get(self.number))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of this node, where it is known before the static graph is run."""
        if isinstance(self.extent, tuple):
            return self.extent
        raise ShapeError(
            f"The shape of {self.name} is not known before the graph is run, but this function needs it while the "
            "graph is built. Give the shape when you make the node, Placeholder(shape=(5,)), or write the function "
            "with operators, elementwise functions, np.sum and np.mean, which don't need it."
        )

    def backward(self) -> None:
        """Sweep back from this node of a static graph alone; see :meth:`Graph.backward_from`."""
        self.graph.backward_from(self)

    def __bool__(self) -> bool:
        raise DetachedError(
            f"`if {self.name}:` cannot be decided while the graph is built: {self.name} has no value yet. Put both "
            "branches into the graph with cond(condition, a, b), or np.where(condition, a, b) for each element. "
            "(`x == y` and `x in nodes` need a value too; compare nodes with `x is y`.)"
        )

    def _raise_detached(self, what: str, instead: str | None) -> NoReturn:
        raise DetachedError(
            f"{what} of {self.name} needs a number, but a node of a graph has no value yet. Use NumPy's functions and "
            f"operators while you build; afterwards graph.run({self.name}, feed_dict) gives its value."
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"A node of a graph has no `.{name}`. Apply a function to it: np.…(node) or node.sum()."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._raise_detached("The array", "")

    def __repr__(self) -> str:
        value = self.value
        return f"<{type(self).__name__} {self.name}: {'not computed yet' if value is None else format_value(value)}>"


class Constant(Node):
    """A constant node of a static graph: a number or an array. It has no gradient."""

    def __init__(self, value: Any, name: str | None = None, graph: Home | None = None) -> None:
        if isinstance(value, Traced):
            raise InputError(
                f"{value!r} cannot be a constant of a static graph: it belongs to a derivative in progress. "
                "Make a Placeholder, and feed it: graph.run(y, {placeholder: value})."
            )
        mask = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
        self.held = value if mask else _as_real(value, "the value of a Constant")
        if np.ndim(value):
            self.held = np.array(self.held)
            self.held.flags.writeable = False
        # The rules of the table look at a number as it was written: the slope of x**2 is 2 * x.
        self._given = value if isinstance(value, (int, float)) else self.held
        super().__init__("constant", shape_of(self.held), graph, name)

    @property
    def value(self) -> Any:
        """The number or array that a constant node holds, as it was given."""
        return self._given

    @value.setter
    def value(self, new: Any) -> None:
        raise MutationError(
            f"{self.name} is a Constant and keeps its value. Use a Variable for what changes."
        )

    @property
    def grad(self) -> Any:
        """A constant node has no gradient: asking for it is an error."""
        raise UnsupportedError(
            f"{self.name} is a Constant and has no gradient. Make it a Variable to have one."
        )


class Variable(Node):
    """A variable of a static graph: a node whose value stays from run to run; ``w.value = 3.0`` assigns to it."""

    def __init__(self, value: Any, name: str | None = None, graph: Home | None = None) -> None:
        if isinstance(value, Node):
            raise InputError(
                f"A Variable starts with a number or an array, and {value.name} is a node."
            )
        start = _as_real(value, f"the value of the Variable{f' {name}' if name else ''}")
        super().__init__("variable", shape_of(start), graph, name)
        self.held = start.copy()

    @property
    def value(self) -> Any:
        """The value that a variable node holds now; to set it forgets what the last run of its graph computed."""
        return to_output(self.held)

    @value.setter
    def value(self, new: Any) -> None:
        what = f"the new value of {self.name}"
        self.held = as_shaped(_as_real(new, what), self.held, what).copy()
        self.graph.values = {}  # what was computed belongs to the old value

    def assign(self, new: Any) -> None:
        """Give a variable node another value of the same shape; forgets what the last run computed."""
        self.value = new


class Placeholder(Node):
    """A placeholder node: its value is fed by each run, ``graph.run(y, {x: 2.0})``.

    Parameters
    ----------
    shape : tuple of (int or None), optional
        What may be fed: ``()`` one number, ``(None, 4)`` any number of rows of four; anything if not given.
    name : str, optional
        What to call it; by default it gets a number.
    graph : Graph, optional
        Where it belongs; by default the graph of the enclosing ``with`` block.

    See Also
    --------
    Graph : A graph that is built before it is run.

    Examples
    --------
    >>> from autodiff_lab.systems.static_graph import Graph, Placeholder
    >>> with Graph() as graph:
    ...     x = Placeholder((None, 2), name="x")
    ...     y = 2 * x
    >>> graph.run(y, {x: [[1.0, 2.0]]})
    array([[2., 4.]])
    """

    def __init__(
        self,
        shape: tuple[int | None, ...] | None = None,
        name: str | None = None,
        graph: Home | None = None,
    ) -> None:
        self.accepts = shape
        fixed = tuple(n for n in shape if n is not None) if shape is not None else None
        super().__init__("placeholder", fixed if fixed == shape else None, graph, name)

    def check_fed(self, value: Any) -> Any:
        """Check a value that is fed to this placeholder node: it is of numbers, and has the shape that is accepted."""
        new = _as_real(value, f"the value fed to {self.name}")
        if isinstance(new, Node):
            raise InputError(f"{self.name} was fed the node {new.name}. Feed a number or an array.")
        shape = shape_of(new)
        fits = self.accepts is None or (
            len(shape) == len(self.accepts)
            and all(want in (None, n) for n, want in zip(shape, self.accepts, strict=True))
        )
        if not fits:
            raise ShapeError(
                f"{self.name} was fed a value of shape {shape}, and takes {self.accepts} (None: any length)."
            )
        return new.copy() if isinstance(new, np.ndarray) else new


def _as_real(value: Any, what: str) -> Any:
    """Convert to a number or an array of numbers, also from lists."""
    try:
        return as_value(np.asarray(value) if isinstance(value, (list, tuple)) else value, what)
    except ValueError:
        raise ShapeError(f"{what} is a list of lists of different lengths: {value!r}.") from None


def _innermost_graph(what: str) -> Home:
    """The innermost ``with Graph()`` block, whose graph a new node belongs to."""
    if OPEN_GRAPHS.get():
        return OPEN_GRAPHS.get()[-1]
    raise InputError(
        f"There is no graph here to put this {what} into. Build inside `with Graph() as graph:`, or say graph=…"
    )


class GraphLevel(StandingLevel):
    """The level of nodes, above every derivative: an operation on a node builds an operator node."""

    number = float("inf")

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Note one operation as an operator node. Where a shape is known, a question about it is answered at once."""
        if op.kind != "shape":
            return Operator(op, operands, static)
        if op.name.endswith("_like") and not isinstance(extent_of(operands[0]), tuple):
            return Operator(op, operands, static, extent=operands[0].extent)
        return as_operand(
            op.fn(*(np.empty(x.shape) if isinstance(x, Node) else x for x in operands), **static)
        )


Node.level = GraphLevel()


class Partial(NamedTuple):
    """A partial sum (or product) merged into an operator node: its own node, if there still is one; its slots."""

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
        graph = next((x.graph for x in operands if isinstance(x, Node)), None) or _innermost_graph(
            op.name
        )
        for x in operands:
            if isinstance(x, Node):
                graph.require(x, f"an operand of {op.name}")
        taken = tuple(x if isinstance(x, Node) else Constant(x, graph=graph) for x in operands)
        self.op, self.static, self.outputs = op, static, outputs
        self.slots: tuple[Any, ...] = tuple(_slot(x, op) for x in taken) if graph.flatten else taken
        super().__init__(
            op.name, _extent_after(op, taken, static) if extent is None else extent, graph, name
        )

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
        """Compute an operator node's value from those of its operands (by number; a branch not taken has none)."""
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
            shapes = ", ".join(
                f"{x.name} {shape_of(t)}" for x, t in zip(operands, terms, strict=True)
            )
            raise ShapeError(
                f"{self.name} = {self.expression} cannot be computed: {error}. Shapes of its operands: {shapes}."
            ) from error

    @property
    def expression(self) -> str:
        """What this operator node computes, in the names of its operands: ``x + y + z``."""
        names = [
            format_value(x.value) if isinstance(x, Constant) and not x.named else x.name
            for x in self.operands
        ]
        symbol = self.op.symbol
        return (
            f" {symbol} ".join(names)
            if symbol
            else format_call(self.op.name, None, names, dict(self.static))
        )

    def __repr__(self) -> str:
        return super().__repr__().replace(":", f" = {self.expression}:", 1)


MERGED = (TABLE[np.add], TABLE[np.multiply])


def _slot(x: Node, op: Op) -> Any:
    if isinstance(x, Operator) and op in MERGED and x.op is op and not x.named:
        return Partial(weakref.ref(x), x.slots)
    return x


def fold_pairs(op: Op, terms: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> list[Any]:
    """Fold the operands of a merged operator node by pairs: partial sums, of numbers or (for a derivative) of nodes."""
    results: list[Any] = []
    for left, right in pairs:
        results.append(
            apply(op, tuple(terms[i] if i >= 0 else results[-i - 1] for i in (left, right)))
        )
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
            return np.broadcast_shapes(*others) if shapes else None
        if op.weights is not None and static.get("axis") is None and not static.get("keepdims"):
            return ()
        # NumPy knows, and is asked with arrays that hold no numbers
        if shapes and op in TABLE.values():
            return shape_of(op.fn(*map(dummy_array, operands), **static))
    except np.linalg.LinAlgError:
        return None
    except ValueError as error:
        given = ", ".join(f"{x.name} {x.extent}" for x in operands)
        raise ShapeError(
            f"{op.name} cannot be computed with operands of these shapes: {given} ({error})."
        ) from None
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
