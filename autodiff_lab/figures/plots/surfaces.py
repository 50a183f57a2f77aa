"""Curves, contour lines and arrows, drawn on axes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_rgba

from autodiff_lab.figures.style.themes import BLUE, Theme
from autodiff_lab.text.notation import number
from autodiff_lab.transforms.gradients import grad

_FINE = 241
_GRID = 61
_ARROWS = 11
_LEVELS = 12

Span = tuple[float, float]
"""From where to where."""


def gradient_at(f: Callable[..., Any], point: Sequence[float]) -> list[float]:
    """Evaluate the gradient of a function of numbers."""
    return [float(g) for g in grad(f, tuple(range(len(point))))(*point)]


def draw_curve(axes: Axes, f: Callable[..., Any], span: Span, name: str, colours: Theme) -> None:
    """Draw a function of one number; where it has no value, its curve has a gap."""
    x = np.linspace(*span, _FINE)
    with np.errstate(all="ignore"):
        y = np.array([float(f(t)) for t in x])
    axes.plot(x, np.where(np.isfinite(y), y, np.nan), color=colours.value, label="function")
    axes.set(xlabel=name, ylabel="value")
    axes.margins(x=0, y=0.12)
    bottom, top = np.nanquantile(y[np.isfinite(y)], (0.03, 0.97)) if np.isfinite(y).any() else (0.0, 0.0)
    low, high = axes.get_ylim()
    if 0 < 8 * (top - bottom) < high - low:
        # Beside a pole nothing else could be seen.
        axes.set_ylim(bottom - (top - bottom) / 4, top + (top - bottom) / 4)


def draw_contours(
    axes: Axes, f: Callable[..., Any], spans: Sequence[Span], names: Sequence[str], colours: Theme
) -> None:
    """Draw contour lines at even shares of the picture, so that a narrow valley shows as well; darker is higher."""
    x, y = (np.linspace(*span, _GRID) for span in spans)
    with np.errstate(all="ignore"):
        z = np.array([[float(f(a, b)) for a in x] for b in y])
    z = np.where(np.isfinite(z), z, np.nan)
    axes.grid(False)
    axes.set(xlabel=names[0], ylabel=names[1])
    levels = np.unique(np.nanquantile(z, np.linspace(0, 1, _LEVELS + 2))) if np.isfinite(z).any() else np.array([])
    if len(levels) < 3:
        return
    shades = LinearSegmentedColormap.from_list("height", [to_rgba(BLUE, 0.0), to_rgba(BLUE, 0.45)], N=_LEVELS + 1)
    axes.contourf(x, y, z, levels=levels, cmap=shades, norm=BoundaryNorm(levels, _LEVELS + 1))
    lines = axes.contour(x, y, z, levels=levels[1:-1], colors=colours.line, linewidths=0.9)
    labels = axes.clabel(lines, lines.levels[1::3], fmt=lambda level: number(float(f"{level:.3g}")), fontsize=10.5)
    for label in labels:  # on paper, so that no line runs through it
        label.set(color=colours.ink, bbox={"facecolor": colours.paper, "edgecolor": "none", "pad": 1.5})


def draw_arrows(axes: Axes, f: Callable[..., Any], spans: Sequence[Span], colours: Theme) -> None:
    """Draw arrows along the gradient; long gradients are drawn shorter than they are, or they would hide the rest."""
    cells = [(np.arange(_ARROWS) + 0.5) / _ARROWS * (high - low) + low for low, high in spans]
    x, y = np.meshgrid(*cells)
    with np.errstate(all="ignore"):
        arrows = np.array([gradient_at(f, point) for point in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)])
    length = np.hypot(*arrows.T)
    usual = np.nanmedian(length[np.isfinite(length)]) if np.isfinite(length).any() else 0.0
    if not usual > 0:
        return
    shown = np.where(np.isfinite(length) & (length > 0), np.tanh(length / usual) / np.maximum(length, 1e-300), np.nan)
    u, v = (arrows * shown[:, None]).T
    look = {"color": colours.soft_ink, "angles": "uv", "pivot": "mid"}
    axes.quiver(x.ravel(), y.ravel(), u, v, scale=_ARROWS * 1.25, width=0.0035, headwidth=4.5, **look)


def draw_point(
    axes: Axes, point: Sequence[float], slopes: Sequence[float], spans: Sequence[Span], colours: Theme
) -> None:
    """Draw one point and the direction of its gradient, large."""
    axes.plot(*([x] for x in point), "o", color=colours.adjoint, markersize=8)
    length = float(np.hypot(*slopes))
    if length > 0:
        axes.quiver(*point, *(s / length for s in slopes), color=colours.adjoint, angles="uv", scale=5.0, width=0.009)
    axes.set(xlim=spans[0], ylim=spans[1])
