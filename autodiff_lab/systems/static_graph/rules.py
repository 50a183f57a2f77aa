"""Gradient rules of nodes: how an adjoint is sent to the operands, by the engine's rule or a registered one.

Every function here works on numbers and on nodes. Evaluated on nodes, a local partial builds nodes. Some steps depend
on shapes, which may not be known before the graph is run: the sum over broadcast axes, and the transpose of a map of
arrays. Each of these becomes a single operation, which looks at the shapes when it is run, and which can be
differentiated again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...engine.broadcasting import shape_of, unbroadcast
from ...engine.dispatch import TABLE
from ...engine.errors import InputError, ShapeError, UnsupportedError
from ...engine.primitives import Op, unit_partial
from ...transforms.gradients import vjp
from .nodes import Node, Operator, extent_of, fold_pairs


class Operation(NamedTuple):
    """An operation as it is passed to a registered gradient rule; its inputs and outputs are nodes or numbers."""

    name: str
    type: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]


REGISTRY: dict[str, Callable[..., Any]] = {}


def register_gradient(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the gradient rule of an operation of your own: ``fn(op, *out_grads)``, one gradient for each output.

    Parameters
    ----------
    kind : str
        The name that was given to `operation`. Registering again replaces the rule.

    Returns
    -------
    decorator
        For a function that returns m gradients for m inputs: a tuple, or one node for one input; None for an input
        without a derivative. Write it with operators and NumPy functions, so that it can be differentiated again.

    Notes
    -----
    The engine's primitives have their rules already.

    Examples
    --------
    These are the two examples of source text 2. Its ``Sub`` returns ``grad, -grad``, which is correct only for equal
    shapes: if an input was broadcast, its gradient must be summed.

    >>> import numpy as np
    >>> from autodiff_lab.systems.static_graph import Graph, Placeholder, gradients, operation
    >>> @register_gradient("Log")
    ... def log_gradient(op, grad):
    ...     return grad * (1 / op.inputs[0])
    >>> @register_gradient("Sub")
    ... def sub_gradient(op, grad):
    ...     x, y = op.inputs
    ...     return sum_back(grad, x), sum_back(-grad, y)
    >>> with Graph() as graph:
    ...     x, y = Placeholder(name="x"), Placeholder(name="y")
    ...     difference = operation("Sub", np.subtract, operation("Log", np.log, x), y)
    ...     gx, gy = gradients(difference, [x, y])
    >>> graph.run(gy, {x: np.ones((2, 3)), y: np.ones(3)})
    array([-2., -2., -2.])
    """
    if kind in {op.name for op in TABLE.values()} | {"cond", "output"}:
        raise InputError(
            f"{kind!r} is an operation of the engine, which already has its rule. Register an operation of your own."
        )

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        REGISTRY[kind] = rule
        return rule

    return register


def apply_registered(op: Operation, grads: Sequence[Any], nodes: Sequence[Node]) -> list[Any]:
    """Apply a registered gradient rule, and check the number and the shapes of its gradients."""
    rule = REGISTRY.get(op.type)
    if rule is None:
        raise UnsupportedError(
            f"{op.name} is an operation {op.type!r} of your own, and it has no gradient rule. Write "
            f"@register_gradient({op.type!r}) above a function fn(op, *out_grads) that returns {len(op.inputs)} "
            "gradients."
        )
    returned = rule(op, *grads)
    gradients = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(gradients) != len(op.inputs):
        raise UnsupportedError(
            f"The gradient registered for {op.type!r} returned {len(gradients)} gradients for the {len(op.inputs)} "
            f"inputs of {op.name}. Return one for each, or None for an input without a derivative."
        )
    checked = []
    for g, x, node in zip(gradients, op.inputs, nodes, strict=True):
        if g is not None:
            what = f"The gradient registered for {op.type!r} sends to {node.name}, an input of {op.name},"
            g = require_shape(g, x, what)
        checked.append(g)
    return checked


