"""The nodes of a static graph that hold a value: constants, variables, placeholders.

A node flows through a program like any traced value. So the operators, NumPy's functions and the rules of the engine's
table all apply to nodes; what they do there is note, not compute (see :class:`~.operators.Operator`).
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...engine.broadcasting import shape_of
from ...engine.dispatch import Traced
from ...engine.errors import DetachedError, InputError, MutationError, ShapeError, UnsupportedError
from ...engine.operators import Overloaded
from ...engine.printing import format_value
from ...engine.values import as_shaped, as_value, to_output

if TYPE_CHECKING:
    from .graph import Graph

# The graphs of the ``with`` blocks around, innermost last; each thread and each task has its own.
OPEN_GRAPHS: ContextVar[tuple[Graph, ...]] = ContextVar("open static graphs", default=())

# A shape; or, while that is not known, the number of the node that will bring it.
Extent = tuple[int, ...] | int


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

    def __init__(self, kind: str, extent: Extent | None, graph: Graph | None, name: str | None) -> None:
        self.graph = graph or innermost_graph(kind)
        self.named = name is not None
        self.name, self.number = self.graph.register(self, kind, name)
        self.extent = self.number if extent is None else extent

    operands: tuple[Node, ...] = ()

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
            f"The shape of {self.name} is not known before the graph is run, and this function asks for it while the "
            "graph is built. Say it where the node is made, Placeholder(shape=(5,)), or write the function with "
            "operators, elementwise functions, np.sum and np.mean, which do not ask."
        )

    def backward(self) -> None:
        """Sweep back from this node of a static graph alone; see :meth:`Graph.backward_from`."""
        self.graph.backward_from(self)

    def __bool__(self) -> bool:
        raise DetachedError(
            f"`if {self.name}:` cannot be decided while the graph is built: {self.name} has no value yet. Put both "
            "branches into the graph with cond(condition, a, b), or np.where(condition, a, b) for each entry. "
            "(`x == y` and `x in nodes` ask this too; compare nodes with `x is y`.)"
        )

    def _raise_detached(self, what: str, instead: str) -> NoReturn:
        raise DetachedError(
            f"{what} of {self.name} asks for a number, and a node of a graph is none. Use NumPy's functions and "
            f"operators while you build; afterwards graph.run({self.name}, feed_dict) gives its value."
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"A node of a graph has no `.{name}`. Use a function of it, np.…(node) or node.sum().")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._raise_detached("The array", "")

    def __repr__(self) -> str:
        value = self.value
        return f"<{type(self).__name__} {self.name}: {'not computed yet' if value is None else format_value(value)}>"


class Constant(Node):
    """A constant node of a static graph: a number or an array. It has no gradient."""

    def __init__(self, value: Any, name: str | None = None, graph: Graph | None = None) -> None:
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
        raise MutationError(f"{self.name} is a Constant and keeps its value. Use a Variable for what changes.")

    @property
    def grad(self) -> Any:
        """A constant node has no gradient: asking for it is an error."""
        raise UnsupportedError(f"{self.name} is a Constant and has no gradient. Make it a Variable to have one.")


class Variable(Node):
    """A variable node: its value stays from run to run and can be assigned, ``w.value = 3.0``. Its shape is fixed."""

    def __init__(self, value: Any, name: str | None = None, graph: Graph | None = None) -> None:
        if isinstance(value, Node):
            raise InputError(f"A Variable starts with a number or an array, and {value.name} is a node.")
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
    >>> import autodiff_lab as ad
    >>> with ad.Graph() as graph:
    ...     x = ad.Placeholder((None, 2), name="x")
    ...     y = 2 * x
    >>> graph.run(y, {x: [[1.0, 2.0]]})
    array([[2., 4.]])
    """

    def __init__(
        self, shape: tuple[int | None, ...] | None = None, name: str | None = None, graph: Graph | None = None
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


def innermost_graph(what: str) -> Graph:
    """The innermost ``with Graph()`` block, whose graph a new node belongs to."""
    if OPEN_GRAPHS.get():
        return OPEN_GRAPHS.get()[-1]
    raise InputError(
        f"There is no graph here to put this {what} into. Build inside `with Graph() as graph:`, or say graph=…"
    )
