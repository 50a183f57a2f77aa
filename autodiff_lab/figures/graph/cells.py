"""Cells of arrays: how large and how dark they are in the boxes of a graph, and how the rows of a box stand.

Still pictures have them as tables in the labels of Graphviz; the player's script draws them itself. It is given these
constants, so that what it draws fits the boxes and looks the same.
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

# An array of so many columns and rows at most has its numbers in its cells.
MAX_WRITTEN_COLUMNS, MAX_WRITTEN_ROWS = 4, 3

# Room for a heading, between two rows, below the last, and beside the cells.
HEADING, BETWEEN_ROWS, AROUND, BESIDE_CELLS = 24, 4, 8, 4

# How much of its colour a cell has, in percent: the smallest number that is not 0, and the largest of the picture.
LIGHTEST, DARKEST = 6, 40

# Room between the cells of a value and of its derivative, which stand beside each other in a box with bare cells.
BETWEEN_BARE = 8


def cell_size(shape: tuple[int, ...], bare: bool = False) -> tuple[int, int]:
    """Return how wide and how high a cell of an array is, in points; `bare` cells have no numbers.

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
    """Return how wide and how high the cells of an array are together, in points; below a strip there is a text.

    >>> size_of_cells((3,)), size_of_cells((2, 6)), size_of_cells((40,))
    ((180, 21), (120, 32), (160, 33))
    """
    height, width = cell_sides(shape)
    across, down = cell_size(shape, bare)
    return width * across, height * down + (0 if is_small(shape) else STRIP_TEXT)


def box_width(shape: tuple[int, ...], bare: bool = False) -> int:
    """Return how wide the cells of a box are, in points; those of a derivative stand below or, if `bare`, beside.

    >>> box_width((3,)), box_width((3,), bare=True)
    (184, 132)
    """
    bare = bare and is_small(shape)
    width = size_of_cells(shape, bare)[0]
    return (2 * width + BETWEEN_BARE if bare else width) + BESIDE_CELLS


def box_height(
    shape: tuple[int, ...], contributions: int = 0, bare: bool = False, rows: int = 2
) -> int:
    """Return how high a box is, in points: with `rows` of cells, usually for a value and its derivative.

    One row more is where a contribution lands that is then added to others; a box with `bare` cells has a single row.
    The strips of a large array are never bare, and have no such row.

    >>> box_height((3,)), box_height((3,), contributions=2), box_height((3,), bare=True)
    (78, 103, 48)
    """
    if contributions > 1 and is_small(shape):
        rows += 1
    if bare and is_small(shape):
        rows = 1
    if rows == 0:
        return HEADING + AROUND
    return HEADING + rows * size_of_cells(shape, bare)[1] + (rows - 1) * BETWEEN_ROWS + AROUND


@dataclass(frozen=True)
class Cell:
    """One cell of a small array: its text, its number beside the largest of its kind, and how much colour it has."""

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
    """Return how large a number is beside the largest of its kind, with its sign: −1 to 1; 0 for NaN."""
    if math.isnan(x):
        return 0.0
    if math.isinf(x):
        return math.copysign(1.0, x)
    return max(-1.0, min(1.0, x / most)) if most else 0.0


def shade_of(share: float) -> int:
    """Return how much of its colour a cell has, in percent.

    >>> shade_of(0.0), shade_of(-0.25), shade_of(1.0)
    (0, 23, 40)
    """
    return round(LIGHTEST + (DARKEST - LIGHTEST) * math.sqrt(abs(share))) if share else 0


def largest_entries(numbers: Iterable[tuple[str, Number]]) -> dict[str, float]:
    """Return the largest entry of each kind in arrays, given with their kinds: cells share one scale.

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