def contributions(
    op: Op,
    pairs: Sequence[tuple[int, int]],
    g: Any,
    y: Any,
    operands: Sequence[Any],
    static: Mapping[str, Any],
    wanted: Sequence[bool],
) -> list[Any]:
    """Apply the engine's gradient rule of an operator: the contribution of the adjoint `g` to each `wanted` operand.

    For a merged sum or product, the engine's rule for two operands is applied to each of the `pairs` that were written.
    So a product is never divided by one of its factors, which may be zero.
    """
    if not pairs:
        return [
            _pull_back(op, k, g, y, operands, static) if is_wanted else None
            for k, is_wanted in enumerate(wanted)
        ]
    results = fold_pairs(op, operands, pairs)
    adjoints: list[Any] = [None] * len(pairs)
    adjoints[-1] = g
    sent: list[Any] = [None] * len(operands)
    for r in range(len(pairs) - 1, -1, -1):
        terms = [operands[i] if i >= 0 else results[-i - 1] for i in pairs[r]]
        for k, i in enumerate(pairs[r]):
            if i < 0:
                adjoints[-i - 1] = _pull_back(op, k, adjoints[r], results[r], terms, static)
            elif wanted[i]:
                sent[i] = _pull_back(op, k, adjoints[r], results[r], terms, static)
    return sent


def _pull_back(
    op: Op, k: int, g: Any, y: Any, operands: Sequence[Any], static: Mapping[str, Any]
) -> Any:
    if not any(isinstance(x, Node) for x in (g, y, *operands)):
        return op.pullback(k, g, y, tuple(operands), static)
    rule = None
    if op.rules:
        rule = op.rules[0] if op.variadic else op.rules[k]
    if rule is None:
        return None
    x = operands[k]
    if op.partials is not None:
        sent = g if rule is unit_partial else _times(g, rule(y, *operands))
        if extent_of(y) == extent_of(x):
            return sent
        return Operator(SUM_BACK, (sent, x), extent=extent_of(x))
    if op in (SUM_BACK, SAME_SHAPE):
        return rule(g, y, *operands)
    return Operator(_pullback_of(op, k, static), (g, y, *operands), extent=extent_of(x))


def _times(g: Any, partial: Any) -> Any:
    """Multiply an adjoint by a partial; for the seed 1, this adds no operation to the graph."""
    is_one = not isinstance(g, Node) and shape_of(g) == () and g == 1
    return partial if is_one else g * partial


def _pullback_of(op: Op, k: int, static: Mapping[str, Any]) -> Op:
    """The pullback of a primitive as an operation on ``(g, y, *operands)``; its own rule is the engine's `vjp`."""

    def pull(g: Any, y: Any, *operands: Any) -> Any:
        return op.pullback(k, g, y, operands, static)

    def differentiate_pull(j: int, h: Any, result: Any, *args: Any) -> Any:
        """Pull the adjoint `h` back through `pull`, to its argument j."""
        _, pullback = vjp(lambda arg: pull(*args[:j], arg, *args[j + 1 :]), args[j])
        return pullback(h)[0]

    return Op(f"{op.name}_pullback", pull, "general", (differentiate_pull,), variadic=True)


def sum_back(g: Any, x: Any) -> Any:
    """Sum an adjoint over the axes along which `x` was broadcast, so that it has the shape of `x`; for gradient rules.

    On nodes, this is an operation that looks at the shapes when the graph is run.

    >>> import numpy as np
    >>> sum_back(np.ones((2, 3)), np.zeros(3))
    array([2., 2., 2.])
    """
    if not isinstance(g, Node) and not isinstance(x, Node):
        return unbroadcast(g, x)
    if extent_of(g) == extent_of(x):
        return g
    return Operator(SUM_BACK, (g, x), extent=extent_of(x))


def require_shape(g: Any, x: Any, what: str) -> Any:
    """Check that the result of a gradient rule has the shape of `x`, now if that is known, or when the graph is run."""
    have, need = extent_of(g), extent_of(x)
    if have == need:
        return g
    if isinstance(have, tuple) and isinstance(need, tuple):
        return _of_shape(g, x, what)
    return Operator(SAME_SHAPE, (g, x), {"what": what}, extent=need)


def _of_shape(g: Any, x: Any, what: str) -> Any:
    if shape_of(g) != shape_of(x):
        raise ShapeError(
            f"{what} an adjoint of shape {shape_of(g)} for a value of shape {shape_of(x)}. If the value was broadcast, "
            "sum its gradient: sum_back(grad, x)."
        )
    return g


SUM_BACK = Op("sum_back", unbroadcast, "linear", (lambda h, y, g, x: sum_back(h, g), None))
SAME_SHAPE = Op("same_shape", _of_shape, "linear", (lambda h, y, g, x, what="": h, None))
