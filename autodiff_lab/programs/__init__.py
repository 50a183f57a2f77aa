"""The tape as a program: straight-line Python that one can read, and that runs as fast as if written by hand.

In the order of the work: ``program_inputs.py`` reads what a call is given; ``recorded_derivative.py`` records the
derivative; ``optimization_passes.py`` drops from its draft (``draft.py``) what nobody would have written; the room
``codegen`` writes the rest as Python. ``compiled_version.py`` puts it together and runs it, ``compiled_program.py``
chooses the version for a call.
"""

from .compiled_program import Program, program
from .compiled_version import Line, Operations
from .optimization_passes import PASSES

__all__ = ["PASSES", "Line", "Operations", "Program", "program"]
