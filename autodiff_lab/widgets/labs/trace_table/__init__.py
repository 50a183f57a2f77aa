"""TraceTable: the forward trace of a function, value and tangent side by side, one row at a time."""
