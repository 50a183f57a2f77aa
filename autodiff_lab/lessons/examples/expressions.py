"""Expressions that a user types, as programs made of arithmetic and the functions that have a derivative rule."""

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
    """Error: the typed text is not an expression made of arithmetic, differentiable functions, and the given names."""


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
    """Parse a typed expression into a function; nothing is run before it is called with numbers, Variables or cells.

    Parameters
    ----------
    text : str
        The expression, in Python or as on paper: ``^`` is a power, ``np.`` may be left out.
    names : sequence of str
        The inputs that may occur in it, in the order of the function's parameters.

    Raises
    ------
    ExpressionError
        If it is not an expression, or contains anything but arithmetic, functions of one or two numbers, and these
        names.

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
    # A trace reads the inputs' names from the signature.
    program.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    )
    return program


def _read(node: ast.AST, names: Sequence[str]) -> Callable[[Mapping[str, Any]], Any]:
    """Make a function that computes a part of an expression from the inputs, by name."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        # A NumPy number, so that 1 / 0 is inf instead of an error; made from text, so that a huge integer is inf too.
        number = np.float64(str(node.value))
        return lambda inputs: number
    if isinstance(node, ast.Name) and node.id in names:
        return operator.itemgetter(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        binary = OPERATORS[type(node.op)]
        left = _read(node.left, names)
        right = _read(node.right, names)
        return lambda inputs: binary(left(inputs), right(inputs))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        unary = OPERATORS[type(node.op)]
        operand = _read(node.operand, names)
        return lambda inputs: unary(operand(inputs))
    if isinstance(node, ast.Call) and not node.keywords:
        function = _function(node)
        operands = [_read(part, names) for part in node.args]
        return lambda inputs: function(*(operand(inputs) for operand in operands))
    raise ExpressionError(
        f"{ast.unparse(node)!r} is not supported here. Use {', '.join(names)}, numbers, + − * / ** and functions "
        "such as sin, log, exp, tanh, hypot."
    )


def _function(call: ast.Call) -> Callable[..., Any]:
    """The function of a call, with a check of the number of its operands."""
    name = ast.unparse(call.func).removeprefix("np.")
    function = FUNCTIONS["absolute"] if name == "abs" else FUNCTIONS.get(name)
    if function is None:
        raise ExpressionError(
            f"{name} is not a function that has a derivative rule here. Use sin, cos, log, exp, sqrt, tanh, hypot, …"
        )
    if len(call.args) != function.nin:
        raise ExpressionError(
            f"{name} takes {function.nin} {'operand' if function.nin == 1 else 'operands'}, and you gave "
            f"{len(call.args)}."
        )
    return function
