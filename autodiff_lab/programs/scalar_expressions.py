"""One line of the table as Python: with `math` and operators for numbers, with `np` for arrays.

Numbers are Python floats in a program, because these are three times as fast as NumPy's. Where `math` raises and NumPy
goes on with infinity or nan, the program is run again with NumPy's functions under the same names (see
``compiled_program.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.dispatch import TABLE, Op
from .array_expressions import Text, array_expression, negative, wrapped
from .draft import Constant
from .python_names import ATOM, CHOICE, INFIX, MATH, POWER, PRODUCT, QUESTION, SIGN, SUM

if TYPE_CHECKING:
    from .codegen import Writer

__all__ = ["expression"]

Write = Callable[[Any, int, Any], Text]


def expression(w: Writer, i: int) -> Text:
    """The text of line i, and how tightly it holds together."""
    if not w.numbers[i]:
        return array_expression(w, i)
    op: Any = w.ops[i]
    refs = w.operands[i]
    # True + True is 2 in Python and True in NumPy: arithmetic whose result is no float is left to NumPy
    if (type(w.values[i]) is np.float64 or op.kind == "comparison") and w.of_numbers(refs):
        write = OF_NUMBERS.get(op)
        if write is not None:
            return write(w, i, refs)
    return wrapped(w, i, array_expression(w, i))


# Each row of the table has its way of being written


def _between(symbol: str, level: int, left: int, right: int) -> Write:
    """An operator between its operands."""

    def write(w: Writer, i: int, refs: Any) -> Text:
        a, b = w.text(refs[0], left), w.text(refs[1], right)
        if level == SUM and b[0] == "-" and type(refs[1]) is Constant:  # a + -1 is a - 1
            return f"{a} {'-' if symbol == '+' else '+'} {b[1:]}", level
        return f"{a} {symbol} {b}", level

    return write


def _call(name: str) -> Write:
    """A call of a function of `math`, or of Python's own."""

    def write(w: Writer, i: int, refs: Any) -> Text:
        return f"{name}({', '.join([w.text(ref, CHOICE) for ref in refs])})", ATOM

    return write


def _power(w: Writer, i: int, refs: Any) -> Text:
    base, exponent = refs
    b = w.value(exponent) if type(exponent) is Constant else None
    if b is not None and b == 2:
        x = w.atom(base)
        return f"{x} * {x}", PRODUCT
    real = (b is not None and float(b).is_integer()) or (type(base) is Constant and base.value > 0)
    if real:  # a negative number to a broken power is complex in Python, and nan in NumPy
        return f"{w.text(base, POWER + 1)} ** {w.text(exponent, SIGN)}", POWER
    return f"math.pow({w.text(base, CHOICE)}, {w.text(exponent, CHOICE)})", ATOM


def _square(w: Writer, i: int, refs: Any) -> Text:
    x = w.atom(refs[0])
    return f"{x} * {x}", PRODUCT


def _choice(w: Writer, i: int, refs: Any) -> Text:
    condition, a, b = refs
    return f"{w.text(a, QUESTION)} if {w.text(condition, QUESTION)} else {w.text(b, QUESTION)}", CHOICE


def _extreme(symbol: str) -> Write:
    def write(w: Writer, i: int, refs: Any) -> Text:
        a, b = w.atom(refs[0]), w.atom(refs[1])
        other = type(refs[1]) is Constant and refs[1].value == refs[1].value
        return f"{b} if {a} {symbol} {b}{'' if other else f' or {b} != {b}'} else {a}", CHOICE

    return write


def _clip(w: Writer, i: int, refs: Any) -> Text:
    x, lo, hi = refs
    if all(type(ref) is Constant and ref.value == ref.value for ref in (lo, hi)):
        text = w.text(x, CHOICE)
        text = text if lo.value == -np.inf else f"max({text}, {w.text(lo, CHOICE)})"
        return (text, 0) if hi.value == np.inf else (f"min({text}, {w.text(hi, CHOICE)})", ATOM)
    return wrapped(w, i, (f"np.clip({', '.join(w.text(ref, CHOICE) for ref in refs)})", ATOM))


def _not(w: Writer, i: int, refs: Any) -> Text:
    return f"(not {w.text(refs[0], QUESTION)})", ATOM


OF_NUMBERS: dict[Op, Write] = {
    **{op: _between(*how) for op, how in INFIX.items()},
    **{op: _call(name) for op, name in MATH.items()},
    TABLE[np.negative]: negative,
    TABLE[np.power]: _power,
    TABLE[np.square]: _square,
    TABLE[np.reciprocal]: lambda w, i, refs: (f"1.0 / {w.text(refs[0], PRODUCT + 1)}", PRODUCT),
    TABLE[np.where]: _choice,
    TABLE["unless"]: _choice,
    TABLE[np.maximum]: _extreme("<"),
    TABLE[np.minimum]: _extreme(">"),
    TABLE["clip"]: _clip,
    TABLE[np.logical_not]: _not,
}
