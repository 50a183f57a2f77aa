"""The Variable of reverse mode: a value and its line on the tape, with fast operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from . import printing, rules  # noqa: F401 — rules fills the table
from .dispatch import TABLE, apply
from .operators import (
    BASIC_INDICES,
    ELEMENTWISE_OPERATORS,
    Overloaded,
    install_operator,
    is_operand,
)
from .primitives import Op
from .values import NUMBER_TYPES, as_operand, copy_constant, is_plain


class VariableTape(Protocol):
    """The part of `Tape` that a Variable uses, declared here because ``tape.py`` imports this module."""

    fast: bool
    ops: list[Op | None]
    args: list[tuple[Any, ...]]
    parents: list[tuple[int, ...]]
    values: list[Any]
    n_inputs: int
    detached_lines: tuple[int, ...]

    def __len__(self) -> int: ...

    def append(
        self,
        op: Op | None,
        args: tuple[Any, ...],
        parents: tuple[int, ...],
        value: Any,
        static: Mapping[str, Any] = ...,
    ) -> Variable:
        """Write one line at the end of the tape and return its Variable."""

    def write(
        self, op: Op | None, args: tuple[Any, ...], parents: tuple[int, ...], value: Any
    ) -> Variable:
        """Write one line without options, on a tape that records nothing else (`fast`)."""

    def name(self, line: int) -> str:
        """The name of a tape line."""


class Variable(Overloaded):
    """A traced value in reverse mode: the number or array, and its line on the engine's tape.

    Attributes
    ----------
    value : number or array
        The plain value. What you compute from it is a constant. An array belongs to the tape: don't write into it.
    tape : Tape
        The tape that it is recorded on.
    index : int
        Its line on the tape.

    See Also
    --------
    Tape : The record that derivatives are computed from.
    Dual : A traced value in forward mode.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> def f(x):
    ...     print(type(x).__name__)
    ...     return x * x
    >>> ad.grad(f)(3.0)
    Variable
    6.0
    """

    __slots__ = ("index", "tape", "value")
    value: Any
    tape: VariableTape
    index: int

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        tape = self.tape
        if tape.fast and len(inputs) == 1 and method == "__call__" and not kwargs:
            op = TABLE.get(ufunc)
            if op is not None and op.partials is not None:
                x = self.value
                return tape.write(op, (x,), (self.index,), ufunc(x))
        return Overloaded.__array_ufunc__(self, ufunc, method, *inputs, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        tape = self.tape
        if tape.fast and type(index) in BASIC_INDICES:
            x = self.value
            return tape.append(TABLE["getitem"], (x,), (self.index,), x[index], {"index": index})
        return Overloaded.__getitem__(self, index)

    def is_flat(self) -> bool:
        """Whether the Variable is piecewise constant in the inputs: each path to them has a flat operation."""
        ops, parents = self.tape.ops, self.tape.parents
        waiting, seen = [self.index], {-1}
        while waiting:
            line = waiting.pop()
            op = ops[line]
            if op is None:
                return False
            if line not in seen and op.kind != "flat":
                waiting.extend(j for j in parents[line] if j not in seen)
            seen.add(line)
        return True

    def __repr__(self) -> str:
        return f"Variable({self.tape.name(self.index)} = {printing.format_value(self.value)})"


Variable.level = vars(Variable)["tape"]  # the same slot, under the name that every traced value has


def _fast_operators(op: Op) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The fast path of an operator, for two Variables of one open tape, or for a Variable and a constant.

    It writes the line that `Tape.process` would write, in half the time. All other operands go to `apply`.
    """
    fn = op.fn

    def forward(self: Variable, other: Any) -> Any:
        tape = self.tape
        if tape.fast:
            kind = type(other)
            a = self.value
            if kind is Variable and other.tape is tape:
                b = other.value
                return tape.write(op, (a, b), (self.index, other.index), fn(a, b))
            if kind in NUMBER_TYPES:
                return tape.write(op, (a, other), (self.index, -1), fn(a, other))
            if kind is np.ndarray and is_plain(other):
                b = copy_constant(other)
                return tape.write(op, (a, b), (self.index, -1), fn(a, b))
        return apply(op, (self, as_operand(other))) if is_operand(other) else NotImplemented

    def reflected(self: Variable, other: Any) -> Any:
        tape = self.tape
        if tape.fast:
            kind = type(other)
            b = self.value
            if kind in NUMBER_TYPES:
                return tape.write(op, (other, b), (-1, self.index), fn(other, b))
            if kind is np.ndarray and is_plain(other):
                a = copy_constant(other)
                return tape.write(op, (a, b), (-1, self.index), fn(a, b))
        return apply(op, (as_operand(other), self)) if is_operand(other) else NotImplemented

    return forward, reflected


def _note_request(refuse: Callable[..., Any]) -> Callable[..., Any]:
    """Note on the tape which line was to become a plain number, then refuse: NumPy may replace our error."""

    def asked(self: Variable, *options: Any, **more: Any) -> Any:
        self.tape.detached_lines += (self.index,)
        return refuse(self, *options, **more)

    return asked


for _name in ("__array__", "__index__", "__int__"):
    setattr(Variable, _name, _note_request(getattr(Overloaded, _name)))

for _name, _ufunc in {**ELEMENTWISE_OPERATORS, "matmul": np.matmul}.items():
    install_operator(Variable, _name, _ufunc, *_fast_operators(TABLE[_ufunc]))
