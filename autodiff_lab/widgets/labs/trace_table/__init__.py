"""The package of the lab TraceTable: the forward trace of a function, value and tangent side by side, row by row."""
