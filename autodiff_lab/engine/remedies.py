"""Remedies in error messages: the rule to add for a function without one, and the user's own line rewritten."""

import ast
import dis
import linecache
from contextlib import suppress
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .calls import numpy_name
from .errors import UnsupportedError
from .frames import find_user_frame
from .scipy_remedies import (
    FOURIER,
    fill,
    find_called_function,
    flow,
    is_of_scipy,
    public_name,
    rewrite_call,
    rewrite_factorization,
    sentence_for,
)


def missing_rule(function: Any) -> UnsupportedError:
    """The error for a function without a derivative rule, with its remedy: the line that would add a rule."""
    name = numpy_name(function)
    if name.startswith("np.fft."):
        return UnsupportedError(f"{name} has no derivative rule. {_show_line()}{flow(FOURIER)}")
    told = f"{name} has no derivative rule here, so its derivative would be lost. Write it with functions that have one"
    if getattr(function, "nout", 1) > 1:
        return UnsupportedError(f"{told}.")
    kind = "general"
    rule = "lambda g, y, x: ..."
    comment = "what the adjoint g of the result y adds to that of x"
    if isinstance(function, np.ufunc) and function.signature is None:
        operands = "x" if function.nin == 1 else ", ".join("abcde"[: function.nin])
        kind = "elementwise"
        rule = ", ".join([f"lambda y, {operands}: ..."] * function.nin)
        comment = "the local partials, from the result y and the operands"
    return UnsupportedError(
        f"{told}, or add a row to the table:\n"
        f"    from autodiff_lab.engine.rules import {kind}\n"
        f"    {kind}({name}, {rule})   # {comment}"
    )


def explain_conversion(x: Any) -> str:
    """The message for a traced value that was converted to plain numbers, with a remedy: the user's line rewritten."""
    asked = _find_asking_call(x)
    scipy = public_name(asked.function) or find_called_function()
    converter = scipy or _name_of_converter(asked.function)
    text = f"{converter} converts {x!r} to plain numbers, which would lose its derivative. "
    remedy = _show_remedy(asked, scipy)
    if remedy:
        return text + remedy
    return text + (
        "Write it with NumPy functions that have a derivative rule: np.stack([x, y]) puts values into an array, "
        "x.astype changes their type. Take `.value` if you want a constant."
    )


def _name_of_converter(function: Any) -> str:
    """The name of the function that converts a traced value, in messages; ``NumPy`` where it has none."""
    if isinstance(function, np.vectorize):
        return "np.vectorize"
    has_module = getattr(function, "__module__", None) or isinstance(function, np.ufunc)
    if has_module and hasattr(function, "__name__"):
        return numpy_name(function)
    return "NumPy"


def explain_float(x: Any) -> str:
    """The message for a traced value that was converted to a float, with a remedy: the user's line rewritten."""
    asked = _find_asking_call(x)
    scipy = public_name(asked.function) or find_called_function()
    if scipy:
        text = f"{scipy} converts {x!r} to a plain number, which would lose its derivative. "
    else:
        text = f"The float() of {x!r} would lose its derivative. "
    remedy = _show_remedy(asked, scipy)
    if remedy:
        return text + remedy
    return text + (
        "Write np.sin(x) instead of math.sin(x), keep x itself instead of float(x), and build an array with "
        "np.stack([...]) instead of a[0] = x. Use `.value` if you want the plain number."
    )


def _show_remedy(asked: "Asked", scipy: str) -> str:
    """What to write instead: the user's line rewritten, or a sentence about it; empty if we have neither."""
    if asked.new:
        also = "" if "special." not in asked.new else "(with `from scipy import special`) "
        return f"In place of\n    {asked.old}\nwrite\n    {asked.new}\n{also}or take `.value` if you want a constant."
    said = sentence_for(scipy) if scipy else asked.sentence
    if not said:
        return ""
    return f"{_show_line()}{said} Take `.value` if you want a constant."


