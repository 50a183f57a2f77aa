"""One line of the table about arrays as Python, with `np`; what `math` has no function for is written this way too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.dispatch import NO_OPTIONS, TABLE, Op
from .draft import Constant
from .python_names import ATOM, CHOICE, INFIX, KEYS, POWER, PRODUCT, SIGN
from .statement import marked

if TYPE_CHECKING:
    from .codegen import Writer

__all__ = ["FRESH_NEVER", "Text", "array_expression", "may_share", "negative", "wrapped"]

Text = tuple[str, int]
"""An expression, its names between marks, and how tightly it holds together."""


def array_expression(w: Writer, i: int) -> Text:
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
    if op.variadic and op in KEYS:
        operands = [f"[{', '.join(operands)}]"]
    static = w.static.get(i, NO_OPTIONS)
    options = [
        f"{name}={w.static_text(given)}"
        for name, given in static.items()
        if given is not None and not (name == "keepdims" and given is False) and name not in POSITIONAL
    ]
    first = [w.static_text(static[name]) for name in POSITIONAL if static.get(name) is not None]
    return f"{w.function_name(op)}({', '.join(operands + first + options)})", ATOM


POSITIONAL = ("shape", "axes")


def wrapped(w: Writer, i: int, text: Text) -> Text:
    """NumPy's number as Python's."""
    kind = type(w.values[i])
    name = "float" if kind is np.float64 or kind is float else "bool" if kind in (bool, np.bool_) else "int"
    return f"{name}({text[0]})", ATOM


def negative(w: Writer, i: int, refs: Any) -> Text:
    """The sign before its operand."""
    return f"-{w.text(refs[0], SIGN)}", SIGN


def _power_of_arrays(w: Writer, i: int, refs: Any) -> Text:
    base, exponent = refs
    if type(exponent) is Constant and exponent.number:
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
    axes = w.static.get(i, NO_OPTIONS).get("axes")
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
        static = w.static.get(i, NO_OPTIONS)
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
    operands = [w.static_text(w.static[i]["subscripts"]), *(w.array_text(i, ref, CHOICE) for ref in refs)]
    return f"np.einsum({', '.join(operands)})", ATOM


def _nan_to_num(w: Writer, i: int, refs: Any) -> Text:
    options = ", ".join(f"{k}={w.static_text(given)}" for k, given in w.static.get(i, NO_OPTIONS).items())
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
    values, vectors = names = w.fresh("w"), w.fresh("q")
    w.say(f"{marked(values)}, {marked(vectors)} = np.linalg.eigh({w.array_text(i, refs[0], CHOICE)})", names)
    return f"np.concatenate([{marked(values)}[..., None, :], {marked(vectors)}], axis=-2)", ATOM


def _typed(w: Writer, i: int, refs: Any) -> Text:
    dtype = f"np.{w.static[i]['dtype'].name}"
    if w.of_number(refs[0]):
        return f"{dtype}({w.text(refs[0], CHOICE)})", ATOM
    return f"{w.text(refs[0], ATOM)}.astype({dtype})", ATOM


OF_ARRAYS: dict[Op, Callable[[Any, int, Any], Text]] = {
    TABLE[np.negative]: negative,
    TABLE[np.power]: _power_of_arrays,
    TABLE["getitem"]: _get,
    TABLE[np.transpose]: _transposed,
    TABLE[np.reshape]: _reshaped,
    TABLE["astype"]: _typed,
    TABLE["as integers"]: _typed,
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
