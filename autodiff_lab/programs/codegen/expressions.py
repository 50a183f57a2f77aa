"""Expressions in the generated source of a program: with `math` and operators for numbers, with `np` for arrays.

Numbers are Python floats in a program, because these are three times as fast as NumPy's. Where `math` raises and NumPy
goes on with infinity or nan, the program is run again with NumPy's functions under the same names (see
``compiled_version.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.dispatch import NO_OPTIONS, TABLE
from ...engine.primitives import Op
from ..draft import Constant
from .names import mark_name, name_object
from .operands import ATOM, CHOICE, POWER, PRODUCT, QUESTION, SIGN, SUM, OperandWriter

# The symbol, how tightly it holds, and how tightly its operands must.
INFIX: dict[Op, tuple[str, int, int, int]] = {
    TABLE[f]: (TABLE[f].symbol or "", level, level + (level == QUESTION), level + 1)
    for level, functions in (
        (SUM, (np.add, np.subtract)),
        (PRODUCT, (np.multiply, np.divide, np.remainder, np.floor_divide, np.matmul)),
        (QUESTION, (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)),
    )
    for f in functions
}

MATH: dict[Op, str] = {
    TABLE[f]: f"math.{f.__name__.replace('arc', 'a')}"
    for f in (
        *(
            np.exp,
            np.exp2,
            np.expm1,
            np.log,
            np.log2,
            np.log10,
            np.log1p,
            np.sqrt,
            np.cbrt,
            np.hypot,
        ),
        *(
            np.sin,
            np.cos,
            np.tan,
            np.sinh,
            np.cosh,
            np.tanh,
            np.degrees,
            np.radians,
            np.fabs,
            np.copysign,
            np.fmod,
        ),
        *(np.isfinite, np.isinf, np.isnan),
        *(np.arcsin, np.arccos, np.arctan, np.arctan2, np.arcsinh, np.arccosh, np.arctanh),
    )
}
MATH |= {
    TABLE[np.deg2rad]: "math.radians",
    TABLE[np.rad2deg]: "math.degrees",
    TABLE[np.absolute]: "abs",
}

_KEYS: dict[Op, Any] = {op: key for key, op in TABLE.items()}

# The NumPy functions that replace those of `math` when a program is run again in NumPy's arithmetic.
IN_NUMPY: dict[str, Any] = {
    text[5:]: _KEYS[op] for op, text in MATH.items() if text.startswith("math.")
}
IN_NUMPY |= {"pow": np.power, "inf": np.inf, "nan": np.nan}

# The NumPy name of each primitive that NumPy has a function for.
NAMES = {
    op: f"np{'.linalg' if 'linalg' in getattr(key, '__module__', '') else ''}.{key.__name__}"
    for op, key in _KEYS.items()
    # SciPy's functions are not written by name
    if not isinstance(key, str) and (hasattr(np, key.__name__) or hasattr(np.linalg, key.__name__))
}
NAMES |= {TABLE[name]: f"np.{name}" for name in ("clip", "concatenate", "convolve")}
GUARD = TABLE["unless"]
NAMES |= {GUARD: "np.where", TABLE["norm"]: "np.linalg.norm"}

# An expression, its names between marks, and how tightly it holds together.
Text = tuple[str, int]

# A function that writes the lines of one primitive.
Write = Callable[[Any, int, Any], Text]


def write_expression(w: OperandWriter, i: int) -> Text:
    """Write the expression that computes line i of a draft; return its text, and how tightly it holds together."""
    if not w.numbers[i]:
        text, level = _write_array_expression(w, i)
        if (
            w.ops[i] in INFIX
            and isinstance(w.values[i], np.integer)
            and w.of_numbers(w.operands[i])
        ):
            # In Python, True + 1 is an int.
            return f"np.{w.values[i].dtype}({text})", ATOM
        return text, level
    op = w.ops[i]
    assert op is not None, "an input is no expression"
    refs, write = w.operands[i], OF_NUMBERS.get(op)
    # True + True is 2 in Python but True in NumPy, so arithmetic with a result that is not a float is left to NumPy.
    if (
        write
        and (type(w.values[i]) is np.float64 or op.kind == "comparison")
        and w.of_numbers(refs)
    ):
        return write(w, i, refs)
    return _convert_to_python(w, i, _write_array_expression(w, i))


# Numbers


def _write_operator(
    symbol: str, level: int, left: int, right: int, w: OperandWriter, i: int, refs: Any
) -> Text:
    """An operator between its operands."""
    a, b = w.text(refs[0], left), w.text(refs[1], right)
    if level == SUM and b[0] == "-" and type(refs[1]) is Constant:  # a + -1 is a - 1
        return f"{a} {'-' if symbol == '+' else '+'} {b[1:]}", level
    return f"{a} {symbol} {b}", level


def _write_function(name: str, w: OperandWriter, i: int, refs: Any) -> Text:
    """A call of a function of `math`, or of Python's own."""
    return f"{name}({', '.join([w.text(ref, CHOICE) for ref in refs])})", ATOM


