"""The tape as a program: straight-line Python that one can read, and that runs as fast as if written by hand.

In the order of the work: ``inputs.py`` reads the arguments; ``outer.py`` and ``tracing.py`` record the derivative;
``draft.py`` holds the lines while ``cleaning.py`` drops what nobody would have written; ``writing.py`` makes Python of
them, in the words of ``wording.py`` and ``symbols.py``: ``expressions.py`` for numbers, ``array_expressions.py`` for
arrays, ``statement.py`` for a whole line. ``buffers.py`` plans memory, ``functions.py`` cuts what is too long;
``compiling.py`` puts it together, ``running.py`` runs it, with a word from ``advice.py`` where that does not pay, and
``saving.py`` writes it into a file.
"""

from .listing import Line
from .optimize import PASSES
from .program import Program, program
from .version import Operations

__all__ = ["PASSES", "Line", "Operations", "Program", "program"]
