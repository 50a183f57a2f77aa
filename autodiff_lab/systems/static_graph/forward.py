"""The forward run of a static graph, in topological order: operand counts and a queue of ready nodes.

This is Kahn's algorithm (1962), as in source text 1. The counts belong to the run, not to the nodes, so nothing has to
be reset afterwards. Only the nodes that the fetched nodes depend on are counted.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...engine.broadcasting import shape_of
from ...engine.errors import InputError, ShapeError
from .nodes import COND, Constant, Node, Operator, Variable


class Forward:
    """A forward run of a static graph; each iteration computes one node.

    Parameters
    ----------
    fetches : iterable of Node
        The nodes whose values are wanted.
    feed : mapping of Placeholder to value

    Attributes
    ----------
    waiting : dict
        For each node that is needed, how many of its operands are still missing.
    queue : deque
        The ready nodes, whose operands have all been computed.
    values : dict
        The values computed so far, by the numbers of the nodes.
    """

    def __init__(self, fetches: Iterable[Node], feed: Mapping[Node, Any]) -> None:
        self.feed = feed
        self.waiting: dict[Node, int] = {}
        self.queue: deque[Node] = deque()
        self.values: dict[int, Any] = {}
        self.users: dict[Node, list[Node]] = {}
        self._need(fetches)

    def __iter__(self) -> Iterator[Node]:
        while self.queue:
            node = self.queue.popleft()
            if isinstance(node, Operator) and node.op is COND and self._must_wait_for_branch(node):
                yield node
                continue
            self.values[node.number] = self._value(node)
            for user in self.users.get(node, ()):
                self.waiting[user] -= 1
                if self.waiting[user] == 0:
                    self.queue.append(user)
            yield node

    def _need(self, nodes: Iterable[Node]) -> None:
        """Add nodes to the run, with all nodes that they depend on."""
        new: list[Node] = []
        todo = list(nodes)
        while todo:
            node = todo.pop()
            if node in self.waiting:
                continue
            new.append(node)
            operands = node.operands
            if isinstance(node, Operator) and node.op is COND:
                # The branch that is needed depends on the value of the condition.
                operands = operands[:1]
            missing = [x for x in operands if x.number not in self.values]
            self.waiting[node] = len(missing)
            for x in missing:
                self.users.setdefault(x, []).append(node)
            todo += missing
        ready = [node for node in new if self.waiting[node] == 0]
        self.queue.extend(sorted(ready, key=lambda node: node.number))

    def _must_wait_for_branch(self, node: Operator) -> bool:
        """Request the branch of a `cond` whose condition is known; return whether it still has to be computed."""
        condition, a, b = node.operands
        chosen = self.values[condition.number]
        if shape_of(chosen) != ():
            raise ShapeError(
                f"{node.name} needs a single condition, but {condition.name} has shape {shape_of(chosen)}. "
                "Choose for each element with np.where(condition, a, b)."
            )
        branch = a if chosen else b
        if branch.number in self.values:
            return False
        self._need([branch])
        self.users.setdefault(branch, []).append(node)
        self.waiting[node] = 1
        return True

    def _value(self, node: Node) -> Any:
        if isinstance(node, Operator):
            return node.compute(self.values)
        if isinstance(node, (Variable, Constant)):
            return node.held
        if node not in self.feed:
            users = [user.name for user in self.users.get(node, ())[:3]]
            needed = ""
            if users:
                needed = f", and {', '.join(users)} {'needs' if len(users) == 1 else 'need'} it"
            raise InputError(
                f"{node.name} is a Placeholder and was not fed{needed}. "
                f"Give it a value: graph.run(…, {{{node.name}: 2.0}})."
            )
        return self.feed[node]
