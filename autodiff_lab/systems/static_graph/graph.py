"""The class `Graph`: a static graph, with its nodes, the forward run, and the backward pass."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from ...engine.broadcasting import shape_of
from ...engine.errors import InputError, ShapeError
from ...engine.values import as_shaped, ones, to_output
from ...engine.views import view
from ...transforms import pytree
from .forward import Forward
from .gradients import require_differentiable
from .nodes import OPEN_GRAPHS, Constant, Node, Placeholder, Variable
from .sweep import Sweep


class Graph:
    """A static graph: nodes with unique names, and the values of the last run.

    Inside its ``with`` block, new nodes belong to it. It holds weak references: a node that neither the program nor
    another node refers to is deleted, and its name is not used again.

    Parameters
    ----------
    flatten : bool
        Make ``x + y + z`` one node with three operands (n + 1 nodes for n terms) instead of two nodes with two operands
        (2n - 1 nodes). The numbers are the same.

    Attributes
    ----------
    values, grads : dict
        The values of the last run and the adjoints of the last backward pass, by the numbers of the nodes.

    See Also
    --------
    Placeholder : A node whose value is fed in each run.
    gradients : Add the nodes of a gradient to a graph.

    Examples
    --------
    >>> from autodiff_lab.systems.static_graph import Graph, Placeholder
    >>> with Graph() as graph:
    ...     x = Placeholder(name="x")
    ...     y = x * x
    >>> graph.run(y, {x: 3.0})
    9.0
    """

    def __init__(self, flatten: bool = True) -> None:
        self._nodes: weakref.WeakValueDictionary[int, Node] = weakref.WeakValueDictionary()
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}
        self._made = 0
        self._lock = threading.Lock()
        self.flatten = flatten
        self.values: dict[int, Any] = {}
        self.grads: dict[int, Any] = {}
        self._swept: dict[int, Any] | None = None

    # The nodes

    def __enter__(self) -> Self:
        OPEN_GRAPHS.set((*OPEN_GRAPHS.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        OPEN_GRAPHS.set(OPEN_GRAPHS.get()[:-1])

    def register(self, node: Node, kind: str, asked: str | None) -> tuple[str, int]:
        """Register a new node in the static graph; return its name and number. A number is added to a taken name."""
        with self._lock:
            name = asked
            while name is None or name in self._names:
                stem = asked or kind
                self._counts[stem] = self._counts.get(stem, 0) + 1
                name = f"{stem}_{self._counts[stem]}"
            self._names.add(name)
            self._made += 1
            self._nodes[self._made] = node
            return name, self._made

    def require(self, node: Any, what: str) -> None:
        """Raise an InputError if `node` is not a node of this static graph; `what` tells what it was used for."""
        if not isinstance(node, Node):
            raise InputError(
                f"{node!r} was {what}, but is not a node of a graph: pass a node, such as {self._example()}."
            )
        if node.graph is not self:
            raise InputError(
                f"{node.name} was {what}, but belongs to another graph than {self._example()}. "
                "Build both in the same `with` block."
            )

    def _example(self) -> str:
        """The name of the last node, as an example in messages."""
        nodes = self.nodes
        return nodes[-1].name if nodes else "x + y"

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the static graph that still exist, in the order they were made."""
        return tuple(sorted(self._nodes.values(), key=lambda node: node.number))

    def __len__(self) -> int:
        return len(self._nodes)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        names = ", ".join(node.name for node in self.nodes[:8])
        dots = "…" if len(self) > 8 else ""
        return f"<Graph of {len(self)} nodes: {names}{dots}>"

    # Running

    def run(self, fetches: Any, feed_dict: Mapping[Node, Any] | None = None) -> Any:
        """Run the static graph: compute the fetches, and all nodes that they depend on.

        Parameters
        ----------
        fetches : Node, or nested tuples, lists and dicts of them
        feed_dict : mapping of Placeholder to number or array

        Returns
        -------
        number or array, in the structure of fetches

        Raises
        ------
        InputError
            If a placeholder that is needed was not fed, if something else than a placeholder was fed, or for anything
            that is not a node of this graph.
        ShapeError
            If a value that was fed, or an operand, has the wrong shape.
        """
        deque(self._forward(fetches, feed_dict), maxlen=0)
        return pytree.map_leaves(lambda node: to_output(self.values[node.number]), fetches)

    def forward_steps(
        self, fetches: Any, feed_dict: Mapping[Node, Any] | None = None
    ) -> Iterator[Snapshot]:
        """Run the static graph one node at a time, with a snapshot of the queue and the counts after each."""
        for node, run in self._forward(fetches, feed_dict):
            yield Snapshot.of(node, run.queue, run.waiting)

    def _forward(
        self, fetches: Any, feed_dict: Mapping[Node, Any] | None
    ) -> Iterator[tuple[Node | None, Forward]]:
        wanted = pytree.flatten(fetches)
        for node in wanted:
            self.require(node, "asked for")
        feed: dict[Node, Any] = {}
        for node, value in (feed_dict or {}).items():
            self.require(node, "fed")
            if not isinstance(node, Placeholder):
                raise InputError(
                    f"{node.name} was fed, but is not a Placeholder. To change a Variable, assign to it: w.value = …"
                )
            feed[node] = node.check_fed(value)
        run = Forward(wanted, feed)
        yield None, run
        for node in run:
            yield node, run
        self.values = run.values

    # The backward pass

    def backward(self) -> None:
        """Run the backward pass from every output of the last run, each seeded with 1; then nodes have their `grad`.

        The gradients of several outputs are summed, with a warning. An array counts as the sum of its elements. Each
        call starts from zero: a second call computes the same gradients again, whereas source text 1 adds them to the
        first.
        """
        deque(self._backward(None), maxlen=0)

    def backward_from(self, node: Node, seed: Any = None) -> None:
        """Run the backward pass from one node of the last run, even if others use it; `seed` is its adjoint."""
        deque(self._backward(node, seed), maxlen=0)

    def backward_steps(self, node: Node | None = None) -> Iterator[Snapshot]:
        """Run the graph's backward pass one node at a time, with a snapshot of the queue and the counts after each."""
        for done, sweep in self._backward(node):
            yield Snapshot.of(done, sweep.queue, sweep.pending)

    def _backward(self, node: Node | None, seed: Any = None) -> Iterator[tuple[Node | None, Sweep]]:
        ys = self._outputs() if node is None else require_differentiable(node, "differentiated")
        xs = [x for x in self.nodes if isinstance(x, (Variable, Placeholder))]
        sweep = self._sweep(ys, xs, seed)
        if node is None and len(ys) > 1:
            warnings.warn(
                f"The last run has {len(ys)} outputs, {', '.join(y.name for y in ys)}, and backward() sums their "
                f"gradients. For one of them, call {ys[0].name}.backward() or graph.backward_from; for all of them, "
                "graph.jacobian(ys, xs).",
                stacklevel=3,
            )
        yield None, sweep
        for done in sweep:
            yield done, sweep
        self.grads = {n.number: g for n, g in sweep.adjoints.items() if g is not None}
        self._swept = self.values

    @property
    def swept(self) -> bool:
        """Whether the static graph's adjoints belong to its values: it was not run after the last backward pass."""
        return self._swept is self.values

    def _sweep(self, ys: list[Node], xs: Iterable[Node], seed: Any = None) -> Sweep:
        for y in ys:
            self.require(y, "differentiated")
            if y.number not in self.values:
                raise InputError(
                    f"{y.name} has not been computed, or a Variable was assigned to since then. Call "
                    f"graph.run({y.name}, feed_dict) first."
                )
        values = [self.values[y.number] for y in ys]
        seeds = [ones(v) if seed is None else as_shaped(seed, v, "the seed") for v in values]
        return Sweep(ys, seeds, xs, values=self.values)

    def _outputs(self) -> list[Node]:
        """The outputs of the graph: the nodes of the last run that no other node of that run uses."""
        computed = [node for node in self.nodes if node.number in self.values]
        used = {x for node in computed for x in node.operands}
        outputs = [node for node in computed if node not in used and not isinstance(node, Constant)]
        if not outputs:
            raise InputError(
                "Nothing has been computed yet. Call graph.run(y, feed_dict) before backward()."
            )
        return outputs

    def zero_grad(self) -> None:
        """Clear every adjoint in the static graph: `grad` of each node is None again."""
        self.grads = {}

    def jacobian(self, ys: Any, xs: Any, feed_dict: Mapping[Node, Any] | None = None) -> np.ndarray:
        """The Jacobian of the ys with respect to the xs, by one sweep over the static graph for each row.

        Parameters
        ----------
        ys, xs : Node, or tuple or list of them
            Nodes whose value is a single number; any node but a constant, even if others use it.
        feed_dict : mapping, optional
            Run the ys with these values first. If not given, the values of the last run are used, if it computed the
            ys.

        Returns
        -------
        array of shape (len(ys), len(xs))

        Examples
        --------
        >>> with Graph() as graph:
        ...     x1, x2 = Variable(1.0), Variable(2.0)
        ...     ys = x1 + x2 + np.log(x1), x1 / x2 + (x1 - x2) ** 2
        >>> graph.jacobian(ys, [x1, x2])
        array([[ 2.  ,  1.  ],
               [-1.5 ,  1.75]])
        """
        rows = require_differentiable(ys, "differentiated")
        columns = require_differentiable(xs, "differentiated with respect to")
        if feed_dict is not None or any(y.number not in self.values for y in rows):
            self.run(rows, feed_dict)
        for node in (*rows, *columns):
            self.require(node, "given to jacobian")
            if shape_of(self.values.get(node.number)) != ():
                raise ShapeError(
                    f"{node.name} has shape {shape_of(self.values[node.number])}, but each row and column of the "
                    f"matrix belongs to one number. Take an element, {node.name}[0], or call gradients."
                )
        matrix = np.zeros((len(rows), len(columns)))
        for i, y in enumerate(rows):
            sweep = self._sweep([y], columns)
            deque(sweep, maxlen=0)
            for j, x in enumerate(columns):
                g = sweep.adjoints.get(x)
                if g is not None:
                    matrix[i, j] = g
        return matrix

    # Drawing

    def draw(self, *targets: Node, **options: Any) -> Any:
        """Draw this static graph, or the nodes that the targets depend on; after a run, with values and adjoints.

        The options and the returned `Drawing` are those of `autodiff_lab.draw`.
        """
        for node in targets:
            self.require(node, "to be drawn")
        return view("draw_static_graph")(self, targets, **options)


class Snapshot(NamedTuple):
    """A snapshot of a static graph during a run or a sweep: its state between two nodes, as plain data.

    Attributes
    ----------
    node : str or None
        The name of the node that was just done; None before the first.
    queue : tuple of str
        The ready nodes.
    waiting : dict
        For each node, by name: how many operands (in a run) or contributions (in a sweep) are still missing.
    """

    node: str | None
    queue: tuple[str, ...]
    waiting: dict[str, int]

    @classmethod
    def of(cls, done: Node | None, queue: Iterable[Node], waiting: Mapping[Node, int]) -> Self:
        """Take a snapshot of a static graph during a run or a sweep, from its queue and its nodes' counts."""
        nodes = sorted(waiting, key=lambda node: node.number)
        counts = {node.name: waiting[node] for node in nodes}
        name = None if done is None else done.name
        return cls(name, tuple(node.name for node in queue), counts)
