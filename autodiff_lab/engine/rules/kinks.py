"""The policy for derivatives at kinks and ties, and the helpers with which the rules follow it.

`policy` returns it as text. Below it are guards, for places where a formula alone would give 0 · ∞, and functions that
split ties. The partials of ``maximum``, ``absolute`` and ``clip`` are in ``elementwise.py``: learners see them.
"""

from contextlib import suppress
from typing import Any

import numpy as np

from ..broadcasting import align_axes, shape_of, unbroadcast
from ..dispatch import Row, apply
from ..errors import ShapeError, UnsupportedError
from ..values import Traced, as_operand
from .table import add_row, general


def policy() -> str:
    """The convention that the derivative rules follow at kinks and ties, as text.

    Returns
    -------
    str
        One line per kink. Print it.

    See Also
    --------
    custom_gradient : A derivative rule of your own.
    trace_nonfinite : Find the first NaN or infinity.

    Examples
    --------
    >>> print(policy().splitlines()[1])
    |x|                0 at 0
    """
    return "\n".join(
        (
            "Where a function has a kink, its derivative is taken to be:",
            "|x|                0 at 0",
            "maximum, minimum   a tie is split evenly; also in max, min and their accumulate, median, quantile",
            "sort               equal entries keep their order, and each has its own place",
            "clip               0 in x at its edges; the edge takes it",
            "norm, hypot, std   0 at 0, and svdvals; a second derivative is NaN there, also of norm(x) ** 2",
            "eigvalsh, svdvals  equal values share evenly; a second derivative that turns their vectors is NaN",
            "eigh               NaN where a result depends on the vectors of equal eigenvalues: any basis would do",
            "x ** 0             0 everywhere, at x = 0 too",
            "0 ** b             0 in b",
            "steps              0 everywhere: sign, floor, round, heaviside, comparisons",
            "Second derivatives are those of these conventions: of |x| ** 2 it is 0 at 0, and not 2.",
        )
    )


# Guards: the places where a formula alone would give 0 · ∞


def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        raise UnsupportedError(
            "np.where with only a condition returns positions: write np.nonzero(x)."
        )
    return as_operand(np.where(condition, *choices))


def _unless(condition: Any, instead: Any, value: Any) -> Any:
    if isinstance(condition, (bool, np.bool_)):
        if not condition:
            return value
        if type(instead) is float:  # a Python float must not become a value on a tape
            return type(value)(instead) if isinstance(value, np.floating) else np.float64(instead)
        return instead
    return _where(condition, instead, value)


_CHOICES = (
    None,
    lambda g, y, c, a, b: unbroadcast(np.where(c, g, 0.0), a),
    lambda g, y, c, a, b: unbroadcast(np.where(c, 0.0, g), b),
)


def _choose_batch(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
    condition, *_ = operands
    shape = shape_of(y)
    a, b = (
        0.0 if t is None else align_axes(t, shape_of(x), shape)
        for x, t in zip(operands[1:], tangents[1:], strict=True)
    )
    return unbroadcast(np.where(condition, a, b), y, size)


where = add_row("linear", np.where, _CHOICES, _where, batched=_choose_batch)
_guarded = add_row("linear", "unless", _CHOICES, _unless, batched=_choose_batch)


def unless(condition: Any, instead: Any, value: Any) -> Any:
    """A guard in a rule: `value`, but `instead` where the condition holds (rarely). A formula shows only `value`."""
    return value if is_nowhere(condition, value) else _guarded(condition, instead, value)


def is_nowhere(condition: Any, value: Any) -> bool:
    """Whether a condition, in the shape of `value`, is known to hold at no entry."""
    if type(condition) is np.bool_:
        return not condition
    array = type(condition) is np.ndarray and shape_of(value) == condition.shape
    return array and not np.count_nonzero(condition)


def over_length(x: Any, length: Any) -> Any:
    """A guarded quotient in a rule: ``x / length``; where the length is 0, it is 0 and its derivative is NaN."""
    zero = length == 0
    if not isinstance(zero, Traced) and not np.count_nonzero(zero):
        return x / length
    return _guarded(zero, unknown_slope(zero, x), x / unless(zero, 1.0, length))


def everywhere(condition: Any) -> bool:
    """Whether a condition in a rule holds for all entries, and in vmap for all examples."""
    # vmap raises the error if the condition holds only for some examples.
    with suppress(ShapeError):
        return bool(np.all(condition))
    return False


def _over(a: Any, gaps: Any) -> Any:
    if isinstance(a, Traced) or isinstance(gaps, Traced):
        return apply(over, (a, gaps))
    is_zero = gaps == 0
    return np.where(is_zero & (a != 0), np.nan, a / np.where(is_zero, 1.0, gaps))


# ``a / gaps``, where the gap may be 0: then 0 / 0 is 0, and anything else divided by 0 is NaN.
over = general(
    "over",
    lambda g, y, a, gaps: _over(g, gaps),
    lambda g, y, a, gaps: -_over(g * y, gaps),
    call=_over,
)


def _zeros_of_unknown_slope(zero: Any, x: Any) -> Any:
    if isinstance(zero, Traced) or isinstance(x, Traced):
        return apply(unknown_slope, (zero, x))
    shape = np.broadcast_shapes(np.shape(zero), np.shape(x))
    return np.zeros(shape, getattr(x, "dtype", float))[()]


def _push_unknown_slope(zero: Any, t: Any) -> Any:
    return _where(zero, over(t, 0.0), 0.0)


# The 0 in a first derivative that is 0 by convention where the condition holds. Its own derivative is NaN there, even
# for an adjoint of 0, because that may be 0 · ∞: so a second derivative is NaN instead of a wrong number.
# Users never call it, so it is not in the table.
unknown_slope = Row(
    "unknown slope",
    _zeros_of_unknown_slope,
    "general",
    (None, lambda g, y, zero, x: unbroadcast(np.where(zero, np.nan, 0.0), x)),
)
unknown_slope.push = lambda y, operands, tangents, static: _push_unknown_slope(
    operands[0], tangents[1]
)
unknown_slope.batched = lambda size, y, operands, tangents, static: _push_unknown_slope(
    operands[0], align_axes(tangents[1], shape_of(operands[1]), shape_of(y))
)


# Ties


def tie_weights(y: Any, x: Any, axis: Any) -> Any:
    """The weight of each entry in a maximum or minimum: 1 for the entry that won; a tie is split evenly."""
    won = x == y
    if type(won) is np.ndarray and np.count_nonzero(won) == np.count_nonzero(y == y) == np.size(y):
        return won  # no tie, and no NaN: nothing to split
    return won / np.sum(won, axis=axis, keepdims=True)


def mean_of_equals(entries: Any, picked: Any) -> Any:
    """The entry picked from each row, as the mean of all entries equal to it, so that a tie's derivative is split."""
    equal = np.equal(entries, picked[..., None])
    if not isinstance(equal, Traced) and np.all(np.count_nonzero(equal, axis=-1) <= 1):
        return picked  # no tie, so nothing to split
    total = np.sum(np.where(equal, entries, 0.0), axis=-1)
    return total / np.sum(equal.astype(entries.dtype), axis=-1)


def share_between_equals(g: Any, values: Any) -> Any:
    """Split adjoints evenly among equal values, whose order is arbitrary: for sorting and eigenvalues."""
    same = values[..., :, None] == values[..., None, :]
    if not isinstance(same, Traced) and np.count_nonzero(same) == np.size(values):
        return g
    return ((same / np.sum(same, axis=-1, keepdims=True)) @ g[..., None])[..., 0]
