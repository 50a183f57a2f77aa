"""Displayed numbers: a float or an array as a `Trace` holds it, with the texts that views show of it."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.text import numbers
from autodiff_lab.text.dataclass_json import Entries, entries

_LARGEST_LIST = 64

# The most rows, columns and slices of an array that `Number.cells` has; the player gets these too.
MAX_CELLS_PER_SIDE = 12
MAX_SLICES = 4

# An array is small if none of its sides is longer than this. Each of its elements is drawn as a cell.
MAX_SMALL_SIDE = 6

# A larger array is drawn as a strip of at most so many rows and columns. A cell stands for several elements.
MAX_STRIP_ROWS = 6
MAX_STRIP_COLUMNS = 16


@dataclass(frozen=True, eq=False)
class Number:
    """A displayed number: the value of a float or an array, and how it is written.

    Attributes
    ----------
    text : str
        The short form, as `text.numbers.number` writes it.
    value : float, nested tuple of float, or None
        The elements; None for an array of more than 64.
    shape : tuple of int
        ``()`` for a scalar.
    short : str
        The text that fits into a node of the graph; empty if that is `text` itself.
    cells : str
        The elements of an array, row by row, as a table shows them: up to 12 rows and columns and
        up to 4 slices. If all are equal, the value is written once.
    in_cells : str
        What the cells of an array show, each in up to seven characters. A small array, with at most two
        axes and at most 6 rows and columns, has a cell for each element. A larger one has a strip,
        and a cell shows the largest element in magnitude of those it stands for. If all are equal,
        the value is written once.
    lists_entries : bool
        Whether `text` lists all elements of an array; otherwise it has the shape and the range.

    >>> Number.of(np.float64(-0.28366218546322625))
    Number(text='−0.2837', value=-0.28366218546322625, shape=(), short='')
    >>> Number.of(np.arange(6.0).reshape(3, 2)).in_node
    '[[0 1] [2 3] [4 5]]'
    >>> Number.of(np.arange(3.0) / 7).in_cells
    '0 0.1429 0.2857'
    """

    text: str
    value: Entries
    shape: tuple[int, ...] = ()
    short: str = ""
    cells: str = field(default="", repr=False)
    in_cells: str = field(default="", repr=False)
    lists_entries: bool = field(default=False, repr=False)

    @classmethod
    def of(cls, x: object) -> "Number":
        """Describe a float or an array as a displayed number."""
        array = np.asarray(x, dtype=float)
        value = entries(array.tolist()) if array.size <= _LARGEST_LIST else None
        text = numbers.number(array)
        short = numbers.short(array, text)
        if short == text:
            short = ""
        return cls(
            text=text,
            value=value,
            shape=array.shape,
            short=short,
            cells=_write_cells(array),
            in_cells=_write_drawn(array),
            lists_entries=array.ndim > 0 and numbers.list_entries(array) is not None,
        )

    @property
    def in_node(self) -> str:
        """The displayed number in a node of a graph: its short form, if it has one."""
        return self.short or self.text

    @property
    def in_box(self) -> str:
        """The displayed number in a box of the player: without its shape, which is in the box's heading.

        >>> Number.of(np.arange(7.0)).in_node, Number.of(np.arange(7.0)).in_box
        ('(7,) min 0, max 6', 'min 0, max 6')
        """
        return self.in_node.removeprefix(f"{self.shape} ")

    @property
    def is_small(self) -> bool:
        """Whether the displayed number is an array that is drawn with a cell for each element."""
        return is_small(self.shape)

    @property
    def has_cells(self) -> bool:
        """Whether the displayed number is drawn as cells: an array that isn't empty."""
        return bool(self.in_cells)

    @property
    def scalar(self) -> float:
        """The displayed number as a float.

        Raises
        ------
        TypeError
            If it is an array.
        """
        if not isinstance(self.value, float):
            raise TypeError(f"{self.text} is an array of shape {self.shape}, not a single number.")
        return self.value

    def flowing(self, to: tuple[int, ...] = ()) -> str:
        """The shape of a displayed number on an edge of a graph, and the shape that it is broadcast to.

        >>> Number.of([1.0, 2.0, 3.0]).flowing(), Number.of([1.0, 2.0, 3.0]).flowing((2, 3)), Number.of(1.0).flowing()
        ('(3,)', '(3,) → (2, 3)', '')
        """
        if self.is_copied_to(to):
            return f"{self.shape} → {to}"
        return str(self.shape) if self.shape else ""

    def is_copied_to(self, to: tuple[int, ...]) -> bool:
        """Whether a displayed number is broadcast to the shape `to`; ``()`` stands for no broadcasting."""
        return bool(to) and to != self.shape

    # NaN isn't equal to itself, yet a trace that was stored and loaded must equal the original.
    # So two numbers are equal if they are written the same way.
    def _key(self) -> tuple[str, Any, tuple[int, ...], str]:
        return self.text, numbers.spell_nonfinite(self.value), self.shape, self.cells

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Number) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def is_small(shape: tuple[int, ...]) -> bool:
    """Whether an array of this shape is drawn with a cell for each element.

    >>> is_small((3,)), is_small((6, 6)), is_small((7,)), is_small(()), is_small((2, 2, 2)), is_small((0,))
    (True, True, False, False, False, False)
    """
    return 1 <= len(shape) <= 2 and all(1 <= side <= MAX_SMALL_SIDE for side in shape)


