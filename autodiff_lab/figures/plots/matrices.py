"""Plots of matrices, as Jacobians and Hessians: every number where there is room, else a heat map or the pattern."""

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

_WRITTEN_OUT = 8
_SIGNED = 20
_LABELLED = 12
_LONGEST_NAME = 12
# Inches.
_LETTER = 0.09
# Half transparent at most, so that numbers can be read on any cell and the page's own colour is the zero.
_STRONGEST = 0.58
# Okabe and Ito's light blue: on a dark page their blue would not stand out.
_BELOW, _ABOVE = "#56B4E9", VERMILION


def plot_jacobian(
    f: Callable[..., Any], *args: Any, sparsity: bool = False, theme: str = "auto"
) -> Plot:
    """Plot the Jacobian matrix of `f`: a row for each entry of the result, a column for each entry of the arguments.

    Parameters
    ----------
    f : callable
        Returns a number, an array, or several of these.
    *args : number, array, or nested tuples, lists and dicts of these
        Where.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        Whether it turns dark with the page, or has fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    See Also
    --------
    jacobian : The whole Jacobian, in the cheaper mode.
    plot_matrix : Any matrix as a picture.

    Examples
    --------
    >>> plot_jacobian(lambda x: np.stack([x[0] * x[1], x[0]]), np.array([3.0, 2.0])).description
    'Jacobian, 2 rows and 2 columns. Row y[0]: 2 by x[0], 3 by x[1]. Row y[1]: 1 by x[0], 0 by x[1].'
    """
    args = _as_floats(args)
    value, names = f(*args), _entries(argument_names(f, len(args)), args)
    matrix = _join_blocks(jacobian(f, tuple(range(len(args))))(*args), value, args)
    rows = _entries(["y"], (value,))
    return plot_matrix(
        matrix, rows=rows, columns=names, title="Jacobian", sparsity=sparsity, theme=theme
    )


def plot_hessian(
    f: Callable[..., Any], *args: Any, sparsity: bool = False, theme: str = "auto"
) -> Plot:
    """Plot the Hessian matrix of `f`, which returns one number: rows and columns are the entries of the arguments.

    Parameters
    ----------
    f : callable
        Returns one number.
    *args : number, array, or nested tuples, lists and dicts of these
        The point.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        Whether it turns dark with the page, or has fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    See Also
    --------
    hessian : The whole matrix of second derivatives.
    plot_matrix : Any matrix as a picture.

    Examples
    --------
    >>> plot_hessian(lambda x, y: x**2 * y, 3.0, 2.0).description
    'Hessian, 2 rows and 2 columns. Row x: 4 by x, 6 by y. Row y: 6 by x, 0 by y.'
    """
    args = _as_floats(args)
    names = _entries(argument_names(f, len(args)), args)
    matrix = _join_blocks(hessian(f, tuple(range(len(args))))(*args), args, args)
    return plot_matrix(
        matrix, rows=names, columns=names, title="Hessian", sparsity=sparsity, theme=theme
    )


