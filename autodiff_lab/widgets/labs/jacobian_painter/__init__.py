"""JacobianPainter: a matrix of derivatives that is filled by columns or by rows, one pass each."""

from autodiff_lab.widgets.labs.jacobian_painter.lab import JacobianPainter

__all__ = ["JacobianPainter"]
