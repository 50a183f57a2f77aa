"""Symbols: symbolic expressions that evaluating a function or a rule on names builds, as text, Python or LaTeX.

A Symbol flows through the same rules as a number and builds an expression, which prints as text, as LaTeX or as
Python. A comparison of Symbols is an Iverson bracket (1 where it holds, else 0); a guard shows what it guards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine.dispatch import NO_OPTIONS
from ..engine.errors import DetachedError
from ..engine.levels import StandingLevel
from ..engine.operators import Overloaded
from ..engine.primitives import Op
from ..engine.printing import format_call, format_index, format_static, format_value
from ..engine.rules.kinks import unknown_slope
from ..engine.rules.special import SPECIAL_ROWS
from ..engine.values import FLOAT64, Traced


class SymbolLevel(StandingLevel):
    """The level of Symbols, above every derivative: an operation on a Symbol builds an expression."""

    number = float("inf")

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Build the symbolic expression of one operation; ``+ 0`` and ``* 1`` are left out."""
        neutral, sides = _NEUTRAL.get(op.name, (0, ()))
        for side in sides if len(operands) == 2 else ():
            x = operands[side]
            if not isinstance(x, Traced) and np.ndim(x) == 0 and x == neutral:
                return operands[1 - side]
        return Symbol(op=op, operands=operands, static=static)


_NEUTRAL = {
    "add": (0, (0, 1)),
    "subtract": (0, (1,)),
    "multiply": (1, (0, 1)),
    "divide": (1, (1,)),
    "power": (1, (1,)),
}
# The precedence of each operator: one with a higher number binds more tightly.
_STRENGTH = dict.fromkeys(("multiply", "divide", "matmul", "remainder", "floor_divide"), 3)
_STRENGTH |= {"add": 1, "subtract": 1, "negative": 2, "power": 4}
# The LaTeX of an operation, and for each operand the least precedence at which it needs no brackets.
_LATEX_PATTERNS = {
    "divide": (r"\frac{%s}{%s}", (0, 0)),
    "reciprocal": (r"\frac{1}{%s}", (0,)),
    "power": ("%s^{%s}", (5, 0)),
    "square": ("%s^{2}", (5,)),
    "remainder": (r"%s \bmod %s", (3, 4)),
    "floor_divide": (r"\left\lfloor \frac{%s}{%s} \right\rfloor", (0, 0)),
    "negative": ("-%s", (2,)),
    "exp": ("e^{%s}", (0,)),
    "sqrt": (r"\sqrt{%s}", (0,)),
    "absolute": (r"\left|%s\right|", (0,)),
}
_LATEX_FUNCTIONS = frozenset(
    {"arccos", "arcsin", "arctan", "cos", "cosh", "log", "sin", "sinh", "tan", "tanh"}
)
_LATEX_SIGNS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "==": "="}


