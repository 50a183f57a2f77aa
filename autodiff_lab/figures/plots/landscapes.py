"""Landscapes: functions of one or two numbers as curves and contour lines, with tangent, gradient or path."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_rgba

from autodiff_lab.engine.errors import InputError, ShapeError
from autodiff_lab.figures.plots.style import Plot, open_plot
from autodiff_lab.figures.style.themes import BLUE, Theme
from autodiff_lab.text.numbers import number
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.signatures import argument_names, name_of

_N_CURVE_POINTS = 241
_N_GRID_POINTS = 61  # in each direction, for the contour lines
_N_ARROWS = 11  # in each direction
_N_LEVELS = 12
_MOST_MARKERS = 41  # a longer path is a line without a marker for each point

# The two ends of an axis.
Span = tuple[float, float]


class _Landscape(NamedTuple):
    """A function of one or two numbers, a point, the names of its coordinates, and a title for the function."""

    f: Callable[..., Any]
    point: list[float]
    names: list[str]
    title: str


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
        The point at which the tangent touches, or whose gradient is drawn large.
    span : float, pair, or pair of pairs, optional
        How far the axes reach to each side of the point (2 by default); or the two ends of an axis, one pair for both
        axes or one for each.
    theme : {"auto", "light", "dark"}
        ``"auto"`` turns dark on a dark page; the others have fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    InputError
        If the arguments aren't one or two numbers, or `f` doesn't return a number.

    See Also
    --------
    plot_descent : The path of a method.
    grad : The gradient alone.

    Examples
    --------
    >>> plot_tangent(lambda x: x**2, 3.0).description
    'The function of x from 1 to 5. At x = 3 the value is 9 and the tangent has the slope 6.'
    """
    landscape = _as_function_of_numbers(f, args)
    spans = _read_spans(landscape.point, span)
    if len(landscape.point) == 1:
        return _plot_curve(landscape, spans, theme)
    return _plot_gradient_field(landscape, spans, theme)


def _plot_curve(landscape: _Landscape, spans: Sequence[Span], theme: str) -> Plot:
    """Plot a function of one number, and its tangent at a point."""
    f, point, names, title = landscape
    at = _write_point(names, point)
    value = float(f(*point))
    (slope,) = _gradient_at(f, point)
    with open_plot(theme) as (figure, axes, colours):
        _draw_curve(axes, f, spans[0], names[0], colours)
        limits = axes.get_ylim()
        x = np.array(spans[0])
        tangent = value + slope * (x - point[0])
        label = f"tangent, slope {number(slope)}"
        axes.plot(x, tangent, "--", color=colours.tangent, label=label)
        axes.plot(point, [value], "o", color=colours.tangent, markersize=9)
        axes.set_ylim(limits)  # a steep tangent would make the curve look flat
        axes.set_title(f"At {at}: value {number(value)}, slope {number(slope)}")
        axes.legend(loc="best")
    figure.description = (
        f"{title[0].upper()}{title[1:]} of {_write_ranges(names, spans)}. "
        f"At {at} the value is {number(value)} and the tangent has the slope {number(slope)}."
    )
    return figure


def _plot_gradient_field(landscape: _Landscape, spans: Sequence[Span], theme: str) -> Plot:
    """Plot the contour lines and the gradient field of a function of two numbers, and its gradient at a point."""
    f, point, names, title = landscape
    at = _write_point(names, point)
    value = number(float(f(*point)))
    slopes = _gradient_at(f, point)
    gradient = ", ".join(map(number, slopes))
    with open_plot(theme, 6.6, 5.4) as (figure, axes, colours):
        _draw_contours(axes, f, spans, names, colours)
        _draw_arrows(axes, f, spans, colours)
        _draw_point(axes, point, slopes, spans, colours)
        axes.set_title(f"At {at}: gradient ({gradient})")
    figure.description = (
        f"Contour lines of {title} for {_write_ranges(names, spans)}, with arrows along its gradient. At {at} the "
        f"value is {value} and the gradient is ({gradient}); it is perpendicular to the contour line and points uphill."
    )
    return figure


