"""Displayed numbers: a float or an array as a `Trace` holds it, with the texts that views show of it."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.text import numbers
from autodiff_lab.text.dataclass_json import Entries, entries

_LARGEST_LIST = 64

# The most rows, columns and slices of an array that `Number.cells` has; the player's script is given them too.
MAX_CELLS_PER_SIDE = 12
MAX_SLICES = 4

# An array is small if each of its sides has so many entries at most: then each of them is drawn as a cell.
MAX_SMALL_SIDE = 6

# A larger array is drawn as a strip: with so many rows and columns at most, each cell of which stands for some entries.
MAX_STRIP_ROWS, MAX_STRIP_COLUMNS = 6, 16


@dataclass(frozen=True, eq=False)
class Number:
    """A displayed number: the value of a float or an array, and how it is written.

    Attributes
    ----------
    text : str
        The short form, as `text.numbers.number` writes it.
    value : float, nested tuple of float, or None
        The entries; None for an array of more than 64 entries.
    shape : tuple of int
        ``()`` for a scalar.
    short : str
        What fits into a node of the graph; empty where that is `text`.
    cells : str
        The entries of an array, row by row, as they are shown in a table: up to 12 rows and
        columns, up to 4 slices; once, where all are equal.
    in_cells : str
        The entries of an array as its cells show them, with up to three digits: all of a small one,
        which has up to 6 rows and columns on at most two axes; of a larger one, for each cell of its
        strip, the entry that is largest in size. Once, where all are equal.
    lists_entries : bool
        Whether `text` lists all entries of an array; otherwise it has its shape and its range.

    >>> Number.of(np.float64(-0.28366218546322625))
    Number(text='−0.2837', value=-0.28366218546322625, shape=(), short='')
    >>> Number.of(np.arange(6.0).reshape(3, 2)).in_node
    '[[0 1] [2 3] [4 5]]'
    >>> Number.of(np.arange(3.0) / 7).in_cells
    '0 0.143 0.286'
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
        lists_entries = array.ndim > 0 and numbers.list_entries(array) is not None
        return cls(
            text,
            value,
            array.shape,
            "" if short == text else short,
            _write_cells(array),
            _write_drawn(array),
            lists_entries,
        )

    @property
    def in_node(self) -> str:
        """The displayed number in a node of a graph: its short form, if it has one."""
        return self.short or self.text

    @property
    def in_box(self) -> str:
        """The displayed number in a box of the player: the entries of an array alone, as its shape is in the heading.

        >>> Number.of(np.arange(7.0)).in_node, Number.of(np.arange(7.0)).in_box
        ('(7,) min 0, max 6', 'min 0, max 6')
        """
        return self.in_node.removeprefix(f"{self.shape} ")

    @property
    def is_small(self) -> bool:
        """Whether the displayed number is an array each entry of which is drawn as a cell."""
        return is_small(self.shape)

    @property
    def has_cells(self) -> bool:
        """Whether the displayed number is drawn as cells: an array that has entries."""
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
            raise TypeError(f"{self.text} has the shape {self.shape}, and is no single number.")
        return self.value

    def flowing(self, to: tuple[int, ...] = ()) -> str:
        """The shape of a displayed number as an edge of a graph shows it, with the one that it is copied to.

        >>> Number.of([1.0, 2.0, 3.0]).flowing(), Number.of([1.0, 2.0, 3.0]).flowing((2, 3)), Number.of(1.0).flowing()
        ('(3,)', '(3,) → (2, 3)', '')
        """
        if self.is_copied_to(to):
            return f"{self.shape} → {to}"
        return str(self.shape) if self.shape else ""

    def is_copied_to(self, to: tuple[int, ...]) -> bool:
        """Whether broadcasting copies a displayed number to the shape `to`, which is ``()`` if there is none."""
        return bool(to) and to != self.shape

    # nan differs from itself, yet a trace that was stored and read again must equal the first one:
    # two numbers are equal when they are written alike.
    def _key(self) -> tuple[str, Any, tuple[int, ...], str]:
        return self.text, numbers.spell_nonfinite(self.value), self.shape, self.cells

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Number) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def is_small(shape: tuple[int, ...]) -> bool:
    """Tell whether each entry of an array of this shape is drawn as a cell.

    >>> is_small((3,)), is_small((6, 6)), is_small((7,)), is_small(()), is_small((2, 2, 2)), is_small((0,))
    (True, True, False, False, False, False)
    """
    return 1 <= len(shape) <= 2 and all(1 <= side <= MAX_SMALL_SIDE for side in shape)


def cell_sides(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return how many rows and columns of cells an array has; a large one has fewer cells than entries.

    All axes but the last become rows.

    >>> cell_sides((3,)), cell_sides((2, 6)), cell_sides((40,)), cell_sides((128, 64)), cell_sides((2, 2, 3))
    ((1, 3), (2, 6), (1, 16), (6, 16), (4, 3))
    """
    if is_small(shape):
        return (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])
    rows = math.prod(shape[:-1])
    return min(rows, MAX_STRIP_ROWS), min(shape[-1], MAX_STRIP_COLUMNS)


def _write_drawn(array: np.ndarray) -> str:
    """Write what the cells of an array show; where all are equal, one stands for all.

    >>> _write_drawn(np.array([1.0, 1 / 3])), _write_drawn(np.ones((2, 2))), _write_drawn(np.zeros((0, 3)))
    ('1 0.333', '1', '')
    >>> _write_drawn(np.arange(-24.0, 8.0))
    '−24 −22 −20 −18 −16 −14 −12 −10 −8 −6 −4 −2 1 3 5 7'
    """
    if array.ndim == 0 or array.size == 0:
        return ""
    shown = array if is_small(array.shape) else _find_largest(array)
    written = [numbers.in_cell(float(entry)) for entry in shown.flat]
    return " ".join(written if len(set(written)) > 1 else written[:1])


def _find_largest(array: np.ndarray) -> np.ndarray:
    """Find the entry that is largest in size, for each cell of the strip of a large array; a NaN is larger than all."""
    flat = array.reshape(-1, array.shape[-1])
    for axis, count in enumerate(cell_sides(array.shape)):
        starts = np.arange(count) * flat.shape[axis] // count
        high = np.maximum.reduceat(flat, starts, axis=axis)
        low = np.minimum.reduceat(flat, starts, axis=axis)
        flat = np.where(-low > high, low, high)
    return flat


def _write_cells(array: np.ndarray) -> str:
    """Write the numbers in an array, row by row: the first rows and columns of its first slices.

    Where all of them are equal, one stands for all.

    >>> _write_cells(np.array([[1.0, -0.5], [2.0, 1 / 3]])), _write_cells(np.arange(100.0)), _write_cells(np.array(3.0))
    ('1 −0.5 2 0.3333', '0 1 2 3 4 5 6 7 8 9 10 11', '')
    """
    if array.ndim == 0 or array.size == 0:
        return ""
    rows, columns = ((1, *array.shape)[-2:]) if array.ndim < 2 else array.shape[-2:]
    slices = array.reshape(-1, rows, columns)[:MAX_SLICES, :MAX_CELLS_PER_SIDE, :MAX_CELLS_PER_SIDE]
    written = [numbers.number(entry) for entry in slices.ravel().tolist()]
    return " ".join(written if len(set(written)) > 1 else written[:1])
