"""NaNDetective: walk a tape backwards to the cell in which the first NaN or infinity is born."""

from autodiff_lab.widgets.labs.nan_detective.lab import NaNDetective

__all__ = ["NaNDetective"]
