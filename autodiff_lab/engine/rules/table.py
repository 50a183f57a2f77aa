"""The table of derivative rules: one function or decorator to add each kind of row, and guards for rules."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ..broadcasting import align_axes, keepdims_shape, normalize_axes, shape_of, spread, sum_axes, unbroadcast
from ..dispatch import TABLE, Row, apply
from ..errors import ShapeError, UnsupportedError
from ..primitives import Rule, unit_partial
from ..values import Traced, as_operand


def _row(kind: str, key: Any, rules: tuple[Any, ...], call: Any, **options: Any) -> Row:
    name = key if isinstance(key, str) else key.__name__
    op = TABLE[key] = Row(name, call or key, kind, rules, **options)
    return op


def elementwise(key: Any, *partials: Rule, call: Any = None, symbol: str | None = None) -> Row:
    """Add an elementwise row to the table: one local partial ``partial(y, *operands)`` per operand.

    >>> import numpy as np
    >>> elementwise(np.tan, lambda y, x: 1 + y * y)
    Op('tan', elementwise)
    """
    return _row("elementwise", key, partials, call, symbol=symbol)


def reduction(key: Any, weights: Rule, call: Any = None) -> Row:
    """Add the row of a reduction along axes to the table: a general row, of which both modes follow from weights.

    ``weights(y, x, axis)``, of the shape of `x` or a number, says how much each entry counts; `y` keeps the axes.
    """

    def weigh(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        return weights(y if keepdims else np.reshape(y, keepdims_shape(shape_of(x), axis)), x, axis)

    def pullback(g: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if weights is unit_partial:
            return spread(g, x, axis, keepdims)
        counts = weigh(y, x, axis, keepdims)
        if shape_of(counts) == ():  # every entry counts the same: multiply before copying
            return spread(g * counts, x, axis, keepdims)
        return spread(g, x, axis, keepdims) * counts

    def sum_weighted(t: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False, batch: int | None = None) -> Any:
        term = t if weights is unit_partial else t * weigh(y, x, axis, keepdims)
        if batch is not None:  # the same axes, behind the batch axis
            axis = tuple(a + 1 for a in normalize_axes(axis, len(shape_of(x))))
        return unbroadcast(sum_axes(term, axis=axis, keepdims=keepdims), y, batch)

    row = general(key, pullback, call=call)
    row.weights = weights
    row.push = lambda y, operands, tangents, static: sum_weighted(tangents[0], y, operands[0], **static)
    row.batched = lambda size, y, operands, tangents, static: sum_weighted(
        tangents[0], y, operands[0], **static, batch=size
    )
    return row


def linear(key: Any, *transposes: Rule | None, call: Any = None, variadic: bool = False, batched: Any = None) -> Row:
    """Add the row of a linear map to the table: ``transpose(g, y, *operands, **static)`` carries back an adjoint.

    ``batched(t, y, **static)``, where given, maps a batch of tangents at once.
    """
    several = None
    if batched is not None:

        def several(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
            if not variadic:
                return batched(tangents[0], y, **static)
            pairs = zip(operands, tangents, strict=True)
            return batched([np.zeros((size, *shape_of(x))) if t is None else t for x, t in pairs], y, **static)

    return _row("linear", key, transposes, call, variadic=variadic, batched=several)


def multilinear(key: Any, *transposes: Rule, call: Any = None, **options: Any) -> Row:
    """Add the row of a product to the table: a map that is linear in each operand while the others are held."""
    return _row("multilinear", key, transposes, call, **options)


def general(key: Any, *pullbacks: Rule | None, call: Any = None) -> Row:
    """Add the row of any function to the table: ``pullback(g, y, *operands, **static)``; forward mode transposes it."""
    return _row("general", key, pullbacks, call)


def composed(*keys: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the row of a function that is composed of others to the table: those are recorded, and it needs no rule."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            _row("composed", key, (), function)
        return function

    return register


def flat(key: Any, call: Any = None, symbol: str | None = None) -> Row:
    """Add the row of a function whose derivative is zero wherever it exists, such as ``floor``, to the table."""
    return _row("flat", key, (), call, symbol=symbol)


def comparison(key: Any, symbol: str | None = None, call: Any = None) -> Row:
    """Add the row of a comparison to the table, or of another discrete function, such as ``less`` or ``argmax``."""
    return _row("comparison", key, (), call, symbol=symbol)


def shape_only(key: Any) -> Row:
    """Add the row of a function of shape or type only to the table, such as ``np.ndim``: nothing is recorded."""
    return _row("shape", key, (), None)


# Guards: the places where a formula alone would give 0 · ∞


def _where(condition: Any, *choices: Any) -> Any:
    if not choices:
        raise UnsupportedError("np.where of a condition alone asks for positions: write np.nonzero(x).")
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
        0.0 if t is None else align_axes(t, shape_of(x), shape) for x, t in zip(operands[1:], tangents[1:], strict=True)
    )
    return unbroadcast(np.where(condition, a, b), y, size)


where = _row("linear", np.where, _CHOICES, _where, batched=_choose_batch)
_guarded = _row("linear", "unless", _CHOICES, _unless, batched=_choose_batch)


def unless(condition: Any, instead: Any, value: Any) -> Any:
    """A guard in a row's rule: `value`, but `instead` where the condition holds (rarely). A formula shows `value`."""
    return value if is_nowhere(condition, value) else _guarded(condition, instead, value)


