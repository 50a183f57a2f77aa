"""The peer: a minimal scalar engine with one closure per node, in the style of micrograd.

Each result keeps its operands and a closure that adds to their gradients. The backward pass sorts the graph first, with
an explicit stack instead of recursion, so that it works for a chain of 10⁵ operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator


class Node:
    """A number with the operands that it was computed from, its gradient, and a closure that sends the gradient on."""

    def __init__(self, data: float, operands: tuple[Node, ...] = ()) -> None:
        self.data = data
        self.grad = 0.0
        self.operands = operands
        self.send: Callable[[], None] = lambda: None

    def __add__(self, other: Node | float) -> Node:
        other = other if isinstance(other, Node) else Node(other)
        out = Node(self.data + other.data, (self, other))

        def send() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out.send = send
        return out

    def __mul__(self, other: Node | float) -> Node:
        other = other if isinstance(other, Node) else Node(other)
        out = Node(self.data * other.data, (self, other))

        def send() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.send = send
        return out

    def __sub__(self, other: Node) -> Node:
        return self + other * -1.0

    def log(self) -> Node:
        """The natural logarithm."""
        out = Node(math.log(self.data), (self,))

        def send() -> None:
            self.grad += out.grad / self.data

        out.send = send
        return out

    def sin(self) -> Node:
        """The sine."""
        out = Node(math.sin(self.data), (self,))

        def send() -> None:
            self.grad += math.cos(self.data) * out.grad

        out.send = send
        return out

    def backward(self) -> None:
        """Set the gradients of all nodes that this one depends on: sort, clear, seed, send."""
        order = list(self._operands_first())
        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in reversed(order):
            node.send()

    def _operands_first(self) -> Iterator[Node]:
        seen = {self}
        stack = [(self, iter(self.operands))]
        while stack:
            node, operands = stack[-1]
            for operand in operands:
                if operand not in seen:
                    seen.add(operand)
                    stack.append((operand, iter(operand.operands)))
                    break
            else:
                stack.pop()
                yield node
