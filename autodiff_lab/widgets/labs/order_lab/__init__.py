"""OrderLab: you say which cell sends next, and see which orders give the slope."""

from autodiff_lab.widgets.labs.order_lab.lab import OrderLab

__all__ = ["OrderLab"]
