"""One line of the table as Python: with `math` and operators for numbers, with `np` for arrays.

Numbers are Python floats in a program, because these are three times as fast as NumPy's. Where `math` raises and NumPy
goes on with infinity or nan, the program is run again with NumPy's functions under the same names (see ``running.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.dispatch import NOTHING, TABLE, Op
from .draft import Constant, is_number

if TYPE_CHECKING:
    from .writing import Writer

__all__ = ["FRESH_NEVER", "IN_NUMPY", "KEYS", "expression", "may_share"]

# How tightly an expression holds together; a looser one is put in parentheses.
CHOICE, QUESTION, SUM, PRODUCT, SIGN, POWER, ATOM = 1, 5, 10, 20, 30, 40, 100

KEYS = {op: key for key, op in TABLE.items()}

NAMES = {"clip": "np.clip", "unless": "np.where", "norm": "np.linalg.norm"}
NAMES |= {name: f"np.{name}" for name in ("concatenate", "convolve")}
"""What NumPy calls the rows that have a name of their own."""

INFIX: dict[Op, tuple[str, int, int, int]] = {}
"""The symbol, how tightly it holds, and how tightly its operands must."""
for _key, _symbol, _level in (
    (np.add, "+", SUM),
    (np.subtract, "-", SUM),
    (np.multiply, "*", PRODUCT),
    (np.divide, "/", PRODUCT),
    (np.remainder, "%", PRODUCT),
    (np.floor_divide, "//", PRODUCT),
    (np.matmul, "@", PRODUCT),
):
    INFIX[TABLE[_key]] = (_symbol, _level, _level, _level + 1)
for _key, _symbol in (
    *((np.less, "<"), (np.less_equal, "<="), (np.greater, ">"), (np.greater_equal, ">=")),
    *((np.equal, "=="), (np.not_equal, "!=")),
):
    INFIX[TABLE[_key]] = (_symbol, QUESTION, QUESTION + 1, QUESTION + 1)

MATH: dict[Op, str] = {
    TABLE[f]: f"math.{f.__name__}"
    for f in (
        *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.hypot),
        *(np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.degrees, np.radians, np.fabs, np.copysign, np.fmod),
        *(np.isfinite, np.isinf, np.isnan),
    )
}
MATH |= {
    TABLE[getattr(np, f"arc{name}")]: f"math.a{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")
}
MATH |= {TABLE[np.deg2rad]: "math.radians", TABLE[np.rad2deg]: "math.degrees", TABLE[np.absolute]: "abs"}

IN_NUMPY: dict[str, Any] = {
    text.removeprefix("math."): KEYS[op] for op, text in MATH.items() if text.startswith("math.")
} | {"pow": np.power, "inf": np.inf, "nan": np.nan}
"""What stands for `math` when a program is run again in NumPy's arithmetic."""

Text = tuple[str, int]


def expression(w: Writer, i: int) -> Text:
    """The text of line i, and how tightly it holds together."""
    op: Any = w.ops[i]
    refs = w.operands[i]
    number = w.numbers[i]
    # True + True is 2 in Python and True in NumPy: arithmetic whose result is no float is left to NumPy
    if number and (type(w.values[i]) is np.float64 or op.kind == "comparison") and all(map(w.of_number, refs)):
        infix = INFIX.get(op)
        if infix is not None:
            return _infix(w, infix, refs)
        name = MATH.get(op)
        if name is not None:
            return f"{name}({', '.join([w.text(ref, CHOICE) for ref in refs])})", ATOM
        special = OF_NUMBERS.get(op)
        if special is not None:
            return special(w, i, refs)
    special = OF_ARRAYS.get(op)
    text = special(w, i, refs) if special is not None else _infix_or_call(w, i, op, refs)
    return _wrapped(w, i, text) if number else text


def _infix(w: Writer, infix: tuple[str, int, int, int], refs: Any) -> Text:
    symbol, level, left, right = infix
    a, b = w.text(refs[0], left), w.text(refs[1], right)
    if level == SUM and b[0] == "-" and type(refs[1]) is Constant:  # a + -1 is a - 1
        symbol, b = "-" if symbol == "+" else "+", b[1:]
    return f"{a} {symbol} {b}", level


def _infix_or_call(w: Writer, i: int, op: Op, refs: Any) -> Text:
    infix = INFIX.get(op)
    if infix is None:
        return _called(w, i)
    symbol, level, left, right = infix
    return f"{w.array_text(i, refs[0], left)} {symbol} {w.array_text(i, refs[1], right)}", level


