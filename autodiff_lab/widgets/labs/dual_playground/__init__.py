"""DualPlayground: a point, a direction, and the slope in that direction by one pass of dual numbers."""

from autodiff_lab.widgets.labs.dual_playground.lab import DualPlayground

__all__ = ["DualPlayground"]
