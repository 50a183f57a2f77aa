"""Smoke in a box: which wind at the start carries it to where it should be at the end.

Each step moves smoke and wind along the wind (bilinear, backwards in time) and takes away what would compress the air.
"""

from typing import Any

import numpy

SIZE, STEPS, SWEEPS = 7, 3, 6
ROWS, COLUMNS = numpy.meshgrid(numpy.arange(SIZE), numpy.arange(SIZE), indexing="ij")
SMOKE = numpy.exp(-((ROWS - 2.0) ** 2 + (COLUMNS - 2.5) ** 2) / 3)
GOAL = numpy.exp(-((ROWS - 4.0) ** 2 + (COLUMNS - 3.5) ** 2) / 3)
PARAMETERS = {
    "down": 0.6 + 0.3 * numpy.sin(ROWS + 0.7 * COLUMNS),
    "across": 0.4 * numpy.cos(0.8 * ROWS - COLUMNS),
}


def neighbours(np: Any, field: Any) -> Any:
    return (
        np.roll(field, 1, axis=0),
        np.roll(field, -1, axis=0),
        np.roll(field, 1, axis=1),
        np.roll(field, -1, axis=1),
    )


def remove_divergence(np: Any, down: Any, across: Any) -> Any:
    above, below, _, _ = neighbours(np, down)
    _, _, left, right = neighbours(np, across)
    divergence = (below - above + right - left) / 2
    pressure = np.zeros_like(SMOKE)
    for _ in range(SWEEPS):  # Jacobi's iteration
        pressure = (sum(neighbours(np, pressure)) - divergence) / 4
    above, below, left, right = neighbours(np, pressure)
    return down - (below - above) / 2, across - (right - left) / 2


def move(np: Any, field: Any, down: Any, across: Any) -> Any:
    row, column = ROWS - down, COLUMNS - across
    top, left = np.floor(row), np.floor(column)
    part_row, part_column = row - top, column - left
    top, left = top.astype(int) % SIZE, left.astype(int) % SIZE
    bottom, right = (top + 1) % SIZE, (left + 1) % SIZE
    upper = (1 - part_column) * field[top, left] + part_column * field[top, right]
    lower = (1 - part_column) * field[bottom, left] + part_column * field[bottom, right]
    return (1 - part_row) * upper + part_row * lower


def loss(np: Any, parameters: Any) -> Any:
    down, across, smoke = parameters["down"], parameters["across"], SMOKE
    for _ in range(STEPS):
        down, across = remove_divergence(
            np, move(np, down, down, across), move(np, across, down, across)
        )
        smoke = move(np, smoke, down, across)
    return np.mean((smoke - GOAL) ** 2)