def explain_in_place() -> str:
    """A remedy for a line such as ``a += x``, where the array `a` is plain: that line rewritten; empty for others."""
    frame = find_user_frame()
    with suppress(SyntaxError, ValueError):
        statement = _find_assignment(frame)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            old = ast.get_source_segment(_source_line(frame), statement)
            new = ast.BinOp(ast.Name(statement.target.id), statement.op, statement.value)
            return f" In place of\n    {old}\nwrite\n    {statement.target.id} = {ast.unparse(new)}"
    return ""


def _find_assignment(frame: FrameType) -> ast.Assign | ast.AugAssign | None:
    """Find the assignment in the user's line that a frame is executing; None if it is something else."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    column = list(frame.f_code.co_positions())[frame.f_lasti // 2][2]
    indent = len(line) - len(line.lstrip())
    for node in ast.walk(ast.parse(_source_line(frame))):
        if (
            isinstance(node, ast.Assign | ast.AugAssign)
            and column is not None
            and node.col_offset == column - indent
        ):
            return node
    return None


def _source_line(frame: FrameType) -> str:
    """The line of the user's code that a frame is executing; empty if there is no source."""
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()


def _show_line() -> str:
    """The user's line for a message, shortened if it is long; empty if there is no source."""
    line = _source_line(find_user_frame())
    shown = line if len(line) <= MAX_SHOWN_CHARACTERS else line[: MAX_SHOWN_CHARACTERS - 1] + "…"
    return f"The line is\n    {shown}\n" if shown else ""


# The learner's line

# Of a longer line, only the expression that has to change is shown.
MAX_SHOWN_CHARACTERS = 100

ARRAY_MAKERS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)

SIMPLE_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)

GENERATORS = (np.random.Generator, np.random.RandomState)

# Distributions that have a path: noise without parameters, and how it becomes a sample.
MOVED_NOISE = {
    **{
        name: (f"rng.{name}(size=n)", "mu + sigma * eps")
        for name in ("normal", "laplace", "logistic", "gumbel")
    },
    "lognormal": ("rng.normal(size=n)", "np.exp(mu + sigma * eps)"),
    "uniform": ("rng.random(n)", "low + (high - low) * eps"),
    "exponential": ("rng.exponential(size=n)", "scale * eps"),
    "rayleigh": ("rng.rayleigh(size=n)", "scale * eps"),
}
ORDERS = frozenset({"permutation", "permuted", "shuffle"})
# Draws of whole numbers, or of one of several things: these jump.
CHOICES = frozenset(
    {*("binomial", "choice", "geometric", "hypergeometric", "integers", "logseries"),
     *("multinomial", "negative_binomial", "poisson", "randint", "zipf")}
)  # fmt: skip

LISTS = (ast.List, ast.Tuple)
# What a list of plain numbers consists of.
PLAIN = (*LISTS, ast.Constant, ast.UnaryOp, ast.unaryop, ast.expr_context)


class Asked(NamedTuple):
    """A call that asked for plain numbers: the function, and the user's line before and after rewriting."""

    # The function that the line calls; None if it is unknown.
    function: Any
    # Both are empty if we don't know what to write instead.
    old: str
    new: str
    # What to do, if it takes more than one line.
    sentence: str = ""


def _find_asking_call(x: Any) -> Asked:
    """Find the user's expression that converts `x` to plain numbers, and rewrite it to keep the derivative."""
    frame = find_user_frame()
    with suppress(SyntaxError, ValueError, RecursionError):
        if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":
            return _explain_stored_entry(frame)
        where = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        if None not in where:
            return _rewrite(x, frame, *where)  # type: ignore[arg-type]
    return Asked(None, "", "")


def _explain_stored_entry(frame: FrameType) -> Asked:
    """The remedy for a line such as ``a[i] = x``, where the array `a` is plain: collect the values, then stack them."""
    statement = _find_assignment(frame)
    name, value = "a", "x"
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.Assign) and isinstance(target, ast.Subscript):
        name, value = ast.unparse(target.value), ast.unparse(statement.value)
    return Asked(
        None,
        "",
        "",
        f"The array `{name}` is plain, and a number in it has no derivative. Collect the values in a list and join "
        f"them after the loop: parts.append({value}), then {name} = np.stack(parts). To change some entries of an "
        f"array, write np.where(mask, {value}, {name}).",
    )


