"""Landscapes: functions of one or two numbers as curves and contour lines, with tangent, gradient or path."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_rgba

from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.figures.plots.style import Plot, open_plot
from autodiff_lab.figures.style.themes import BLUE, Theme
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.signatures import argument_names, name_of

_FINE = 241
_GRID = 61
_ARROWS = 11
_LEVELS = 12

# From where to where.
Span = tuple[float, float]


def plot_tangent(
    f: Callable[..., Any],
    *args: Any,
    span: float | Span | Sequence[Span] | None = None,
    theme: str = "auto",
) -> Plot:
    """Plot a function of one number with its tangent, or of two numbers with its gradient field.

    Parameters
    ----------
    f : callable
        Takes one number, two numbers, or an array of two; returns a number.
    *args : number, or array of two
        Where the tangent touches, or the gradient is singled out.
    span : float, pair, or pair of pairs, optional
        How far to each side to look; or from where to where, for one number or for each. By default 2.
    theme : {"auto", "light", "dark"}
        Whether it turns dark with the page, or has fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    InputError
        If there are not one or two numbers, or `f` does not return a number.

    See Also
    --------
    plot_descent : The path of a method.
    grad : The gradient alone.

    Examples
    --------
    >>> plot_tangent(lambda x: x**2, 3.0).description
    'The function of x from 1 to 5. At x = 3 the value is 9 and the tangent has the slope 6.'
    """
    f, point, names, title = _numbers_only(f, args)
    spans, slopes, value = _spans(point, span), _gradient_at(f, point), float(f(*point))
    at, shown, slope = _at(names, point), number(value), ", ".join(map(number, slopes))
    if len(point) == 1:
        with open_plot(theme) as (figure, axes, colours):
            _draw_curve(axes, f, spans[0], names[0], colours)
            x, limits = np.array(spans[0]), axes.get_ylim()
            line = value + slopes[0] * (x - point[0])
            axes.plot(x, line, "--", color=colours.tangent, label=f"tangent, slope {slope}")
            axes.plot(point, [value], "o", color=colours.tangent, markersize=9)
            axes.set_ylim(limits)
            axes.set_title(f"At {at}: value {shown}, slope {slope}")
            axes.legend(loc="best")
        figure.description = (
            f"{title[0].upper()}{title[1:]} of {_ranges(names, spans)}. "
            f"At {at} the value is {shown} and the tangent has the slope {slope}."
        )
        return figure
    with open_plot(theme, 6.6, 5.4) as (figure, axes, colours):
        _draw_contours(axes, f, spans, names, colours)
        _draw_arrows(axes, f, spans, colours)
        _draw_point(axes, point, slopes, spans, colours)
        axes.set_title(f"At {at}: gradient ({slope})")
    figure.description = (
        f"Contour lines of {title} for {_ranges(names, spans)}, with arrows along its gradient. At {at} the value is "
        f"{shown} and the gradient is ({slope}); it stands at a right angle to the contour line and points uphill."
    )
    return figure


def plot_descent(
    f: Callable[..., Any], path: Any, *, span: Any = None, theme: str = "auto"
) -> Plot:
    """Plot the landscape of `f` and the points that a method went through, one after the other.

    Parameters
    ----------
    f : callable
        Takes one number, two numbers, or an array of two; returns a number.
    path : array_like of shape (k,) or (k, 2)
        The points, the start first.
    span : pair, or pair of pairs, optional
        From where to where to look; by default as far as the path goes, and some air.
    theme : {"auto", "light", "dark"}
        Whether it turns dark with the page, or has fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    ShapeError
        If the path has not this shape.

    See Also
    --------
    plot_tangent : A function with its tangent or gradient field.
    GradientDescent : Descend by the gradient alone.

    Examples
    --------
    >>> plot_descent(lambda x: x**2, [2.0, 1.0, 0.5]).description
    'Path of 2 steps on the function. It starts at x = 2, value 4, and ends at x = 0.5, value 0.25.'
    """
    points = np.asarray(path, dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or points.shape[1] not in (1, 2) or not len(points):
        raise ShapeError(
            f"A path is a list of numbers or of pairs, with one point at least; this has shape {np.shape(path)}."
        )
    f, start, names, title = _numbers_only(f, _arguments(f, points[0]))
    heights = [float(f(*point)) for point in points.tolist()]
    if span is None:
        air = 0.15 * np.maximum(np.ptp(points, axis=0), 0.5)
        span = list(
            zip(
                (points.min(axis=0) - air).tolist(),
                (points.max(axis=0) + air).tolist(),
                strict=True,
            )
        )
        span = span[0] if len(span) == 1 else span
    spans = _spans(start, span)
    count = len(points) - 1
    steps = f"{count} step{'s' * (count != 1)}"
    first, last = number(heights[0]), number(heights[-1])
    curve = len(start) == 1
    with open_plot(theme, 6.6, 4.4 if curve else 5.4) as (figure, axes, colours):
        if curve:
            _draw_curve(axes, f, spans[0], names[0], colours)
        else:
            _draw_contours(axes, f, spans, names, colours)
        across, up = (points[:, 0], heights) if curve else points.T
        ink = colours.adjoint
        hollow: dict[str, Any] = {"markerfacecolor": colours.paper, "markeredgewidth": 2}
        axes.plot(across, up, "--", color=ink, marker="o" if count <= 40 else "", markersize=5)
        axes.plot(
            across[0], up[0], "s", color=ink, markersize=9, label=f"start, value {first}", **hollow
        )
        axes.plot(
            across[-1], up[-1], "*", color=ink, markersize=15, label=f"after {steps}, value {last}"
        )
        if curve:
            axes.legend(loc="best")
        else:
            axes.set(xlim=spans[0], ylim=spans[1])
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=1)
        axes.set_title(f"{steps} on {title}")
    figure.description = (
        f"Path of {steps} on {title}. It starts at {_at(names, points[0])}, value {first}, "
        f"and ends at {_at(names, points[-1])}, value {last}."
    )
    return figure


def _at(names: Sequence[str], point: Iterable[float]) -> str:
    return ", ".join(f"{name} = {number(float(x))}" for name, x in zip(names, point, strict=True))


_Numbers = tuple[Callable[..., Any], list[float], list[str], str]


def _numbers_only(f: Callable[..., Any], args: Sequence[Any]) -> _Numbers:
    """The function as one of numbers: an array of two is taken apart."""
    title = _name_in_title(f)
    names = argument_names(f, len(args))
    shapes = [np.shape(x) for x in args]
    if shapes in ([()], [(), ()]):
        g, point = f, [float(x) for x in args]
    elif shapes in ([(1,)], [(2,)]):
        given = f
        point = np.asarray(args[0], dtype=float).tolist()
        names = [f"{names[0]}[{k}]" for k in range(len(point))]

        def g(*numbers: Any) -> Any:
            return given(np.stack(numbers))
    else:
        raise InputError(
            f"A picture has room for one number or two, and {title} was given {len(args)} arguments of shapes "
            f"{', '.join(map(str, shapes))}. Hold the others: lambda x, y: {title}(x, y, …)."
        )
    if np.ndim(g(*point)):
        raise InputError(
            f"{title} returns an array of shape {np.shape(g(*point))}; a curve is of one number."
        )
    return g, point, names, title


def _arguments(f: Callable[..., Any], point: np.ndarray) -> tuple[Any, ...]:
    """A point of a path as the arguments of `f`: two numbers if it takes two, else one array."""
    if len(point) == 1:
        return (float(point[0]),)
    try:
        f(*point.tolist())
    except TypeError:
        return (point,)
    return tuple(point.tolist())


def _spans(point: Sequence[float], span: Any) -> list[Span]:
    if span is None or np.ndim(span) == 0:
        reach = 2.0 if span is None else float(span)
        pairs = [(x - reach, x + reach) for x in point]
    else:
        pairs = [span] if np.ndim(span) == 1 else list(span)
    if len(pairs) == 1:
        pairs = pairs * len(point)
    if len(pairs) != len(point) or any(len(pair) != 2 or not pair[0] < pair[1] for pair in pairs):
        raise InputError(
            f"span={span!r} is not a reach, a pair (from, to), or one such pair for each number."
        )
    return [(float(low), float(high)) for low, high in pairs]


def _ranges(names: Sequence[str], spans: Sequence[Span]) -> str:
    return " and ".join(
        f"{name} from {number(low)} to {number(high)}"
        for name, (low, high) in zip(names, spans, strict=True)
    )


def _gradient_at(f: Callable[..., Any], point: Sequence[float]) -> list[float]:
    """Evaluate the gradient of a function of numbers."""
    return [float(g) for g in grad(f, tuple(range(len(point))))(*point)]


def _draw_curve(axes: Axes, f: Callable[..., Any], span: Span, name: str, colours: Theme) -> None:
    """Draw a function of one number; where it has no value, its curve has a gap."""
    x = np.linspace(*span, _FINE)
    with np.errstate(all="ignore"):
        y = np.array([float(f(t)) for t in x])
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), color=colours.value, label="function")
    axes.set(xlabel=name, ylabel="value")
    axes.margins(x=0, y=0.12)
    bottom, top = (
        np.nanquantile(y[np.isfinite(y)], (0.03, 0.97)) if np.isfinite(y).any() else (0.0, 0.0)
    )
    low, high = axes.get_ylim()
    if 0 < 8 * (top - bottom) < high - low:
        # Beside a pole nothing else could be seen.
        axes.set_ylim(bottom - (top - bottom) / 4, top + (top - bottom) / 4)


def _draw_contours(
    axes: Axes, f: Callable[..., Any], spans: Sequence[Span], names: Sequence[str], colours: Theme
) -> None:
    """Draw contour lines at even shares of the picture, so that a narrow valley shows as well; darker is higher."""
    x, y = (np.linspace(*span, _GRID) for span in spans)
    with np.errstate(all="ignore"):
        z = np.array([[float(f(a, b)) for a in x] for b in y])
    z = np.where(np.isfinite(z), z, np.nan)
    axes.grid(False)
    axes.set(xlabel=names[0], ylabel=names[1])
    levels = (
        np.unique(np.nanquantile(z, np.linspace(0, 1, _LEVELS + 2)))
        if np.isfinite(z).any()
        else np.array([])
    )
    if len(levels) < 3:
        return
    shades = LinearSegmentedColormap.from_list(
        "height", [to_rgba(BLUE, 0.0), to_rgba(BLUE, 0.45)], N=_LEVELS + 1
    )
    axes.contourf(x, y, z, levels=levels, cmap=shades, norm=BoundaryNorm(levels, _LEVELS + 1))
    lines = axes.contour(x, y, z, levels=levels[1:-1], colors=colours.line, linewidths=0.9)
    labels = axes.clabel(
        lines,
        np.asarray(lines.levels)[1::3],
        fmt=lambda level: number(float(f"{level:.3g}")),
        fontsize=10.5,
    )
    for label in labels:  # on paper, so that no line runs through it
        label.set(
            color=colours.ink, bbox={"facecolor": colours.paper, "edgecolor": "none", "pad": 1.5}
        )


def _draw_arrows(axes: Axes, f: Callable[..., Any], spans: Sequence[Span], colours: Theme) -> None:
    """Draw arrows along the gradient; long gradients are drawn shorter than they are, or they would hide the rest."""
    cells = [(np.arange(_ARROWS) + 0.5) / _ARROWS * (high - low) + low for low, high in spans]
    points = np.stack([x.ravel() for x in np.meshgrid(*cells)])
    with np.errstate(all="ignore"):
        arrows = np.array([_gradient_at(f, point) for point in points.T.tolist()])
    length = np.hypot(*arrows.T)
    usual = np.nanmedian(length[np.isfinite(length)]) if np.isfinite(length).any() else 0.0
    if not usual > 0:
        return
    shown = np.where(
        np.isfinite(length) & (length > 0),
        np.tanh(length / usual) / np.maximum(length, 1e-300),
        np.nan,
    )
    look: dict[str, Any] = {"color": colours.soft_ink, "angles": "uv", "pivot": "mid"}
    axes.quiver(
        *points, *(arrows.T * shown), scale=_ARROWS * 1.25, width=0.0035, headwidth=4.5, **look
    )


def _draw_point(
    axes: Axes,
    point: Sequence[float],
    slopes: Sequence[float],
    spans: Sequence[Span],
    colours: Theme,
) -> None:
    """Draw one point and the direction of its gradient, large."""
    axes.plot(*([x] for x in point), "o", color=colours.adjoint, markersize=8)
    length = math.hypot(*slopes)
    if length > 0:
        axes.quiver(
            *point,
            *(s / length for s in slopes),
            color=colours.adjoint,
            angles="uv",
            scale=5.0,
            width=0.009,
        )
    axes.set(xlim=spans[0], ylim=spans[1])


def _name_in_title(f: Callable[..., Any]) -> str:
    """Name a function for the title of a plot.

    >>> _name_in_title(abs), _name_in_title(lambda x: x)
    ('abs', 'the function')
    """
    name = name_of(f)
    return "the function" if "<lambda>" in name else name