def _write_pattern(
    pattern: str, need: int, level: int, w: OperandWriter, i: int, refs: Any
) -> Text:
    """A text around the operands, each of which must hold together so tightly."""
    return pattern.format(*[w.text(ref, need) for ref in refs]), level


_write_negative = partial(_write_pattern, "-{}", SIGN, SIGN)
_write_choice = partial(_write_pattern, "{1} if {0} else {2}", QUESTION, CHOICE)


def _write_square(w: OperandWriter, i: int, refs: Any) -> Text:
    x = w.name_operand(refs[0])
    return f"{x} * {x}", PRODUCT


def _write_power(w: OperandWriter, i: int, refs: Any) -> Text:
    base, exponent = refs
    b = w.value(exponent) if type(exponent) is Constant else None
    if b is not None and b == 2:
        return _write_square(w, i, refs)
    if (b is not None and float(b).is_integer()) or (type(base) is Constant and base.value > 0):
        # In the other cases ** won't do: a negative number to a fractional power is complex in Python, nan in NumPy.
        return f"{w.text(base, POWER + 1)} ** {w.text(exponent, SIGN)}", POWER
    return f"math.pow({w.text(base, CHOICE)}, {w.text(exponent, CHOICE)})", ATOM


def _write_extreme(symbol: str, w: OperandWriter, i: int, refs: Any) -> Text:
    """The larger or smaller of two numbers; nan if one of them is."""
    a, b = w.name_operand(refs[0]), w.name_operand(refs[1])
    other = type(refs[1]) is Constant and refs[1].value == refs[1].value
    return f"{b} if {a} {symbol} {b}{'' if other else f' or {b} != {b}'} else {a}", CHOICE


def _write_clip(w: OperandWriter, i: int, refs: Any) -> Text:
    x, lo, hi = refs
    if all(type(ref) is Constant and ref.value == ref.value for ref in (lo, hi)):
        text = w.text(x, CHOICE)
        text = text if lo.value == -np.inf else f"max({text}, {w.text(lo, CHOICE)})"
        return (text, 0) if hi.value == np.inf else (f"min({text}, {w.text(hi, CHOICE)})", ATOM)
    return _convert_to_python(
        w, i, (f"np.clip({', '.join(w.text(ref, CHOICE) for ref in refs)})", ATOM)
    )


OF_NUMBERS: dict[Op, Write] = {
    **{op: partial(_write_operator, *how) for op, how in INFIX.items()},
    **{op: partial(_write_function, name) for op, name in MATH.items()},
    TABLE[np.negative]: _write_negative,
    TABLE[np.power]: _write_power,
    TABLE[np.square]: _write_square,
    TABLE[np.reciprocal]: partial(_write_pattern, "1.0 / {}", PRODUCT + 1, PRODUCT),
    TABLE[np.where]: _write_choice,
    TABLE["unless"]: _write_choice,
    TABLE[np.maximum]: partial(_write_extreme, "<"),
    TABLE[np.minimum]: partial(_write_extreme, ">"),
    TABLE["clip"]: _write_clip,
    TABLE[np.logical_not]: partial(_write_pattern, "(not {})", QUESTION, ATOM),
}


# Arrays, and what `math` has no function for


def _write_array_expression(w: OperandWriter, i: int) -> Text:
    """The expression for line i as NumPy computes it."""
    op = w.ops[i]
    assert op is not None, "an input is no expression"
    if op in OF_ARRAYS:
        return OF_ARRAYS[op](w, i, w.operands[i])
    if op not in INFIX:
        return _write_call(w, i)
    (a, b), (symbol, level, left, right) = w.operands[i], INFIX[op]
    return f"{w.array_text(i, a, left)} {symbol} {w.array_text(i, b, right)}", level


def _write_call(w: OperandWriter, i: int) -> Text:
    """The row as a call: ``np.linalg.solve(v1, v2)``."""
    op = w.ops[i]
    assert op is not None, "an input is no expression"
    operands = [w.array_text(i, ref, CHOICE) for ref in w.operands[i]]
    if op.variadic and op in ROWS:
        operands = [f"[{', '.join(operands)}]"]
    static = w.static.get(i, NO_OPTIONS)
    given = {
        k: w.static_text(x)
        for k, x in static.items()
        if x is not None and not (k == "keepdims" and x is False)
    }
    operands += [given.pop(name) for name in ("shape", "axes") if name in given]
    operands += [f"{name}={text}" for name, text in given.items()]
    name = NAMES.get(op) or mark_name(name_object(op.fn, op.name, w.functions, w.taken))
    return f"{name}({', '.join(operands)})", ATOM