def plot_descent(
    f: Callable[..., Any], path: Any, *, span: Any = None, theme: str = "auto"
) -> Plot:
    """Plot the landscape of `f` and the path of an optimizer through it.

    Parameters
    ----------
    f : callable
        Takes one number, two numbers, or an array of two; returns a number.
    path : array_like of shape (k,) or (k, 2)
        The points of the path, in order.
    span : pair, or pair of pairs, optional
        The two ends of an axis, one pair for both axes or one for each; by default they enclose the path.
    theme : {"auto", "light", "dark"}
        ``"auto"`` turns dark on a dark page; the others have fixed colours.

    Returns
    -------
    Plot
        A matplotlib figure.

    Raises
    ------
    ShapeError
        If the path has a different shape, or no points.

    See Also
    --------
    plot_tangent : A function with its tangent or its gradient field.
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
            "A path is a list of numbers or of pairs, with at least one point; "
            f"this one has shape {np.shape(path)}."
        )
    f, start, names, title = _as_function_of_numbers(f, _arguments_of(f, points[0]))
    heights = [float(f(*point)) for point in points.tolist()]
    spans = _spans_around(points) if span is None else _read_spans(start, span)
    n_steps = len(points) - 1
    steps = "1 step" if n_steps == 1 else f"{n_steps} steps"
    first = number(heights[0])
    last = number(heights[-1])
    is_curve = len(start) == 1
    with open_plot(theme, 6.6, 4.4 if is_curve else 5.4) as (figure, axes, colours):
        if is_curve:
            _draw_curve(axes, f, spans[0], names[0], colours)
            across, up = points[:, 0], heights
        else:
            _draw_contours(axes, f, spans, names, colours)
            across, up = points.T
        ink = colours.adjoint
        marker = "o" if len(points) <= _MOST_MARKERS else ""
        axes.plot(across, up, "--", color=ink, marker=marker, markersize=5)
        hollow: dict[str, Any] = {"markerfacecolor": colours.paper, "markeredgewidth": 2}
        label = f"start, value {first}"
        axes.plot(across[0], up[0], "s", color=ink, markersize=9, label=label, **hollow)
        label = f"after {steps}, value {last}"
        axes.plot(across[-1], up[-1], "*", color=ink, markersize=15, label=label)
        if is_curve:
            axes.legend(loc="best")
        else:
            axes.set(xlim=spans[0], ylim=spans[1])
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=1)
        axes.set_title(f"{steps} on {title}")
    figure.description = (
        f"Path of {steps} on {title}. It starts at {_write_point(names, points[0])}, value {first}, "
        f"and ends at {_write_point(names, points[-1])}, value {last}."
    )
    return figure


def _write_point(names: Sequence[str], point: Iterable[float]) -> str:
    """Write a point with the names of its coordinates.

    >>> _write_point(["x", "y"], [2.0, 0.5])
    'x = 2, y = 0.5'
    """
    return ", ".join(f"{name} = {number(float(x))}" for name, x in zip(names, point, strict=True))


def _write_ranges(names: Sequence[str], spans: Sequence[Span]) -> str:
    """Write the ends of the axes.

    >>> _write_ranges(["x"], [(1.0, 5.0)])
    'x from 1 to 5'
    """
    ranges = [
        f"{name} from {number(low)} to {number(high)}"
        for name, (low, high) in zip(names, spans, strict=True)
    ]
    return " and ".join(ranges)


def _as_function_of_numbers(f: Callable[..., Any], args: Sequence[Any]) -> _Landscape:
    """Return `f` as a function of one or two numbers, together with these numbers, their names and a title for `f`.

    A function of an array of two becomes one of its elements.
    """
    title = _name_in_title(f)
    names = argument_names(f, len(args))
    shapes = [np.shape(x) for x in args]
    if shapes in ([()], [(), ()]):
        of_numbers = f
        point = [float(x) for x in args]
    elif shapes in ([(1,)], [(2,)]):
        point = np.asarray(args[0], dtype=float).tolist()
        names = [f"{names[0]}[{k}]" for k in range(len(point))]

        def of_numbers(*numbers: Any) -> Any:
            return f(np.stack(numbers))
    else:
        raise InputError(
            f"A plot has room for one or two numbers, and {title} was given {len(args)} arguments of shapes "
            f"{', '.join(map(str, shapes))}. Hold the others: lambda x, y: {title}(x, y, …)."
        )
    result = of_numbers(*point)
    if np.ndim(result):
        raise InputError(
            f"{title} returns an array of shape {np.shape(result)}, and a plot needs one number: "
            f"plot one element of it, lambda *x: {title}(*x)[0]."
        )
    return _Landscape(of_numbers, point, names, title)


def _arguments_of(f: Callable[..., Any], point: np.ndarray) -> tuple[Any, ...]:
    """Return a point of a path as the arguments of `f`: two numbers if it takes two, else one array."""
    if len(point) == 1:
        return (float(point[0]),)
    try:
        f(*point.tolist())
    except TypeError:
        return (point,)
    return tuple(point.tolist())


def _read_spans(point: Sequence[float], span: Any) -> list[Span]:
    """Read the ends of each axis from a user's `span`."""
    if span is None or np.ndim(span) == 0:
        reach = 2.0 if span is None else float(span)
        return [(x - reach, x + reach) for x in point]
    pairs = [span] if np.ndim(span) == 1 else list(span)
    if len(pairs) == 1:
        pairs = pairs * len(point)
    if len(pairs) != len(point) or any(len(pair) != 2 or not pair[0] < pair[1] for pair in pairs):
        raise InputError(
            f"span={span!r} is not a reach, a pair (from, to), or one such pair for each number."
        )
    return [(float(low), float(high)) for low, high in pairs]


