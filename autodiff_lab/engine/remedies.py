"""Remedies in error messages: the row to add for a function without a rule, and the user's own line rewritten."""

import ast
import linecache
import sys
from contextlib import suppress
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .calls import numpy_name
from .errors import UnsupportedError
from .frames import find_user_frame, is_user_frame


def missing_rule(function: Any) -> UnsupportedError:
    """The error for a function without a derivative rule, with its remedy: the row of the table that would add one."""
    name = numpy_name(function)
    if name.startswith("np.fft."):
        return UnsupportedError(
            f"{name} works with complex numbers, and derivatives here are of real ones: Fourier transforms are left "
            "out. A short transform can be written as a real matrix product, np.cos(angles) @ x and np.sin(angles) @ x."
        )
    told = f"{name} has no derivative rule here, so its derivative would be lost. Write it with functions that have one"
    if getattr(function, "nout", 1) > 1:
        return UnsupportedError(f"{told}.")
    kind, row = "general", "lambda g, y, x: ...)   # what the adjoint g of the result y adds to that of x"
    if isinstance(function, np.ufunc) and function.signature is None:
        operands = "x" if function.nin == 1 else ", ".join("abcde"[: function.nin])
        partials = ", ".join([f"lambda y, {operands}: ..."] * function.nin)
        kind, row = "elementwise", f"{partials})   # the local partials, from the result y and the operands"
    imported = f"from autodiff_lab.engine.rules import {kind}"
    return UnsupportedError(f"{told}, or add a row to the table:\n    {imported}\n    {kind}({name}, {row}")


def explain_conversion(x: Any) -> str:
    """The message for a traced value that was asked for its bare numbers, with a remedy: the user's line rewritten."""
    asked = _find_asking_call(x)
    public = getattr(asked.function, "__module__", None) or isinstance(asked.function, np.ufunc)
    who = numpy_name(asked.function) if public and hasattr(asked.function, "__name__") else "NumPy"
    text = f"{who} asks for the bare numbers of {x!r}, which would lose its derivative. "
    if asked.new:
        return f"{text}In place of\n    {asked.old}\nwrite\n    {asked.new}\nor take `.value` if you want a constant."
    return text + (
        "Write it with NumPy functions that have a derivative rule: np.stack([x, y]) puts values into an array, "
        "x.astype changes their type. Take `.value` if you want a constant."
    )


def is_asked_by_masked_array() -> bool:
    """Whether it is code of masked arrays that asks for the bare numbers, as ``masked * x`` does: ahead of any rule."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_frame(frame):
        if frame.f_globals.get("__name__", "").startswith("numpy.ma."):
            return True
        frame = frame.f_back
    return False


# The learner's line

# A longer line is shown from the expression on that has to change.
MAX_SHOWN_CHARACTERS = 100

ARRAY_MAKERS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)

LISTS = (ast.List, ast.Tuple)
# What a list of plain numbers consists of.
PLAIN = (*LISTS, ast.Constant, ast.UnaryOp, ast.unaryop, ast.expr_context)


class Asked(NamedTuple):
    """A remedy for a call that asked for bare numbers: the function, and the user's line before and after rewriting."""

    # The function that the line calls; None where that cannot be told.
    function: Any
    # Both are empty where nobody knows what to write instead.
    old: str
    new: str


def _find_asking_call(x: Any) -> Asked:
    """Find the user's expression that asked for the bare numbers of `x`, and rewrite it to keep the derivative."""
    frame = find_user_frame()
    with suppress(SyntaxError, ValueError, RecursionError):
        where = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        if None not in where:
            return _rewrite(x, frame, *where)  # type: ignore[arg-type]
    return Asked(None, "", "")


def _rewrite(x: Any, frame: FrameType, first: int, last: int, start: int, stop: int) -> Asked:
    lines = [linecache.getline(frame.f_code.co_filename, n).encode() for n in range(first, last + 1)]
    before, after = lines[0][:start].decode(), lines[-1][stop:].decode()
    lines[-1] = lines[-1][:stop]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode()
    node = ast.parse(f"({text})", mode="eval").body
    rewriter = Rewriter(x, frame)
    called = rewriter.look_up(node.func) if isinstance(node, ast.Call) else None
    old, new = ast.unparse(node), ast.unparse(rewriter.rewrite(node))
    if old == new:
        return Asked(called, "", "")
    line = (before + new + after).strip()
    if first == last and len(line) <= MAX_SHOWN_CHARACTERS and _is_statement(line):
        return Asked(called, (before + text + after).strip(), line)
    return Asked(called, text if first == last else old, new)


