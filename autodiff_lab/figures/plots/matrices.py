"""Plots of matrices such as Jacobians and Hessians: as numbers if there is room, as a heat map, or as a pattern."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_rgba

from autodiff_lab.engine.errors import ShapeError
from autodiff_lab.figures.plots.style import Plot, open_plot
from autodiff_lab.figures.style.themes import BLUE, VERMILION, Theme
from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms import pytree
from autodiff_lab.transforms.jacobians import hessian, jacobian
from autodiff_lab.transforms.signatures import argument_names

# The most rows or columns of a matrix whose cells show their numbers, or at least their minus signs.
_MAX_WITH_NUMBERS = 8
_MAX_WITH_SIGNS = 20
# The most rows or columns that all have a label, and the length of a label.
_MAX_WITH_LABELS = 12
_LONGEST_LABEL = 12
# The width of a letter of a label, in inches.
_LETTER = 0.09
# The opacity of the largest number's cell, so that the number in it is readable on a light and on a dark page.
_STRONGEST = 0.58
# For negative numbers Okabe and Ito's light blue: on a dark page their blue would not stand out.
_NEGATIVE = "#56B4E9"
_POSITIVE = VERMILION


def plot_jacobian(
    f: Callable[..., Any], *args: Any, sparsity: bool = False, theme: str = "auto"
) -> Plot:
    """Plot the Jacobian matrix of `f`: a row for each element of the result, a column for each of the arguments.

    Parameters
    ----------
    f : callable
        Returns a number, an array, or several of these.
    *args : number, array, or nested tuples, lists and dicts of these
        The point.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        ``"auto"`` turns dark on a dark page; the others have fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    See Also
    --------
    jacobian : The Jacobian itself, computed in the cheaper mode.
    plot_matrix : Plot any matrix.

    Examples
    --------
    >>> plot_jacobian(lambda x: np.stack([x[0] * x[1], x[0]]), np.array([3.0, 2.0])).description
    'Jacobian, 2 rows and 2 columns. Row y[0]: 2 by x[0], 3 by x[1]. Row y[1]: 1 by x[0], 0 by x[1].'
    """
    args = _as_floats(args)
    value = f(*args)
    blocks = jacobian(f, tuple(range(len(args))))(*args)
    return plot_matrix(
        _join_blocks(blocks, value, args),
        rows=_name_elements(["y"], (value,)),
        columns=_name_elements(argument_names(f, len(args)), args),
        title="Jacobian",
        sparsity=sparsity,
        theme=theme,
    )


def plot_hessian(
    f: Callable[..., Any], *args: Any, sparsity: bool = False, theme: str = "auto"
) -> Plot:
    """Plot the Hessian matrix of `f`, with a row and a column for each element of the arguments.

    Parameters
    ----------
    f : callable
        Returns one number.
    *args : number, array, or nested tuples, lists and dicts of these
        The point.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        ``"auto"`` turns dark on a dark page; the others have fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    See Also
    --------
    hessian : The matrix of second derivatives itself.
    plot_matrix : Plot any matrix.

    Examples
    --------
    >>> plot_hessian(lambda x, y: x**2 * y, 3.0, 2.0).description
    'Hessian, 2 rows and 2 columns. Row x: 4 by x, 6 by y. Row y: 6 by x, 0 by y.'
    """
    args = _as_floats(args)
    blocks = hessian(f, tuple(range(len(args))))(*args)
    matrix = _join_blocks(blocks, args, args)
    names = _name_elements(argument_names(f, len(args)), args)
    return plot_matrix(
        matrix, rows=names, columns=names, title="Hessian", sparsity=sparsity, theme=theme
    )


def _as_floats(args: Sequence[Any]) -> tuple[Any, ...]:
    """Convert the numbers in all arguments to floats: integers can't be differentiated."""
    return tuple(pytree.map_leaves(lambda x: np.asarray(x, dtype=float)[()], x) for x in args)


def _join_blocks(blocks: Any, rows: Any, columns: Any) -> np.ndarray:
    """Join the blocks of a derivative, one for each pair of a leaf of `rows` and a leaf of `columns`, to one matrix."""
    heights = [math.prod(np.shape(leaf)) for leaf in pytree.flatten(rows)]
    widths = [math.prod(np.shape(leaf)) for leaf in pytree.flatten(columns)]
    remaining = iter(pytree.flatten(blocks))
    return np.block([[np.reshape(next(remaining), (m, n)) for n in widths] for m in heights])


