"""Level curves of a function of two variables, from its values on a grid."""

from collections.abc import Iterable

import numpy as np


def find_contours(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, levels: Iterable[float]
) -> dict[float, list[np.ndarray]]:
    """Find the level curves of the values `z` on a grid: for each level a list of curves, arrays of shape (n, 2)."""
    from contourpy import LineType, contour_generator

    generator = contour_generator(x, y, z, line_type=LineType.Separate)
    return {level: [np.asarray(line) for line in generator.lines(level)] for level in levels}
