"""The registry of a graph's nodes and their names, and the ``with`` block that builds in it."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Self

from ...engine.errors import InputError
from .nodes import OPEN_GRAPHS, Node

__all__ = ["Members"]


class Members:
    """The registry of a graph's nodes, each under a name of its own. A ``with`` block makes it the graph that is built.

    Nodes are held weakly: one that neither the program nor another node holds is gone, and its name is not used again.
    """

    def __init__(self) -> None:
        self._nodes: weakref.WeakValueDictionary[int, Node] = weakref.WeakValueDictionary()
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}
        self._made = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        OPEN_GRAPHS.set((*OPEN_GRAPHS.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        OPEN_GRAPHS.set(OPEN_GRAPHS.get()[:-1])

    def register(self, node: Node, kind: str, asked: str | None) -> tuple[str, int]:
        """Register a node; return its name and number. A name that is taken gets a number behind it."""
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
        """Refuse what is not a node of this graph."""
        if not isinstance(node, Node):
            raise InputError(f"{node!r} was {what}, and is no node of a graph: give a node, such as {self._example()}.")
        if node.graph is not self:
            raise InputError(
                f"{node.name} was {what}, and belongs to another graph than {self._example()}. "
                "Build both in the same `with` block."
            )

    def _example(self) -> str:
        return next((node.name for node in reversed(self.nodes)), "x + y")

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that there are, in the order they were made."""
        return tuple(sorted(self._nodes.values(), key=lambda node: node.number))

    def __len__(self) -> int:
        return len(self._nodes)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Graph of {len(self)} nodes: {', '.join(node.name for node in self.nodes[:8])}{'…' * (len(self) > 8)}>"
