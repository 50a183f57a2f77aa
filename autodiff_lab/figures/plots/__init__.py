"""Plots by matplotlib, in one style: data in, a figure with a text alternative out.

Matplotlib is loaded with this room, and nothing else loads it. Every derivative in a plot is the engine's.
"""

from autodiff_lab.figures.plots.costs import plot_cost
from autodiff_lab.figures.plots.differences import difference_errors, plot_error
from autodiff_lab.figures.plots.landscapes import plot_descent, plot_tangent
from autodiff_lab.figures.plots.matrices import plot_hessian, plot_jacobian, plot_matrix
from autodiff_lab.figures.plots.style import Plot, style_plots

__all__ = [
    "Plot",
    "difference_errors",
    "plot_cost",
    "plot_descent",
    "plot_error",
    "plot_hessian",
    "plot_jacobian",
    "plot_matrix",
    "plot_tangent",
    "style_plots",
]
