"""Displayed numbers: a float or an array as a `Trace` holds it, with the texts that views show of it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.text import numbers
from autodiff_lab.text.dataclass_json import Entries, entries

_LARGEST_LIST = 64

# The most rows, columns and slices of an array that `Number.cells` has; the player's script is given them too.
MAX_CELLS_PER_SIDE = 12
MAX_SLICES = 4

# An array is small if each of its sides has so many entries at most: then it is drawn as cells.
MAX_SMALL_SIDE = 6


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
        The entries of a small array as its cells show them, with up to three digits: up to 6 rows
        and columns, of at most two axes; once, where all are equal. Empty for any other.
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
            _write_small(array),
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
        """Whether the displayed number is an array that is drawn as cells."""
        return is_small(self.shape)

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
    """Tell whether an array of this shape is drawn as cells.

    >>> is_small((3,)), is_small((6, 6)), is_small((7,)), is_small(()), is_small((2, 2, 2)), is_small((0,))
    (True, True, False, False, False, False)
    """
    return 1 <= len(shape) <= 2 and all(1 <= side <= MAX_SMALL_SIDE for side in shape)


def _write_small(array: np.ndarray) -> str:
    """Write the entries of a small array as cells show them; where all are equal, one stands for all.

    >>> _write_small(np.array([1.0, 1 / 3])), _write_small(np.ones((2, 2))), _write_small(np.arange(7.0))
    ('1 0.333', '1', '')
    """
    if not is_small(array.shape):
        return ""
    written = [numbers.in_cell(float(entry)) for entry in array.flat]
    return " ".join(written if len(set(written)) > 1 else written[:1])


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