def _spans_around(points: np.ndarray) -> list[Span]:
    """Return the ends of axes that enclose all points, with a margin."""
    margin = 0.15 * np.maximum(np.ptp(points, axis=0), 0.5)
    low = points.min(axis=0) - margin
    high = points.max(axis=0) + margin
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _gradient_at(f: Callable[..., Any], point: Sequence[float]) -> list[float]:
    """Evaluate the gradient of a function of numbers."""
    return [float(g) for g in grad(f, tuple(range(len(point))))(*point)]


def _draw_curve(axes: Axes, f: Callable[..., Any], span: Span, name: str, colours: Theme) -> None:
    """Draw a function of one number; where its value isn't finite, the curve has a gap."""
    x = np.linspace(*span, _N_CURVE_POINTS)
    with np.errstate(all="ignore"):
        y = np.array([float(f(t)) for t in x])
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), color=colours.value, label="function")
    axes.set(xlabel=name, ylabel="value")
    axes.margins(x=0, y=0.12)
    finite = y[np.isfinite(y)]
    if not len(finite):
        return
    bottom, top = np.quantile(finite, (0.03, 0.97))
    height = top - bottom
    low, high = axes.get_ylim()
    if 0 < 8 * height < high - low:
        # Near a pole the values are so large that the rest of the curve would look flat.
        axes.set_ylim(bottom - height / 4, top + height / 4)


def _draw_contours(
    axes: Axes, f: Callable[..., Any], spans: Sequence[Span], names: Sequence[str], colours: Theme
) -> None:
    """Draw contour lines, and shades between them; darker is higher.

    Between each two lines lies the same share of the picture, so that a narrow valley is visible too.
    """
    x, y = (np.linspace(*span, _N_GRID_POINTS) for span in spans)
    with np.errstate(all="ignore"):
        z = np.array([[float(f(a, b)) for a in x] for b in y])
    z = np.where(np.isfinite(z), z, np.nan)
    axes.grid(False)
    axes.set(xlabel=names[0], ylabel=names[1])
    if not np.isfinite(z).any():
        return
    levels = np.unique(np.nanquantile(z, np.linspace(0, 1, _N_LEVELS + 2)))
    if len(levels) < 3:
        return
    shades = LinearSegmentedColormap.from_list(
        "height", [to_rgba(BLUE, 0.0), to_rgba(BLUE, 0.45)], N=_N_LEVELS + 1
    )
    axes.contourf(x, y, z, levels=levels, cmap=shades, norm=BoundaryNorm(levels, _N_LEVELS + 1))
    lines = axes.contour(x, y, z, levels=levels[1:-1], colors=colours.line, linewidths=0.9)
    labels = axes.clabel(
        lines,
        np.asarray(lines.levels)[1::3],
        fmt=lambda level: number(float(f"{level:.3g}")),
        fontsize=10.5,
    )
    # A background, so that no line runs through the text.
    background = {"facecolor": colours.paper, "edgecolor": "none", "pad": 1.5}
    for label in labels:
        label.set(color=colours.ink, bbox=background)


def _draw_arrows(axes: Axes, f: Callable[..., Any], spans: Sequence[Span], colours: Theme) -> None:
    """Draw arrows along the gradient; long arrows are shortened, because they would hide the others."""
    cells = [(np.arange(_N_ARROWS) + 0.5) / _N_ARROWS * (high - low) + low for low, high in spans]
    points = np.stack([x.ravel() for x in np.meshgrid(*cells)])
    with np.errstate(all="ignore"):
        arrows = np.array([_gradient_at(f, point) for point in points.T.tolist()])
    length = np.hypot(*arrows.T)
    is_finite = np.isfinite(length)
    if not is_finite.any():
        return
    usual = np.median(length[is_finite])
    if usual <= 0:
        return
    drawn_length = np.tanh(length / usual)
    scale = np.where(is_finite & (length > 0), drawn_length / np.maximum(length, 1e-300), np.nan)
    axes.quiver(
        *points,
        *(arrows.T * scale),
        scale=1.25 * _N_ARROWS,
        width=0.0035,
        headwidth=4.5,
        color=colours.soft_ink,
        angles="uv",
        pivot="mid",
    )


def _draw_point(
    axes: Axes,
    point: Sequence[float],
    slopes: Sequence[float],
    spans: Sequence[Span],
    colours: Theme,
) -> None:
    """Draw a point and, as a large arrow, the direction of its gradient."""
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
