"""The table of derivative rules: one function or decorator to add each kind of row."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcasting import keepdims_shape, normalize_axes, shape_of, spread, sum_axes, unbroadcast
from ..dispatch import TABLE, Row
from ..primitives import Rule, unit_partial


def add_row(kind: str, key: Any, rules: tuple[Any, ...], call: Any, **options: Any) -> Row:
    """Add a rule of any kind to the table."""
    name = key if isinstance(key, str) else key.__name__
    op = TABLE[key] = Row(name, call or key, kind, rules, **options)
    return op


def elementwise(key: Any, *partials: Rule, call: Any = None, symbol: str | None = None) -> Row:
    """Add an elementwise row to the table: one local partial ``partial(y, *operands)`` per operand.

    >>> import numpy as np
    >>> elementwise(np.tan, lambda y, x: 1 + y * y)
    Op('tan', elementwise)
    """
    return add_row("elementwise", key, partials, call, symbol=symbol)


def reduction(key: Any, weights: Rule, call: Any = None) -> Row:
    """Add the row of a reduction along axes to the table; both modes follow from the weight of each element.

    ``weights(y, x, axis)`` returns the weights, in the shape of `x` or as one number; `y` keeps the reduced axes.
    """

    def weigh(y: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        if not keepdims:
            y = np.reshape(y, keepdims_shape(shape_of(x), axis))
        return weights(y, x, axis)

    def spread_back(g: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return spread(g, x, axis, keepdims)

    def weigh_back(g: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        counts = weigh(y, x, axis, keepdims)
        if shape_of(counts) == ():  # one weight for every entry: multiply before broadcasting
            return spread(g * counts, x, axis, keepdims)
        return spread(g, x, axis, keepdims) * counts

    def sum_weighted(
        t: Any, y: Any, x: Any, axis: Any = None, keepdims: bool = False, batch: int | None = None
    ) -> Any:
        term = t if weights is unit_partial else t * weigh(y, x, axis, keepdims)
        if batch is not None:  # the same axes, after the batch axis
            axis = tuple(a + 1 for a in normalize_axes(axis, len(shape_of(x))))
        return unbroadcast(sum_axes(term, axis=axis, keepdims=keepdims), y, batch)

    row = general(key, spread_back if weights is unit_partial else weigh_back, call=call)
    row.weights = weights
    row.push = lambda y, operands, tangents, static: sum_weighted(
        tangents[0], y, operands[0], **static
    )
    row.batched = lambda size, y, operands, tangents, static: sum_weighted(
        tangents[0], y, operands[0], **static, batch=size
    )
    return row


def linear(
    key: Any,
    *transposes: Rule | None,
    call: Any = None,
    variadic: bool = False,
    batched: Any = None,
) -> Row:
    """Add the row of a linear map to the table: ``transpose(g, y, *operands, **static)`` carries back an adjoint.

    ``batched(t, y, **static)``, where given, maps a batch of tangents at once.
    """
    push_batch = None
    if batched is not None:

        def push_batch(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
            if not variadic:
                return batched(tangents[0], y, **static)
            pairs = zip(operands, tangents, strict=True)
            filled = [np.zeros((size, *shape_of(x))) if t is None else t for x, t in pairs]
            return batched(filled, y, **static)

    return add_row("linear", key, transposes, call, variadic=variadic, batched=push_batch)


def multilinear(key: Any, *transposes: Rule, call: Any = None, **options: Any) -> Row:
    """Add the row of a product to the table: a map that is linear in each operand while the others are held."""
    return add_row("multilinear", key, transposes, call, **options)


def general(key: Any, *pullbacks: Rule | None, call: Any = None) -> Row:
    """Add the row of any function to the table: ``pullback(g, y, *operands, **static)``; forward mode transposes it."""
    return add_row("general", key, pullbacks, call)


def composed(*keys: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the row of a function that is composed of others: those are recorded instead, so it needs no rule."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            add_row("composed", key, (), function)
        return function

    return register


def flat(key: Any, call: Any = None, symbol: str | None = None) -> Row:
    """Add the row of a function whose derivative is zero wherever it exists, such as ``floor``, to the table."""
    return add_row("flat", key, (), call, symbol=symbol)


def comparison(key: Any, symbol: str | None = None, call: Any = None) -> Row:
    """Add the row of a comparison to the table, or of another discrete function, such as ``less`` or ``argmax``."""
    return add_row("comparison", key, (), call, symbol=symbol)


def shape_only(key: Any) -> Row:
    """Add the row of a function of shape or type only to the table, such as ``np.ndim``: nothing is recorded."""
    return add_row("shape", key, (), None)


def axis_behind_batch(axis: int) -> int:
    """The axis for a `batched` rule: the same axis, shifted by the batch axis in front."""
    return axis if axis < 0 else axis + 1
