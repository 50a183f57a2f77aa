"""The class `Graph`, a static graph: it holds nodes, runs them, and is swept in reverse."""

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
    """A static graph: its nodes, each under a name of its own, and the values of the last run.

    A ``with`` block makes it the graph that is built. Nodes are held weakly: one that neither the program nor another
    node holds is gone, and its name is not used again.

    Parameters
    ----------
    flatten : bool
        Let ``x + y + z`` be one node with three operands (n + 1 nodes for n terms) instead of two with two
        (2n - 1 nodes). It changes no number.

    Attributes
    ----------
    values, grads : dict
        The values of the last run and the adjoints of the last backward pass, by the numbers of the nodes.

    See Also
    --------
    Placeholder : A node that is fed by each run.
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
        """Register a new node in the static graph; return its name and number. A taken name gets a number behind it."""
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
        """Require a node of this static graph, and refuse everything else."""
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
        return next((node.name for node in reversed(self.nodes)), "x + y")

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the static graph that still exist, in the order they were made."""
        return tuple(sorted(self._nodes.values(), key=lambda node: node.number))

    def __len__(self) -> int:
        return len(self._nodes)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Graph of {len(self)} nodes: {', '.join(node.name for node in self.nodes[:8])}{'…' * (len(self) > 8)}>"

    # Running

    def run(self, fetches: Any, feed_dict: Mapping[Node, Any] | None = None) -> Any:
        """Run the static graph: compute the fetches, and what they need.

        Parameters
        ----------
        fetches : Node, or nested tuples, lists and dicts of them
        feed_dict : mapping of Placeholder to number or array

        Returns
        -------
        number or array, in the structure of fetches

        Raises
        ------
        InputError, ShapeError
            For a placeholder that is needed and was not fed, or was fed a wrong shape; for what is not a placeholder
            or not a node of this graph.
        """
        deque(self._forward(fetches, feed_dict), maxlen=0)
        return pytree.map_leaves(lambda node: to_output(self.values[node.number]), fetches)

    def forward_steps(
        self, fetches: Any, feed_dict: Mapping[Node, Any] | None = None
    ) -> Iterator[Snapshot]:
        """Run the static graph one node at a time, with a snapshot of the queue and the counts after each."""
        yield from (
            Snapshot.of(node, run.queue, run.waiting)
            for node, run in self._forward(fetches, feed_dict)
        )

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
                    f"{node.name} was fed, but is not a Placeholder. (To change a Variable, assign to it: w.value = …)"
                )
            feed[node] = node.check_fed(value)
        run = Forward(wanted, feed)
        yield None, run
        for node in run:
            yield node, run
        self.values = run.values

    # The way back

    def backward(self) -> None:
        """Sweep back over the graph from every output of the last run, each seeded with 1; its nodes get their `grad`.

        Several outputs are summed, and a warning says so. An array counts as the sum of its entries. Each call starts
        from nothing: a second one gives the same gradients again, where source text 1 adds them to the first.
        """
        deque(self._backward(None), maxlen=0)

    def backward_from(self, node: Node, seed: Any = None) -> None:
        """Sweep back over the graph from one node of the last run, also if others use it; `seed` is its adjoint."""
        deque(self._backward(node, seed), maxlen=0)

    def backward_steps(self, node: Node | None = None) -> Iterator[Snapshot]:
        """The graph's own `backward`, one node at a time, with a snapshot of its queue and counts after each."""
        yield from (
            Snapshot.of(done, sweep.queue, sweep.pending) for done, sweep in self._backward(node)
        )

    def _backward(self, node: Node | None, seed: Any = None) -> Iterator[tuple[Node | None, Sweep]]:
        ys = self._outputs() if node is None else require_differentiable(node, "differentiated")
        sweep = self._sweep(
            ys, [n for n in self.nodes if isinstance(n, (Variable, Placeholder))], seed
        )
        if node is None and len(ys) > 1:
            warnings.warn(
                f"The last run has {len(ys)} outputs, {', '.join(y.name for y in ys)}: backward() sums their "
                f"gradients. For one of them call {ys[0].name}.backward() (or graph.backward_from); for each of them, "
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
        """Whether the static graph's adjoints belong to its values: nothing was run since the last backward pass."""
        return self._swept is self.values

    def _sweep(self, ys: list[Node], xs: Iterable[Node], seed: Any = None) -> Sweep:
        for y in ys:
            self.require(y, "differentiated")
            if y.number not in self.values:
                raise InputError(
                    f"{y.name} has not been computed (or a Variable was assigned to since then): call "
                    f"graph.run({y.name}, feed_dict) first."
                )
        values = [self.values[y.number] for y in ys]
        seeds = [ones(v) if seed is None else as_shaped(seed, v, "the seed") for v in values]
        return Sweep(ys, seeds, xs, values=self.values)

    def _outputs(self) -> list[Node]:
        """The outputs of the graph: the nodes of the last run that no other node of it uses."""
        there = [node for node in self.nodes if node.number in self.values]
        used = {x for node in there for x in node.operands}
        found = [node for node in there if node not in used and not isinstance(node, Constant)]
        if not found:
            raise InputError(
                "Nothing has been computed yet: call graph.run(y, feed_dict) before backward()."
            )
        return found

    def zero_grad(self) -> None:
        """Clear every adjoint in the static graph: `grad` of each node is None again."""
        self.grads = {}

    def jacobian(self, ys: Any, xs: Any, feed_dict: Mapping[Node, Any] | None = None) -> np.ndarray:
        """The Jacobian of the ys with respect to the xs, by sweeps over the static graph: one for each row.

        Parameters
        ----------
        ys, xs : Node, or tuple or list of them
            Single numbers; any node but a constant, also one that others use.
        feed_dict : mapping, optional
            Run the ys with it first; without, the last run is what counts, if it computed the ys.

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
                    f"{node.name} has shape {shape_of(self.values[node.number])}, and a row or column of the matrix "
                    f"belongs to one number: take an entry, {node.name}[0], or call gradients."
                )
        matrix = np.zeros((len(rows), len(columns)))
        for i, y in enumerate(rows):
            sweep = self._sweep([y], columns)
            deque(sweep, maxlen=0)
            matrix[i] = [
                0.0 if sweep.adjoints.get(x) is None else sweep.adjoints[x] for x in columns
            ]
        return matrix

    # Seeing

    def draw(self, *targets: Node, **options: Any) -> Any:
        """Draw this static graph, or the nodes that the targets need, with values and adjoints where it has been run.

        Takes the options of `autodiff_lab.draw`, and returns a `Drawing` as that does.
        """
        for node in targets:
            self.require(node, "to be drawn")
        return view("draw_static_graph")(self, targets, **options)


class Snapshot(NamedTuple):
    """A snapshot of a static graph that is being run or swept: its state between two nodes, as plain data.

    `node` has just been done (None: before the first), `queue` is ready, and each node still waits for so many.
    """

    node: str | None
    queue: tuple[str, ...]
    waiting: dict[str, int]

    @classmethod
    def of(cls, done: Node | None, queue: Iterable[Node], waiting: Mapping[Node, int]) -> Self:
        """Take a snapshot of a static graph that is being run or swept: its queue, and its nodes' counts."""
        counts = {
            node.name: waiting[node] for node in sorted(waiting, key=lambda node: node.number)
        }
        return cls(None if done is None else done.name, tuple(node.name for node in queue), counts)
