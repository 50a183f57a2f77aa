"""Cells of small arrays: how large they are in a box of the player, and how the rows of a box stand below each other.

The player's script draws the cells. It is given these constants, so that what it draws fits the boxes.
"""

# A cell with its number, and one that is too small for a number: width and height, in points.
WRITTEN_WIDTH, WRITTEN_HEIGHT = 52, 21
BARE_WIDTH, BARE_HEIGHT = 20, 16

# An array of so many columns and rows at most has its numbers in its cells.
MAX_WRITTEN_COLUMNS, MAX_WRITTEN_ROWS = 4, 3

# Room for a heading, between two rows, below the last, and beside the cells.
HEADING, BETWEEN_ROWS, AROUND, BESIDE_CELLS = 24, 4, 8, 4


def cell_size(shape: tuple[int, ...], bare: bool = False) -> tuple[int, int]:
    """Return how wide and how high a cell of a small array is, in points; `bare` cells have no numbers.

    >>> cell_size((3,)), cell_size((2, 6))
    ((52, 21), (20, 16))
    """
    height, width = (1, *shape)[-2:]
    if not bare and width <= MAX_WRITTEN_COLUMNS and height <= MAX_WRITTEN_ROWS:
        return WRITTEN_WIDTH, WRITTEN_HEIGHT
    return BARE_WIDTH, BARE_HEIGHT


def size_of_cells(shape: tuple[int, ...], bare: bool = False) -> tuple[int, int]:
    """Return how wide and how high the cells of a small array are together, in points.

    >>> size_of_cells((3,)), size_of_cells((2, 6))
    ((156, 21), (120, 32))
    """
    height, width = (1, *shape)[-2:]
    across, down = cell_size(shape, bare)
    return width * across, height * down


def box_height(shape: tuple[int, ...], contributions: int = 0, bare: bool = False) -> int:
    """Return how high a box is, in points: with rows of cells for a value and its derivative.

    A third row is where a contribution lands that is then added to others.

    >>> box_height((3,)), box_height((3,), contributions=2)
    (78, 103)
    """
    rows = 2 if contributions < 2 else 3
    return HEADING + rows * size_of_cells(shape, bare)[1] + (rows - 1) * BETWEEN_ROWS + AROUND
