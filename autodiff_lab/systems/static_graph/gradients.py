"""Symbolic gradients: the gradient of a static graph, added to the graph (TensorFlow's ``gradients``).

It is the sweep of ``sweep.py`` over nodes instead of numbers. Each step of the chain rule is computed with nodes, and
so adds nodes. The gradient becomes another part of the graph, which can be drawn, run, and differentiated again.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...engine.errors import InputError, ShapeError, UnsupportedError
from ...engine.values import as_operand
from ...transforms import pytree
from .nodes import Constant, Node
from .rules import require_shape
from .sweep import Sweep, count_pending


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, stop_gradients: Any = (), unconnected: str = "none"
) -> Any:
    """Add symbolic gradients to a static graph: the nodes of Σⱼ ∂yⱼ/∂x for each x.

    Parameters
    ----------
    ys : Node, or tuple or list of them
        The nodes to differentiate.
    xs : Node, or nested tuples, lists and dicts of them
        Variables, placeholders or operators to differentiate with respect to.
    grad_ys : same structure as ys, optional
        The adjoint of each y: a node, number, array, or None for ones. Ones if not given.
    stop_gradients : Node, or tuple or list of them
        Nodes that are treated as constants: they get their gradient, but pass nothing on to their operands.
    unconnected : {"none", "zero"}
        The gradient of an x that no y depends on.

    Returns
    -------
    Operator, Constant or None, in the structure of xs
        They can be run, drawn, and differentiated again.

    See Also
    --------
    Graph : A graph that is built before it is run.
    GradientTape : Record eager operations, as in TensorFlow.

    Examples
    --------
    >>> from autodiff_lab.systems.static_graph import Graph, Variable
    >>> with Graph() as graph:
    ...     x = Variable(3.0, name="x")
    ...     first = gradients(x**3, x)
    ...     second = gradients(first, x)
    >>> graph.run([first, second])
    [27.0, 18.0]
    """
    if unconnected not in ("none", "zero"):
        raise InputError(f'unconnected is {unconnected!r}; write "none" or "zero".')
    # A y may be a constant, for example the gradient of a gradient; then it depends on no x.
    outputs = _nodes(ys, "differentiated")
    sources = require_differentiable(xs, "differentiated with respect to")
    graph = outputs[0].graph
    stops = pytree.flatten(stop_gradients)
    for node in (*outputs, *sources, *stops):
        graph.require(node, "given to gradients")
    adjoints = [None] * len(outputs) if grad_ys is None else pytree.flatten(grad_ys)
    if len(adjoints) != len(outputs):
        raise ShapeError(
            f"grad_ys has {len(adjoints)} elements for {len(outputs)} ys. Give one for each y, or None for ones."
        )
    seeds = [
        np.ones_like(y) if g is None else _seed(g, y)
        for y, g in zip(outputs, adjoints, strict=True)
    ]
    sweep = Sweep(outputs, seeds, sources, stops)
    deque(sweep, maxlen=0)  # run it to the end
    found = [sweep.adjoints.get(x) for x in sources]
    if unconnected == "zero":
        found = [np.zeros_like(x) if g is None else g for g, x in zip(found, sources, strict=True)]
    # A gradient that depends on no node is a number so far.
    nodes = [g if g is None or isinstance(g, Node) else Constant(g, graph=graph) for g in found]
    return pytree.unflatten(xs, nodes)


def pending_counts(ys: Any, xs: Any, stop_gradients: Any = ()) -> dict[str, int]:
    """The pending counts at the start of a sweep: how many contributions each node from xs to ys will receive.

    Examples
    --------
    >>> from autodiff_lab.systems.static_graph import Graph, Variable
    >>> with Graph():
    ...     x = Variable(3.0, name="x")
    ...     y = np.sin(x) - np.exp(x)
    >>> pending_counts(y, x)
    {'x': 2, 'sin_1': 1, 'exp_1': 1, 'subtract_1': 0}
    """
    outputs = _nodes(ys, "differentiated")
    sources = require_differentiable(xs, "differentiated with respect to")
    counts = count_pending(outputs, sources, pytree.flatten(stop_gradients))
    return {node.name: count for node, count in counts.items()}


def require_differentiable(nodes: Any, what: str) -> list[Node]:
    """Flatten a structure of nodes to be differentiated; raises an error for constants."""
    found = _nodes(nodes, what)
    for node in found:
        if isinstance(node, Constant):
            raise UnsupportedError(
                f"{node.name} is a Constant and cannot be {what}. Make it a Variable."
            )
    return found


def _nodes(nodes: Any, what: str) -> list[Node]:
    found = pytree.flatten(nodes)
    for node in found:
        if not isinstance(node, Node):
            raise InputError(
                f"{node!r} cannot be {what}, because it is not a node of a graph. Pass a node, such as a Variable or "
                "the result of an operation on one."
            )
    if not found:
        raise InputError(f"There is no node to be {what}. Pass at least one.")
    return found


def _seed(adjoint: Any, y: Node) -> Any:
    """The seed of y, with a check that it has the shape of y."""
    if not isinstance(adjoint, Node):
        adjoint = as_operand(adjoint)
    return require_shape(adjoint, y, f"grad_ys gives {y.name}")
