"""NumPy's warnings of divisions by zero and the like, at the user's own line instead of the engine's."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..engine.frames import find_user_frame


@contextmanager
def warn_at_user_line() -> Iterator[None]:
    """Warn at the user's line while a function is recorded: NumPy would name the line of the engine that called it.

    Kinds of warnings that the user has told NumPy to ignore or to raise stay as they are.
    """
    with np.errstate(call=_warn, **_replace_warnings("call")):
        yield


@contextmanager
def without_warnings() -> Iterator[None]:
    """Turn off NumPy's warnings, because the player marks these values; errors that the user asked for still raise."""
    with np.errstate(**_replace_warnings("ignore")):
        yield


def _replace_warnings(by: Any) -> dict[str, Any]:
    """NumPy's settings for floating-point errors, with `by` in place of each warning."""
    return {kind: by if answer == "warn" else answer for kind, answer in np.geterr().items()}


def _warn(kind: str, flag: int) -> None:
    frame = find_user_frame()
    message = f"{kind} encountered"
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message,
        RuntimeWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__"),
        registry,
    )