def _name_elements(names: Sequence[str], values: Sequence[Any]) -> list[str]:
    """Name every element of nested arrays: ``x``, ``x[0]``, ``p['w'][0, 1]``."""
    element_names = []
    for name, value in zip(names, values, strict=True):
        for path, leaf in zip(pytree.paths(name, value), pytree.flatten(value), strict=True):
            for index in np.ndindex(np.shape(leaf)):
                inside = ", ".join(map(str, index))
                element_names.append(f"{path}[{inside}]" if inside else path)
    return element_names


def plot_matrix(
    matrix: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "Matrix",
    sparsity: bool = False,
    theme: str = "auto",
) -> Plot:
    """Plot a matrix: with its numbers up to 8 by 8, a larger one as a heat map; or only the pattern of its entries.

    Parameters
    ----------
    matrix : array_like of shape (m, n)
        The numbers.
    rows, columns : sequence of str, optional
        Their labels. By default these are 0, 1, 2 and so on.
    title : str
        The heading, which also begins the description.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        ``"auto"`` turns dark on a dark page; the others have fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    ShapeError
        If `matrix` isn't a matrix, or the number of labels is wrong.

    See Also
    --------
    plot_jacobian : Plot the Jacobian of a function.
    plot_hessian : Plot the Hessian of a function.

    Examples
    --------
    >>> plot_matrix(np.eye(30), sparsity=True).description
    'Matrix, 30 rows and 30 columns. 30 of 900 entries are not 0; they lie between diagonal 0 and diagonal 0.'
    """
    check_choice("plot_matrix", "sparsity", sparsity, (True, False))
    matrix = np.asarray(matrix, dtype=float)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ShapeError(
            f"A matrix has rows and columns; this has shape {matrix.shape}. Reshape it, or pick a block."
        )
    m, n = matrix.shape
    names = (_read_labels("rows", rows, m), _read_labels("columns", columns, n))
    has_numbers = not sparsity and max(m, n) <= _MAX_WITH_NUMBERS
    cell_width, cell_height = _cell_size(matrix, has_numbers)
    has_bar = not sparsity and not has_numbers
    width = max(3.6, cell_width * n + 1.4 + (0.9 if has_bar else 0.0))
    height = max(2.2, cell_height * m + 1.2)
    with open_plot(theme, width, height) as (figure, axes, colours):
        if sparsity:
            _draw_pattern(axes, matrix)
        else:
            _draw_heat_map(figure, axes, matrix, has_bar)
        if has_numbers:
            _write_in_cells(axes, matrix, colours, _short)
        elif not sparsity and max(m, n) <= _MAX_WITH_SIGNS:
            # So that colour isn't the only sign of a negative number.
            _write_in_cells(axes, matrix, colours, lambda x: "−" if x < 0 else "")
        _draw_frame(axes, names, colours, cell_width)
        axes.set_title(title, pad=10)
    figure.description = _describe_matrix(title, matrix, names, has_numbers)
    return figure


def _read_labels(which: str, labels: Sequence[str] | None, count: int) -> Sequence[str]:
    """Return a user's labels of the rows or columns, or their numbers."""
    if labels is None:
        return [str(k) for k in range(count)]
    if len(labels) != count:
        raise ShapeError(
            f"{which} has {len(labels)} names, and the matrix has {count} {which}: give one name for each."
        )
    return labels


def _cell_size(matrix: np.ndarray, has_numbers: bool) -> tuple[float, float]:
    """Return the width and height of a cell, in inches: large enough for the longest number, or else square."""
    if has_numbers:
        longest = max(5, *(len(_short(x)) for x in matrix.flat))
        return 0.3 + 0.105 * longest, 0.55
    side = max(0.1, min(0.42, 5.0 / max(matrix.shape)))
    return side, side


