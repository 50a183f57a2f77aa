"""The tape as a program: straight-line Python that one can read, and that runs as fast as if written by hand.

In the order of the work: ``arguments.py`` reads the arguments; ``outer_tape.py`` and ``trace_derivative.py`` record the
derivative; ``draft.py`` holds the lines while ``optimize.py`` drops what nobody would have written; ``codegen.py``
makes Python of them, in the words of ``literals.py`` and ``python_names.py``: ``scalar_expressions.py`` for numbers,
``array_expressions.py`` for arrays, ``statement.py`` for a whole line. ``buffers.py`` plans memory,
``split_functions.py`` cuts what is too long; ``version.py`` puts it together, ``compiled_program.py`` runs it, with a
word from ``advice.py`` where that does not pay, and ``save.py`` writes it into a file.
"""

from .compiled_program import Program, program
from .listing import Line
from .optimize import PASSES
from .version import Operations

__all__ = ["PASSES", "Line", "Operations", "Program", "program"]