def _is_statement(line: str) -> bool:
    """Whether a line is a whole statement that assigns or returns, and says nothing else."""
    with suppress(SyntaxError):
        body = ast.parse(line).body
        simple = len(body) == 1 and isinstance(
            body[0], (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
        )
        return simple and not any(isinstance(node, ast.Lambda) for node in ast.walk(body[0]))
    return False


class Rewriter:
    """Rewrites a syntax tree of the user's code, as a remedy: NumPy calls that record, instead of those that cannot.

    Parameters
    ----------
    x : Traced
        The value that was asked.
    frame : frame
        Of the user's code: it knows what the names stand for.
    """

    def __init__(self, x: Any, frame: FrameType) -> None:
        self.x = x
        self.names = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
        self.numpy = next((name for name, value in self.names.items() if value is np), "np")

    def look_up(self, node: ast.AST) -> Any:
        """Look up the object that a dotted name in the user's expression stands for; None for any other expression."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(owner := self.look_up(node.value), ModuleType):
            return getattr(owner, node.attr, None)
        return None

    def _call(self, name: str, *args: ast.expr, **options: ast.expr) -> ast.expr:
        """Write the call of a NumPy function into the remedy, under the name that NumPy has in the user's code."""
        function = ast.parse(f"{self.numpy}.{name}", mode="eval").body
        return ast.Call(function, list(args), [ast.keyword(option, given) for option, given in options.items()])

    def _stack(self, node: ast.expr) -> ast.expr:
        """Rewrite a list as an array that records: ``np.stack``, or ``np.block`` for numbers in lists of lists."""
        parts = node.elts if isinstance(node, LISTS) else []
        if not any(isinstance(part, LISTS) for part in parts):
            return self._call("stack", node)
        if self.x.shape == () and not any(isinstance(part, ast.Tuple) for part in ast.walk(node)):
            return self._call("block", node)
        return self._call("stack", ast.List([self._stack_list(part) for part in parts]))

    def _stack_list(self, node: ast.expr) -> ast.expr:
        """Rewrite an operand in the user's expression, if it is a list that may hold traced values."""
        values = isinstance(node, LISTS) and not all(isinstance(part, PLAIN) for part in ast.walk(node))
        return self._stack(node) if values else node

    def rewrite(self, node: ast.expr) -> ast.expr:
        """Rewrite the user's expression: a call that makes, fills or converts an array, or an operation on lists."""
        if isinstance(node, ast.BinOp):
            return ast.BinOp(self._stack_list(node.left), node.op, self._stack_list(node.right))
        if not isinstance(node, ast.Call):
            return node
        function, args = self.look_up(node.func), node.args
        options = {given.arg: given.value for given in node.keywords if given.arg}
        if any(function is maker for maker in ARRAY_MAKERS) and args and options.keys() <= {"dtype", "copy"}:
            return self._rewrite_array(args[0], args[1] if len(args) > 1 else options.get("dtype")) or node
        if function is np.full and len(args) > 1:
            return self._call("broadcast_to", args[1], args[0])
        if isinstance(function, type) and issubclass(function, np.floating) and len(args) == 1:
            return args[0] if function is np.float64 else _as_type(args[0], node.func)
        if getattr(function, "__name__", "") == "logsumexp" and options.keys() <= {"axis", "keepdims"}:
            return self._call("logaddexp.reduce", *args, **{"axis": ast.Constant(None), **options})
        args = [self._stack_list(given) for given in args]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "dot" and function is None:
            return self._call("dot", node.func.value, *args)
        return ast.Call(node.func, args, node.keywords)

    def _rewrite_array(self, made_of: ast.expr, dtype: ast.expr | None) -> ast.expr | None:
        """The remedy for ``np.array(made_of, dtype)``; None if it cannot be seen what the array is made of."""
        given = self.look_up(made_of)
        if given is self.x:
            made = made_of
        elif isinstance(made_of, (*LISTS, ast.ListComp)) or isinstance(given, list | tuple):
            made = self._stack(made_of)
        else:
            return None
        return made if dtype is None or self.look_up(dtype) in (float, np.float64) else _as_type(made, dtype)


def _as_type(node: ast.expr, dtype: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "astype"), [dtype], [])
