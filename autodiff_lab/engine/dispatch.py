"""Dispatch of operations: which level handles an operation on traced values.

Read in this order: an ``Op`` (in ``primitives.py``) is one operation with its rules. A :class:`Level` (in
``levels.py``) is one derivative in progress (a tape, a forward pass). :func:`apply` gives an operation to the highest
level among its operands; to that level everything lower is a constant. ``operators.py`` turns operators and NumPy
calls into calls of :func:`apply`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from .errors import LeakError
from .levels import Level, is_paused, no_recording, note_paused, pauses
from .primitives import NO_OPTIONS, Op
from .values import Traced, as_operand

__all__ = ["NO_OPTIONS", "TABLE", "Level", "Row", "apply", "no_recording"]


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
        note_paused(level)
        lowered = [x.value if isinstance(x, Traced) and x.level is level else x for x in operands]
        return apply(op, tuple(lowered), static)
    return level.process(op, operands, static)


def _raise_leak(op: Op, operands: tuple[Any, ...], level: Level) -> NoReturn:
    """Refuse to dispatch an operation on a value of a closed level: raise a LeakError that says which value escaped."""
    escaped = next(x for x in operands if isinstance(x, Traced) and x.level is level)
    raise LeakError(
        f"{op.name} was given {escaped!r}, which belongs to a derivative call that has already ended. "
        "Its derivative can no longer be computed. Return the value from the function you differentiate "
        "(value_and_grad(..., has_aux=True) passes extra results out), or keep its plain number with `.value`."
    )


class Row(Op):
    """A primitive in the table of derivative rules: an `Op` that is called like the function it differentiates."""

    def __call__(self, *operands: Any, **static: Any) -> Any:
        """Apply the operation to numbers, arrays or traced values."""
        return apply(self, tuple(map(as_operand, operands)), static)


# The rule of each public NumPy function, by the function itself. The modules in ``rules/`` fill it.
TABLE: dict[Any, Row] = {}
