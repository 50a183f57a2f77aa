"""JacobianPainter: a matrix of derivatives that is filled by columns or by rows, one pass each."""
