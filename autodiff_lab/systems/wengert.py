"""Wengert cells: an expression graph whose nodes hold their values and local partials, and nothing else.

This is the design of document 3, after Edward Kmett's ``ad``. There are three kinds of cell: a variable, a function of
one cell, and a function of two cells. A cell holds links to its operands, the *numbers* ∂(result)/∂(operand), and its
sensitivity: the derivative of the final result with respect to it.

>>> x, y = var(3), var(1)
>>> Y = sin(x) + x * y
>>> Y.value
3.1411200080598674
>>> Y.tape
Tape([Var, Unary, Var, Binary, Binary])
>>> Y.backprop()
>>> x.sensitivity, y.sensitivity
(0.010007503399554585, 3.0)

The partials are computed as numbers while the program runs, by the engine's rules, so the sweep only multiplies and
adds. (In the document's first listing, ``sin`` has the partial ``cos(1)`` although x is 3, and then x has the
sensitivity 1.54. With partials from the rules, this mistake can't happen.) The design has a price. The functions are
not stored, so a tape of cells can't be run at another input; and a sensitivity is a plain float, which can't be
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

# The elementwise functions that have a rule, by name. They are NumPy's own, because ``np.sin(x)`` works on a cell.
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
        cells = []
        partials = []
        for k, x in enumerate(operands):
            if isinstance(x, Cell):
                cells.append(x)
                partials.append(_partial(op, k, y, numbers, static))
        if len(cells) > 2:
            raise UnsupportedError(
                f"{op.name} was given {len(cells)} cells, but a cell has one or two operands. Compute it with "
                "functions of two operands, or pass plain numbers for the others."
            )
        if len(cells) == 1:
            return Un(float(y), cells[0], partials[0])
        return Bin(float(y), cells[0], cells[1], partials[0], partials[1])


def _partial(op: Op, k: int, y: Any, numbers: tuple[Any, ...], static: Mapping[str, Any]) -> float:
    """The local partial with respect to operand k: the pullback of the adjoint 1; 0 if there is none."""
    partial = op.pullback(k, np.float64(1.0), y, numbers, static)
    return 0.0 if partial is None else float(partial)


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
        """The Wengert tape of this result: each cell that it was computed from, once, after its operands."""
        tape = Tape()
        listed: set[int] = set()
        todo: list[Cell] = [self]
        while todo:
            cell = todo[-1]
            missing = [x for x, _ in cell.links if id(x) not in listed]
            if missing:
                todo += reversed(missing)
                continue
            todo.pop()
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
        """Compute the sensitivity of each Wengert cell: the derivative of this cell with respect to it.

        Cells that this one doesn't depend on keep their sensitivity from the sweep of another result.

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
        self.value = value
        self.sensitivity = 0.0


class Un(Cell):
    """A unary Wengert cell: a function of one cell `x`, with its local partial `dx`; other operands are constants."""

    __slots__ = ("dx", "x")
    kind = "Unary"

    def __init__(self, value: float, x: Cell, dx: float) -> None:
        self.value = value
        self.x = x
        self.dx = dx
        self.sensitivity = 0.0

    @property
    def links(self) -> tuple[tuple[Cell, float], ...]:
        """The one operand of a unary Wengert cell, with its local partial."""
        return ((self.x, self.dx),)


class Bin(Cell):
    """A binary Wengert cell: a function of two cells `x` and `y`, with its local partials `dx` and `dy`."""

    __slots__ = ("dx", "dy", "x", "y")
    kind = "Binary"

    def __init__(self, value: float, x: Cell, y: Cell, dx: float, dy: float) -> None:
        self.value = value
        self.x = x
        self.y = y
        self.dx = dx
        self.dy = dy
        self.sensitivity = 0.0

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
    """The fast path for sums and products, without the dispatch; with floats, these never raise an error."""
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
        if not is_operand(other):
            return NotImplemented
        return process(op, (self, as_operand(other)))

    def reflected(self: Cell, other: Any) -> Any:
        if type(other) in PLAIN_TYPES:
            a, b = float(other), self.value
            y = fn(a, b)
            return Un(y, self, right(y, a, b))
        if not is_operand(other):
            return NotImplemented
        return process(op, (as_operand(other), self))

    return forward, reflected


for _name, _ufunc in {"add": np.add, "sub": np.subtract, "mul": np.multiply}.items():
    _forward, _reflected = _fast_operators(TABLE[_ufunc])
    setattr(Cell, f"__{_name}__", _forward)
    setattr(Cell, f"__r{_name}__", _reflected)
