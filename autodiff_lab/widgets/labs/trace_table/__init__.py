"""TraceTable: the forward trace of a function, value and tangent side by side, one row at a time."""

from autodiff_lab.widgets.labs.trace_table.lab import TraceTable

__all__ = ["TraceTable"]
