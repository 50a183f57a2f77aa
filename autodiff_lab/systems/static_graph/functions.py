"""Functions that build nodes of a static graph: every row of the table by its name, and `cond` and `operation`.

``np.sin(node)`` builds too. These also build where all operands are numbers, and they take a `name`.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from ...engine.dispatch import TABLE
from ...engine.errors import InputError
from ...engine.primitives import Op
from ...engine.values import as_operand, as_value
from .nodes import COND, MERGED, OUTPUT, Operator

# The names that source text 1 uses, and two more.
SHORT = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "neg": "negative",
    "pow": "power",
    "abs": "absolute",
}


def __getattr__(name: str) -> Callable[..., Operator]:
    found = next(
        (op for op in TABLE.values() if op.name == SHORT.get(name, name) and op.kind in BUILT), None
    )
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function(found)


BUILT = ("elementwise", "flat", "comparison", "linear", "multilinear", "general")


def cond(condition: Any, true_value: Any, false_value: Any, name: str | None = None) -> Operator:
    """A function that builds a conditional node: a run computes the condition, and only the branch it chooses.

    Parameters
    ----------
    condition : Node
        One yes or no: ``x > 0``. To choose for each entry of an array, use ``np.where``.
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
        What it is called: ``"Sub"``.
    compute : callable
        ``compute(*values)`` gives the value when the graph is run; a tuple of them, if there are several outputs.
    *inputs : Node or number
    outputs : int
        How many results it has.

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
                f"The operation {kind!r} has {outputs} outputs, but computed {results!r}: return a tuple."
            )
        numbers = tuple(
            as_value(result, f"what the operation {kind!r} computed") for result in results
        )
        return numbers if outputs > 1 else numbers[0]

    made = Operator(Op(kind, checked, "general"), inputs, name=name, outputs=outputs)
    return (
        made if outputs == 1 else tuple(Operator(OUTPUT, (made,), {"k": k}) for k in range(outputs))
    )


def function(op: Op) -> Callable[..., Operator]:
    """Make the function that builds nodes of one operation, also where all operands are numbers: ``exp(3.0)``."""

    def build(*operands: Any, name: str | None = None, **static: Any) -> Operator:
        given = tuple(map(as_operand, operands))
        if op in MERGED and len(given) > 2:
            given = (reduce(build, given[:-1]), given[-1])
        return Operator(op, given, static, name=name)

    build.__name__ = build.__qualname__ = op.name
    build.__doc__ = (
        f"Put ``{op.name}`` of nodes or numbers into the graph, under a `name` if you like."
    )
    return build
