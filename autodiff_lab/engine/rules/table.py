"""The table of derivative rules: what a row is (`Op`), and one function or decorator to add each kind of row."""

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

import numpy as np

from .. import dispatch
from ..broadcasting import align_axes, keepdims_shape, normalize_axes, shape_of, spread, sum_axes, unbroadcast
from ..dispatch import NO_OPTIONS, TABLE, apply
from ..errors import ShapeError, UnsupportedError
from ..values import Traced, as_operand, zeros_like

Rule = Callable[..., Any]


def unit_partial(y: Any, *operands: Any) -> float:
    """The rule of a row whose local partial is the constant 1, as of ``+``: known by identity, it saves a product."""
    return 1.0


class Op:
    """One row of the table of derivative rules: a primitive operation of the engine, with its rules.

    Parameters
    ----------
    name : str
        What tapes, tables and drawings call it: ``"log"``, ``"multiply"``.
    fn : callable
        Computes the value, ``fn(*operands, **static)``. Called on whatever is one level down, so it must be built of
        functions that the table knows.
    kind : str
        ``"elementwise"``: `rules` are local partials ``partial(y, *operands)``, one per operand.
        ``"linear"``: linear in all operands together; `rules` are transposes ``transpose(g, y, *operands, **static)``.
        ``"multilinear"``: linear in each operand while the others are held; `rules` as for ``"linear"``.
        ``"reduction"``: one number per slice along `axis`; the rule ``weights(y, x, axis)``, of the shape of `x`,
        says how much each entry counts (`y` keeps the reduced axes).
        ``"general"``: `rules` are pullbacks ``(g, y, *operands, **static)``; the pushforward is their transpose.
        ``"composed"``: `fn` is made of other rows, which are recorded in its place; no rules.
        ``"flat"``: the derivative is zero wherever there is one; no rules.
        ``"comparison"``: flat, and the answer is plain booleans.
        ``"shape"``: answers about shape or type, never about value; no rules, nothing is recorded.
    rules : tuple of callables
        See `kind`. ``None`` stands for an operand that no derivative flows to (the condition of ``where``).
    symbol : str, optional
        The infix operator, if there is one: ``"*"``.
    variadic : bool
        The only rule serves every operand and is called with the operand's position first (``stack``).
    """

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        kind: str,
        rules: tuple[Callable[..., Any] | None, ...] = (),
        symbol: str | None = None,
        variadic: bool = False,
        batched: Callable[..., Any] | None = None,
    ) -> None:
        self.name, self.fn, self.kind, self.rules = name, fn, kind, rules
        self.symbol, self.variadic, self.batched = symbol, variadic, batched
        self.push: Callable[..., Any] | None = None
        self.inside: Callable[..., Any] | None = None  # a learner's own function, of which the row is made
        self.partials = rules if kind == "elementwise" else None

    @cached_property
    def static(self) -> frozenset[str]:
        """The options of a row's function that are no operands (``axis``, ``shape``), by the signature of its rule."""
        if self.kind == "reduction":
            return frozenset({"axis", "keepdims"})
        rule = next((rule for rule in self.rules if rule is not None), None)
        if rule is None or self.kind == "elementwise":
            return frozenset()
        before = 4 if self.variadic else 2 + len(self.rules)  # ``(g, y, x, axis=None)``: the options are behind
        return frozenset([*inspect.signature(rule).parameters][before:])

    def __call__(self, *operands: Any, **static: Any) -> Any:
        """Apply the row to numbers, or to traced values."""
        return apply(self, tuple(map(as_operand, operands)), static)

    def __repr__(self) -> str:
        return f"Op({self.name!r}, {self.kind})"

    def local_partial(self, k: int, y: Any, *operands: Any) -> Any:
        """The local partial ∂y/∂(operand k) of an elementwise operation: a number, an array, or a Symbol."""
        if self.partials is None:
            raise UnsupportedError(
                f"{self.name} is a {self.kind} map, not an elementwise one: it has no array of local partials. "
                "Its derivative is the map itself; use pullback (reverse) or pushforward (forward)."
            )
        return self.rules[k](y, *operands)  # type: ignore[misc]

    def pullback(
        self, k: int, g: Any, y: Any, operands: tuple[Any, ...], static: Mapping[str, Any] = NO_OPTIONS
    ) -> Any:
        """The vector-Jacobian product of one operation: what the adjoint `g` of its result contributes to operand `k`.

        For an elementwise row: g · ∂y/∂(operand k), summed over the axes along which the operand was broadcast.
        For a linear row: the transposed map, applied to g.
        """
        if self.partials is not None:
            rule = self.partials[k]
            return unbroadcast(g if rule is unit_partial else g * rule(y, *operands), operands[k])  # type: ignore[misc]
        if self.kind == "reduction":
            if self.rules[0] is unit_partial:
                return spread(g, operands[0], **static)
            weights = self._weights(y, operands[0], static)
            if shape_of(weights) == ():  # every entry counts the same: multiply before copying
                return spread(g * weights, operands[0], **static)
            return spread(g, operands[0], **static) * weights
        if self.variadic:
            return as_operand(self.rules[0](k, g, y, *operands, **static))  # type: ignore[misc]
        rule = self.rules[k] if self.rules else None
        return None if rule is None else as_operand(rule(g, y, *operands, **static))

    def pushforward(
        self,
        y: Any,
        operands: tuple[Any, ...],
        tangents: tuple[Any, ...],
        static: Mapping[str, Any] = NO_OPTIONS,
        batch: int | None = None,
    ) -> Any:
        """The Jacobian-vector product of one operation: the tangent of its result from its operands' (None: constant).

        With `batch`, every tangent has a leading axis of that length: that many directions at once.
        """
        if not self.rules or batch == 0:
            return None
        if self.partials is not None:
            total = None
            for k, t in enumerate(tangents):
                if t is not None:
                    if batch is not None:
                        t = align_axes(t, shape_of(operands[k]), shape_of(y))
                    rule = self.partials[k]
                    term = t if rule is unit_partial else t * rule(y, *operands)  # type: ignore[misc]
                    total = term if total is None else total + term
            return None if total is None else unbroadcast(total, y, batch)
        if batch is None and len(tangents) == 1 and self.kind == "linear":
            return _match_type(as_operand(self.fn(tangents[0], **static)), y)  # a linear map is its own derivative
        if self.kind == "reduction":
            return unbroadcast(self._push_reduced(y, operands[0], tangents[0], static, batch), y, batch)
        if batch is None:
            return _match_type(self._push_one(y, operands, tangents, static), y)
        pushed = None if self.batched is None else self.batched(batch, y, operands, tangents, static)
        if pushed is not None:
            return _match_type(pushed, y)
        each = [
            self._push_one(y, operands, tuple(None if t is None else t[b] for t in tangents), static)
            for b in range(batch)
        ]
        return None if not each or each[0] is None else _match_type(np.stack(each), y)

    def _push_one(self, y: Any, operands: tuple[Any, ...], tangents: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        if self.push is not None:
            return self.push(y, operands, tangents, static)
        if self.kind == "linear":
            filled = tuple(
                (zeros_like(x) if t is None else t) if self.variadic or self.rules[k] is not None else x
                for k, (x, t) in enumerate(zip(operands, tangents, strict=True))
            )
            return as_operand(self.fn(*filled, **static))
        total = None
        for k, t in enumerate(tangents):
            if t is not None:
                if self.kind == "multilinear":
                    term = self.fn(*operands[:k], t, *operands[k + 1 :], **static)
                else:
                    term = dispatch.apply_transpose(
                        partial(self.pullback, k, y=y, operands=operands, static=static), y, t
                    )
                total = term if total is None else total + term
        return total

    def _push_reduced(self, y: Any, x: Any, t: Any, static: Mapping[str, Any], batch: int | None) -> Any:
        """The weighted sum of the tangent; of many tangents at once, along the same axes behind the batch axis."""
        term = t if self.rules[0] is unit_partial else t * self._weights(y, x, static)
        if batch is not None:
            axes = normalize_axes(static.get("axis"), len(shape_of(x)))
            static = {**static, "axis": tuple(a + 1 for a in axes)}
        return sum_axes(term, **static)

    def _weights(self, y: Any, x: Any, static: Mapping[str, Any]) -> Any:
        axis = static.get("axis")
        if not static.get("keepdims"):
            y = np.reshape(y, keepdims_shape(shape_of(x), axis))
        return self.rules[0](y, x, axis)  # type: ignore[misc]


def _match_type(t: Any, y: Any) -> Any:
    """Cast a tangent to the dtype of its value: float32 stays float32, whatever a rule brought along."""
    if type(y) in (np.ndarray, np.float32) and type(t) in (np.ndarray, np.float64) and t.dtype != y.dtype:
        return t.astype(y.dtype)
    return t


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


def multilinear(key: Any, *transposes: Rule, call: Any = None, **options: Any) -> Op:
    """Add the row of a product to the table: a map that is linear in each operand while the others are held."""
    return _row("multilinear", key, transposes, call, **options)


def general(key: Any, *pullbacks: Rule | None, call: Any = None) -> Op:
    """Add the row of any function to the table: ``pullback(g, y, *operands, **static)``; forward mode transposes it."""
    return _row("general", key, pullbacks, call)


def composed(*keys: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the row of a function that is composed of others to the table: those are recorded, and it needs no rule."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for key in keys:
            _row("composed", key, (), function)
        return function

    return register


def flat(key: Any, call: Any = None, symbol: str | None = None) -> Op:
    """Add the row of a function whose derivative is zero wherever it exists, such as ``floor``, to the table."""
    return _row("flat", key, (), call, symbol=symbol)


def comparison(key: Any, symbol: str | None = None, call: Any = None) -> Op:
    """Add the row of a comparison to the table, or of another discrete function, such as ``less`` or ``argmax``."""
    return _row("comparison", key, (), call, symbol=symbol)


def shape_only(key: Any) -> Op:
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
unknown_slope = Op(
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
