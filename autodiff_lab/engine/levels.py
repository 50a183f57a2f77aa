"""Levels of nested derivatives: numbered, open while their function runs, and paused by `no_recording`."""

from __future__ import annotations

import inspect
import itertools
import warnings
from _thread import RLock, get_ident  # where `threading` has them from; it takes longer to import
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from .errors import DetachedWarning, InputError
from .frames import describe_line, find_suspendable_frame, find_user_frame, is_on_stack
from .primitives import Op
from .tracebacks import hides_own_error, shorten_display


class Level:
    """The level of a derivative in progress: open while its function runs, numbered higher the deeper it is nested.

    Unique numbers keep nested derivatives apart, which prevents perturbation confusion. Using a value of a closed level
    raises an error, where it would otherwise give a wrong number. See Siskind and Pearlmutter, *Nesting forward-mode
    AD in a functional framework* (2008).
    """

    _numbers: ClassVar[itertools.count[int]] = itertools.count(1)
    # Whether a tape line is all that is recorded for an operation.
    has_fast_path: ClassVar[Any] = False
    pausable: ClassVar[bool] = True
    open = True
    fast = False  # open, has_fast_path and not paused: operators may skip the dispatch
    # The warning to issue when the function returns, if it caught an error about a lost derivative.
    caught: tuple[str, type[Warning], str, int] | None = None
    # Whether a `no_recording` block used values of this level. What it computed from them was not recorded.
    computed_paused = False

    def __init__(self) -> None:
        self.number: float = next(Level._numbers)

    def run(self, f: Callable[..., Any], inputs: Sequence[Any]) -> Any:
        """Call `f` on traced inputs while this level is open, and close the level even if `f` raises."""
        if not callable(f):
            raise InputError(
                f"A function is needed, and this is a {type(f).__name__}. Pass the function itself, and its arguments "
                "after it: play(f, 2.0, 5.0) instead of play(f(2.0, 5.0)), grad(f)(2.0) instead of grad(f(2.0))."
            )
        open_levels.append(self)
        try:
            result = f(*inputs)
        except Exception as error:
            if hides_own_error(error):  # a name for it here would be a reference cycle
                raise error.__cause__.with_traceback(error.__traceback__.tb_next) from None  # type: ignore[union-attr]
            if type(error) is TypeError and error.__traceback__.tb_next is None:  # type: ignore[union-attr]
                _require_inputs_fit(f, len(inputs))
            shorten_display(error)
            raise
        finally:
            self.open = self.fast = False
            open_levels.remove(self)
        if self.caught is not None:
            warnings.warn_explicit(*self.caught)
        return result

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Handle one operation at this level, to which at least one of its operands belongs."""
        raise NotImplementedError


class StandingLevel(Level):
    """A level that is always open and belongs to no derivative. Number 0 puts it below all derivatives."""

    number = 0.0

    def __init__(self) -> None:
        """Keep the class's number instead of drawing the next one."""


def _require_inputs_fit(f: Callable[..., Any], given: int) -> None:
    """Raise an error that names the inputs of `f`, if a level was to run it with too few or too many of them."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # some functions written in C have no signature
        return
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = [p.name for p in positional]
    missing = [p.name for p in positional[given:] if p.default is p.empty]
    surplus = given > len(positional) and all(p.kind is not p.VAR_POSITIONAL for p in parameters)
    if missing or surplus:
        wrong = f"{given - len(positional)} too many"
        if missing:
            wrong = f"there is none for {' and '.join(missing)}"
        called = getattr(f, "__name__", "the function")
        raise InputError(
            f"{called}({', '.join(names)}) needs a number for each of its inputs, and {given} "
            f"{'was' if given == 1 else 'were'} given: {wrong}."
        ) from None


# The levels that are open, in all threads.
open_levels: list[Level] = []


# A lost derivative


def note_caught(level: Level, error: Exception) -> None:
    """Note an error on its level. If the user's function catches it, the level warns at that line when it closes."""
    frame = find_user_frame()
    where = f"{frame.f_code.co_name}, {describe_line(frame) or f'line {frame.f_lineno}'}"
    message = (
        f"An error was raised here and caught ({where}), so the function took a different branch than it "
        f"would with plain numbers, and its derivative may be wrong. Don't catch the error; fix the line: {error}"
    )
    level.caught = message, DetachedWarning, frame.f_code.co_filename, frame.f_lineno


# Pausing


class Pause:
    """A ``with no_recording():`` block that has been entered: the levels it pauses, in one thread or generator."""

    __slots__ = ("frame", "levels", "noted", "thread")

    def __init__(self, noted: bool = True) -> None:
        self.levels = frozenset(level for level in tuple(open_levels) if level.pausable)
        self.frame = find_suspendable_frame()
        self.thread = get_ident()
        self.noted = noted

    def is_here(self) -> bool:
        """Whether the code that is running now is inside this block, so that its levels are paused."""
        return is_on_stack(self.frame) if self.frame is not None else self.thread == get_ident()


# The blocks that have been entered and not left, in all threads and generators.
pauses: list[Pause] = []

_pauses_lock = RLock()


def is_paused(level: Level) -> bool:
    """Whether the level is paused for the code that is running now, by a ``no_recording`` block around it."""
    return any(level in block.levels and block.is_here() for block in tuple(pauses))


def note_paused(level: Level) -> None:
    """Note on a paused level that a ``no_recording`` block uses its values."""
    if any(block.noted and level in block.levels and block.is_here() for block in tuple(pauses)):
        level.computed_paused = True


def _update_fast(levels: Iterable[Level]) -> None:
    """Allow the fast path on the levels that no block pauses, in any thread or generator."""
    for level in levels:
        level.fast = level.has_fast_path and not any(level in block.levels for block in pauses)
        if not level.open:  # another thread may have closed it in between
            level.fast = False


@contextmanager
def no_recording() -> Iterator[None]:
    """Pause recording at all levels: in the ``with`` block, traced values are constants to each derivative in progress.

    Only code that runs inside the block is affected: no other thread, and not the caller of a generator that is
    suspended in the block.

    Yields
    ------
    None
        Nothing: the block needs no name.

    See Also
    --------
    stop_gradient : Treat a value as a constant.

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
    with _entered(Pause()):
        yield


@contextmanager
def checking() -> Iterator[None]:
    """Pause recording as `no_recording` does, for a check of the engine whose values are not used afterwards."""
    with _entered(Pause(noted=False)):
        yield


@contextmanager
def _entered(block: Pause) -> Iterator[None]:
    """Enter a block that pauses its levels, and leave it."""
    with _pauses_lock:
        pauses.append(block)
        _update_fast(block.levels)
    try:
        yield
    finally:
        with _pauses_lock:
            pauses.remove(block)
            _update_fast(block.levels)
