"""Derivatives in progress: each has a number, is open while its function runs, and can be paused."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import InputError
from .tracebacks import hides_ours, show_briefly

if TYPE_CHECKING:
    from .dispatch import Op

__all__ = ["Level", "in_this_thread", "no_recording"]


class Level:
    """One derivative in progress. Later levels have higher numbers; a level is open while its function runs.

    Unique numbers keep nested derivatives apart (perturbation confusion); being closed makes a value that escaped
    stop with a message instead of giving a wrong number. See Siskind and Pearlmutter, *Nesting forward-mode AD in a
    functional framework* (2008).
    """

    __slots__ = ("number", "open", "paused", "plain")
    _numbers: ClassVar[itertools.count[int]] = itertools.count(1)

    def __init__(self) -> None:
        self.number: float = next(Level._numbers)
        self.open, self.paused = True, False
        self.plain = False  # open, and nothing to note but the line itself: the short way may be taken

    def run(self, f: Callable[..., Any], inputs: Sequence[Any]) -> Any:
        """Call `f` on the inputs while the level is open; close it whatever happens."""
        if not callable(f):
            raise InputError(
                f"A function is needed, and this is a {type(f).__name__}. Pass the function itself and its arguments "
                "behind it: play(f, 2.0, 5.0) instead of play(f(2.0, 5.0)), grad(f)(2.0) instead of grad(f(2.0))."
            )
        running = in_this_thread.levels
        running.append(self)
        try:
            return f(*inputs)
        except Exception as error:
            if hides_ours(error):  # no name for it here: the frame is part of the traceback
                raise error.__cause__.with_traceback(error.__traceback__.tb_next) from None  # type: ignore[union-attr]
            show_briefly(error)
            raise
        finally:
            self.open = self.paused = self.plain = False
            running.remove(self)

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Handle one operation, at least one operand of which belongs to this level."""
        raise NotImplementedError


class _Thread(threading.local):
    """The levels that are open in each thread, for `no_recording`."""

    def __init__(self) -> None:
        self.levels: list[Level] = []


in_this_thread = _Thread()


@contextmanager
def no_recording() -> Iterator[None]:
    """Let operations pass unrecorded: inside, traced values are constants to every derivative in progress.

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
    stopped = [(level, level.plain) for level in in_this_thread.levels if level.open]
    for level, _ in stopped:
        level.open, level.paused, level.plain = False, True, False
    try:
        yield
    finally:
        for level, plain in stopped:
            level.open, level.paused, level.plain = True, False, plain
