"""Expressions that are typed, as programs of arithmetic and the functions of the table of derivatives."""

import ast
import inspect
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.systems.wengert import FUNCTIONS


class ExpressionError(AutodiffError, ValueError):
    """Error: what was typed is no expression of arithmetic, functions of the table, and the names that are known."""


OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def parse_expression(text: str, names: Sequence[str]) -> Callable[..., Any]:
    """Read an expression that was typed; none of it is run before it is called with numbers, Variables or cells.

    Parameters
    ----------
    text : str
        As in Python, or as on paper: ``^`` is a power, ``np.`` may be left out.
    names : sequence of str
        The inputs that may occur in it, in the order of the program's parameters.

    Raises
    ------
    ExpressionError
        If it is no expression, or something else than arithmetic, functions of one number or two, and these names.

    Examples
    --------
    >>> f = parse_expression("sin(x) + x * y", ("x", "y"))
    >>> float(f(0.0, 5.0)), float(f(1.0, 0.0)) == float(np.sin(1.0))
    (0.0, True)
    """
    spelled = text.strip().replace("^", "**").replace("·", "*").replace("−", "-")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(spelled, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            f"{text!r} is not an expression. Write one such as sin(x) + x * y."
        ) from None
    compute = _read(tree, names)

    def program(*inputs: Any) -> Any:
        return compute(dict(zip(names, inputs, strict=True)))

    program.__name__ = program.__qualname__ = "the expression"
    # Whoever asks for the inputs' names, as a trace does, is told those of the expression.
    program.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    )
    return program


def _read(node: ast.AST, names: Sequence[str]) -> Callable[[Mapping[str, Any]], Any]:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        # NumPy's, so that 1 / 0 is inf and no error; from its text, so that a very long whole number is inf, too.
        number = np.float64(str(node.value))
        return lambda inputs: number
    if isinstance(node, ast.Name) and node.id in names:
        return operator.itemgetter(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        of_two, left, right = (
            OPERATORS[type(node.op)],
            _read(node.left, names),
            _read(node.right, names),
        )
        return lambda inputs: of_two(left(inputs), right(inputs))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        of_one, operand = OPERATORS[type(node.op)], _read(node.operand, names)
        return lambda inputs: of_one(operand(inputs))
    if isinstance(node, ast.Call) and not node.keywords:
        function, operands = _function(node), [_read(part, names) for part in node.args]
        return lambda inputs: function(*(operand(inputs) for operand in operands))
    raise ExpressionError(
        f"{ast.unparse(node)!r} is not something this lab knows. Use {', '.join(names)}, numbers, + − * / ** and "
        "functions such as sin, log, exp, tanh, hypot."
    )


def _function(call: ast.Call) -> Callable[..., Any]:
    name = ast.unparse(call.func).removeprefix("np.")
    function = FUNCTIONS.get({"abs": "absolute"}.get(name, name))
    if function is None:
        raise ExpressionError(
            f"{name} is not a function of the table. It knows sin, cos, log, exp, sqrt, tanh, hypot, …"
        )
    if len(call.args) != function.nin:
        raise ExpressionError(
            f"{name} takes {function.nin} operand{'s'[: function.nin > 1]}, and you gave {len(call.args)}."
        )
    return function
