"""One line of the table as Python: with `math` and operators for numbers, with `np` for arrays.

Numbers are Python floats in a program, because these are three times as fast as NumPy's. Where `math` raises and NumPy
goes on with infinity or nan, the program is run again with NumPy's functions under the same names (see ``version.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.dispatch import NOTHING, TABLE, Op
from .draft import Constant, marked
from .python_names import ATOM, CHOICE, INFIX, MATH, POWER, PRODUCT, QUESTION, SIGN, SUM

if TYPE_CHECKING:
    from .codegen import Writer

__all__ = ["FRESH_NEVER", "expression", "may_share"]

Text = tuple[str, int]
"""An expression, its names between marks, and how tightly it holds together."""

Write = Callable[[Any, int, Any], Text]
"""How the lines of one row are written."""


def expression(w: Writer, i: int) -> Text:
    """The text of line i, and how tightly it holds together."""
    if not w.numbers[i]:
        return _array_expression(w, i)
    op: Any = w.ops[i]
    refs = w.operands[i]
    # True + True is 2 in Python and True in NumPy: arithmetic whose result is no float is left to NumPy
    if (type(w.values[i]) is np.float64 or op.kind == "comparison") and w.of_numbers(refs):
        write = OF_NUMBERS.get(op)
        if write is not None:
            return write(w, i, refs)
    return _as_python_number(w, i, _array_expression(w, i))


# Numbers


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


def _negative(w: Writer, i: int, refs: Any) -> Text:
    """The sign before its operand."""
    return f"-{w.text(refs[0], SIGN)}", SIGN


def _square(w: Writer, i: int, refs: Any) -> Text:
    x = w.atom(refs[0])
    return f"{x} * {x}", PRODUCT


def _power(w: Writer, i: int, refs: Any) -> Text:
    base, exponent = refs
    b = w.value(exponent) if type(exponent) is Constant else None
    if b is not None and b == 2:
        return _square(w, i, refs)
    if (b is not None and float(b).is_integer()) or (type(base) is Constant and base.value > 0):
        # otherwise: a negative number to a broken power is complex in Python, and nan in NumPy
        return f"{w.text(base, POWER + 1)} ** {w.text(exponent, SIGN)}", POWER
    return f"math.pow({w.text(base, CHOICE)}, {w.text(exponent, CHOICE)})", ATOM


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
    return _as_python_number(w, i, (f"np.clip({', '.join(w.text(ref, CHOICE) for ref in refs)})", ATOM))


OF_NUMBERS: dict[Op, Write] = {
    **{op: _between(*how) for op, how in INFIX.items()},
    **{op: _call(name) for op, name in MATH.items()},
    TABLE[np.negative]: _negative,
    TABLE[np.power]: _power,
    TABLE[np.square]: _square,
    TABLE[np.reciprocal]: lambda w, i, refs: (f"1.0 / {w.text(refs[0], PRODUCT + 1)}", PRODUCT),
    TABLE[np.where]: _choice,
    TABLE["unless"]: _choice,
    TABLE[np.maximum]: _extreme("<"),
    TABLE[np.minimum]: _extreme(">"),
    TABLE["clip"]: _clip,
    TABLE[np.logical_not]: lambda w, i, refs: (f"(not {w.text(refs[0], QUESTION)})", ATOM),
}


# Arrays, and what `math` has no function for


def _array_expression(w: Writer, i: int) -> Text:
    """The text of line i as NumPy computes it."""
    op: Any = w.ops[i]
    special = OF_ARRAYS.get(op)
    if special is not None:
        return special(w, i, w.operands[i])
    infix = INFIX.get(op)
    if infix is None:
        return _called(w, i)
    (a, b), (symbol, level, left, right) = w.operands[i], infix
    return f"{w.array_text(i, a, left)} {symbol} {w.array_text(i, b, right)}", level


def _called(w: Writer, i: int) -> Text:
    """The row as a call: ``np.linalg.solve(v1, v2)``."""
    op: Any = w.ops[i]
    operands = [w.array_text(i, ref, CHOICE) for ref in w.operands[i]]
    if op.variadic and op in ROWS:
        operands = [f"[{', '.join(operands)}]"]
    static = w.static.get(i, NOTHING)
    options = [
        f"{name}={w.static_text(given)}"
        for name, given in static.items()
        if given is not None and not (name == "keepdims" and given is False) and name not in POSITIONAL
    ]
    first = [w.static_text(static[name]) for name in POSITIONAL if static.get(name) is not None]
    return f"{w.function_name(op)}({', '.join(operands + first + options)})", ATOM


POSITIONAL = ("shape", "axes")


def _as_python_number(w: Writer, i: int, text: Text) -> Text:
    """NumPy's number as Python's."""
    kind = type(w.values[i])
    name = "float" if kind is np.float64 or kind is float else "bool" if kind in (bool, np.bool_) else "int"
    return f"{name}({text[0]})", ATOM


def _power_of_arrays(w: Writer, i: int, refs: Any) -> Text:
    base, exponent = refs
    number = type(exponent) is Constant and exponent.number
    if number and exponent.value == 2 and w.value(base).dtype == np.float64:
        return f"np.square({w.array_text(i, base, CHOICE)})", ATOM
    power = w.text(exponent, SIGN) if number else w.array_text(i, exponent, SIGN)
    return f"{w.array_text(i, base, POWER + 1)} ** {power}", POWER


def _get(w: Writer, i: int, refs: Any) -> Text:
    if w.of_number(refs[0]):  # x[()], x[..., None]
        return _itself(w, i, refs) if w.numbers[i] else _reshaped(w, i, refs)
    return f"{w.text(refs[0], ATOM)}[{w.index_text(w.static[i]['index'])}]", ATOM


def _scattered(w: Writer, i: int, refs: Any) -> Text:
    """Into a number; for arrays see `Writer._scatter`."""
    return (w.text(refs[0], CHOICE) if w.of_number(refs[0]) else f"{w.text(refs[0], ATOM)}.item()"), ATOM


def _transposed(w: Writer, i: int, refs: Any) -> Text:
    if w.of_number(refs[0]):
        return _itself(w, i, refs)
    axes = w.static.get(i, NOTHING).get("axes")
    if axes is None or tuple(a % len(axes) for a in axes) == tuple(range(len(axes) - 1, -1, -1)):
        return f"{w.text(refs[0], ATOM)}.T", ATOM
    return f"{w.text(refs[0], ATOM)}.transpose({w.static_text(axes)})", ATOM


def _reshaped(w: Writer, i: int, refs: Any) -> Text:
    if type(w.value(refs[0])) is not np.ndarray:
        return f"np.full({w.values[i].shape}, {w.array_text(i, refs[0], CHOICE)})", ATOM
    return f"{w.text(refs[0], ATOM)}.reshape({w.values[i].shape})", ATOM


def _reduced(ufunc: str) -> Write:
    """``np.add.reduce`` is ``np.sum`` without the search for who is to do it."""

    def write(w: Writer, i: int, refs: Any) -> Text:
        static = w.static.get(i, NOTHING)
        keep = ", keepdims=True" if static.get("keepdims") else ""
        axis = w.static_text(static.get("axis"))
        return f"np.{ufunc}.reduce({w.array_text(i, refs[0], CHOICE)}, axis={axis}{keep})", ATOM

    return write


def _mean(w: Writer, i: int, refs: Any) -> Text:
    x = w.value(refs[0])
    if getattr(x, "dtype", None) != np.float64 or not x.size:
        return _called(w, i)
    count = x.size // max(np.size(w.values[i]), 1)
    return f"{_reduced('add')(w, i, refs)[0]} / {count}", PRODUCT


def _stacked(w: Writer, i: int, refs: Any) -> Text:
    if all(w.of_number(ref) for ref in refs) and w.values[i].dtype == np.float64:
        return f"np.array([{', '.join(w.text(ref, CHOICE) for ref in refs)}])", ATOM
    return _called(w, i)


def _einsum(w: Writer, i: int, refs: Any) -> Text:
    operands = ", ".join(w.array_text(i, ref, CHOICE) for ref in refs)
    return f"np.einsum({w.static_text(w.static[i]['subscripts'])}, {operands})", ATOM


def _nan_to_num(w: Writer, i: int, refs: Any) -> Text:
    options = ", ".join(f"{k}={w.static_text(given)}" for k, given in w.static.get(i, NOTHING).items())
    return f"np.nan_to_num({w.array_text(i, refs[0], CHOICE)}, {options})", ATOM


def _over(w: Writer, i: int, refs: Any) -> Text:
    a, gaps = w.atom(refs[0]), w.atom(refs[1])
    none = f"{gaps} == 0"
    return f"np.where(({none}) & ({a} != 0), np.nan, {a} / np.where({none}, 1.0, {gaps}))", ATOM


def _as(pattern: str) -> Write:
    return lambda w, i, refs: (pattern.format(w.array_text(i, refs[0], CHOICE)), ATOM)


def _itself(w: Writer, i: int, refs: Any) -> Text:
    return w.text(refs[0], ATOM), ATOM


def _eigh(w: Writer, i: int, refs: Any) -> Text:
    values, vectors = names = w.fresh("w"), w.fresh("q")
    w.say(f"{marked(values)}, {marked(vectors)} = np.linalg.eigh({w.array_text(i, refs[0], CHOICE)})", names)
    return f"np.concatenate([{marked(values)}[..., None, :], {marked(vectors)}], axis=-2)", ATOM


def _typed(w: Writer, i: int, refs: Any) -> Text:
    dtype = f"np.{w.static[i]['dtype'].name}"
    if w.of_number(refs[0]):
        return f"{dtype}({w.text(refs[0], CHOICE)})", ATOM
    return f"{w.text(refs[0], ATOM)}.astype({dtype})", ATOM


OF_ARRAYS: dict[Op, Write] = {
    TABLE[np.negative]: _negative,
    TABLE[np.power]: _power_of_arrays,
    TABLE["getitem"]: _get,
    TABLE[np.transpose]: _transposed,
    TABLE[np.reshape]: _reshaped,
    TABLE["astype"]: _typed,
    TABLE["as integers"]: _typed,
    **{TABLE[f]: _reduced("maximum") for f in (np.max, np.amax)},
    **{TABLE[f]: _reduced("minimum") for f in (np.min, np.amin)},
    TABLE[np.sum]: _reduced("add"),
    TABLE[np.prod]: _reduced("multiply"),
    TABLE[np.mean]: _mean,
    TABLE[np.stack]: _stacked,
    TABLE["einsum"]: _einsum,
    TABLE["nan_to_num"]: _nan_to_num,
    TABLE["stop_gradient"]: _itself,
    TABLE[np.positive]: _itself,
    TABLE["logabsdet"]: _as("np.linalg.slogdet({})[1]"),
    TABLE["sign of det"]: _as("np.linalg.slogdet({})[0]"),
    TABLE["eigh"]: _eigh,
    TABLE["over"]: _over,
    TABLE["scatter"]: _scattered,
    TABLE["qr"]: _as("np.concatenate(np.linalg.qr({}), axis=-2)"),
    TABLE["svdvals"]: _as("np.linalg.svd({}, compute_uv=False)"),
}

EINSUM, ROWS = TABLE["einsum"], set(TABLE.values())
FRESH_NEVER = {TABLE[k] for k in ("getitem", np.transpose, np.reshape, np.broadcast_to, "stop_gradient", np.positive)}
"""Rows whose result may be a view of an operand."""


def may_share(op: Op, operands: Sequence[Any]) -> bool:
    """Whether the result of a row may be the memory of its first operand, seen otherwise."""
    return op in FRESH_NEVER or op not in ROWS or (op is EINSUM and len(operands) == 1)
