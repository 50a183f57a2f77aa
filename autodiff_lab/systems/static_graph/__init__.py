"""A static graph: build first, feed later. `graph` is where to begin to read."""

from .graph import (
    Constant,
    Graph,
    Node,
    Operator,
    Placeholder,
    Snapshot,
    Variable,
    cond,
    gradients,
    operation,
    pending_counts,
    register_gradient,
    sum_back,
)

__all__ = [
    "Constant",
    "Graph",
    "Node",
    "Operator",
    "Placeholder",
    "Snapshot",
    "Variable",
    "cond",
    "gradients",
    "operation",
    "pending_counts",
    "register_gradient",
    "sum_back",
]
