"""The package of the lab JacobianPainter: a matrix of derivatives, filled by columns or by rows, one pass each."""
