"""Run a learner's own code: without output, with a limit of steps, and with its error turned into a sentence."""

import contextlib
import inspect
import io
import linecache
import re
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks.step_limit import StepLimit, TookTooLong

# How far a check runs before it says that the code never ends (a right answer takes some thousands of steps).
STEPS = 1_000_000


@dataclass(frozen=True)
class Crashed:
    """An error that was raised when a learner's code was run.

    As a wanted value, `message` is a part of the message to be found, and with ``is_theirs=False`` the error must come
    from the notebook's own code.
    """

    kind: str
    message: str = ""
    line: str = ""
    # Whether the line is the learner's, or one of the notebook's that got something odd from the learner's code.
    is_theirs: bool = field(default=True, repr=False)

    @property
    def never_ends(self) -> bool:
        """Whether the learner's code was stopped because it ran too long; another case would take as long."""
        return self.kind == TookTooLong.__name__

    def sentence(self) -> str:
        """Say in a sentence what a learner's code raised, with the learner's own line where there is one."""
        whose = (
            "your line `{}`"
            if self.is_theirs
            else "the notebook's line `{}`, with what your code gave it"
        )
        where = f" in {whose.format(self.line)}" if self.line else ""
        if self.never_ends:
            return (
                f"your code was still running after {STEPS:,} steps{where}, so I stopped it. "
                "Does a loop grow the list it walks along, or run the same things again and again?"
            )
        if self.kind == "RecursionError":
            return f"your code calls itself without an end{where}. Look for a function or an operator that uses itself."
        if self.kind == "UnboundLocalError" or self.kind == "NameError":
            early = re.search(r"(?:local|free) variable '(\w+)'", self.message)
            if early:
                return f"your code uses {early[1]}{where} before it has a value. A later line gives it one."
            return f"Python does not know a name{where}: {self.message}."
        return f"your code raised {self.kind}{where}{': ' * bool(self.message)}{self.message}."


def attempt(code: Callable[..., Any], *args: Any, steps: int = STEPS) -> Any:
    """Run ``code(*args)`` of a learner, drop what it prints, and return its result or a `Crashed`.

    >>> attempt(int, "5")
    5
    >>> attempt(int, "x")
    Crashed(kind='ValueError', message="invalid literal for int() with base 10: 'x'", line='')
    """
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore")
            return StepLimit(steps).run(code, *args)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # SystemExit too: a learner's exit() must not end the notebook
        return Crashed(type(problem).__name__, _first_line(problem), *_learners_line(problem))


def _first_line(problem: BaseException) -> str:
    try:
        lines = str(problem).splitlines()
    except Exception:  # a message that cannot be made
        return ""
    without_address = re.sub(r" at 0x[0-9a-fA-F]+", "", lines[0]).rstrip(".") if lines else ""
    return re.sub(r"[\w.]+\.<locals>\.", "", without_address)


@contextlib.contextmanager
def note_learner_files(answers: Iterable[Any]) -> Iterator[None]:
    """Note which cells a learner's code stands in while it runs, so that an error names the learner's own line."""
    before = _handed_over.get()
    _handed_over.set(frozenset(file for answer in answers for file in _files(answer)))
    try:
        yield
    finally:
        _handed_over.set(before)


_handed_over: ContextVar[frozenset[str]] = ContextVar("_handed_over", default=frozenset())


def _files(answer: Any) -> Iterator[str]:
    """The cells in which a function, or the methods of a class, are written."""
    for thing in vars(answer).values() if isinstance(answer, type) else (answer,):
        if isinstance(thing, types.FunctionType):
            # a decorator of the package's is not their line
            yield inspect.unwrap(thing).__code__.co_filename


def _learners_line(problem: BaseException) -> tuple[str, bool]:
    """The innermost line of the cell that was handed over, or else of any cell; and whether it is the former."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame for frame in frames if frame.filename in _handed_over.get()]
    cells = [
        frame for frame in frames if "ipykernel" in frame.filename or frame.filename.startswith("<")
    ]
    for frame in reversed(own or cells):
        return linecache.getline(frame.filename, frame.lineno or 0).strip(), bool(
            own
        ) or not _handed_over.get()
    return "", True


def nested_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield all code that runs when a learner's function is checked: its own, and that of its inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested_code(constant)


def names_in(code: types.CodeType) -> set[str]:
    """List the globals and attributes that a learner's code uses, also in its inner functions."""
    return {name for each in nested_code(code) for name in each.co_names}
