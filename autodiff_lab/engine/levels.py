"""Derivatives in progress: each has a number, is open while its function runs, and can be paused."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from .errors import DetachedWarning, InputError
from .frames import is_running, learners_frame, line_of, suspendable_owner
from .tracebacks import hides_ours, show_briefly

if TYPE_CHECKING:
    from .dispatch import Op

__all__ = ["Level", "Unheard", "blocks", "is_paused", "no_recording", "running"]


class Level:
    """One derivative in progress. Later levels have higher numbers; a level is open while its function runs.

    Unique numbers keep nested derivatives apart (perturbation confusion); being closed makes a value that escaped
    stop with a message instead of giving a wrong number. See Siskind and Pearlmutter, *Nesting forward-mode AD in a
    functional framework* (2008).
    """

    __slots__ = ("number", "open", "plain", "unheard")
    _numbers: ClassVar[itertools.count[int]] = itertools.count(1)
    simple: ClassVar[Any] = False
    """Whether there is nothing to note but the line itself."""
    pausable: ClassVar[bool] = True

    def __init__(self) -> None:
        self.number: float = next(Level._numbers)
        self.open = True
        self.plain = False  # open, simple and not paused: the short way may be taken
        self.unheard: Unheard | None = None

    def run(self, f: Callable[..., Any], inputs: Sequence[Any]) -> Any:
        """Call `f` on the inputs while the level is open; close it whatever happens."""
        if not callable(f):
            raise InputError(
                f"A function is needed, and this is a {type(f).__name__}. Pass the function itself and its arguments "
                "behind it: play(f, 2.0, 5.0) instead of play(f(2.0, 5.0)), grad(f)(2.0) instead of grad(f(2.0))."
            )
        running.append(self)
        try:
            result = f(*inputs)
        except Exception as error:
            if hides_ours(error):  # no name for it here: the frame is part of the traceback
                raise error.__cause__.with_traceback(error.__traceback__.tb_next) from None  # type: ignore[union-attr]
            show_briefly(error)
            raise
        finally:
            self.open = self.plain = False
            running.remove(self)
        if self.unheard is not None:
            self.unheard.warn()
        return result

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Handle one operation, at least one operand of which belongs to this level."""
        raise NotImplementedError


running: list[Level] = []
"""The levels that are open, in all threads."""


# What was said, and not heard


class Unheard(NamedTuple):
    """An error that a derivative would be lost, and the learner's line that it was raised in."""

    error: str
    file: str
    row: int
    line: str

    @classmethod
    def of(cls, error: Exception) -> Unheard:
        """The error, as it is raised in the line that is running now."""
        frame = learners_frame()
        where = f"{frame.f_code.co_name}, {line_of(frame) or f'line {frame.f_lineno}'}"
        return cls(str(error), frame.f_code.co_filename, frame.f_lineno, where)

    def warn(self) -> None:
        """Say it again, as a warning that stands at that line. Each call of a derivative says it anew."""
        message = (
            f"An error was raised here and caught ({self.line}), so the function went another way than it goes with "
            f"plain numbers, and its derivative may be wrong. Do not catch it, but mend the line: {self.error}"
        )
        warnings.warn_explicit(message, DetachedWarning, self.file, self.row)


# Pausing


class Block:
    """A ``with no_recording():`` that has been entered: the levels that it pauses, and for whom."""

    __slots__ = ("frame", "levels", "thread")

    def __init__(self) -> None:
        self.levels = frozenset(level for level in tuple(running) if level.pausable)
        self.frame, self.thread = suspendable_owner(), threading.get_ident()

    def is_here(self) -> bool:
        """Whether what runs now runs inside the block."""
        return is_running(self.frame) if self.frame is not None else self.thread == threading.get_ident()


blocks: list[Block] = []
"""The blocks that have been entered and not left, in all threads and generators."""

_changing = threading.RLock()


def is_paused(level: Level) -> bool:
    """Whether what runs now runs inside a block that pauses the level."""
    return any(level in block.levels and block.is_here() for block in tuple(blocks))


def _set_plain(levels: Iterable[Level]) -> None:
    """Let those levels take the short way that no block pauses for anybody."""
    for level in levels:
        level.plain = level.simple and not any(level in block.levels for block in blocks)
        if not level.open:  # another thread may have closed it in between
            level.plain = False


@contextmanager
def no_recording() -> Iterator[None]:
    """Let operations pass unrecorded: inside, traced values are constants to every derivative in progress.

    That holds for what runs inside the block, in its thread; not for another thread meanwhile, nor for the caller of a
    generator that is suspended in the block.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> def f(x):
    ...     with ad.no_recording():
    ...         scale = x * x
    ...     return scale * x
    >>> ad.grad(f)(3.0)
    9.0
    """
    block = Block()
    with _changing:
        blocks.append(block)
        _set_plain(block.levels)
    try:
        yield
    finally:
        with _changing:
            blocks.remove(block)
            _set_plain(block.levels)
