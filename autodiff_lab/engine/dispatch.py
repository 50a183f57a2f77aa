"""Who handles an operation: rows of the table, and levels.

Read in this order: an :class:`Op` is one row of the table. A :class:`Level` is one derivative in progress (a tape, a
forward pass). :func:`apply` gives an operation to the highest level among its operands; to that level everything
lower is a constant. How operators and plain NumPy calls get here stands in ``operators.py``.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np

from .errors import LeakError, UnsupportedError

__all__ = ["TABLE", "Level", "Op", "Traced", "apply", "shape_of", "unbroadcast"]

NOTHING: Mapping[str, Any] = {}

TABLE: dict[Any, Op] = {}
"""The rows, by the public NumPy function (or Python operator) that a learner calls. Filled by ``rules.py``."""


def one(y: Any, *operands: Any) -> float:
    """The partial of ``+``. The interpreters know it by identity and skip the multiplication."""
    return 1.0


class Op:
    """One row of the table: a primitive operation and how to differentiate it.

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
        ``"flat"``: the derivative is zero wherever there is one; no rules.
        ``"comparison"``: flat, and the answer is plain booleans.
        ``"shape"``: answers about shape or type, never about value; no rules, nothing is recorded.
    rules : tuple of callables
        See `kind`. ``None`` stands for an operand that no derivative flows to (the condition of ``where``).
    symbol : str, optional
        The infix operator, if there is one: ``"*"``.
    variadic : bool
        The only rule serves every operand and is called with the operand's position first (``stack``).
    signature : inspect.Signature, optional
        The signature of the NumPy function, to tell operands from static arguments such as ``axis``.
    """

    __slots__ = ("fn", "kind", "name", "partials", "rules", "signature", "static", "symbol", "variadic")

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        kind: str,
        rules: tuple[Callable[..., Any] | None, ...] = (),
        symbol: str | None = None,
        variadic: bool = False,
        signature: inspect.Signature | None = None,
    ) -> None:
        self.name, self.fn, self.kind, self.rules = name, fn, kind, rules
        self.symbol, self.variadic, self.signature = symbol, variadic, signature
        self.partials = rules if kind == "elementwise" else None
        self.static = () if self.partials or not rules else _static_names(rules, variadic)

    def __call__(self, *operands: Any, **static: Any) -> Any:
        """Apply the row to numbers, or to traced values."""
        return apply(self, operands, static)

    def __repr__(self) -> str:
        return f"Op({self.name!r}, {self.kind})"

    def local_partial(self, k: int, y: Any, *operands: Any) -> Any:
        """The local partial ∂y/∂(operand k) of an elementwise row: a number, an array, or a formula on Symbols."""
        if self.partials is None:
            raise UnsupportedError(
                f"{self.name} is a {self.kind} map, not an elementwise one: it has no array of local partials. "
                "Its derivative is the map itself; use pullback (reverse) or pushforward (forward)."
            )
        return self.rules[k](y, *operands)  # type: ignore[misc]

    def pullback(self, k: int, g: Any, y: Any, operands: tuple[Any, ...], static: Mapping[str, Any] = NOTHING) -> Any:
        """What the adjoint `g` of the result adds to the adjoint of operand `k`; None where nothing flows.

        For an elementwise row: g · ∂y/∂(operand k), summed over the axes along which the operand was broadcast.
        For a linear row: the transposed map, applied to g.
        """
        if self.partials is not None:
            rule = self.partials[k]
            return unbroadcast(g if rule is one else g * rule(y, *operands), operands[k])  # type: ignore[misc]
        if self.variadic:
            return as_operand(self.rules[0](k, g, y, *operands, **static))  # type: ignore[misc]
        rule = self.rules[k] if self.rules else None
        return None if rule is None else as_operand(rule(g, y, *operands, **static))

    def pushforward(
        self,
        y: Any,
        operands: tuple[Any, ...],
        tangents: tuple[Any, ...],
        static: Mapping[str, Any] = NOTHING,
    ) -> Any:
        """The tangent of the result, from the operands' tangents (None: constant); None where nothing flows."""
        if self.kind == "linear":
            filled = tuple(
                (_zeros(x) if t is None else t) if self.variadic or self.rules[k] is not None else x
                for k, (x, t) in enumerate(zip(operands, tangents, strict=True))
            )
            return self.fn(*filled, **static)
        total = None
        for k, t in enumerate(tangents):
            if t is None or not self.rules:
                continue
            if self.partials is None:
                term = self.fn(*operands[:k], t, *operands[k + 1 :], **static)
            else:
                rule = self.partials[k]
                term = t if rule is one else t * rule(y, *operands)  # type: ignore[misc]
            total = term if total is None else total + term
        if total is not None and shape_of(total) != shape_of(y):
            total = np.broadcast_to(total, shape_of(y))
        return total


