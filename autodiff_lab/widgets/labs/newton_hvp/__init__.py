"""NewtonHVP: steps down a curve that has one minimum and is not convex, with and without its second derivative."""

from autodiff_lab.widgets.labs.newton_hvp.lab import NewtonHVP

__all__ = ["NewtonHVP"]
