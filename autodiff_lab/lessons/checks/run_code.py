"""Run a learner's own code: its output is dropped, its steps are limited, and its error becomes a sentence."""

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

# A check stops the code after so many steps; a right answer takes a few thousand.
STEPS = 1_000_000


@dataclass(frozen=True)
class Crashed:
    """An error that was raised when a learner's code was run.

    If an exercise expects an error, `message` is a part of the expected message, and ``is_theirs=False``
    means that the error must come from the notebook's own code.
    """

    kind: str
    message: str = ""
    line: str = ""
    # Whether the line is the learner's. Otherwise it is the notebook's, and got something odd from the learner's code.
    is_theirs: bool = field(default=True, repr=False)

    @property
    def never_ends(self) -> bool:
        """Whether the learner's code was stopped because it ran too long; another case would take as long."""
        return self.kind == TookTooLong.__name__

    def sentence(self) -> str:
        """Describe in a sentence what a learner's code raised, with the learner's own line where there is one."""
        where = ""
        if self.line and self.is_theirs:
            where = f" in your line `{self.line}`"
        elif self.line:
            where = f" in the notebook's line `{self.line}`, with what your code gave it"
        if self.never_ends:
            return (
                f"your code was still running after {STEPS:,} steps{where}, so I stopped it. "
                "Does a loop grow the list it walks along, or run the same things again and again?"
            )
        if self.kind == "RecursionError":
            return f"your code calls itself without an end{where}. Look for a function or an operator that uses itself."
        if self.kind in ("UnboundLocalError", "NameError"):
            early = re.search(r"(?:local|free) variable '(\w+)'", self.message)
            if early:
                return f"your code uses {early[1]}{where} before it has a value. A later line gives it one."
            return f"Python does not know a name{where}: {self.message}."
        message = f": {self.message}" if self.message else ""
        return f"your code raised {self.kind}{where}{message}."


def attempt(code: Callable[..., Any], *args: Any, steps: int = STEPS) -> Any:
    """Run a learner's ``code(*args)``, drop what it prints, and return its result or a `Crashed`.

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
    except Exception:  # `__str__` of the learner's own exception may raise too
        return ""
    without_address = re.sub(r" at 0x[0-9a-fA-F]+", "", lines[0]).rstrip(".") if lines else ""
    return re.sub(r"[\w.]+\.<locals>\.", "", without_address)


@contextlib.contextmanager
def note_learner_files(answers: Iterable[Any]) -> Iterator[None]:
    """Remember which cells the answers are written in, so that an error names the learner's own line."""
    before = _handed_over.get()
    _handed_over.set(frozenset(file for answer in answers for file in _files(answer)))
    try:
        yield
    finally:
        _handed_over.set(before)


# The cells in which the answers that are being judged are written.
_handed_over: ContextVar[frozenset[str]] = ContextVar("_handed_over", default=frozenset())


def _files(answer: Any) -> Iterator[str]:
    """Yield the cells in which a function, or the methods of a class, are written."""
    for thing in vars(answer).values() if isinstance(answer, type) else (answer,):
        if isinstance(thing, types.FunctionType):
            # Without unwrap, a decorator of the package would count as the learner's code.
            yield inspect.unwrap(thing).__code__.co_filename


def _learners_line(problem: BaseException) -> tuple[str, bool]:
    """Return the innermost line of the answer's cell, or else of any cell; and whether it is the learner's."""
    frames = traceback.extract_tb(problem.__traceback__)
    handed_over = _handed_over.get()
    own = [frame for frame in frames if frame.filename in handed_over]
    candidates = own or [frame for frame in frames if _is_cell(frame.filename)]
    if not candidates:
        return "", True
    innermost = candidates[-1]
    line = linecache.getline(innermost.filename, innermost.lineno or 0).strip()
    return line, bool(own) or not handed_over


def _is_cell(file: str) -> bool:
    return "ipykernel" in file or file.startswith("<")


def nested_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a learner's function and of its inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested_code(constant)


def names_in(code: types.CodeType) -> set[str]:
    """Return the names of globals and attributes that a learner's code uses, in inner functions too."""
    return {name for each in nested_code(code) for name in each.co_names}
