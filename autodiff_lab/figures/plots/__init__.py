"""Matplotlib plots in one style; each function returns a figure with a text alternative.

Only this subpackage imports matplotlib. The engine computes every derivative in a plot.
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