def cell_sides(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of rows and columns of cells of an array; a large one has fewer cells than elements.

    All axes but the last become rows.

    >>> cell_sides((3,)), cell_sides((2, 6)), cell_sides((40,)), cell_sides((128, 64)), cell_sides((2, 2, 3))
    ((1, 3), (2, 6), (1, 16), (6, 16), (4, 3))
    """
    if is_small(shape):
        return (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])
    rows = math.prod(shape[:-1])
    return min(rows, MAX_STRIP_ROWS), min(shape[-1], MAX_STRIP_COLUMNS)


def _write_drawn(array: np.ndarray) -> str:
    """Write what the cells of an array show; if all are equal, the value is written once.

    >>> _write_drawn(np.array([1.0, 1 / 3])), _write_drawn(np.ones((2, 2))), _write_drawn(np.zeros((0, 3)))
    ('1 0.3333', '1', '')
    >>> _write_drawn(np.arange(-24.0, 8.0))
    '−24 −22 −20 −18 −16 −14 −12 −10 −8 −6 −4 −2 1 3 5 7'
    """
    if array.ndim == 0 or array.size == 0:
        return ""
    shown = array if is_small(array.shape) else _find_largest(array)
    written = [numbers.in_cell(float(entry)) for entry in shown.flat]
    return " ".join(written if len(set(written)) > 1 else written[:1])


def _find_largest(array: np.ndarray) -> np.ndarray:
    """For each cell of a large array's strip, find the element of the largest magnitude; a NaN counts as largest."""
    flat = array.reshape(-1, array.shape[-1])
    for axis, count in enumerate(cell_sides(array.shape)):
        starts = np.arange(count) * flat.shape[axis] // count
        high = np.maximum.reduceat(flat, starts, axis=axis)
        low = np.minimum.reduceat(flat, starts, axis=axis)
        flat = np.where(-low > high, low, high)
    return flat


def _write_cells(array: np.ndarray) -> str:
    """Write the elements of an array, row by row: the first rows and columns of its first slices.

    If all of them are equal, the value is written once.

    >>> _write_cells(np.array([[1.0, -0.5], [2.0, 1 / 3]])), _write_cells(np.arange(100.0)), _write_cells(np.array(3.0))
    ('1 −0.5 2 0.3333', '0 1 2 3 4 5 6 7 8 9 10 11', '')
    """
    if array.ndim == 0 or array.size == 0:
        return ""
    rows, columns = (1, *array.shape)[-2:]
    slices = array.reshape(-1, rows, columns)[:MAX_SLICES, :MAX_CELLS_PER_SIDE, :MAX_CELLS_PER_SIDE]
    written = [numbers.number(entry) for entry in slices.ravel().tolist()]
    return " ".join(written if len(set(written)) > 1 else written[:1])
