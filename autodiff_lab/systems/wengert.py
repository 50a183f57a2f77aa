"""Wengert cells: an expression graph whose nodes hold their values and local partials, and nothing else.

The design of document 3, after Edward Kmett's ``ad``. There are three kinds of cell: a variable, a function of one
cell, a function of two. A cell holds links to its operands, the *numbers* ∂(result)/∂(operand), and its sensitivity:
how much the final result feels it.

>>> x, y = var(3), var(1)
>>> Y = sin(x) + x * y
>>> Y.value
3.1411200080598674
>>> Y.tape
Tape([Var, Unary, Var, Binary, Binary])
>>> Y.backprop()
>>> x.sensitivity, y.sensitivity
(0.010007503399554585, 3.0)

The partials are worked out while the program runs, by the rules of the table, on numbers; afterwards the sweep only
multiplies and adds. (The document's first listing gives ``sin`` the partial ``cos(1)`` although x is 3; then x has the
sensitivity 1.54. A cell that fetches its partial from the table cannot slip so.) The price: the functions are
forgotten, so a tape of cells cannot be run at another input, and a sensitivity is a plain float that cannot be
differentiated again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dispatch import NO_OPTIONS, TABLE
from ..engine.errors import ShapeError, UnsupportedError
from ..engine.levels import StandingLevel
from ..engine.operators import Overloaded, is_operand
from ..engine.primitives import Op
from ..engine.values import as_number, as_numpy_number, as_operand

# The functions of the table, by name. They are NumPy's own: a cell answers ``np.sin(x)``.
FUNCTIONS = {
    key.__name__: key
    for key, op in TABLE.items()
    if isinstance(key, np.ufunc) and op.kind == "elementwise" and hasattr(np, key.__name__)
}

globals().update(FUNCTIONS)

PLAIN_TYPES = (float, int)

__all__ = ["FUNCTIONS", "Bin", "Cell", "Tape", "Un", "Var", "var", *FUNCTIONS]


class CellLevel(StandingLevel):
    """The level of all Wengert cells: an operation with a cell among its operands makes another cell."""

    def process(
        self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any] = NO_OPTIONS
    ) -> Any:
        """Compute one operation on the numbers of Wengert cells, and store its local partials in a new cell."""
        numbers = tuple([as_numpy_number(x.value if isinstance(x, Cell) else x) for x in operands])
        y = op.fn(*numbers, **static)
        if op.kind in ("comparison", "shape"):
            return y
        if shape_of(y) != ():
            raise ShapeError(
                f"{op.name} gave an array of shape {shape_of(y)}, but a cell holds one number. Make a list with a cell "
                "for each element, or use autodiff_lab.grad, which takes arrays."
            )
        cells = [
            (x, _partial(op, k, y, numbers, static))
            for k, x in enumerate(operands)
            if isinstance(x, Cell)
        ]
        if len(cells) == 1:
            ((x, dx),) = cells
            return Un(float(y), x, dx)
        if len(cells) > 2:
            raise UnsupportedError(
                f"{op.name} was given {len(cells)} cells, but a cell has one or two operands. Compute it with "
                "functions of two operands, or pass plain numbers for the others."
            )
        (x, dx), (z, dz) = cells
        return Bin(float(y), x, z, dx, dz)


def _partial(op: Op, k: int, y: Any, numbers: tuple[Any, ...], static: Mapping[str, Any]) -> float:
    # The local partial of a number is the pullback of an adjoint of 1.
    back = op.pullback(k, np.float64(1.0), y, numbers, static)
    return 0.0 if back is None else float(back)


class Cell(Overloaded):
    """A Wengert cell: a number and its adjoint (sensitivity); an operation on cells makes a new one."""

    __slots__ = ("sensitivity", "value")
    level = CellLevel()
    kind = "Cell"
    value: float
    sensitivity: float

    def __repr__(self) -> str:
        return f"{self.kind}({self.value!r})"

    @property
    def links(self) -> tuple[tuple[Cell, float], ...]:
        """The links of a Wengert cell: its operands that are cells, each with the local partial."""
        return ()

    @property
    def tape(self) -> Tape:
        """The Wengert tape of this result: the cells it is made of, operands first, itself last; each once."""
        tape, listed = Tape(), set()
        waiting: list[Cell] = [self]
        while waiting:
            cell = waiting[-1]
            missing = [x for x, _ in cell.links if id(x) not in listed]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if id(cell) not in listed:
                listed.add(id(cell))
                tape.append(cell)
        return tape

    def sweep(self) -> Iterator[Cell]:
        """The reverse sweep over Wengert cells: yields each cell once it has sent its sensitivity to its operands.

        Sensitivities start from zero each time, so that sweeping twice gives the same answer twice.
        """
        tape = self.tape
        for cell in tape:
            cell.sensitivity = 0.0
        self.sensitivity = 1.0
        for cell in reversed(tape):
            ss = cell.sensitivity
            for x, dx in cell.links:
                x.sensitivity += ss * dx
            yield cell

    def backprop(self) -> None:
        """Sweep back over the Wengert cells: give each its sensitivity, the derivative of this one with respect to it.

        Cells that this one is not made of keep theirs, from a sweep of another result.

        Examples
        --------
        >>> x = var(2.0)
        >>> y = x * x * x
        >>> y.backprop(); y.backprop(); x.sensitivity
        12.0
        """
        deque(self.sweep(), maxlen=0)


class Var(Cell):
    """A Wengert cell without operands: an input."""

    __slots__ = ()
    kind = "Var"

    def __init__(self, value: float) -> None:
        self.value, self.sensitivity = value, 0.0


class Un(Cell):
    """A unary Wengert cell: a function of one cell `x`, with its local partial `dx`; other operands are constants."""

    __slots__ = ("dx", "x")
    kind = "Unary"

    def __init__(self, value: float, x: Cell, dx: float) -> None:
        self.value, self.x, self.dx, self.sensitivity = value, x, dx, 0.0

    @property
    def links(self) -> tuple[tuple[Cell, float], ...]:
        """The one operand of a unary Wengert cell, with its local partial."""
        return ((self.x, self.dx),)


class Bin(Cell):
    """A binary Wengert cell: a function of two cells `x` and `y`, with its local partials `dx` and `dy`."""

    __slots__ = ("dx", "dy", "x", "y")
    kind = "Binary"

    def __init__(self, value: float, x: Cell, y: Cell, dx: float, dy: float) -> None:
        self.value, self.x, self.y, self.dx, self.dy, self.sensitivity = value, x, y, dx, dy, 0.0

    @property
    def links(self) -> tuple[tuple[Cell, float], ...]:
        """Both operands of a binary Wengert cell, each with its local partial."""
        return ((self.x, self.dx), (self.y, self.dy))


class Tape(list[Cell]):
    """A Wengert tape: a list of cells in topological order."""

    def __repr__(self) -> str:
        kinds = [cell.kind for cell in self]
        if len(kinds) > 20:
            kinds[10:-3] = [f"… {len(kinds) - 13} more …"]
        return f"Tape([{', '.join(kinds)}])"


def var(value: Any) -> Var:
    """Make an input: a Wengert cell that holds one real number.

    Raises
    ------
    InputError, ShapeError, DetachedError
        If `value` is not one real number.

    Examples
    --------
    >>> cos(var(0)).value
    1.0
    """
    return Var(as_number(value, "the variable"))


def _fast_operators(op: Op) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The fast path of sums and products, without the dispatch. On floats they never raise."""
    fn, process = op.fn, Cell.level.process
    left, right = op.rules
    assert left is not None and right is not None, "a sum and a product have both partials"

    def forward(self: Cell, other: Any) -> Any:
        a = self.value
        if isinstance(other, Cell):
            b = other.value
            y = fn(a, b)
            return Bin(y, self, other, left(y, a, b), right(y, a, b))
        if type(other) in PLAIN_TYPES:
            b = float(other)
            y = fn(a, b)
            return Un(y, self, left(y, a, b))
        return process(op, (self, as_operand(other))) if is_operand(other) else NotImplemented

    def reflected(self: Cell, other: Any) -> Any:
        if type(other) in PLAIN_TYPES:
            a, b = float(other), self.value
            y = fn(a, b)
            return Un(y, self, right(y, a, b))
        return process(op, (as_operand(other), self)) if is_operand(other) else NotImplemented

    return forward, reflected


for _name, _ufunc in {"add": np.add, "sub": np.subtract, "mul": np.multiply}.items():
    _forward, _reflected = _fast_operators(TABLE[_ufunc])
    setattr(Cell, f"__{_name}__", _forward)
    setattr(Cell, f"__r{_name}__", _reflected)
