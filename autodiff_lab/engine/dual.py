"""Dual numbers, for forward mode: a value with its tangent.

a + b ε with ε² = 0. An operation on duals computes its value as usual and its tangent by the rule in the table:
ẏ = Σ ∂y/∂xₖ · ẋₖ (Griewank and Walther, *Evaluating Derivatives*, 2008, section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import rules  # noqa: F401 — rules fills the table
from .broadcasting import unbroadcast
from .dispatch import TABLE, Level, apply
from .operators import (
    BASIC_INDICES,
    ELEMENTWISE_OPERATORS,
    Overloaded,
    install_operator,
    is_operand,
)
from .primitives import Op, unit_partial
from .printing import format_value
from .values import FLOAT64, as_operand, as_shaped, as_value


class ForwardPass(Level):
    """The level of one forward-mode derivative with dual numbers: one direction, or a batch along a leading axis."""

    has_fast_path = True

    def __init__(self, batch: int | None = None) -> None:
        super().__init__()
        self.batch = batch
        self.fast = self.has_fast_path

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation on dual numbers: its value, and the tangent of its result by the pushforward."""
        if len(operands) == 1:  # then it belongs to this pass
            values: tuple[Any, ...] = (operands[0].value,)
            tangents: tuple[Any, ...] = (operands[0].tangent,)
        else:
            own = [type(x) is Dual and x.level is self for x in operands]
            values = tuple([x.value if mine else x for x, mine in zip(operands, own, strict=True)])
            tangents = tuple(
                [x.tangent if mine else None for x, mine in zip(operands, own, strict=True)]
            )
        y = op.fn(*values, **static)
        if not op.rules and op.kind in ("comparison", "shape", "flat"):
            return y
        y = as_operand(y)
        tangent = op.pushforward(y, values, tangents, static, self.batch)
        return y if tangent is None else dual(y, as_operand(tangent), self)


class Dual(Overloaded):
    """A dual number (or array): a value and its tangent.

    Parameters
    ----------
    value, tangent : number or array, of the same shape
        The two parts; by default the tangent is 0.

    See Also
    --------
    jvp : The value and its directional derivative.
    Variable : A traced value in reverse mode.

    Notes
    -----
    Duals that you make yourself belong to one forward pass, which is always open.

    Examples
    --------
    >>> from autodiff_lab import Dual
    >>> Dual(3.0, 1.0) ** 2
    Dual(9.0, 6.0)
    """

    __slots__ = ("level", "tangent", "value")

    def __init__(self, value: Any, tangent: Any = 0.0) -> None:
        self.value = as_value(value)
        self.tangent = as_shaped(tangent, self.value)
        self.level = BY_HAND

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        x = self.value
        if (
            len(inputs) == 1
            and method == "__call__"
            and not kwargs
            and (type(x) is _float64 or _is_double(x))
        ):
            level = self.level
            op = TABLE.get(ufunc)
            if op is not None and op.partials is not None and level.fast:
                y = ufunc(x)
                return dual(y, self.tangent * op.partials[0](y, x), level)  # type: ignore[misc]
        return Overloaded.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        level = self.level
        if type(index) in BASIC_INDICES and level.fast:
            tangent_index = index if level.batch is None else (slice(None), index)
            return dual(self.value[index], self.tangent[tangent_index], level)
        return Overloaded.__getitem__(self, index)

    def __repr__(self) -> str:
        return f"Dual({format_value(self.value)}, {format_value(self.tangent)})"


def dual(value: Any, tangent: Any, level: ForwardPass) -> Dual:
    """Create a dual number inside a forward pass, without the checks of the public constructor `Dual`."""
    d = _new(Dual)
    d.value, d.tangent, d.level = value, tangent, level
    return d


def _is_double(x: Any) -> bool:
    """Whether partials of `x` need no conversion: a number, or an array of double precision."""
    return type(x) is np.float64 or (type(x) is np.ndarray and x.dtype == FLOAT64)


# A global name is looked up faster than an attribute of a module.
_new = object.__new__
_float64 = np.float64
_ndarray = np.ndarray

# The forward pass of the duals that users create themselves; it is never closed.
BY_HAND = ForwardPass()


def _fast_operators(op: Op) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The fast path of an operator: both Duals of one pass, or one of them a constant, without the dispatch.

    Values are numbers and arrays of double precision. In a batch the shapes must be equal, or the constant must be a
    number: a tangent has one axis more than its value, so it would not broadcast against an array correctly.
    """
    fn = op.fn
    left: Any = op.rules[0]
    right: Any = op.rules[1]

    def forward(self: Dual, other: Any) -> Any:
        level, a = self.level, self.value
        moves = type(other) is Dual and other.level is level
        b = other.value if moves else other
        if not (level.fast and _fit_together(level, a, b, moves)):
            return apply(op, (self, as_operand(other))) if is_operand(other) else NotImplemented
        y = fn(a, b)
        t = self.tangent if left is unit_partial else self.tangent * left(y, a, b)
        if moves:
            t = t + (other.tangent if right is unit_partial else other.tangent * right(y, a, b))
        return dual(y, t if type(y) is _float64 or y.shape == a.shape else unbroadcast(t, y), level)

    def reflected(self: Dual, other: Any) -> Any:
        level, b = self.level, self.value
        if not (level.fast and _fit_together(level, b, other, False)):
            return apply(op, (as_operand(other), self)) if is_operand(other) else NotImplemented
        y = fn(other, b)
        t = self.tangent if right is unit_partial else self.tangent * right(y, other, b)
        return dual(y, t if type(y) is _float64 or y.shape == b.shape else unbroadcast(t, y), level)

    return forward, reflected


def _fit_together(level: ForwardPass, a: Any, b: Any, both: bool) -> bool:
    """Whether the fast path can use the values `a` and `b` without conversion; `both`: both have tangents."""
    kind, other = type(a), type(b)
    if kind is _float64 and (other is _float64 or other is float):
        return True
    if kind is not _float64 and (kind is not _ndarray or a.dtype != FLOAT64):
        return False
    if other is float or other is int:
        return True
    if other is not _float64 and (other is not _ndarray or b.dtype != FLOAT64):
        return False
    return level.batch is None or b.shape == a.shape or (not both and b.shape == ())


_matmul = Overloaded.binary[np.matmul]


def _times_matrix(self: Dual, other: Any) -> Any:
    """``A @ x`` for a constant matrix A and a vector x; a batch of tangents has one per row, and row · Aᵀ maps each."""
    level, x = self.level, self.value
    if level.fast and _is_double(other) and _is_double(x) and other.ndim == 2 and x.ndim == 1:
        return dual(other @ x, self.tangent @ other.T, level)
    return _matmul[1](self, other)


for _name, _ufunc in ELEMENTWISE_OPERATORS.items():
    install_operator(Dual, _name, _ufunc, *_fast_operators(TABLE[_ufunc]))
install_operator(Dual, "matmul", np.matmul, _matmul[0], _times_matrix)