class Symbol(Overloaded):
    r"""A symbolic value: a name, or an expression of names.

    Parameters
    ----------
    name : str
        What to call it: ``"x"``, ``"v-1"``.
    op, operands, static : optional
        The operation, its operands and its options, if it is an expression; arithmetic with names fills them in.

    See Also
    --------
    formula : Write a function as a formula.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff_lab import Symbol
    >>> x = Symbol("x")
    >>> (np.log(x) + 2 * x).text()
    'log(x) + 2 * x'
    >>> (1 / x).latex()
    '\\frac{1}{x}'
    """

    __slots__ = ("name", "op", "operands", "static")
    level = SymbolLevel()

    def __init__(
        self,
        name: str = "",
        *,
        op: Op | None = None,
        operands: tuple[Any, ...] = (),
        static: Mapping[str, Any] = NO_OPTIONS,
    ) -> None:
        self.name, self.op, self.operands, self.static = name, op, operands, static

    def text(self) -> str:
        """The symbolic expression as plain text: ``cos(v0)``, ``1 / v-1``."""
        return self._spell("")

    def python(self) -> str:
        """The symbolic expression as Python source for the same number, with ``from scipy import special``."""
        return self._spell("np.")

    def latex(self) -> str:
        """The symbolic expression as LaTeX, for use between dollar signs."""
        if self.op is None:
            return _latex_name(self.name)
        name = self.op.name
        if name == "unless":
            return _latex(_remove_guard(self))
        # Write each operand only once: twice at every level would take exponential time in a deep formula.
        plainly = list(map(_latex, self.operands))

        def in_brackets(*least: int) -> tuple[str, ...]:
            return tuple(map(_bracket_latex, self.operands, plainly, least))

        if self.op.kind == "comparison" and self.op.symbol:
            a, b = plainly
            return rf"[{a} {_LATEX_SIGNS.get(self.op.symbol or '', self.op.symbol)} {b}]"
        if name in _LATEX_PATTERNS:
            pattern, least = _LATEX_PATTERNS[name]
            return pattern % in_brackets(*least)
        if name in ("multiply", "matmul"):
            a, b = in_brackets(2, 3)
            return rf"{a} \cdot {b}" if b[:1].isdigit() or b[:1] == "-" else rf"{a} \, {b}"
        if name in ("add", "subtract"):
            a, b = in_brackets(0, 3 if plainly[1][:1] == "-" else 1 + (name != "add"))
            return f"{a} {self.op.symbol} {b}"
        if name in _LATEX_FUNCTIONS:
            inside = _remove_guard(self.operands[0])
            atom = isinstance(inside, Symbol) and inside.op is None
            return rf"\{name} {plainly[0]}" if atom else rf"\{name}\left({plainly[0]}\right)"
        if "dtype" in self.static:
            return rf"\operatorname{{{self.static['dtype']}}}\left({plainly[0]}\right)"
        escaped = name.replace("_", r"\_")
        if name == "getitem":
            return rf"{in_brackets(5)[0]}[{format_index(self.static['index'])}]"
        if name in ("stack", "concatenate"):
            plainly = [f"[{', '.join(plainly)}]"]
        options = [
            rf"\text{{{k}}}={format_static(v)}" for k, v in self.static.items() if v is not None
        ]
        return rf"\operatorname{{{escaped}}}\left({', '.join(plainly + options)}\right)"

    def _spell(self, prefix: str) -> str:
        if self.op is None:
            return self.name
        if self.op is unknown_slope:
            return "0.0"
        if self.op.name == "unless":
            if not prefix:
                return spell(_remove_guard(self), prefix)
            return f"np.where({', '.join(spell(x, prefix) for x in self.operands)})"
        strength = _STRENGTH.get(self.op.name)
        if self.op.kind == "comparison" and self.op.symbol:
            a, b = (spell(x, prefix) for x in self.operands)
            return f"({a} {self.op.symbol} {b})"
        if "dtype" in self.static:
            return f"{prefix}{self.static['dtype']}({spell(self.operands[0], prefix)})"
        if strength is None:
            # The user's own function is not in NumPy, so it gets no prefix.
            own = self.op.name == "getitem" or self.op.inside is not None
            home = "special." if prefix and self.op.name in SPECIAL_ROWS else prefix
            named = self.op.name if own else home + self.op.name
            return format_call(named, None, [spell(x, prefix) for x in self.operands], self.static)
        if len(self.operands) == 1:
            return f"-{_bracket(self.operands[0], 4, prefix)}"
        left = _bracket(
            self.operands[0], 5 if self.op.name == "power" else min(strength, 2), prefix
        )
        right = _bracket(self.operands[1], strength + (self.op.name != "power"), prefix)
        if right.startswith("-"):
            right = f"({right})"
        return f"{left} {self.op.symbol} {right}"

    def __repr__(self) -> str:
        return f"Symbol({self.text()!r})"

    def __bool__(self) -> bool:
        raise DetachedError(
            f"`if {self.text()}:` cannot be decided: a Symbol has no value. Choose with np.where(condition, a, b)."
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a symbol, which stands for one number: ()."""
        return ()

    @property
    def dtype(self) -> Any:
        """The type of the number that a symbol stands for: double precision."""
        return FLOAT64


def _remove_guard(x: Any) -> Any:
    """The expression inside a guard; anything else unchanged."""
    if isinstance(x, Symbol) and x.op is not None and x.op.name == "unless":
        return _remove_guard(x.operands[2])
    return x


def _strength(x: Any) -> int:
    x = _remove_guard(x)
    if isinstance(x, Symbol):
        if x.op is None or x.op.kind == "comparison":
            return 9
        return _STRENGTH.get(x.op.name, 9)
    return 9 if not np.ndim(x) and x >= 0 else 2


def _bracket(x: Any, least: int, prefix: str) -> str:
    text = spell(x, prefix)
    return text if _strength(x) >= least else f"({text})"


def spell(x: Any, prefix: str = "") -> str:
    """Spell a symbolic expression or a number as plain text; with the prefix ``np.`` as Python source."""
    if isinstance(x, Symbol):
        return x._spell(prefix)
    text = format_value(x).removesuffix(".0")
    if isinstance(x, float | np.floating) and not np.isfinite(x):
        return text.replace("nan", f"{prefix}nan").replace("inf", f"{prefix}inf")
    return text


def _latex(x: Any) -> str:
    if isinstance(x, Symbol):
        return x.latex()
    mantissa, e, exponent = spell(x).partition("e")
    if e and np.ndim(x) == 0:
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return mantissa + e + exponent


def _bracket_latex(x: Any, text: str, least: int) -> str:
    """Put the LaTeX `text` of the operand `x` into brackets, unless the precedence of `x` is at least `least`."""
    name = x.op.name if isinstance(x, Symbol) and x.op is not None else ""
    closed = name in ("divide", "reciprocal") and least <= 3
    # LaTeX may write these without brackets, and an exponent would then seem to belong to their argument.
    bare = least == 5 and (name == "exp" or name in _LATEX_FUNCTIONS)
    return text if closed or (_strength(x) >= least and not bare) else rf"\left({text}\right)"


def _latex_name(name: str) -> str:
    match = re.fullmatch(r"([^\W\d_]+)_?(-?\d+)", name)
    return f"{match[1]}_{{{match[2]}}}" if match else name.replace("_", r"\_")
