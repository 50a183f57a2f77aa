"""Dual numbers: a value that carries its tangent along.

a + b ε with ε² = 0. An operation on duals computes its value as usual and its tangent by the row of the table:
ẏ = Σ ∂y/∂xₖ · ẋₖ (Griewank and Walther, *Evaluating Derivatives*, 2008, section 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dispatch import Level, Op, as_operand
from .listing import plain
from .operators import Overloaded

__all__ = ["Dual", "ForwardPass"]


class ForwardPass(Level):
    """One forward derivative in progress: one direction, or a batch of directions along a leading axis."""

    __slots__ = ("batch",)

    def __init__(self, batch: int | None = None) -> None:
        super().__init__()
        self.batch = batch

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation and the tangent of its result."""
        own = [type(x) is Dual and x.level is self for x in operands]
        values = tuple(x.value if mine else x for x, mine in zip(operands, own, strict=True))
        y = op.fn(*values, **static)
        if op.kind in ("comparison", "shape", "flat"):
            return y
        y = as_operand(y)
        tangents = tuple(x.tangent if mine else None for x, mine in zip(operands, own, strict=True))
        tangent = op.pushforward(y, values, tangents, static, self.batch)
        return y if tangent is None else Dual(y, as_operand(tangent), self)


class Dual(Overloaded):
    """A number and its tangent.

    Parameters
    ----------
    value, tangent : number or array, of one shape
    level : ForwardPass, optional
        The derivative it belongs to. Duals made by hand share one that is always open.

    Examples
    --------
    >>> from autodiff_lab import Dual
    >>> Dual(3.0, 1.0) ** 2
    Dual(9.0, 6.0)
    """

    __slots__ = ("level", "tangent", "value")

    def __init__(self, value: Any, tangent: Any = 0.0, level: ForwardPass | None = None) -> None:
        if level is None:
            from .values import as_shaped, as_value

            level, value = BY_HAND, as_value(value)
            tangent = as_shaped(tangent, value)
        self.value, self.tangent, self.level = value, tangent, level

    def __repr__(self) -> str:
        return f"Dual({plain(self.value)}, {plain(self.tangent)})"


BY_HAND = ForwardPass()
