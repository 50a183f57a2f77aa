"""The primitive operations of the engine: what one is (`Op`), and how both modes follow from its rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from .broadcasting import align_axes, shape_of, unbroadcast
from .errors import UnsupportedError
from .values import as_operand, zeros_like

NO_OPTIONS: Mapping[str, Any] = {}

Rule = Callable[..., Any]


def unit_partial(y: Any, *operands: Any) -> float:
    """The rule for a local partial that is always 1, as for ``+``. It is recognized by identity, to save a product."""
    return 1.0


class Op:
    """A primitive operation of the engine: the function that computes its value, and its derivative rules.

    Parameters
    ----------
    name : str
        What tapes, tables and drawings call it: ``"log"``, ``"multiply"``.
    fn : callable
        Computes the value, ``fn(*operands, **static)``. Operands may be traced at a lower level, so it must be built of
        functions that are in the table.
    kind : str
        ``"elementwise"``: `rules` are local partials ``partial(y, *operands)``, one per operand.
        ``"linear"``: linear in all operands together; `rules` are transposes ``transpose(g, y, *operands, **static)``.
        ``"multilinear"``: linear in each operand while the others are held; `rules` as for ``"linear"``.
        ``"general"``: `rules` are pullbacks ``(g, y, *operands, **static)``; the pushforward is their transpose.
        ``"composed"``: `fn` calls other operations, which are recorded in its place; no rules.
        ``"flat"``: the derivative is zero wherever there is one; no rules.
        ``"comparison"``: flat, and the result is plain booleans or integers.
        ``"shape"``: the result depends on shape or type only, never on values; no rules, nothing is recorded.
    rules : tuple of callables
        See `kind`. ``None`` stands for an operand that no derivative flows to (the condition of ``where``).
    symbol : str, optional
        The infix operator, if there is one: ``"*"``.
    variadic : bool
        The only rule serves every operand and is called with the operand's position first (``stack``).
    batched : callable, optional
        The pushforward of many tangents at once, ``batched(size, y, operands, tangents, static)``. Where it is missing
        or returns None, tangents are pushed forward one by one.

    Attributes
    ----------
    push : callable or None
        A pushforward to use in place of the one that follows from `rules`, ``push(y, operands, tangents, static)``.
    weights : callable or None
        For a reduction along axes: the weight of each element, ``weights(y, x, axis)``, where `y` keeps the axes.
    inside : callable or None
        The user's own function, if the operation was made from one (`custom_gradient`, `checkpoint`).
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
        self.name = name
        self.fn = fn
        self.kind = kind
        self.rules = rules
        self.symbol = symbol
        self.variadic = variadic
        self.batched = batched
        self.push: Callable[..., Any] | None = None
        self.weights: Rule | None = None
        self.inside: Callable[..., Any] | None = None
        self.partials = rules if kind == "elementwise" else None

    @cached_property
    def static(self) -> frozenset[str]:
        """The names of the options that are not operands (``axis``, ``shape``), from the signature of the rule."""
        rule = next((rule for rule in self.rules if rule is not None), None)
        if rule is None or self.kind == "elementwise":
            return frozenset()
        # In ``(g, y, x, axis=None)`` or ``(k, g, y, *operands, axis=0)``, the options come last.
        before = 4 if self.variadic else 2 + len(self.rules)
        names = list(inspect.signature(rule).parameters)
        return frozenset(names[before:])

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
        self,
        k: int,
        g: Any,
        y: Any,
        operands: tuple[Any, ...],
        static: Mapping[str, Any] = NO_OPTIONS,
    ) -> Any:
        """The vector-Jacobian product of one operation: what the adjoint `g` of its result contributes to operand `k`.

        For an elementwise operation: g · ∂y/∂(operand k), summed over the axes along which the operand was broadcast.
        For a linear operation: the transposed map, applied to g.
        """
        if self.partials is not None:
            rule = self.partials[k]
            return unbroadcast(g if rule is unit_partial else g * rule(y, *operands), operands[k])  # type: ignore[misc]
        if self.variadic:
            return as_operand(self.rules[0](k, g, y, *operands, **static))  # type: ignore[misc]
        rule = self.rules[k] if self.rules else None
        if rule is None:
            return None
        return as_operand(rule(g, y, *operands, **static))

    def pushforward(
        self,
        y: Any,
        operands: tuple[Any, ...],
        tangents: tuple[Any, ...],
        static: Mapping[str, Any] = NO_OPTIONS,
        batch: int | None = None,
    ) -> Any:
        """The Jacobian-vector product of one operation: the tangent of its result, from those of its operands.

        The tangent of a constant operand is None, and so is the result's if nothing moves it.

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
            # a linear map is its own derivative
            return _match_type(as_operand(self.fn(tangents[0], **static)), y)
        if batch is None:
            return _match_type(self._push_one(y, operands, tangents, static), y)
        if self.batched is not None:
            pushed = self.batched(batch, y, operands, tangents, static)
            if pushed is not None:
                return _match_type(pushed, y)
        each = []
        for b in range(batch):
            direction = tuple([None if t is None else t[b] for t in tangents])
            each.append(self._push_one(y, operands, direction, static))
        if each[0] is None:
            return None
        return _match_type(np.stack(each), y)

    def _push_one(
        self,
        y: Any,
        operands: tuple[Any, ...],
        tangents: tuple[Any, ...],
        static: Mapping[str, Any],
    ) -> Any:
        """The tangent of the result in one direction, for an operation that is not elementwise."""
        if self.push is not None:
            return self.push(y, operands, tangents, static)
        if self.kind == "linear":
            filled = []
            for k, (x, t) in enumerate(zip(operands, tangents, strict=True)):
                if not self.variadic and self.rules[k] is None:
                    filled.append(x)  # no derivative flows to it, so it keeps its value
                else:
                    filled.append(zeros_like(x) if t is None else t)
            return as_operand(self.fn(*filled, **static))
        total = None
        for k, t in enumerate(tangents):
            if t is not None:
                if self.kind == "multilinear":
                    term = self.fn(*operands[:k], t, *operands[k + 1 :], **static)
                else:
                    pull = partial(self.pullback, k, y=y, operands=operands, static=static)
                    term = apply_transpose(pull, y, t)
                total = term if total is None else total + term
        return total


def _match_type(t: Any, y: Any) -> Any:
    """Cast a tangent to the dtype of its value: float32 stays float32, even if a rule computed in float64."""
    if (
        type(y) in (np.ndarray, np.float32)
        and type(t) in (np.ndarray, np.float64)
        and t.dtype != y.dtype
    ):
        return t.astype(y.dtype)
    return t


def apply_transpose(linear_map: Callable[[Any], Any], like: Any, t: Any) -> Any:
    """Apply the transpose of a linear map of arrays like `like` to `t`; ``transposing.py`` replaces this."""
    raise NotImplementedError
