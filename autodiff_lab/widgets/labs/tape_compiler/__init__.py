"""TapeCompiler: a tape, what each pass takes from it, and the Python that is left."""

from autodiff_lab.widgets.labs.tape_compiler.lab import TapeCompiler

__all__ = ["TapeCompiler"]