def _as_floats(args: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(pytree.map_leaves(lambda x: np.asarray(x, dtype=float)[()], x) for x in args)


def _join_blocks(blocks: Any, rows: Any, columns: Any) -> np.ndarray:
    """One matrix of the blocks of a derivative, which has one for each leaf of the rows and each of the columns."""
    flat = iter(pytree.flatten(blocks))
    heights, widths = (
        [math.prod(np.shape(leaf)) for leaf in pytree.flatten(tree)] for tree in (rows, columns)
    )
    return np.block([[np.reshape(next(flat), (m, n)) for n in widths] for m in heights])


def _entries(names: Sequence[str], values: Sequence[Any]) -> list[str]:
    """What to call every entry of nested arrays: ``x``, ``x[0]``, ``p['w'][0, 1]``."""
    called = []
    for name, value in zip(names, values, strict=True):
        for path, leaf in zip(pytree.paths(name, value), pytree.flatten(value), strict=True):
            places = np.ndindex(np.shape(leaf))
            called += [
                f"{path}[{', '.join(map(str, place))}]" if place else path for place in places
            ]
    return called


def plot_matrix(
    matrix: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "Matrix",
    sparsity: bool = False,
    theme: str = "auto",
) -> Plot:
    """Plot a matrix: with its numbers up to 8 by 8, as a heat map beyond, or only where it is not 0.

    Parameters
    ----------
    matrix : array_like of shape (m, n)
        The numbers.
    rows, columns : sequence of str, optional
        What to call them; by default their numbers.
    title : str
        What to call the matrix.
    sparsity : bool
        Show only which entries are not 0.
    theme : {"auto", "light", "dark"}
        Whether it turns dark with the page, or has fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    ShapeError
        If it is not a matrix, or the names do not fit it.

    See Also
    --------
    plot_jacobian : The Jacobian as a picture.
    plot_hessian : The Hessian as a picture.

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
    names = []
    for given, count, which in ((rows, m, "rows"), (columns, n, "columns")):
        names.append(list(map(str, range(count)) if given is None else given))
        if len(names[-1]) != count:
            raise ShapeError(
                f"{which} has {len(names[-1])} names, and the matrix has {count} {which}."
            )
    written = not sparsity and max(m, n) <= _WRITTEN_OUT
    longest = max(len(_short(x)) for x in matrix.flat) if written else 0
    side = 0.3 + 0.105 * max(longest, 5) if written else max(0.1, min(0.42, 5.0 / max(m, n)))
    width = max(3.6, side * n + 1.4 + (0.0 if written or sparsity else 0.9))
    with open_plot(theme, width, max(2.2, (0.55 if written else side) * m + 1.2)) as (
        figure,
        axes,
        colours,
    ):
        if sparsity:
            _pattern(axes, matrix, colours)
        else:
            _heat(figure, axes, matrix, bar=not written)
        if not sparsity and max(m, n) <= _SIGNED:
            _numbers(axes, matrix, colours, written)
        _frame(axes, names, colours, side)
        axes.set_title(title, pad=10)
    figure.description = _describe_matrix(title, matrix, names, written)
    return figure


def _heat(figure: Plot, axes: Axes, matrix: np.ndarray, bar: bool) -> None:
    """What is not 0 is tinted, be it ever so small; what is 0 has the colour of the page."""
    finite = np.abs(matrix[np.isfinite(matrix)])
    most = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    stops = ((0.0, _BELOW, 1), (0.5, _BELOW, 0.2), (0.5, _ABOVE, 0.2), (1.0, _ABOVE, 1))
    shades = [(place, to_rgba(hue, share * _STRONGEST)) for place, hue, share in stops]
    blend = LinearSegmentedColormap.from_list("below and above 0", shades, N=256)
    colours = ScalarMappable(
        Normalize(-most, most), blend.with_extremes(bad=to_rgba("#808080", 0.5))
    )
    picture = colours.to_rgba(np.ma.masked_invalid(matrix))
    picture[matrix == 0] = 0.0
    axes.imshow(picture, aspect="auto", interpolation="nearest")
    if bar:
        legend = figure.colorbar(colours, ax=axes, ticks=[-most, 0.0, most])
        legend.ax.set_yticklabels([number(-most), "0", number(most)])
        legend.outline.set_visible(False)


def _numbers(axes: Axes, matrix: np.ndarray, colours: Theme, written: bool) -> None:
    """The numbers; or where there is no room for them, the minus signs, so that colour does not stand alone."""
    for (i, j), x in np.ndenumerate(matrix):
        if text := _short(x) if written else "−" if x < 0 else "":
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                color=colours.soft_ink if x == 0 else colours.ink,
            )


def _short(x: float) -> str:
    return number(float(f"{x:.4g}"))


def _pattern(axes: Axes, matrix: np.ndarray, colours: Theme) -> None:
    pattern = LinearSegmentedColormap.from_list(
        "not 0", [to_rgba(BLUE, 0.0), to_rgba(BLUE, 1.0)], N=2
    )
    axes.imshow(matrix != 0, cmap=pattern, vmin=0, vmax=1, aspect="auto", interpolation="nearest")


def _ending(name: str) -> str:
    """The end of a long name: entries of one array differ there."""
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"


def _frame(axes: Axes, names: Sequence[Sequence[str]], colours: Theme, side: float) -> None:
    """Names at the rows and columns, as many as there is room for, and lines between the cells."""
    axes.grid(False)
    for axis, called in zip((axes.yaxis, axes.xaxis), names, strict=True):
        count = len(called)
        every = 1 if count <= _LABELLED else 5 * math.ceil(count / 50)
        places = range(0, count, every)
        axis.set_ticks(places, labels=[_ending(called[k]) for k in places])
        if count <= _SIGNED:
            axis.set_ticks([k - 0.5 for k in range(count + 1)], minor=True)
    axes.grid(True, which="minor", color=colours.faint)
    axes.tick_params(which="both", length=0, top=False, labeltop=True, labelbottom=False)
    if len(names[1]) <= _LABELLED and max(len(_ending(name)) for name in names[1]) * _LETTER > side:
        axes.tick_params(axis="x", labelrotation=45)
        for label in axes.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    for spine in axes.spines.values():
        spine.set(visible=True, color=colours.line)


def _describe_matrix(
    title: str, matrix: np.ndarray, names: Sequence[Sequence[str]], written: bool
) -> str:
    m, n = matrix.shape
    start = f"{title}, {m} row{'s' * (m != 1)} and {n} column{'s' * (n != 1)}."
    if written:
        rows = [
            f"Row {name}: {', '.join(f'{number(float(x))} by {by}' for x, by in zip(row, names[1], strict=True))}."
            for name, row in zip(names[0], matrix, strict=True)
        ]
        return " ".join([start, *rows])
    i, j = np.nonzero(matrix)
    if not i.size:
        return f"{start} All entries are 0."
    where = f"they lie between diagonal {number(int((j - i).min()))} and diagonal {number(int((j - i).max()))}."
    return f"{start} {i.size} of {matrix.size} entries are not 0; {where}"
