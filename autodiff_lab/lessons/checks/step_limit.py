"""A limit on the steps of a learner's code. It holds even if the code swallows the exception that stops it."""

import sys
import types
from collections.abc import Callable
from typing import Any

# How many steps the code has to clean up after it was stopped. Each time it swallows the exception, it gets half as
# many.
_TO_CLEAN_UP = 10_000
_IMPORTER = "<frozen importlib"


class TookTooLong(BaseException):
    """Raised in a learner's code that runs too long; not an `Exception`, so ``except Exception`` doesn't catch it."""


class StepLimit:
    """A limit on the steps of a learner's code, counted by `sys.settrace`: beyond it, `TookTooLong` is raised there.

    Python stops tracing when a trace function raises. If the exception is then lost, in a finalizer or
    by an ``except:``, the code would run on uncounted. So `sys.setprofile`, which still works, resumes
    the count at the next call or return.

    The steps inside an import are not counted, since they depend on what was imported before.

    Examples
    --------
    >>> StepLimit(100).run(int, "5")
    5
    """

    def __init__(self, steps: int) -> None:
        self._left = steps
        self._grace = _TO_CLEAN_UP
        self._is_exceeded = False
        self._importing = False

    def run(self, code: Callable[..., Any], *args: Any) -> Any:
        """Return ``code(*args)``; raise `TookTooLong` if it took too many steps, even if it then returned or raised."""
        profile, trace, hook = sys.getprofile(), sys.gettrace(), sys.unraisablehook
        sys.unraisablehook = lambda dropped: None if self._is_exceeded else hook(dropped)
        sys.settrace(self._count)
        try:
            result = code(*args)
        except BaseException as problem:
            if not self._is_exceeded or isinstance(problem, KeyboardInterrupt):
                raise
            raise TookTooLong().with_traceback(problem.__traceback__) from None
        finally:
            sys.setprofile(profile)
            sys.settrace(trace)
            sys.unraisablehook = hook
        if self._is_exceeded:
            raise TookTooLong
        return result

    def _count(self, frame: types.FrameType, event: str, arg: object) -> Any:
        """Count a step: the function that `sys.settrace` takes."""
        if self._importing:
            return None
        if event == "call" and frame.f_code.co_filename.startswith(_IMPORTER):
            self._importing = True
            return self._await_import
        # Counting lines isn't enough: `while True: pass` on one line never reaches another one.
        frame.f_trace_opcodes = True
        self._left -= 1
        # Raised at an "exception" event, it would be caught together with that exception.
        if self._left >= 0 or event == "exception":
            return self._count
        self._is_exceeded = True
        self._left = self._grace
        self._grace //= 2
        sys.setprofile(self._resume)
        raise TookTooLong

    def _await_import(self, frame: types.FrameType, event: str, arg: object) -> Any:
        self._importing = event != "return"
        return self._await_import

    def _resume(self, frame: types.FrameType | None, event: str, arg: object) -> None:
        """Count again, in all functions that are running: the function that `sys.setprofile` takes."""
        if sys.gettrace() is not None:
            return
        while frame is not None and frame.f_code is not StepLimit.run.__code__:
            frame.f_trace = self._count
            frame.f_trace_opcodes = True
            frame = frame.f_back
        sys.settrace(self._count)