def _draw_heat_map(figure: Plot, axes: Axes, matrix: np.ndarray, has_bar: bool) -> None:
    """Colour the cells by their numbers; only a 0 has no colour, so that even the smallest number is visible."""
    finite = np.abs(matrix[np.isfinite(matrix)])
    most = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    stops = ((0.0, _NEGATIVE, 1), (0.5, _NEGATIVE, 0.2), (0.5, _POSITIVE, 0.2), (1.0, _POSITIVE, 1))
    shades = [(place, to_rgba(hue, share * _STRONGEST)) for place, hue, share in stops]
    blend = LinearSegmentedColormap.from_list("below and above 0", shades, N=256)
    not_finite = to_rgba("#808080", 0.5)
    colours = ScalarMappable(Normalize(-most, most), blend.with_extremes(bad=not_finite))
    picture = colours.to_rgba(np.ma.masked_invalid(matrix))
    picture[matrix == 0] = 0.0
    axes.imshow(picture, aspect="auto", interpolation="nearest")
    if has_bar:
        bar = figure.colorbar(colours, ax=axes, ticks=[-most, 0.0, most])
        bar.ax.set_yticklabels([number(-most), "0", number(most)])
        bar.outline.set_visible(False)


def _write_in_cells(
    axes: Axes, matrix: np.ndarray, colours: Theme, write: Callable[[float], str]
) -> None:
    """Write a text in each cell, made from its number; a 0 is paler."""
    for (i, j), x in np.ndenumerate(matrix):
        text = write(x)
        if text:
            ink = colours.soft_ink if x == 0 else colours.ink
            axes.text(j, i, text, ha="center", va="center", color=ink)


def _short(x: float) -> str:
    return number(float(f"{x:.4g}"))


def _draw_pattern(axes: Axes, matrix: np.ndarray) -> None:
    """Colour the cells whose entries are not 0."""
    pattern = LinearSegmentedColormap.from_list(
        "not 0", [to_rgba(BLUE, 0.0), to_rgba(BLUE, 1.0)], N=2
    )
    axes.imshow(matrix != 0, cmap=pattern, vmin=0, vmax=1, aspect="auto", interpolation="nearest")


def _shorten(name: str) -> str:
    """Keep only the end of a long name, because the elements of one array differ there."""
    return name if len(name) <= _LONGEST_LABEL else f"…{name[1 - _LONGEST_LABEL :]}"


def _draw_frame(
    axes: Axes, names: Sequence[Sequence[str]], colours: Theme, cell_width: float
) -> None:
    """Label the rows and columns, as many as there is room for, and draw lines between the cells."""
    axes.grid(False)
    for axis, labels in zip((axes.yaxis, axes.xaxis), names, strict=True):
        count = len(labels)
        every = 1 if count <= _MAX_WITH_LABELS else 5 * math.ceil(count / 50)
        places = range(0, count, every)
        axis.set_ticks(places, labels=[_shorten(labels[k]) for k in places])
        if count <= _MAX_WITH_SIGNS:
            axis.set_ticks([k - 0.5 for k in range(count + 1)], minor=True)
    axes.grid(True, which="minor", color=colours.faint)
    axes.tick_params(which="both", length=0, top=False, labeltop=True, labelbottom=False)
    columns = names[1]
    longest = max(len(_shorten(name)) for name in columns)
    if len(columns) <= _MAX_WITH_LABELS and longest * _LETTER > cell_width:
        axes.tick_params(axis="x", labelrotation=45)
        for label in axes.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    for spine in axes.spines.values():
        spine.set(visible=True, color=colours.line)


def _describe_matrix(
    title: str, matrix: np.ndarray, names: Sequence[Sequence[str]], has_numbers: bool
) -> str:
    """Describe a matrix in words: all of its numbers if they are shown, otherwise where it isn't 0."""
    m, n = matrix.shape
    size = f"{title}, {m} row{'s' * (m != 1)} and {n} column{'s' * (n != 1)}."
    if has_numbers:
        sentences = [size]
        for row_name, row in zip(names[0], matrix, strict=True):
            entries = [f"{number(float(x))} by {by}" for x, by in zip(row, names[1], strict=True)]
            sentences.append(f"Row {row_name}: {', '.join(entries)}.")
        return " ".join(sentences)
    i, j = np.nonzero(matrix)
    if not i.size:
        return f"{size} All entries are 0."
    lowest = number(int((j - i).min()))
    highest = number(int((j - i).max()))
    return (
        f"{size} {i.size} of {matrix.size} entries are not 0; "
        f"they lie between diagonal {lowest} and diagonal {highest}."
    )
