"""The nodes of a static graph: constants, variables and placeholders, which hold a value, and operators.

A node is a traced value with its own level. So Python's operators, NumPy's functions and the engine's rules all work on
nodes. The engine's dispatch passes every operation on a node, such as ``x + y`` or ``np.log(x)``, to
:class:`GraphLevel`. It computes nothing, and makes an :class:`Operator` node instead. It does so for every primitive of
the engine; there is no second list of operations.
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

# A shape; or, if it is not known yet, the number of a node that will have that shape.
Extent = tuple[int, ...] | int


class Home(Protocol):
    """The interface of a static graph that its nodes use; `Graph` implements it."""

    flatten: bool
    values: dict[int, Any]
    grads: dict[int, Any]

    def register(self, node: Node, kind: str, asked: str | None) -> tuple[str, int]:
        """Give a new node of the static graph a name and a number."""

    def require(self, node: Any, what: str) -> None:
        """Raise an InputError if `node` is not a node of this static graph."""

    def backward_from(self, node: Node, seed: Any = None) -> None:
        """Run the backward pass over the static graph from one node."""


# The graphs of the enclosing ``with`` blocks, innermost last; each thread and each task has its own.
OPEN_GRAPHS: ContextVar[tuple[Home, ...]] = ContextVar("open static graphs", default=())


class Node(Overloaded):
    """A node of a static graph. It has a name from the start, and a value after the graph has been run.

    Attributes
    ----------
    graph : Graph
    name : str
        The name that was given to it, or its kind and a number (``add_1``); unique in its graph.
    number : int
        Nodes are numbered in the order they are made, so an operand has a smaller number than its users.
    extent : tuple of int or int
        The shape; if it is not known yet, the number of a node that will have the same shape.
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
        """The nodes of the static graph that this node is computed from: none, unless it is an operator."""
        return ()

    @property
    def value(self) -> Any:
        """The value of this node in the last run of the static graph; None if it was not computed."""
        return to_output(self.graph.values.get(self.number))

    @property
    def grad(self) -> Any:
        """The adjoint of this node in the last sweep over the static graph; None (not 0) if nothing arrived."""
        return to_output(self.graph.grads.get(self.number))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of this node, if it is known before the static graph is run; otherwise a ShapeError is raised."""
        if isinstance(self.extent, tuple):
            return self.extent
        raise ShapeError(
            f"The shape of {self.name} is not known before the graph is run, but this function needs it while the "
            "graph is built. Give the shape when you make the node, Placeholder(shape=(5,)), or write the function "
            "with operators, elementwise functions, np.sum and np.mean, which don't need it."
        )

    def backward(self) -> None:
        """Run the backward pass of the static graph from this node alone; see :meth:`Graph.backward_from`."""
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
        dtype = getattr(value, "dtype", None)
        is_boolean = isinstance(value, bool) or getattr(dtype, "kind", "") == "b"
        self.held = value if is_boolean else _as_real(value, "the value of a Constant")
        if np.ndim(value):
            self.held = np.array(self.held)
            self.held.flags.writeable = False
        # Rules use a number as it was given: with the integer 2, the derivative of x**2 is 2 * x.
        self._given = value if isinstance(value, (int, float)) else self.held
        super().__init__("constant", shape_of(self.held), graph, name)

    @property
    def value(self) -> Any:
        """The number or array of a constant node, as it was given."""
        return self._given

    @value.setter
    def value(self, new: Any) -> None:
        raise MutationError(
            f"{self.name} is a Constant and keeps its value. Use a Variable for what changes."
        )

    @property
    def grad(self) -> Any:
        """A constant node has no gradient, so this raises an UnsupportedError."""
        raise UnsupportedError(
            f"{self.name} is a Constant and has no gradient. Make it a Variable to have one."
        )


class Variable(Node):
    """A variable of a static graph: a node that keeps its value from run to run; ``w.value = 3.0`` assigns to it."""

    def __init__(self, value: Any, name: str | None = None, graph: Home | None = None) -> None:
        if isinstance(value, Node):
            raise InputError(
                f"The value of a Variable is a number or an array, but {value.name} is a node. Compute with the node "
                "itself, or run the graph and use its value."
            )
        initial = _as_real(value, f"the value of the Variable {name or ''}".rstrip())
        super().__init__("variable", shape_of(initial), graph, name)
        self.held = initial.copy()

    @property
    def value(self) -> Any:
        """The current value of a variable node; setting it clears the values of the last run of its graph."""
        return to_output(self.held)

    @value.setter
    def value(self, new: Any) -> None:
        what = f"the new value of {self.name}"
        self.held = as_shaped(_as_real(new, what), self.held, what).copy()
        self.graph.values = {}  # they were computed with the old value

    def assign(self, new: Any) -> None:
        """Assign a new value of the same shape to a variable node; this clears the values of the last run."""
        self.value = new


class Placeholder(Node):
    """A placeholder node: its value is fed in each run, ``graph.run(y, {x: 2.0})``.

    Parameters
    ----------
    shape : tuple of (int or None), optional
        The shape of the values that may be fed: ``()`` for a number, ``(None, 4)`` for any number of rows of four. If
        not given, any shape.
    name : str, optional
        Its name; by default ``placeholder_1`` or another number.
    graph : Graph, optional
        The graph it belongs to; by default that of the enclosing ``with`` block.

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
        extent: Any = None
        if isinstance(shape, tuple) and None not in shape:
            extent = shape
        super().__init__("placeholder", extent, graph, name)

    def check_fed(self, value: Any) -> Any:
        """Check a value that is fed to this placeholder node: it consists of numbers and has an accepted shape."""
        new = _as_real(value, f"the value fed to {self.name}")
        if isinstance(new, Node):
            raise InputError(f"{self.name} was fed the node {new.name}. Feed a number or an array.")
        if not self._accepts_shape(shape_of(new)):
            raise ShapeError(
                f"{self.name} was fed a value of shape {shape_of(new)}, but it accepts {self.accepts}, where None is "
                "any length. Feed such a value, or make the Placeholder with another shape."
            )
        return new.copy() if isinstance(new, np.ndarray) else new

    def _accepts_shape(self, shape: tuple[int, ...]) -> bool:
        if self.accepts is None:
            return True
        if len(shape) != len(self.accepts):
            return False
        return all(n in (None, length) for length, n in zip(shape, self.accepts, strict=True))


