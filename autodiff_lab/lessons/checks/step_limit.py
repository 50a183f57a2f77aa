"""A limit on the steps of a learner's code, which holds although the code may swallow the exception that stops it."""

import sys
import types
from collections.abc import Callable
from typing import Any

# How many steps are left to clean up after the code was stopped. Whenever that is swallowed, it gets half as many.
_TO_CLEAN_UP = 10_000
_IMPORTER = "<frozen importlib"


class TookTooLong(BaseException):
    """Raised into a learner's code that runs too long; no `Exception`, so that no ``except Exception`` swallows it."""


class StepLimit:
    """A limit on the steps of a learner's code, counted by `sys.settrace`: beyond it, `TookTooLong` is raised there.

    Python stops tracing when a trace function raises, and it drops what is raised in a finalizer; an ``except:`` may
    drop it, too. From then on `sys.setprofile` watches, which still works: the next call or return resumes the count.

    The steps inside an import are not counted, since they depend on what was imported before.

    Examples
    --------
    >>> StepLimit(100).run(int, "5")
    5
    """

    def __init__(self, steps: int) -> None:
        self._left, self._grace = steps, _TO_CLEAN_UP
        self._passed = self._importing = False

    def run(self, code: Callable[..., Any], *args: Any) -> Any:
        """Return ``code(*args)``; raise `TookTooLong` if it took too many steps, whatever came out of it then."""
        profile, trace, hook = sys.getprofile(), sys.gettrace(), sys.unraisablehook
        sys.unraisablehook = lambda dropped: None if self._passed else hook(dropped)
        sys.settrace(self._count)
        try:
            result = code(*args)
        except BaseException as problem:
            if not self._passed or isinstance(problem, KeyboardInterrupt):
                raise
            raise TookTooLong().with_traceback(problem.__traceback__) from None
        finally:
            sys.setprofile(profile)
            sys.settrace(trace)
            sys.unraisablehook = hook
        if self._passed:
            raise TookTooLong
        return result

    def _count(self, frame: types.FrameType, event: str, arg: object) -> Any:
        """Count a step: the function that `sys.settrace` takes."""
        if self._importing:
            return None
        if event == "call" and frame.f_code.co_filename.startswith(_IMPORTER):
            self._importing = True
            return self._await_import
        # lines are not enough: `while True: pass` on one line is one line for ever
        frame.f_trace_opcodes = True
        self._left -= 1
        # raised there, it would be caught where that exception is
        if self._left >= 0 or event == "exception":
            return self._count
        self._passed = True
        self._left, self._grace = self._grace, self._grace // 2
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
