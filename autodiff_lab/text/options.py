"""What an option may be: asked in one way, refused in one way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autodiff_lab.engine.errors import InputError


def one_of(function: str, option: str, given: Any, allowed: Sequence[Any]) -> Any:
    """Give back an option that is allowed.

    Raises
    ------
    InputError
        If it is not; the message says what is.

    >>> one_of("draw", "direction", "TB", ("LR", "TB"))
    'TB'
    >>> one_of("draw", "direction", "down", ("LR", "TB"))
    Traceback (most recent call last):
    autodiff_lab.engine.errors.InputError: draw(direction='down') is not possible; direction is 'LR' or 'TB'.
    """
    # The type counts as well: 1 equals True, and is not what was meant.
    if any(type(given) is type(choice) and given == choice for choice in allowed):
        return given
    *most, last = map(repr, allowed)
    choices = f"{', '.join(most)} or {last}" if most else last
    raise InputError(f"{function}({option}={given!r}) is not possible; {option} is {choices}.")