class Level:
    """One derivative in progress. Later levels have higher numbers; a level is open while its function runs.

    Unique numbers keep nested derivatives apart (perturbation confusion); being closed makes a value that escaped
    stop with a message instead of giving a wrong number. See Siskind and Pearlmutter, *Nesting forward-mode AD in a
    functional framework* (2008).
    """

    __slots__ = ("number", "open")
    _numbers: ClassVar[itertools.count[int]] = itertools.count(1)

    def __init__(self) -> None:
        self.number: float = next(Level._numbers)
        self.open = True

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Handle one operation, at least one operand of which belongs to this level."""
        raise NotImplementedError


def apply(op: Op, operands: tuple[Any, ...], static: Mapping[str, Any] = NOTHING) -> Any:
    """Run `op`: the highest level among the operands handles it; without one it is computed as it stands."""
    level: Level | None = None
    for x in operands:
        if isinstance(x, Traced):
            its: Level = x.level
            if level is None or its.number > level.number:
                level = its
    if level is None:
        return op.fn(*operands, **static)
    if not level.open:
        raise_leak(op, operands, level)
    return level.process(op, operands, static)


def raise_leak(op: Op, operands: tuple[Any, ...], level: Level) -> NoReturn:
    """Say which value escaped, and how to keep it."""
    escaped = next(x for x in operands if isinstance(x, Traced) and x.level is level)
    raise LeakError(
        f"{op.name} was given {escaped!r}, which belongs to a derivative call that has already ended. "
        "Its derivative cannot be followed any more. Return the value from the function you differentiate "
        "(value_and_grad(..., has_aux=True) passes extra results out), or keep its plain number with `.value`."
    )


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of a number, an array or a traced value; () for a Python number."""
    return getattr(x, "shape", ())


def unbroadcast(g: Any, x: Any) -> Any:
    """Sum `g` over the axes along which `x` was broadcast: the adjoint of copying is adding."""
    have, want = shape_of(g), shape_of(x)
    if have == want:
        return g
    extra = len(have) - len(want)
    if extra:
        g = np.sum(g, axis=tuple(range(extra)))
    axes = tuple(i for i, n in enumerate(want) if n == 1 and have[i + extra] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


class Traced:
    """What flows through a program in a number's place: a Variable, a Dual, a Symbol.

    It has a `value`, one level down, and the `level` it belongs to.
    """

    __slots__ = ()
    level: Any
    value: Any


def as_operand(x: Any) -> Any:
    """Lists become arrays, arrays without axes become numbers; the rest stays as it is."""
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x


def _static_names(rules: tuple[Callable[..., Any] | None, ...], variadic: bool) -> tuple[str, ...]:
    """The names behind the operands in a transpose's own signature: ``(g, y, x, axis=None)`` gives ``axis``."""
    rule = next(rule for rule in rules if rule is not None)
    parameters = list(inspect.signature(rule).parameters.values())
    behind = parameters[4 if variadic else 2 + len(rules) :]
    return tuple(p.name for p in behind)


def _zeros(x: Any) -> Any:
    return np.zeros(shape_of(x), dtype=getattr(x, "dtype", float))
