"""Plots by matplotlib, in one style: data in, a figure with a text alternative out.

Matplotlib is loaded with this room, and nothing else loads it. Every derivative in a plot is the engine's.
"""

from autodiff_lab.figures.plots.landscapes import plot_descent, plot_tangent
from autodiff_lab.figures.plots.matrices import plot_hessian, plot_jacobian, plot_matrix
from autodiff_lab.figures.plots.style import Plot, style_plots

__all__ = [
    "Plot",
    "plot_descent",
    "plot_hessian",
    "plot_jacobian",
    "plot_matrix",
    "plot_tangent",
    "style_plots",
]