def is_nowhere(condition: Any, value: Any) -> bool:
    """Whether a condition is known to hold at no entry of `value`, whose shape it has."""
    if type(condition) is np.bool_:
        return not condition
    array = type(condition) is np.ndarray and shape_of(value) == condition.shape
    return array and not np.count_nonzero(condition)


def over_length(x: Any, length: Any) -> Any:
    """A guarded quotient in a row's rule: ``x / length``; where the length is 0, 0 with no derivative of its own."""
    zero = length == 0
    if not isinstance(zero, Traced) and not np.count_nonzero(zero):
        return x / length
    return _guarded(zero, unknown_slope(zero, x), x / unless(zero, 1.0, length))


def everywhere(condition: Any) -> bool:
    """Whether a condition in a row's rule holds for all entries, and in vmap for all examples."""
    with suppress(ShapeError):  # raised in a batch, where it holds in some examples and not in others
        return bool(np.all(condition))
    return False


def _over(a: Any, gaps: Any) -> Any:
    if isinstance(a, Traced) or isinstance(gaps, Traced):
        return apply(over, (a, gaps))
    none = gaps == 0
    return np.where(none & (a != 0), np.nan, a / np.where(none, 1.0, gaps))


# ``a / gaps``; where there is no gap, 0 / 0 is 0 and the rest NaN: what is not asked for does no harm.
over = general("over", lambda g, y, a, gaps: _over(g, gaps), lambda g, y, a, gaps: -_over(g * y, gaps), call=_over)


def _zeros_of_unknown_slope(zero: Any, x: Any) -> Any:
    if isinstance(zero, Traced) or isinstance(x, Traced):
        return apply(unknown_slope, (zero, x))
    return np.zeros(np.broadcast_shapes(np.shape(zero), np.shape(x)), getattr(x, "dtype", float))[()]


def _push_unknown_slope(zero: Any, t: Any) -> Any:
    return _where(zero, over(t, 0.0), 0.0)


# 0, in a first derivative that is 0 by convention where the condition holds. What moves `x` there has a tangent of NaN,
# and so has any adjoint, also one of 0, for that may be 0 · ∞: a second derivative is then NaN, and no wrong number.
# No row for learners, so it is not in the table.
unknown_slope = Row(
    "unknown slope",
    _zeros_of_unknown_slope,
    "general",
    (None, lambda g, y, zero, x: unbroadcast(np.where(zero, np.nan, 0.0), x)),
)
unknown_slope.push = lambda y, operands, tangents, static: _push_unknown_slope(operands[0], tangents[1])
unknown_slope.batched = lambda size, y, operands, tangents, static: _push_unknown_slope(
    operands[0], align_axes(tangents[1], shape_of(operands[1]), shape_of(y))
)


def axis_behind_batch(axis: int) -> int:
    """The axis for a row's `batched` rule: the same axis, behind the batch axis."""
    return axis if axis < 0 else axis + 1


def share_between_equals(g: Any, values: Any) -> Any:
    """Split adjoints evenly among equal values, whose order is arbitrary: for the rows of sorting and eigenvalues."""
    same = values[..., :, None] == values[..., None, :]
    if not isinstance(same, Traced) and np.count_nonzero(same) == np.size(values):
        return g
    return ((same / np.sum(same, axis=-1, keepdims=True)) @ g[..., None])[..., 0]
