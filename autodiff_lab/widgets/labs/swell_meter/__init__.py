"""SwellMeter: what happens to a formula that is differentiated as a formula, and what AD does instead."""

from autodiff_lab.widgets.labs.swell_meter.lab import SwellMeter

__all__ = ["SwellMeter"]
