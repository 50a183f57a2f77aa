"""The tape as a program: straight-line Python that one can read, and that runs as fast as if written by hand.

In the order of the work: ``arguments.py`` reads what a call is given; ``trace_derivative.py`` records the derivative;
``draft.py`` holds the lines while ``optimize.py`` drops what nobody would have written; ``codegen.py`` makes statements
of them, ``expressions.py`` the expressions in these. ``split_functions.py`` cuts what is too long; ``version.py`` puts
it together and runs it, ``compiled_program.py`` chooses the version for a call, and ``save.py`` writes one into a file.
"""

from .compiled_program import Program, program
from .optimize import PASSES
from .version import Line, Operations

__all__ = ["PASSES", "Line", "Operations", "Program", "program"]
