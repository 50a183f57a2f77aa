"""Adding rows to the table of derivative rules: one function or decorator per kind of row."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcasting import align_axes, shape_of, unbroadcast
from ..dispatch import TABLE, Op, as_operand
from ..errors import UnsupportedError

Rule = Callable[..., Any]


def _row(kind: str, key: Any, rules: tuple[Any, ...], call: Any, **options: Any) -> Op:
    name = key if isinstance(key, str) else key.__name__
    op = TABLE[key] = Op(name, call or key, kind, rules, **options)
    return op


def elementwise(key: Any, *partials: Rule, call: Any = None, symbol: str | None = None) -> Op:
    """Add an elementwise row to the table: one local partial ``partial(y, *operands)`` per operand.

    >>> import numpy as np
    >>> elementwise(np.tan, lambda y, x: 1 + y * y)
    Op('tan', elementwise)
    """
    return _row("elementwise", key, partials, call, symbol=symbol)


def reduction(key: Any, weights: Rule, call: Any = None) -> Op:
    """Add a reduction row to the table: ``weights(y, x, axis)`` says how much each entry of `x` counts."""
    return _row("reduction", key, (weights,), call)


def linear(key: Any, *transposes: Rule | None, call: Any = None, variadic: bool = False, batched: Any = None) -> Op:
    """The row of a linear map: ``transpose(g, y, *operands, **static)`` carries back an adjoint. Adds it to the table.

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


def multilinear(key: Any, *transposes: Rule, call: Any = None, **options: Any) -> Op:
    """The row of a product, a map that is linear in each operand while the others are held. Adds it to the table."""
    return _row("multilinear", key, transposes, call, **options)


def general(key: Any, *pullbacks: Rule | None, call: Any = None) -> Op:
    """Make a row for any function: ``pullback(g, y, *operands, **static)``; the pushforward is its transpose."""
    return _row("general", key, pullbacks, call)


def composed(*keys: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The row of a function that is composed of other rows: these are recorded instead, and it needs no rule."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            _row("composed", key, (), function)
        return function

    return register


def flat(key: Any, call: Any = None, symbol: str | None = None) -> Op:
    """The row of a function whose derivative is zero wherever it exists, such as ``floor``."""
    return _row("flat", key, (), call, symbol=symbol)


def comparison(key: Any, symbol: str | None = None, call: Any = None) -> Op:
    """The row of a comparison, or another function with a discrete result, such as ``less`` or ``argmax``."""
    return _row("comparison", key, (), call, symbol=symbol)


def shape_only(key: Any) -> Op:
    """The row of a function that looks at the shape or type only, such as ``np.ndim``: nothing is recorded."""
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
    if type(condition) is np.bool_:
        nowhere = not condition
    else:
        array = type(condition) is np.ndarray and shape_of(value) == condition.shape
        nowhere = array and not np.count_nonzero(condition)
    return value if nowhere else _guarded(condition, instead, value)


def over_length(x: Any, length: Any) -> Any:
    """A guarded quotient in a row's rule: ``x / length``, and 0 where the length is 0."""
    return unless(length == 0, 0.0, x / unless(length == 0, 1.0, length))


def axis_behind_batch(axis: int) -> int:
    """The axis for a row's `batched` rule: the same axis, behind the batch axis."""
    return axis if axis < 0 else axis + 1


def share_between_equals(g: Any, values: Any) -> Any:
    """Split adjoints evenly among equal values, whose order is arbitrary: for the rows of sorting and eigenvalues."""
    same = values[..., :, None] == values[..., None, :]
    if np.count_nonzero(same) == np.size(values):
        return g
    return ((same / np.sum(same, axis=-1, keepdims=True)) @ g[..., None])[..., 0]
