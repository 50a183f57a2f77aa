"""VCurve: how wrong a difference quotient is, for every step size, beside the complex step and AD."""

from autodiff_lab.widgets.labs.v_curve.lab import VCurve

__all__ = ["VCurve"]
