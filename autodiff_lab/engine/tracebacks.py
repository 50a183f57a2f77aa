"""Short tracebacks for errors shown in notebooks: the user's own lines, and the message last.

Only the display is shortened: the error keeps its whole traceback. ``%xmode Verbose`` (or ``Plain``) and then ``%tb``
show all of it; scripts, tests and debuggers see it anyway.
"""

import sys
from contextlib import suppress
from types import CodeType, TracebackType
from typing import Any

from .frames import INTERNAL_MODULES, is_user_frame

# Modules whose frames would not help a learner.
HIDDEN_MODULES = ("autodiff_lab.", "numpy.", "scipy.", "IPython.", "contextlib.")

# The most lines of a traceback in a notebook, as long as the message itself is short.
MAX_SHOWN_LINES = 15


def hides_own_error(error: BaseException) -> bool:
    """Whether NumPy's error ("setting an array element with a sequence") would hide ours, which caused it."""
    ours = error.__cause__
    return hasattr(ours, "_render_traceback_") and not (
        hasattr(error, "_render_traceback_") or _find_user_steps(ours)
    )


def shorten_display(error: BaseException) -> None:
    """Shorten the traceback that a notebook shows for another package's error, raised in a recorded function."""
    if "IPython" in sys.modules and not hasattr(error, "_render_traceback_"):
        with suppress(AttributeError):  # some exceptions take no attributes
            error._render_traceback_ = render_traceback  # type: ignore[attr-defined]


def _find_user_steps(error: BaseException | None) -> list[TracebackType]:
    """Find the steps of a traceback that lie in the user's code, outermost first."""
    steps: list[TracebackType] = []
    step = error.__traceback__ if error is not None else None
    while step:
        if is_user_frame(step.tb_frame, HIDDEN_MODULES):
            steps.append(step)
        step = step.tb_next
    return steps


def find_user_calls(
    error: BaseException, internal: tuple[str, ...] = INTERNAL_MODULES
) -> tuple[tuple[CodeType, int], ...]:
    """The calls of the user's code in an error's traceback, outermost first, in the form of `Tape.call_stacks`."""
    calls = []
    step = error.__traceback__
    while step:
        if is_user_frame(step.tb_frame, internal):
            calls.append((step.tb_frame.f_code, step.tb_lasti))
        step = step.tb_next
    return tuple(calls)


def render_traceback() -> list[str]:
    """Render a short traceback of the last error for IPython, in the shell's own style."""
    error: Any = sys.last_value
    view = sys.modules["IPython"].get_ipython().InteractiveTB
    steps = _find_user_steps(error)
    if not steps or view.mode != "Context":
        return list(view.structured_traceback(type(error), error, error.__traceback__))
    ends = [steps[0], *steps[1:][-2:]]  # where the user's code starts, and the last two steps
    chain = error.__cause__, error.__suppress_context__
    try:
        error.__cause__ = None  # which suppresses the context, too
        # Show fewer steps, with less context, until the traceback is short enough.
        for chosen, context in ((ends, 3), (ends, 2), ([ends[0], ends[-1]], 2), (ends[-1:], 2)):
            lines = list(
                view.structured_traceback(type(error), error, _join_steps(chosen), 0, context)
            )
            if "\n".join(lines).count("\n") < MAX_SHOWN_LINES:
                break
        return lines
    finally:
        error.__cause__, error.__suppress_context__ = chain


def _join_steps(steps: list[TracebackType]) -> TracebackType | None:
    """Link the steps to a new traceback, without those in between."""
    whole = None
    for step in reversed(steps):
        whole = TracebackType(whole, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return whole
