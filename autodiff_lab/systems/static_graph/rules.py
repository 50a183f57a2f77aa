"""Gradient rules of nodes: how an adjoint goes to the operands, by the engine's table or a registered rule.

Every function here works on numbers and on nodes alike. On nodes, a local partial of the table is evaluated as it
stands and so builds nodes. What depends on shapes, which a graph may not know before it is run (summing back over
broadcast axes; the transpose of a map of arrays), becomes one operation that is decided when it is run, and that can
itself be differentiated.
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
    """An operation as a registered gradient rule sees it: its inputs and outputs are nodes, or numbers in a run."""

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
        For a function that returns m gradients for m inputs: a tuple, or one node for one input; None where nothing
        flows. Written with operators and NumPy functions, so that it can be differentiated again.

    Notes
    -----
    The rows of the engine's table need no registration.

    Examples
    --------
    The two examples of source text 2. Its ``Sub`` returns ``grad, -grad``, which is right for equal shapes only:
    what broadcasting copied, the gradient must sum.

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
            f"{kind!r} has its rule already, in the engine's table. Register an operation of your own."
        )

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        REGISTRY[kind] = rule
        return rule

    return register


def apply_registered(op: Operation, grads: Sequence[Any], nodes: Sequence[Node]) -> list[Any]:
    """Apply a registered gradient rule, and check the number and the shapes of what it sends to the inputs."""
    rule = REGISTRY.get(op.type)
    if rule is None:
        raise UnsupportedError(
            f"{op.name} is an operation {op.type!r} of your own, and nobody has said how it is differentiated. "
            f"Write @register_gradient({op.type!r}) above a function fn(op, *out_grads) that returns "
            f"{len(op.inputs)} gradients."
        )
    given = rule(op, *grads)
    sent = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(sent) != len(op.inputs):
        raise UnsupportedError(
            f"The gradient registered for {op.type!r} returned {len(sent)} gradients for the {len(op.inputs)} inputs "
            f"of {op.name}. Return one for each, or None where nothing flows."
        )
    what = f"The gradient registered for {op.type!r} sends"
    return [
        None if g is None else require_shape(g, x, f"{what} to {node.name}, an input of {op.name},")
        for g, x, node in zip(sent, op.inputs, nodes, strict=True)
    ]


def contributions(
    op: Op,
    pairs: Sequence[tuple[int, int]],
    g: Any,
    y: Any,
    operands: Sequence[Any],
    static: Mapping[str, Any],
    wanted: Sequence[bool],
) -> list[Any]:
    """Apply the table's gradient rule of an operator: what the adjoint `g` contributes to each `wanted` operand.

    A merged sum or product is taken apart again into the `pairs` that were written: each is the row of the table for
    two operands. So no factor is ever divided out, and a factor of zero is as good as any.
    """
    if not pairs:
        return [
            _pull_back(op, k, g, y, operands, static) if asked else None
            for k, asked in enumerate(wanted)
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
    rule = None if not op.rules else op.rules[0] if op.variadic else op.rules[k]
    if rule is None:
        return None
    x = operands[k]
    if op.partials is not None:
        sent = g if rule is unit_partial else _times(g, rule(y, *operands))
        return (
            sent
            if extent_of(y) == extent_of(x)
            else Operator(SUM_BACK, (sent, x), extent=extent_of(x))
        )
    if op in (SUM_BACK, SAME_SHAPE):
        return rule(g, y, *operands)
    return Operator(_pullback_of(op, k, static), (g, y, *operands), extent=extent_of(x))


def _times(g: Any, partial: Any) -> Any:
    """Multiply an adjoint by a partial; by the seed 1 adds no operation."""
    return partial if not isinstance(g, Node) and shape_of(g) == () and g == 1 else g * partial


def _pullback_of(op: Op, k: int, static: Mapping[str, Any]) -> Op:
    """The pullback of a row as an operation of its own, on ``(g, y, *operands)``; its rule is the engine's `vjp`."""

    def pull(g: Any, y: Any, *operands: Any) -> Any:
        return op.pullback(k, g, y, operands, static)

    def again(j: int, h: Any, result: Any, *given: Any) -> Any:
        return vjp(lambda t: pull(*given[:j], t, *given[j + 1 :]), given[j])[1](h)[0]

    return Op(f"{op.name}_pullback", pull, "general", (again,), variadic=True)


def sum_back(g: Any, x: Any) -> Any:
    """Sum an adjoint back to the shape of `x`, for a gradient rule: where broadcasting copied `x`, copies are summed.

    Works on nodes, and then it is an operation that looks at the shapes when the graph is run.

    >>> import numpy as np
    >>> sum_back(np.ones((2, 3)), np.zeros(3))
    array([2., 2., 2.])
    """
    if not isinstance(g, Node) and not isinstance(x, Node):
        return unbroadcast(g, x)
    return g if extent_of(g) == extent_of(x) else Operator(SUM_BACK, (g, x), extent=extent_of(x))


def require_shape(g: Any, x: Any, what: str) -> Any:
    """Require what a gradient rule sends to have the shape of `x`, at the latest when the graph is run."""
    have, need = extent_of(g), extent_of(x)
    if have == need:
        return g
    if isinstance(have, tuple) and isinstance(need, tuple):
        return _of_shape(g, x, what)
    return Operator(SAME_SHAPE, (g, x), {"what": what}, extent=need)


def _of_shape(g: Any, x: Any, what: str) -> Any:
    if shape_of(g) != shape_of(x):
        raise ShapeError(
            f"{what} an adjoint of shape {shape_of(g)} for a value of shape {shape_of(x)}. What broadcasting copied, "
            "the gradient must sum: sum_back(grad, x)."
        )
    return g


SUM_BACK = Op("sum_back", unbroadcast, "linear", (lambda h, y, g, x: sum_back(h, g), None))
SAME_SHAPE = Op("same_shape", _of_shape, "linear", (lambda h, y, g, x, what="": h, None))