def _rewrite(x: Any, frame: FrameType, first: int, last: int, start: int, stop: int) -> Asked:
    lines = [
        linecache.getline(frame.f_code.co_filename, n).encode() for n in range(first, last + 1)
    ]
    before, after = lines[0][:start].decode(), lines[-1][stop:].decode()
    lines[-1] = lines[-1][:stop]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode()
    node = ast.parse(f"({text})", mode="eval").body
    rewriter = Rewriter(x, frame)
    called = rewriter.look_up(node.func) if isinstance(node, ast.Call) else None
    if public_name(called) in ("scipy.linalg.cho_factor", "scipy.linalg.lu_factor"):
        solution = rewrite_factorization(node, before, after, rewriter.look_up, rewriter.names)
        if solution is None:
            return Asked(called, "", "")
        opening, rest, rewritten = solution
        before = before.removesuffix(opening)
        text = opening + text + rest
        after = after.removeprefix(rest)
        old = ""
        new = ast.unparse(rewritten)
    else:
        old = ast.unparse(node)
        new = ast.unparse(rewriter.rewrite(node))
    drawn = rewriter.find_draw(node)
    if drawn:
        return Asked(called, "", "", explain_draw(drawn))
    if old == new:
        return Asked(called, "", "")
    line = (before + new + after).strip()
    if first == last and len(line) <= MAX_SHOWN_CHARACTERS and _is_statement(line):
        return Asked(called, (before + text + after).strip(), line)
    return Asked(called, text if first == last else old, new)


def explain_draw(name: str) -> str:
    """What to do about a random draw that was given a traced value, by the name of NumPy's method."""
    if name in ORDERS:
        return "Draw the order outside the function, i = rng.permutation(len(x)), and inside write x[i]."
    if name in CHOICES:
        among = (
            "To choose among the entries of x, draw their numbers outside, i = rng.choice(len(x), size=n), "
            "and write x[i]. "
        )
        return (
            f"{among if name == 'choice' else ''}"
            f"What `{name}` draws jumps as its chances change, so no derivative comes back through it. For the slope "
            "of an average over such draws, draw with plain numbers and differentiate the logarithm of their chances "
            "(notebook 22)."
        )
    noise, sample = MOVED_NOISE.get(name, MOVED_NOISE["normal"])
    example = "" if name in MOVED_NOISE else "for a normal distribution "
    return (
        "A sample has a derivative only as a function of noise that doesn't depend on the parameters. "
        f"Draw the noise outside the function, {example}eps = {noise}, and inside write {sample}."
    )


def _is_statement(line: str) -> bool:
    """Whether a line is one whole statement, an assignment, a return or an expression, without a lambda."""
    try:
        body = ast.parse(line).body
    except SyntaxError:
        return False
    if len(body) != 1 or not isinstance(body[0], SIMPLE_STATEMENTS):
        return False
    return not any(isinstance(node, ast.Lambda) for node in ast.walk(body[0]))