def _convert_to_python(w: OperandWriter, i: int, text: Text) -> Text:
    """Convert NumPy's number to Python's."""
    kind = type(w.values[i])
    if kind is np.float64 or kind is float:
        name = "float"
    elif kind is bool or kind is np.bool_:
        name = "bool"
    else:
        name = "int"
    return f"{name}({text[0]})", ATOM


def _write_array_power(w: OperandWriter, i: int, refs: Any) -> Text:
    base, exponent = refs
    number = type(exponent) is Constant and exponent.number
    if number and exponent.value == 2 and w.value(base).dtype == np.float64:
        return f"np.square({w.array_text(i, base, CHOICE)})", ATOM
    power = w.text(exponent, SIGN) if number else w.array_text(i, exponent, SIGN)
    return f"{w.array_text(i, base, POWER + 1)} ** {power}", POWER


def _write_getitem(w: OperandWriter, i: int, refs: Any) -> Text:
    if w.of_number(refs[0]):  # x[()], x[..., None]
        return _write_operand(w, i, refs) if w.numbers[i] else _write_reshape(w, i, refs)
    return f"{w.text(refs[0], ATOM)}[{w.index_text(w.static[i]['index'])}]", ATOM


def _write_scatter(w: OperandWriter, i: int, refs: Any) -> Text:
    """Write a scatter into a number; for arrays see `StatementWriter._write_scattered`."""
    if w.of_number(refs[0]):
        return w.text(refs[0], CHOICE), ATOM
    return f"{w.text(refs[0], ATOM)}.item()", ATOM


def _write_transpose(w: OperandWriter, i: int, refs: Any) -> Text:
    if w.of_number(refs[0]):
        return _write_operand(w, i, refs)
    axes = w.static.get(i, NO_OPTIONS).get("axes")
    if axes is None or tuple(a % len(axes) for a in axes) == tuple(range(len(axes) - 1, -1, -1)):
        return f"{w.text(refs[0], ATOM)}.T", ATOM
    return f"{w.text(refs[0], ATOM)}.transpose({w.static_text(axes)})", ATOM


def _write_reshape(w: OperandWriter, i: int, refs: Any) -> Text:
    if type(w.value(refs[0])) is not np.ndarray:
        return f"np.full({w.values[i].shape}, {w.array_text(i, refs[0], CHOICE)})", ATOM
    order = w.static.get(i, NO_OPTIONS).get("order", "C")
    options = "" if order == "C" else f", order={order!r}"
    return f"{w.text(refs[0], ATOM)}.reshape({w.values[i].shape}{options})", ATOM


def _write_reduction(ufunc: str, w: OperandWriter, i: int, refs: Any) -> Text:
    """Write a reduction by its ufunc: ``np.add.reduce`` skips the dispatch that ``np.sum`` starts with."""
    static = w.static.get(i, NO_OPTIONS)
    keep = ", keepdims=True" if static.get("keepdims") else ""
    axis = w.static_text(static.get("axis"))
    return f"np.{ufunc}.reduce({w.array_text(i, refs[0], CHOICE)}, axis={axis}{keep})", ATOM


def _write_mean(w: OperandWriter, i: int, refs: Any) -> Text:
    x = w.value(refs[0])
    if getattr(x, "dtype", None) != np.float64 or not x.size:
        return _write_call(w, i)
    count = x.size // max(np.size(w.values[i]), 1)
    return f"{_write_reduction('add', w, i, refs)[0]} / {count}", PRODUCT


def _write_stack(w: OperandWriter, i: int, refs: Any) -> Text:
    if all(w.of_number(ref) for ref in refs) and w.values[i].dtype == np.float64:
        return f"np.array([{', '.join(w.text(ref, CHOICE) for ref in refs)}])", ATOM
    return _write_call(w, i)


def _write_einsum(w: OperandWriter, i: int, refs: Any) -> Text:
    operands = ", ".join(w.array_text(i, ref, CHOICE) for ref in refs)
    return f"np.einsum({w.static_text(w.static[i]['subscripts'])}, {operands})", ATOM


def _write_nan_to_num(w: OperandWriter, i: int, refs: Any) -> Text:
    options = ", ".join(
        f"{k}={w.static_text(given)}" for k, given in w.static.get(i, NO_OPTIONS).items()
    )
    return f"np.nan_to_num({w.array_text(i, refs[0], CHOICE)}, {options})", ATOM


