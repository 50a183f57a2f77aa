"""Functions that build nodes of a static graph: every primitive of the engine by its name, and `cond` and `operation`.

``np.sin(node)`` builds a node too. These functions also build one if all operands are numbers, and they accept a
`name`.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from ...engine.dispatch import TABLE
from ...engine.errors import InputError
from ...engine.primitives import Op
from ...engine.values import as_operand, as_value
from .nodes import COND, MERGED, OUTPUT, Operator

# Short names of primitives: those of source text 1, and two more.
SHORT = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "neg": "negative",
    "pow": "power",
    "abs": "absolute",
}


def __getattr__(name: str) -> Callable[..., Operator]:
    full_name = SHORT.get(name, name)
    for op in TABLE.values():
        if op.name == full_name and op.kind in BUILT:
            return function(op)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


BUILT = ("elementwise", "flat", "comparison", "linear", "multilinear", "general")


def cond(condition: Any, true_value: Any, false_value: Any, name: str | None = None) -> Operator:
    """A function that builds a conditional node: a run computes the condition, and only the branch it chooses.

    Parameters
    ----------
    condition : Node
        A single condition: ``x > 0``. To choose for each element of an array, use ``np.where``.
    true_value, false_value : Node or number

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff_lab.systems.static_graph import Graph, Placeholder
    >>> with Graph() as graph:
    ...     x = Placeholder(name="x")
    ...     y = cond(x > 0, np.log(x), 0 * x)
    >>> graph.run(y, {x: 1.0}), graph.run(y, {x: -1.0})
    (0.0, -0.0)
    """
    return Operator(COND, (condition, true_value, false_value), name=name)


def operation(
    kind: str, compute: Callable[..., Any], *inputs: Any, outputs: int = 1, name: str | None = None
) -> Any:
    """A function that builds a node for an operation of your own; `register_gradient` gives it a derivative.

    Parameters
    ----------
    kind : str
        The name of the operation: ``"Sub"``.
    compute : callable
        ``compute(*values)`` returns the value when the graph is run; a tuple of values if there are several outputs.
    *inputs : Node or number
    outputs : int
        The number of results.

    Returns
    -------
    Operator, or a tuple of them
    """
    if kind in {op.name for op in TABLE.values()} | {"cond", "output"}:
        raise InputError(f"{kind!r} is already the name of an operation. Choose another one.")

    def checked(*values: Any) -> Any:
        results = compute(*values) if outputs > 1 else (compute(*values),)
        if not isinstance(results, tuple) or len(results) != outputs:
            raise InputError(
                f"The operation {kind!r} has {outputs} outputs, but its function returned {results!r}. Return a tuple "
                f"of {outputs} values."
            )
        values_out = tuple(as_value(x, f"the result of the operation {kind!r}") for x in results)
        return values_out if outputs > 1 else values_out[0]

    node = Operator(Op(kind, checked, "general"), inputs, name=name, outputs=outputs)
    if outputs == 1:
        return node
    return tuple(Operator(OUTPUT, (node,), {"k": k}) for k in range(outputs))


def function(op: Op) -> Callable[..., Operator]:
    """Make the function that builds nodes of one operation, even if all operands are numbers: ``exp(3.0)``."""

    def build(*operands: Any, name: str | None = None, **static: Any) -> Operator:
        operands = tuple(map(as_operand, operands))
        if op in MERGED and len(operands) > 2:
            operands = (reduce(build, operands[:-1]), operands[-1])
        return Operator(op, operands, static, name=name)

    build.__name__ = build.__qualname__ = op.name
    build.__doc__ = (
        f"Build a node that computes ``{op.name}`` of nodes or numbers; `name` is optional."
    )
    return build