def _called(w: Writer, i: int) -> Text:
    """The row as a call: ``np.linalg.solve(v1, v2)``."""
    op: Any = w.ops[i]
    operands = [w.array_text(i, ref, CHOICE) for ref in w.operands[i]]
    if op.variadic and op in KEYS:
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


def _wrapped(w: Writer, i: int, text: Text) -> Text:
    kind = type(w.values[i])
    name = "float" if kind is np.float64 or kind is float else "bool" if kind in (bool, np.bool_) else "int"
    return f"{name}({text[0]})", ATOM


# Rows that read otherwise


def _negative(w: Writer, i: int, refs: Any) -> Text:
    return f"-{w.text(refs[0], SIGN)}", SIGN


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


def _extreme(symbol: str) -> Callable[[Any, int, Any], Text]:
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
    return _wrapped(w, i, (f"np.clip({', '.join(w.text(ref, CHOICE) for ref in refs)})", ATOM))


def _not(w: Writer, i: int, refs: Any) -> Text:
    return f"(not {w.text(refs[0], QUESTION)})", ATOM


OF_NUMBERS: dict[Op, Callable[[Any, int, Any], Text]] = {
    TABLE[np.negative]: _negative,
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


def _power_of_arrays(w: Writer, i: int, refs: Any) -> Text:
    base, exponent = refs
    if type(exponent) is Constant and is_number(exponent.value):
        if exponent.value == 2 and w.value(base).dtype == np.float64:
            return f"np.square({w.array_text(i, base, CHOICE)})", ATOM
        return f"{w.array_text(i, base, POWER + 1)} ** {w.text(exponent, SIGN)}", POWER
    return f"{w.array_text(i, base, POWER + 1)} ** {w.array_text(i, exponent, SIGN)}", POWER


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


def _reduced(ufunc: str) -> Callable[[Any, int, Any], Text]:
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
    operands = [repr(w.static[i]["subscripts"]), *(w.array_text(i, ref, CHOICE) for ref in refs)]
    return f"np.einsum({', '.join(operands)})", ATOM


def _nan_to_num(w: Writer, i: int, refs: Any) -> Text:
    options = ", ".join(f"{k}={w.static_text(given)}" for k, given in w.static.get(i, NOTHING).items())
    return f"np.nan_to_num({w.array_text(i, refs[0], CHOICE)}, {options})", ATOM


def _over(w: Writer, i: int, refs: Any) -> Text:
    a, gaps = w.atom(refs[0]), w.atom(refs[1])
    none = f"{gaps} == 0"
    return f"np.where(({none}) & ({a} != 0), np.nan, {a} / np.where({none}, 1.0, {gaps}))", ATOM


def _as(pattern: str) -> Callable[[Any, int, Any], Text]:
    return lambda w, i, refs: (pattern.format(w.array_text(i, refs[0], CHOICE)), ATOM)


def _itself(w: Writer, i: int, refs: Any) -> Text:
    return w.text(refs[0], ATOM), ATOM


def _eigh(w: Writer, i: int, refs: Any) -> Text:
    values, vectors = w.fresh("w"), w.fresh("q")
    w.say(f"{values}, {vectors} = np.linalg.eigh({w.array_text(i, refs[0], CHOICE)})", (values, vectors))
    w.read(values)
    w.read(vectors)
    return f"np.concatenate([{values}[..., None, :], {vectors}], axis=-2)", ATOM


OF_ARRAYS: dict[Op, Callable[[Any, int, Any], Text]] = {
    TABLE[np.negative]: _negative,
    TABLE[np.power]: _power_of_arrays,
    TABLE["getitem"]: _get,
    TABLE[np.transpose]: _transposed,
    TABLE[np.reshape]: _reshaped,
    TABLE[np.sum]: _reduced("add"),
    TABLE[np.max]: _reduced("maximum"),
    TABLE[np.amax]: _reduced("maximum"),
    TABLE[np.min]: _reduced("minimum"),
    TABLE[np.amin]: _reduced("minimum"),
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

EINSUM = TABLE["einsum"]
FRESH_NEVER = {TABLE[k] for k in ("getitem", np.transpose, np.reshape, np.broadcast_to, "stop_gradient", np.positive)}
"""Rows whose result may be a view of an operand."""


def may_share(op: Op, operands: Sequence[Any]) -> bool:
    """Whether the result of a row may be the memory of its first operand, seen otherwise."""
    return op in FRESH_NEVER or KEYS.get(op) is None or (op is EINSUM and len(operands) == 1)