def _write_over(w: OperandWriter, i: int, refs: Any) -> Text:
    a, gaps = w.name_operand(refs[0]), w.name_operand(refs[1])
    none = f"{gaps} == 0"
    return f"np.where(({none}) & ({a} != 0), np.nan, {a} / np.where({none}, 1.0, {gaps}))", ATOM


def _write_guard(w: OperandWriter, i: int, refs: Any) -> Text:
    """Write a value, or another one where a condition holds.

    The condition rarely holds, so the value is only copied if it does.
    """
    condition, _, value = refs
    are_lines = type(condition) is int and type(value) is int
    if not are_lines or w.numbers[condition] or w.numbers[value]:
        return _write_call(w, i)
    array, result = w.values[value], w.values[i]
    if array.shape != result.shape or array.dtype != result.dtype:
        return _write_call(w, i)
    holds, kept = w.name_operand(condition), w.name_operand(value)
    text, _ = _write_call(w, i)
    return f"{text} if np.count_nonzero({holds}) else {kept}", CHOICE


def _write_array_pattern(pattern: str, w: OperandWriter, i: int, refs: Any) -> Text:
    return pattern.format(w.array_text(i, refs[0], CHOICE)), ATOM


def _write_operand(w: OperandWriter, i: int, refs: Any) -> Text:
    return w.text(refs[0], ATOM), ATOM


def _write_eigh(w: OperandWriter, i: int, refs: Any) -> Text:
    names = w.new_name("w"), w.new_name("q")
    values, vectors = map(mark_name, names)
    w.write_statement(
        f"{values}, {vectors} = np.linalg.eigh({w.array_text(i, refs[0], CHOICE)})", names
    )
    return f"np.concatenate([{values}[..., None, :], {vectors}], axis=-2)", ATOM


def _write_astype(w: OperandWriter, i: int, refs: Any) -> Text:
    dtype = f"np.{w.static[i]['dtype'].name}"
    if w.of_number(refs[0]):
        return f"{dtype}({w.text(refs[0], CHOICE)})", ATOM
    return f"{w.text(refs[0], ATOM)}.astype({dtype})", ATOM


OF_ARRAYS: dict[Op, Write] = {
    TABLE[np.negative]: _write_negative,
    TABLE[np.power]: _write_array_power,
    TABLE["getitem"]: _write_getitem,
    TABLE[np.transpose]: _write_transpose,
    TABLE[np.reshape]: _write_reshape,
    TABLE["astype"]: _write_astype,
    TABLE["as integers"]: _write_astype,
    **{TABLE[f]: partial(_write_reduction, "maximum") for f in (np.max, np.amax)},
    **{TABLE[f]: partial(_write_reduction, "minimum") for f in (np.min, np.amin)},
    TABLE[np.sum]: partial(_write_reduction, "add"),
    TABLE["logsumexp"]: partial(_write_reduction, "logaddexp"),
    TABLE[np.prod]: partial(_write_reduction, "multiply"),
    TABLE[np.mean]: _write_mean,
    TABLE[np.stack]: _write_stack,
    TABLE["einsum"]: _write_einsum,
    TABLE["nan_to_num"]: _write_nan_to_num,
    GUARD: _write_guard,
    TABLE["stop_gradient"]: _write_operand,
    TABLE[np.positive]: _write_operand,
    TABLE["logabsdet"]: partial(_write_array_pattern, "np.linalg.slogdet({})[1]"),
    TABLE["sign of det"]: partial(_write_array_pattern, "np.linalg.slogdet({})[0]"),
    TABLE["eigh"]: _write_eigh,
    TABLE["over"]: _write_over,
    TABLE["scatter"]: _write_scatter,
    TABLE["qr"]: partial(_write_array_pattern, "np.concatenate(np.linalg.qr({}), axis=-2)"),
    TABLE["svdvals"]: partial(_write_array_pattern, "np.linalg.svd({}, compute_uv=False)"),
}

EINSUM, ROWS = TABLE["einsum"], set(TABLE.values())
# Primitives whose result may be a view of an operand.
VIEWS = {
    TABLE[k]
    for k in ("getitem", np.transpose, np.reshape, np.broadcast_to, "stop_gradient", np.positive)
}


def may_be_view(op: Op, operands: Sequence[Any]) -> bool:
    """Whether the NumPy expression for an operation may give a view of an operand instead of a new array."""
    return op in VIEWS or op is GUARD or op not in ROWS or (op is EINSUM and len(operands) == 1)
