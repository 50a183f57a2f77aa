"""The execution log: which lines of the user's code ran, in which order, recorded alongside a tape by `sys.settrace`.

A tape records only lines that compute something with its Variables. Whether any other line ran, such as a branch that
only prints or an iteration that records nothing, we learn from Python, which calls the function given to `sys.settrace`
at each line.
"""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..engine.frames import is_user_frame
from ..engine.tape import Tape

# The most events kept. The log of a longer run is discarded: an incomplete log would be misleading.
MAX_EVENTS = 200_000


class Event(NamedTuple):
    """An event of the execution log: a function is entered, reaches a line, or is left, at tape length ``lines``.

    `frame` numbers the calls. A generator is left at each `yield`, and entered again under its old number.
    """

    lines: int
    kind: str
    frame: int
    code: CodeType
    row: int
    instruction: int


class ExecutionLog:
    """The execution log of a run: its events, collected by `sys.settrace`, and whether they are complete."""

    def __init__(self, tape: Tape) -> None:
        self.events: list[Event] = []
        self._complete = True
        self._ops = tape.ops
        self._numbers: dict[int, tuple[int, CodeType]] = {}
        # By identity, because Python hashes the whole content of a code object.
        self._codes: dict[int, tuple[bool, CodeType]] = {}

    def complete_events(self) -> tuple[Event, ...] | None:
        """All events of the execution log, in order; None if some are missing."""
        return tuple(self.events) if self._complete else None

    def give_up(self) -> None:
        """Discard the execution log, so that no line is reported as not run when we don't know."""
        self._complete = False
        self.events.clear()

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Log the execution of a function's lines, if it is the user's: the function that `sys.settrace` takes."""
        code = frame.f_code
        found = self._codes.get(id(code))
        if found is None:
            found = self._codes[id(code)] = is_user_frame(frame), code
        if not found[0] or not self._complete:
            return None
        number = self._numbers.get(id(frame))
        if number is None or number[1] is not code:
            number = self._numbers[id(frame)] = len(self.events), code
        self._write(frame, "call")
        return self._follow

    def _follow(self, frame: FrameType, event: str, arg: Any) -> Any:
        if not self._complete:
            return None
        if event != "exception":
            self._write(frame, event)
        if event == "return" and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            del self._numbers[id(frame)]
        return self._follow

    def _write(self, frame: FrameType, kind: str) -> None:
        number = self._numbers[id(frame)][0]
        self.events.append(
            Event(len(self._ops), kind, number, frame.f_code, frame.f_lineno, frame.f_lasti)
        )
        if len(self.events) > MAX_EVENTS:
            self.give_up()
            sys.settrace(None)


@contextmanager
def log_execution(tape: Tape) -> Iterator[ExecutionLog]:
    """Log the execution of the code inside a ``with`` block; nothing is logged if a debugger is already tracing."""
    walk = ExecutionLog(tape)
    if sys.gettrace() is not None:
        walk.give_up()
        yield walk
        return
    sys.settrace(walk.enter)
    try:
        yield walk
    finally:
        sys.settrace(None)
