"""Expressions in the generated source of a program: with `math` and operators for numbers, with `np` for arrays.

Numbers are Python floats in a program, because these are three times as fast as NumPy's. If a function of `math` raises
where NumPy's would return infinity or nan, the program is run again with NumPy's functions under the same names (see
``compiled_version.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules  # noqa: F401 — fills the table
from ...engine.dispatch import NO_OPTIONS, TABLE
from ...engine.primitives import Op
from ..draft import Constant
from .names import mark_name, name_object
from .operands import ATOM, CHOICE, POWER, PRODUCT, QUESTION, SIGN, SUM, OperandWriter


class Infix(NamedTuple):
    """An operator that is written between its operands: its symbol, its precedence, and what its operands need."""

    symbol: str
    level: int
    left: int
    right: int


def _infix(f: np.ufunc, level: int) -> Infix:
    # a < b < c would be a chain in Python, so a comparison puts both operands in parentheses if they are comparisons.
    left = level + 1 if level == QUESTION else level
    return Infix(TABLE[f].symbol or "", level, left, level + 1)


_LEVELS = {
    SUM: (np.add, np.subtract),
    PRODUCT: (np.multiply, np.divide, np.remainder, np.floor_divide, np.matmul),
    QUESTION: (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
}
INFIX = {TABLE[f]: _infix(f, level) for level, functions in _LEVELS.items() for f in functions}

# The functions that `math` and NumPy have under the same name, except for `arc`: math.asin and np.arcsin.
_IN_MATH: list[np.ufunc] = []
_IN_MATH += [np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p]
_IN_MATH += [np.sqrt, np.cbrt, np.hypot]
_IN_MATH += [np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2]
_IN_MATH += [np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh]
_IN_MATH += [np.degrees, np.radians, np.fabs, np.copysign, np.fmod]
_IN_MATH += [np.isfinite, np.isinf, np.isnan]

MATH: dict[Op, str] = {TABLE[f]: f"math.{f.__name__.replace('arc', 'a')}" for f in _IN_MATH}
MATH |= {
    TABLE[np.deg2rad]: "math.radians",
    TABLE[np.rad2deg]: "math.degrees",
    TABLE[np.absolute]: "abs",
}

_KEYS: dict[Op, Any] = {op: key for key, op in TABLE.items()}

# The NumPy functions that replace those of `math` when a program is run again in NumPy's arithmetic.
IN_NUMPY: dict[str, Any] = {
    text.removeprefix("math."): _KEYS[op] for op, text in MATH.items() if text.startswith("math.")
}
IN_NUMPY |= {"pow": np.power, "inf": np.inf, "nan": np.nan}


def _find_numpy_name(key: Any) -> str | None:
    """The name under which NumPy has a primitive's function: ``np.linalg.solve``; None for SciPy's, for example."""
    if isinstance(key, str):
        return None
    if not hasattr(np, key.__name__) and not hasattr(np.linalg, key.__name__):
        return None
    module = "np.linalg" if "linalg" in getattr(key, "__module__", "") else "np"
    return f"{module}.{key.__name__}"


# The NumPy name of each primitive that NumPy has a function for.
NAMES = {op: name for op, key in _KEYS.items() if (name := _find_numpy_name(key))}
NAMES |= {TABLE[name]: f"np.{name}" for name in ("clip", "concatenate", "convolve")}
GUARD = TABLE["unless"]
NAMES |= {GUARD: "np.where", TABLE["norm"]: "np.linalg.norm"}

# An expression, its names between marks, and its precedence.
Text = tuple[str, int]

# A function that writes the lines of one primitive.
Write = Callable[[Any, int, Any], Text]


def write_expression(w: OperandWriter, i: int) -> Text:
    """Write the expression that computes line i of a draft; return its text and its precedence."""
    op = w.ops[i]
    value = w.values[i]
    refs = w.operands[i]
    assert op is not None, "an input is not an expression"
    if not w.numbers[i]:
        text, level = _write_array_expression(w, i)
        if op in INFIX and isinstance(value, np.integer) and w.of_numbers(refs):
            # In Python, True + 1 is an int.
            return f"np.{value.dtype}({text})", ATOM
        return text, level
    write = OF_NUMBERS.get(op)
    # True + True is 2 in Python but True in NumPy, so arithmetic with a result that is not a float is left to NumPy.
    in_python = type(value) is np.float64 or op.kind == "comparison"
    if write and in_python and w.of_numbers(refs):
        return write(w, i, refs)
    return _convert_to_python(w, i, _write_array_expression(w, i))


# Numbers


def _write_operator(infix: Infix, w: OperandWriter, i: int, refs: Any) -> Text:
    """Write an operator between its operands."""
    symbol = infix.symbol
    a = w.text(refs[0], infix.left)
    b = w.text(refs[1], infix.right)
    if infix.level == SUM and b[0] == "-" and type(refs[1]) is Constant:
        # a + -1 is written as a - 1
        symbol = "-" if symbol == "+" else "+"
        b = b[1:]
    return f"{a} {symbol} {b}", infix.level


def _write_function(name: str, w: OperandWriter, i: int, refs: Any) -> Text:
    """Write a call of a function of `math`, or of a built-in one."""
    return f"{name}({', '.join([w.text(ref, CHOICE) for ref in refs])})", ATOM


def _write_pattern(
    pattern: str, need: int, level: int, w: OperandWriter, i: int, refs: Any
) -> Text:
    """Write the operands into a pattern; each needs at least the precedence `need`."""
    return pattern.format(*[w.text(ref, need) for ref in refs]), level


_write_negative = partial(_write_pattern, "-{}", SIGN, SIGN)
_write_choice = partial(_write_pattern, "{1} if {0} else {2}", QUESTION, CHOICE)


def _write_square(w: OperandWriter, i: int, refs: Any) -> Text:
    x = w.name_operand(refs[0])
    return f"{x} * {x}", PRODUCT


def _write_power(w: OperandWriter, i: int, refs: Any) -> Text:
    base, exponent = refs
    is_integer = False
    if type(exponent) is Constant:
        n = w.value(exponent)
        if n == 2:
            return _write_square(w, i, refs)
        is_integer = float(n).is_integer()
    if is_integer or (type(base) is Constant and base.value > 0):
        return f"{w.text(base, POWER + 1)} ** {w.text(exponent, SIGN)}", POWER
    # Not **, because in Python a negative number to a fractional power is complex; in NumPy it is nan.
    return f"math.pow({w.text(base, CHOICE)}, {w.text(exponent, CHOICE)})", ATOM


def _write_extreme(symbol: str, w: OperandWriter, i: int, refs: Any) -> Text:
    """Write the larger or smaller of two numbers; nan if one of them is nan."""
    a, b = w.name_operand(refs[0]), w.name_operand(refs[1])
    condition = f"{a} {symbol} {b}"
    if not _is_constant_number(refs[1]):
        condition += f" or {b} != {b}"
    return f"{b} if {condition} else {a}", CHOICE


def _write_clip(w: OperandWriter, i: int, refs: Any) -> Text:
    x, low, high = refs
    if not (_is_constant_number(low) and _is_constant_number(high)):
        operands = ", ".join(w.text(ref, CHOICE) for ref in refs)
        return _convert_to_python(w, i, (f"np.clip({operands})", ATOM))
    text = w.text(x, CHOICE)
    if low.value != -np.inf:
        text = f"max({text}, {w.text(low, CHOICE)})"
    if high.value == np.inf:
        return text, 0
    return f"min({text}, {w.text(high, CHOICE)})", ATOM


def _is_constant_number(ref: Any) -> bool:
    """Whether an operand is a constant other than nan."""
    return type(ref) is Constant and ref.value == ref.value


OF_NUMBERS: dict[Op, Write] = {
    **{op: partial(_write_operator, infix) for op, infix in INFIX.items()},
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


# Arrays, and functions that `math` doesn't have


def _write_array_expression(w: OperandWriter, i: int) -> Text:
    """Write the NumPy expression for line i."""
    op = w.ops[i]
    assert op is not None, "an input is not an expression"
    if op in OF_ARRAYS:
        return OF_ARRAYS[op](w, i, w.operands[i])
    if op not in INFIX:
        return _write_call(w, i)
    a, b = w.operands[i]
    infix = INFIX[op]
    left = w.array_text(i, a, infix.left)
    right = w.array_text(i, b, infix.right)
    return f"{left} {infix.symbol} {right}", infix.level


def _write_call(w: OperandWriter, i: int) -> Text:
    """Write the operation as a call: ``np.linalg.solve(v1, v2)``."""
    op = w.ops[i]
    assert op is not None, "an input is not an expression"
    arguments = [w.array_text(i, ref, CHOICE) for ref in w.operands[i]]
    if op.variadic and op in ROWS:
        arguments = [f"[{', '.join(arguments)}]"]
    keywords = []
    for name, x in w.static.get(i, NO_OPTIONS).items():
        is_default = x is None or (name == "keepdims" and x is False)
        if is_default:
            continue
        if name in ("shape", "axes"):
            arguments.append(w.static_text(x))
        else:
            keywords.append(f"{name}={w.static_text(x)}")
    function = NAMES.get(op) or mark_name(name_object(op.fn, op.name, w.functions, w.taken))
    return f"{function}({', '.join([*arguments, *keywords])})", ATOM


def _convert_to_python(w: OperandWriter, i: int, text: Text) -> Text:
    """Convert a NumPy number to a Python number."""
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
    is_number = type(exponent) is Constant and exponent.number
    if is_number and exponent.value == 2 and w.value(base).dtype == np.float64:
        return f"np.square({w.array_text(i, base, CHOICE)})", ATOM
    power = w.text(exponent, SIGN) if is_number else w.array_text(i, exponent, SIGN)
    return f"{w.array_text(i, base, POWER + 1)} ** {power}", POWER


def _write_getitem(w: OperandWriter, i: int, refs: Any) -> Text:
    if not w.of_number(refs[0]):
        return f"{w.text(refs[0], ATOM)}[{w.index_text(w.static[i]['index'])}]", ATOM
    if w.numbers[i]:  # x[()]
        return _write_operand(w, i, refs)
    return _write_reshape(w, i, refs)  # x[..., None]


def _write_scatter(w: OperandWriter, i: int, refs: Any) -> Text:
    """Write a scatter whose result is a number; for arrays see `StatementWriter._write_scattered`."""
    if w.of_number(refs[0]):
        return w.text(refs[0], CHOICE), ATOM
    return f"{w.text(refs[0], ATOM)}.item()", ATOM


def _write_transpose(w: OperandWriter, i: int, refs: Any) -> Text:
    if w.of_number(refs[0]):
        return _write_operand(w, i, refs)
    axes = w.static.get(i, NO_OPTIONS).get("axes")
    if axes is None or [a % len(axes) for a in axes] == list(reversed(range(len(axes)))):
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
    """Write ``np.where(condition, other, value)``; the condition rarely holds, and only then is the value copied."""
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
