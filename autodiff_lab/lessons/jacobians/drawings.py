"""Pictures for the notebook `jacobians`: a pushed circle, a combination of rows, and coloured columns."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

Array = NDArray[Any]
LETTERS = "ABCDEFGHIJKLMNOPQR"
SHADES = 8  # of the colour map Set2


def show_circle(
    f: Callable[[Array], Array], push: Callable[[Array], Array], x: Array, length: float
) -> None:
    """Show a circle of steps after the pushforward, and after the function itself, divided by the steps' length."""
    angles = np.linspace(0, 2 * np.pi, 121)
    steps = length * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    pushed = np.array([push(step) for step in steps]) / length
    moved = np.array([f(x + step) - f(x) for step in steps]) / length
    plt.plot(*pushed.T, "--", label="push(h)")
    plt.plot(*moved.T, label="garden(x + h) − garden(x)")
    plt.gca().set(
        xlim=(-5.6, 5.6),
        ylim=(-2.8, 4.2),
        xlabel="area, divided by the length of h",
        ylabel="fence, divided",
    )
    gap = np.abs(pushed - moved).max()
    plt.title(f"steps of length {length}: the largest gap is {gap:.2f} of the step")
    plt.legend(loc="upper left")
    plt.show()


def show_pull(rows: Array, pulled: Array) -> None:
    """Show the two rows of a Jacobian as arrows, and a combination of them."""
    axes = plt.gca()
    for row, name, aside in zip(rows, ("row 1", "row 2"), ((6, -14), (-34, 6)), strict=True):
        _draw_arrow(axes, row, "C0", 1.5)
        axes.annotate(name, tuple(row), aside, textcoords="offset points")
    _draw_arrow(axes, pulled, "C1", 3.5)
    axes.set_title(f"the pull brings ({pulled[0]:g}, {pulled[1]:g})")
    axes.set(
        xlim=(-11, 13),
        ylim=(-9, 9),
        xlabel="slope with respect to a",
        ylabel="slope with respect to b",
    )
    plt.show()


def show_colours(pattern: Array, colour: Array) -> None:
    """Show the colour of each column, and next to it the sums of the columns with the same colour."""
    count = colour.max() + 1
    sums = np.stack([pattern[:, colour == c].any(axis=1) for c in range(count)], axis=1)
    n = pattern.shape[1]
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6), width_ratios=(n, count))
    _paint(left, pattern, colour, f"{n} columns")
    _paint(right, sums, np.arange(count), f"{count} pushes")
    plt.show()


def show_both_ways(pattern: Array, by_columns: Array, by_rows: Array) -> None:
    """Show the colours of a pattern's columns next to those of its rows."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
    _paint(left, pattern, by_columns, f"by columns: {by_columns.max() + 1}")
    _paint(right, pattern.T, by_rows, f"by rows (transposed): {by_rows.max() + 1}")
    plt.show()


def _draw_arrow(axes: Axes, tip: Array, color: str, width: float) -> None:
    axes.annotate(
        "", tuple(tip), (0, 0), arrowprops={"arrowstyle": "->", "color": color, "linewidth": width}
    )


def _paint(axes: Axes, pattern: Array, colour: Array, title: str) -> None:
    axes.imshow(np.where(pattern, colour % SHADES, np.nan), cmap="Set2", vmin=0, vmax=SHADES - 1)
    for i, j in np.argwhere(pattern):
        axes.text(j, i, LETTERS[colour[j]], ha="center", va="center", color="black")
    axes.set_title(title)
    axes.grid(False)
