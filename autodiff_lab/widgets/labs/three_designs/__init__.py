"""ThreeDesigns: one program in three designs, one operation at a time, and what can be done with the record."""

from autodiff_lab.widgets.labs.three_designs.lab import ThreeDesigns

__all__ = ["ThreeDesigns"]