class Rewriter:
    """Rewrites a syntax tree of the user's code, as a remedy: NumPy calls that record, instead of those that cannot.

    Parameters
    ----------
    x : Traced
        The value that was to become plain numbers.
    frame : frame
        The frame of the user's code, in which names are looked up.
    """

    def __init__(self, x: Any, frame: FrameType) -> None:
        self.x = x
        self.names = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
        self.numpy = next((name for name, value in self.names.items() if value is np), "np")

    def look_up(self, node: ast.AST) -> Any:
        """Look up the object that a dotted name in the user's expression stands for; None for any other expression."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.look_up(node.value)
            if isinstance(owner, ModuleType) or is_of_scipy(owner):
                return getattr(owner, node.attr, None)
        return None

    def find_draw(self, node: ast.expr) -> str:
        """Find the method of NumPy's random numbers that the user's expression calls; empty for anything else."""
        if not isinstance(node, ast.Call):
            return ""
        function = self.look_up(node.func)
        if isinstance(getattr(function, "__self__", None), GENERATORS):
            return str(function.__name__)
        if not isinstance(node.func, ast.Attribute):
            return ""
        owner = node.func.value
        made = self.look_up(owner.func) if isinstance(owner, ast.Call) else None
        if made is np.random.default_rng or isinstance(self._look_inside(owner), GENERATORS):
            return node.func.attr
        return ""

    def _look_inside(self, node: ast.expr) -> Any:
        """Look up a name, or an attribute that an object of the user holds, such as ``self.rng``."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return getattr(self.names.get(node.value.id), "__dict__", {}).get(node.attr)
        return self.look_up(node)

    def _call(self, name: str, *args: ast.expr, **options: ast.expr) -> ast.expr:
        """Write the call of a NumPy function into the remedy, under the name that NumPy has in the user's code."""
        function = ast.parse(f"{self.numpy}.{name}", mode="eval").body
        keywords = [ast.keyword(option, given) for option, given in options.items()]
        return ast.Call(function, list(args), keywords)

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
        if not isinstance(node, LISTS):
            return node
        if all(isinstance(part, PLAIN) for part in ast.walk(node)):
            return node
        return self._stack(node)

    def rewrite(self, node: ast.expr) -> ast.expr:
        """Rewrite the user's expression: a call that makes, fills or converts an array, or an operation on lists."""
        if isinstance(node, ast.Subscript):
            return self._rewrite_joined(node)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult) and self._is_sparse(node.left):
                return ast.BinOp(fill("A.toarray()", self.names, A=node.left), node.op, node.right)
            return ast.BinOp(self._stack_list(node.left), node.op, self._stack_list(node.right))
        if not isinstance(node, ast.Call):
            return node
        function, args = self.look_up(node.func), node.args
        options = {given.arg: given.value for given in node.keywords if given.arg}
        makes_array = any(function is maker for maker in ARRAY_MAKERS)
        if makes_array and args and options.keys() <= {"dtype", "copy"}:
            dtype = args[1] if len(args) > 1 else options.get("dtype")
            return self._rewrite_array(args[0], dtype) or node
        if function is np.full and len(args) > 1:
            return self._call("broadcast_to", args[1], args[0])
        if isinstance(function, type) and issubclass(function, np.floating) and len(args) == 1:
            return args[0] if function is np.float64 else _as_type(args[0], node.func)
        if function is float and len(args) == 1:
            return args[0]
        if getattr(function, "__module__", None) == "math":
            return self._rewrite_math(function.__name__, args) or node
        product = self._rewrite_sparse_product(node)
        if product is not None:
            return product
        node = self._unfreeze_distribution(node)
        function = self.look_up(node.func)
        if public_name(function):
            return rewrite_call(function, node, self.names, len(self.x.shape)) or node
        if isinstance(function, np.vectorize) or (
            isinstance(node.func, ast.Call) and self._is_vectorize(node.func)
        ):
            return self._rewrite_vectorized(node) or node
        args = [self._stack_list(given) for given in args]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "dot" and function is None:
            return self._call("dot", node.func.value, *args)
        return ast.Call(node.func, args, node.keywords)

    def _rewrite_joined(self, node: ast.Subscript) -> ast.expr:
        """The remedy for ``np.r_[...]`` and ``np.c_[...]``: the function that joins the same parts and records."""
        maker = self.look_up(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if maker is not np.r_ and maker is not np.c_:
            return node
        if any(self._is_directive(part) for part in parts):
            return node
        joined = ast.List([self._spell_range(part) for part in parts])
        if maker is np.c_:
            return self._call("column_stack", joined)
        if len(self.x.shape) > 1:
            return self._call("concatenate", joined)
        return self._call("hstack", joined)

    def _is_directive(self, part: ast.expr) -> bool:
        """Whether a part of ``np.r_[...]`` is text, or a slice whose step is a number of points."""
        step = part.step if isinstance(part, ast.Slice) else part
        return isinstance(step, ast.Constant) and isinstance(step.value, str | complex)

    def _spell_range(self, part: ast.expr) -> ast.expr:
        """A slice in ``np.r_[...]`` as ``np.arange``; any other part unchanged."""
        if not isinstance(part, ast.Slice):
            return part
        ends = (part.lower or ast.Constant(0), part.upper or ast.Constant(0), part.step)
        return self._call("arange", *(end for end in ends if end is not None))

    def _rewrite_math(self, name: str, args: list[ast.expr]) -> ast.expr | None:
        """The remedy for a function of Python's math module: NumPy's counterpart; None if there is none."""
        if name == "log" and len(args) == 2:
            return fill("np.log(a) / np.log(b)", self.names, a=args[0], b=args[1])
        if name == "fsum" and len(args) == 1:
            return self._call("sum", self._stack_list(args[0]))
        if name in SPECIAL_TWINS:
            return ast.Call(fill(SPECIAL_TWINS[name], self.names), args, [])
        name = MATH_TWINS.get(name, name)
        return self._call(name, *args) if isinstance(getattr(np, name, None), np.ufunc) else None

    def _unfreeze_distribution(self, node: ast.Call) -> ast.Call:
        """Write ``norm(mu, s).logpdf(x)`` in the user's line as ``norm.logpdf(x, mu, s)``; anything else unchanged."""
        frozen = node.func.value if isinstance(node.func, ast.Attribute) else None
        if not isinstance(node.func, ast.Attribute) or not isinstance(frozen, ast.Call):
            return node
        if not public_name(self.look_up(frozen.func)).startswith("scipy.stats."):
            return node
        method = ast.Attribute(frozen.func, node.func.attr)
        return ast.Call(method, [*node.args, *frozen.args], [*node.keywords, *frozen.keywords])

    def _is_sparse(self, node: ast.expr) -> bool:
        """Whether the user's expression is one of SciPy's sparse matrices, by name or made on the spot."""
        made = self.look_up(node.func) if isinstance(node, ast.Call) else type(self.look_up(node))
        return _module_of(made).startswith("scipy.sparse")

    def _rewrite_sparse_product(self, node: ast.Call) -> ast.expr | None:
        """The remedy for ``A.dot(x)`` of a sparse matrix."""
        if (
            not isinstance(node.func, ast.Attribute)
            or node.func.attr != "dot"
            or len(node.args) != 1
        ):
            return None
        if not self._is_sparse(node.func.value):
            return None
        return fill("A.toarray() @ x", self.names, A=node.func.value, x=node.args[0])

    def _is_vectorize(self, node: ast.Call) -> bool:
        """Whether the user's expression makes a function with ``np.vectorize``."""
        return self.look_up(node.func) is np.vectorize

    def _rewrite_vectorized(self, node: ast.Call) -> ast.expr | None:
        """The remedy for a function that ``np.vectorize`` made: call it for each entry, and stack the results."""
        if len(node.args) != 1 or node.keywords:
            return None
        function: ast.expr = ast.Attribute(node.func, "pyfunc")
        if isinstance(node.func, ast.Call):
            if len(node.func.args) != 1 or node.func.keywords:
                return None
            function = node.func.args[0]
        each = "np.stack([f(entry) for entry in a])"
        if len(self.x.shape) > 1:
            each = "np.reshape(np.stack([f(entry) for entry in np.ravel(a)]), np.shape(a))"
        return fill(each, self.names, f=function, a=node.args[0])

    def _rewrite_array(self, made_of: ast.expr, dtype: ast.expr | None) -> ast.expr | None:
        """The remedy for ``np.array(made_of, dtype)``; None if we can't tell what the array is made of."""
        given = self.look_up(made_of)
        if given is self.x:
            made = made_of
        elif isinstance(made_of, (*LISTS, ast.ListComp)) or isinstance(given, list | tuple):
            made = self._stack(made_of)
        else:
            return None
        if dtype is None or self.look_up(dtype) in (float, np.float64):
            return made
        return _as_type(made, dtype)


# The functions of Python's math module that have another name in NumPy, and those that only SciPy has.
MATH_TWINS = {
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")},
    "pow": "power",
}
SPECIAL_TWINS = {
    "erf": "special.erf",
    "erfc": "special.erfc",
    "gamma": "special.gamma",
    "lgamma": "special.gammaln",
}


def _module_of(made: Any) -> str:
    """The module that defines a class or function."""
    return getattr(made, "__module__", None) or ""


def _as_type(node: ast.expr, dtype: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(node, "astype"), [dtype], [])
