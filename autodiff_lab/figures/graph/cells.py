"""Cells of arrays: their sizes and shades in the boxes of a graph, and the arrangement of a box's rows.

In still pictures, cells are tables in the labels of Graphviz. The player's script draws them itself with the same
constants, so that they fit the boxes and look the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autodiff_lab.trace.model import Number
from autodiff_lab.trace.model.number import cell_sides, is_small

# A cell with its number, and one that is too small for a number: width and height, in points.
WRITTEN_WIDTH, WRITTEN_HEIGHT = 60, 21
BARE_WIDTH, BARE_HEIGHT = 20, 16

# The height of a bare cell, in points, in an array of more rows than have numbers.
LOW_HEIGHT = 10

# The strip of a large array: its width, the height of a cell in its only row or in one of several, and the room for its
# smallest and its largest entry below, in points.
STRIP_WIDTH, STRIP_HEIGHT, LOW_STRIP_HEIGHT, STRIP_TEXT = 160, 14, 5, 19

# An array with at most this many columns and rows has its numbers in its cells.
MAX_WRITTEN_COLUMNS, MAX_WRITTEN_ROWS = 4, 3

# Space for a heading, between two rows, below the last row, and at both sides of the cells together, in points.
HEADING, BETWEEN_ROWS, AROUND, BESIDE_CELLS = 24, 4, 8, 4

# The opacity of a cell's colour, in percent, for a number close to 0 and for the largest number in the picture.
LIGHTEST, DARKEST = 6, 40

# In a box with bare cells, the cells of a value and of its derivative are side by side, with this space between them.
BETWEEN_BARE = 8


def cell_size(shape: tuple[int, ...], bare: bool = False) -> tuple[int, int]:
    """Return the width and height of a cell of an array, in points; `bare` cells have no numbers.

    >>> cell_size((3,)), cell_size((2, 6)), cell_size((40,)), cell_size((40, 40))
    ((60, 21), (20, 16), (10, 14), (10, 5))
    """
    height, width = cell_sides(shape)
    if not is_small(shape):
        across = min(BARE_WIDTH, STRIP_WIDTH // width)
        return across, STRIP_HEIGHT if height == 1 else LOW_STRIP_HEIGHT
    if not bare and width <= MAX_WRITTEN_COLUMNS and height <= MAX_WRITTEN_ROWS:
        return WRITTEN_WIDTH, WRITTEN_HEIGHT
    return BARE_WIDTH, BARE_HEIGHT if height <= MAX_WRITTEN_ROWS else LOW_HEIGHT


def size_of_cells(shape: tuple[int, ...], bare: bool = False) -> tuple[int, int]:
    """Return the width and height of all cells of an array, in points; a strip includes the text below it.

    >>> size_of_cells((3,)), size_of_cells((2, 6)), size_of_cells((40,))
    ((180, 21), (120, 32), (160, 33))
    """
    height, width = cell_sides(shape)
    across, down = cell_size(shape, bare)
    return width * across, height * down + (0 if is_small(shape) else STRIP_TEXT)


def box_width(shape: tuple[int, ...], bare: bool = False) -> int:
    """Return the width of the cells in a box, in points; a derivative is below its value or, if `bare`, beside it.

    >>> box_width((3,)), box_width((3,), bare=True)
    (184, 132)
    """
    bare = bare and is_small(shape)
    width, _ = size_of_cells(shape, bare)
    if bare:
        width = 2 * width + BETWEEN_BARE
    return width + BESIDE_CELLS


def box_height(
    shape: tuple[int, ...], contributions: int = 0, bare: bool = False, rows: int = 2
) -> int:
    """Return the height of a box, in points, with `rows` of cells, usually for a value and its derivative.

    A small array that gets several `contributions` has one more row, in which each appears before it is added. A box
    with `bare` cells has a single row. The strips of a large array are never bare, and don't have the additional row.

    >>> box_height((3,)), box_height((3,), contributions=2), box_height((3,), bare=True)
    (78, 103, 48)
    """
    if contributions > 1 and is_small(shape):
        rows += 1
    if bare and is_small(shape):
        rows = 1
    if rows == 0:
        return HEADING + AROUND
    _, row_height = size_of_cells(shape, bare)
    return HEADING + rows * row_height + (rows - 1) * BETWEEN_ROWS + AROUND


@dataclass(frozen=True)
class Cell:
    """One cell of a small array: its text, its number relative to the largest of its kind, its `shade` in percent."""

    text: str
    share: float
    shade: int


def rows_of_cells(number: Number, most: float) -> Iterator[list[Cell]]:
    """Yield the cells of an array row by row; `most` is the largest number of its kind in the picture.

    >>> [[cell.text, cell.shade] for cell in next(rows_of_cells(Number.of([1.0, 0.0, -0.25]), 1.0))]
    [['1', 40], ['0', 0], ['−0.25', 23]]
    """
    height, width = cell_sides(number.shape)
    texts = number.in_cells.split(" ")
    if len(texts) == 1:
        texts *= height * width
    shares = [share_of(_to_number(text), most) for text in texts]
    cells = [Cell(text, share, shade_of(share)) for text, share in zip(texts, shares, strict=True)]
    for row in range(height):
        yield cells[row * width : (row + 1) * width]


def share_of(x: float, most: float) -> float:
    """Return the size of a number relative to the largest of its kind, from −1 to 1; 0 for NaN."""
    if math.isnan(x):
        return 0.0
    if math.isinf(x):
        return math.copysign(1.0, x)
    if not most:
        return 0.0
    return max(-1.0, min(1.0, x / most))


def shade_of(share: float) -> int:
    """Return the opacity of a cell's colour, in percent.

    >>> shade_of(0.0), shade_of(-0.25), shade_of(1.0)
    (0, 23, 40)
    """
    return round(LIGHTEST + (DARKEST - LIGHTEST) * math.sqrt(abs(share))) if share else 0


def largest_entries(numbers: Iterable[tuple[str, Number]]) -> dict[str, float]:
    """Return the largest absolute value of each kind in some arrays; the cells of a kind share this scale.

    >>> largest_entries([("value", Number.of([1.0, -2.0])), ("adjoint", Number.of([0.5])), ("value", Number.of(9.0))])
    {'value': 2.0, 'adjoint': 0.5, 'tangent': 0.0}
    """
    found = {"value": 0.0, "adjoint": 0.0, "tangent": 0.0}
    for kind, number in numbers:
        if number.has_cells:
            entries = map(_to_number, number.in_cells.split(" "))
            sizes = [abs(x) for x in entries if math.isfinite(x)]
            found[kind] = max([found[kind], *sizes])
    return found


def _to_number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))
