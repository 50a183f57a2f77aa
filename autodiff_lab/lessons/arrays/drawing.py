"""A picture for the notebook `arrays`: small arrays side by side, with their numbers."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike


def show(arrays: Mapping[str, ArrayLike]) -> None:
    """Show small arrays side by side, each under its name.

    A darker cell holds a larger number, on one scale for all the arrays.

    Parameters
    ----------
    arrays : mapping from str to array
        The names and the arrays: numbers, rows or matrices.
    """
    grids = [np.atleast_2d(np.asarray(array)) for array in arrays.values()]
    columns = [grid.shape[1] for grid in grids]
    rows = max(len(grid) for grid in grids)
    low = min(np.min(grid) for grid in grids)
    high = max(np.max(grid) for grid in grids)
    _, axes = plt.subplots(1, len(grids), figsize=(6.6, 0.5 + 0.42 * rows), width_ratios=columns)
    for axis, name, grid in zip(np.ravel(axes), arrays, grids, strict=True):
        axis.imshow(grid, cmap="Blues", alpha=0.4, aspect="auto", vmin=low, vmax=high)
        for (row, column), number in np.ndenumerate(grid):
            axis.text(column, row, f"{number:.3g}", ha="center", va="center")
        axis.set_title(name)
        axis.set_ylim(rows - 0.5, -0.5)
        axis.axis("off")
    plt.show()