def _as_real(value: Any, what: str) -> Any:
    """Convert a number, an array or a list to a number or an array of numbers."""
    try:
        return as_value(np.asarray(value) if isinstance(value, (list, tuple)) else value, what)
    except ValueError:
        raise ShapeError(
            f"{what} is a list of lists of different lengths: {value!r}. Give all of them the same length."
        ) from None


def _innermost_graph(what: str) -> Home:
    """The graph of the innermost ``with Graph()`` block, which a new node belongs to."""
    if OPEN_GRAPHS.get():
        return OPEN_GRAPHS.get()[-1]
    raise InputError(
        f"There is no graph here for this {what}. Build it inside `with Graph() as graph:`, or pass graph=…"
    )


class GraphLevel(StandingLevel):
    """The level of nodes, above every derivative: an operation on a node builds an operator node."""

    number = float("inf")

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Make an operator node for one operation; a function of the shape is computed at once if that is known."""
        if op.kind != "shape":
            return Operator(op, operands, static)
        if op.name.endswith("_like") and not isinstance(extent_of(operands[0]), tuple):
            return Operator(op, operands, static, extent=operands[0].extent)
        stand_ins = [np.empty(x.shape) if isinstance(x, Node) else x for x in operands]
        return as_operand(op.fn(*stand_ins, **static))


Node.level = GraphLevel()


class Partial(NamedTuple):
    """A partial sum (or product) that is merged into an operator node: its node, if that still exists; its slots."""

    ref: weakref.ref[Operator]
    slots: tuple[Any, ...]


class Operator(Node):
    """An operator node of a static graph: an operation on other nodes.

    ``x + y + z`` is one node with three operands: the intermediate sum ``x + y`` is merged into it, unless it was given
    a name, or a variable of the program or another node refers to it. Merging changes no other node and no number: the
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
        given_nodes = [x for x in operands if isinstance(x, Node)]
        graph = given_nodes[0].graph if given_nodes else _innermost_graph(op.name)
        for x in given_nodes:
            graph.require(x, f"an operand of {op.name}")
        nodes = tuple(x if isinstance(x, Node) else Constant(x, graph=graph) for x in operands)
        self.op = op
        self.static = static
        self.outputs = outputs
        self.slots: tuple[Any, ...] = nodes
        if graph.flatten:
            self.slots = tuple(_slot(x, op) for x in nodes)
        if extent is None:
            extent = _extent_after(op, nodes, static)
        super().__init__(op.name, extent, graph, name)

    def merged_operands(self) -> tuple[tuple[Node, ...], tuple[tuple[int, int], ...]]:
        """The operands of an operator node, and for a merged sum the pairs to add, in order.

        In a pair, i stands for operand i, and -r for the result of pair number r, counted from 1.

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
        # Operands and results that have not been added yet, as numbers in the form of a pair's.
        done: list[int] = []
        # None: add the last two of `done`. There is no recursion here, because a sum may be longer than Python's stack.
        todo = [None, *reversed(self.slots)]
        while todo:
            slot = todo.pop()
            if slot is None:
                right = done.pop()
                left = done.pop()
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
        """The nodes that this operator node is computed from, by position; a node that is used twice is in it twice."""
        return self.merged_operands()[0]

    def compute(self, values: Mapping[int, Any]) -> Any:
        """Compute an operator node's value from its operands' values, by number; a branch not taken has no value."""
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
        """The expression of this operator node, with the names of its operands: ``x + y + z``."""
        names = [
            format_value(x.value) if isinstance(x, Constant) and not x.named else x.name
            for x in self.operands
        ]
        symbol = self.op.symbol
        if symbol:
            return f" {symbol} ".join(names)
        return format_call(self.op.name, None, names, dict(self.static))

    def __repr__(self) -> str:
        return super().__repr__().replace(":", f" = {self.expression}:", 1)


MERGED = (TABLE[np.add], TABLE[np.multiply])


def _slot(x: Node, op: Op) -> Any:
    """An operand of `op`; a nameless sum in a sum, or product in a product, is held weakly so that it can be merged."""
    if isinstance(x, Operator) and op in MERGED and x.op is op and not x.named:
        return Partial(weakref.ref(x), x.slots)
    return x


def fold_pairs(op: Op, terms: Sequence[Any], pairs: Sequence[tuple[int, int]]) -> list[Any]:
    """The partial sums (or products) of a merged operator node, one for each pair; of numbers or of nodes."""
    results: list[Any] = []
    for pair in pairs:
        operands = tuple(terms[i] if i >= 0 else results[-i - 1] for i in pair)
        results.append(apply(op, operands))
    return results


# Shapes, if they are known before the graph is run


def extent_of(x: Any) -> Extent:
    """The shape of an operand; if it is not known yet, the number of a node that will have the same shape."""
    return x.extent if isinstance(x, Node) else shape_of(x)


def _extent_after(op: Op, operands: tuple[Node, ...], static: Mapping[str, Any]) -> Extent | None:
    """The extent of an operation's result; None if its shape is not known and may be that of no operand."""
    extents = [x.extent for x in operands]
    all_known = all(isinstance(extent, tuple) for extent in extents)
    try:
        if _is_elementwise(op):
            others = {extent for extent in extents if extent != ()}
            if len(others) < 2:
                return next(iter(others), ())
            return np.broadcast_shapes(*others) if all_known else None
        if op.weights is not None and static.get("axis") is None and not static.get("keepdims"):
            return ()
        # NumPy computes the shape, on arrays that take no memory.
        if all_known and op in TABLE.values():
            return shape_of(op.fn(*map(dummy_array, operands), **static))
    except np.linalg.LinAlgError:
        return None
    except ValueError as error:
        given = ", ".join(f"{x.name} {x.extent}" for x in operands)
        raise ShapeError(
            f"{op.name} cannot be computed with operands of these shapes: {given} ({error})."
        ) from None
    return None


def _is_elementwise(op: Op) -> bool:
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
