"""Dispatch of operations: what a row of the derivative table is (`Op`), and which level handles an operation.

Read in this order: an :class:`Op` is one row of the table. A :class:`Level` (in ``levels.py``) is one derivative in
progress (a tape, a forward pass). :func:`apply` gives an operation to the highest level among its operands; to that
level everything lower is a constant. How operators and plain NumPy calls get here stands in ``operators.py``.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np

from .broadcasting import (
    align_axes,
    keepdims_shape,
    normalize_axes,
    shape_of,
    spread,
    sum_axes,
    unbroadcast,
    zeros_like,
)
from .errors import InputError, LeakError, UnsupportedError
from .levels import Level, is_paused, no_recording, pauses

__all__ = ["TABLE", "Level", "Op", "Traced", "apply", "as_operand", "no_recording"]

NO_OPTIONS: Mapping[str, Any] = {}

# NumPy's letters for the kinds of numbers that can be computed with: floats, integers, booleans.
REAL_KINDS = "fiub"

FLOAT64 = np.dtype(np.float64)


def unit_partial(y: Any, *operands: Any) -> float:
    """The constant local partial 1, as of ``+``; dispatch recognises it by identity and skips the multiplication."""
    return 1.0


class Op:
    """A primitive operation that the engine can dispatch, with its derivative rules: one row of the table.

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
        """The options that dispatch passes on as they are (``axis``, ``shape``), by the rule's signature."""
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
                if t is None:
                    continue
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
                    term = apply_transpose(partial(self.pullback, k, y=y, operands=operands, static=static), y, t)
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


# The rows, by the public NumPy function (or Python operator) that a learner calls. Filled by ``rules/``.
TABLE: dict[Any, Op] = {}


def _match_type(t: Any, y: Any) -> Any:
    """Cast a tangent to the dtype of its value: float32 stays float32, whatever a rule brought along."""
    if type(y) in (np.ndarray, np.float32) and type(t) in (np.ndarray, np.float64) and t.dtype is not y.dtype:
        return t.astype(y.dtype)
    return t


def apply(op: Op, operands: tuple[Any, ...], static: Mapping[str, Any] = NO_OPTIONS) -> Any:
    """Dispatch an operation to the highest level among its operands; if none is traced, NumPy computes it."""
    level: Level | None = None
    for x in operands:
        if isinstance(x, Traced) and (level is None or x.level.number > level.number):
            level = x.level
    if level is None:
        return op.fn(*operands, **static)
    if not level.open:
        _raise_leak(op, operands, level)
    if pauses and is_paused(level):
        return apply(op, tuple(x.value if isinstance(x, Traced) and x.level is level else x for x in operands), static)
    return level.process(op, operands, static)


def _raise_leak(op: Op, operands: tuple[Any, ...], level: Level) -> NoReturn:
    """Refuse to dispatch an operation on a value of a closed level: raise a LeakError that says which value escaped."""
    escaped = next(x for x in operands if isinstance(x, Traced) and x.level is level)
    raise LeakError(
        f"{op.name} was given {escaped!r}, which belongs to a derivative call that has already ended. "
        "Its derivative cannot be followed any more. Return the value from the function you differentiate "
        "(value_and_grad(..., has_aux=True) passes extra results out), or keep its plain number with `.value`."
    )


def apply_transpose(linear_map: Callable[[Any], Any], like: Any, t: Any) -> Any:
    """Dispatch the transpose of a linear map of arrays like `like` on `t`; ``tape.py`` replaces this to record."""
    raise NotImplementedError


class Traced:
    """By what dispatch recognises a traced value among the operands: the base class of Variable, Dual, Symbol.

    It has a `value`, one level down, and the `level` it belongs to.
    """

    __slots__ = ()
    level: Any
    value: Any


def as_operand(x: Any) -> Any:
    """Convert an operand before dispatch: lists become arrays, 0-d arrays numbers; what is not real is refused."""
    its = type(x)
    if its is np.float64 or its is float or (its is np.ndarray and x.dtype is FLOAT64 and x.ndim):
        return x  # what nearly always comes
    if isinstance(x, Traced):
        return x
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    kind = getattr(getattr(x, "dtype", None), "kind", "f") if not isinstance(x, complex) else "c"
    if kind not in REAL_KINDS:
        raise InputError(
            "complex numbers are not supported: keep the real and the imaginary part as two real values."
            if kind == "c"
            else f"An array of dtype {x.dtype} cannot be computed with here; convert with np.asarray(x, dtype=float)."
        )
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x
