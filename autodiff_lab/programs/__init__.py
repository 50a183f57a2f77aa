"""The tape as a program: straight-line Python that you can read, as fast as if written by hand.

The modules, in the order in which a program passes through them:

- ``program_inputs.py`` finds the inputs among the arguments of a call.
- ``recorded_derivative.py`` records the function and its derivative on one tape.
- ``optimization_passes.py`` removes from the draft (``draft.py``) the lines that you wouldn't write by hand.
- ``codegen`` writes the remaining lines as Python.
- ``compiled_version.py`` compiles that source and runs it.
- ``compiled_program.py`` chooses the version for a call.
"""

from .compiled_program import Program, program
from .compiled_version import Line, Operations
from .optimization_passes import PASSES

__all__ = ["PASSES", "Line", "Operations", "Program", "program"]
