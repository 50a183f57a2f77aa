"""A static graph: build first, feed later. `graph` is where to begin to read."""

from typing import Any

from . import functions
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


def __getattr__(name: str) -> Any:
    return getattr(functions, name)  # sin, exp, add, …: every row of the table
