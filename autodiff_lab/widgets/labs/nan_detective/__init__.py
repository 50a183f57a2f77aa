"""The package of the lab NaNDetective: walk a tape backwards to the cell in which the first NaN or infinity is born."""
