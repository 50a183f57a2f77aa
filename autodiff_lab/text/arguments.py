"""Check the arguments of public functions (an option, a number, a path, a step), with one wording of errors.

Public functions call these checks first, so that no work is done for a call that must fail.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from autodiff_lab.engine.errors import AutodiffError, InputError


class PathError(AutodiffError, ValueError):
    """A path that can't be written to: it has the wrong extension, its folder doesn't exist, or it is a folder."""


def check_choice(function: str, option: str, given: Any, allowed: Sequence[Any]) -> Any:
    """Check that a function's argument is one of the allowed choices, and return it.

    Raises
    ------
    InputError
        If it is not; the message lists the allowed ones.

    >>> check_choice("draw", "direction", "TB", ("LR", "TB"))
    'TB'
    >>> check_choice("draw", "direction", "down", ("LR", "TB"))
    Traceback (most recent call last):
    autodiff_lab.engine.errors.InputError: draw(direction='down'): direction must be 'LR' or 'TB'.
    """
    # Compare the types too: 1 == True, but a user who writes 1 doesn't mean True.
    if any(type(given) is type(choice) and given == choice for choice in allowed):
        return given
    *most, last = map(repr, allowed)
    choices = f"{', '.join(most)} or {last}" if most else last
    raise InputError(f"{function}({option}={given!r}): {option} must be {choices}.")


def check_number(function: str, option: str, given: Any, least: float, most: float) -> float:
    """Check that a function's argument is a number in a range, and return it.

    Raises
    ------
    InputError
        If it is not a number, or out of range.

    >>> check_number("save_png", "scale", 2, 0.1, 10)
    2.0
    >>> check_number("save_png", "scale", "big", 0.1, 10)
    Traceback (most recent call last):
    autodiff_lab.engine.errors.InputError: save_png(scale='big'): scale must be a number from 0.1 to 10.
    """
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not least <= number <= most:
        raise InputError(
            f"{function}({option}={given!r}): {option} must be a number from {least:g} to {most:g}."
        )
    return number


def check_path(function: str, path: str | Path, *extensions: str) -> Path:
    """Check that a function's argument is a path under which a file can be written, and return it.

    Raises
    ------
    PathError
        If the name doesn't end in one of `extensions`, the folder doesn't exist, or the path is a folder.

    >>> check_path("save_svg", "a.png", ".svg")
    Traceback (most recent call last):
    autodiff_lab.text.arguments.PathError: save_svg writes .svg, and 'a.png' ends in '.png'. Write 'a.svg'.
    """
    path = Path(path)
    if path.suffix.lower() not in extensions:
        ending = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        allowed = " or ".join(extensions)
        better = path.with_suffix(extensions[0]) if path.name else Path(f"picture{extensions[0]}")
        raise PathError(
            f"{function} writes {allowed}, and {str(path)!r} {ending}. Write {str(better)!r}."
        )
    if not path.parent.is_dir():
        raise PathError(
            f"{function} cannot write {str(path)!r}: there is no folder {str(path.parent)!r}. Make it first: "
            f"pathlib.Path({str(path.parent)!r}).mkdir(parents=True)."
        )
    if path.is_dir():
        raise PathError(f"{function} cannot write {str(path)!r}: it is a folder. Add a file name.")
    return path


def check_steps(function: str, steps: object, count: int) -> list[int]:
    """Check that the argument ``steps`` lists steps of a run with `count` steps, and return it; −1 is before step 0.

    Raises
    ------
    InputError
        If one of them is not a step of the run, or the list is empty.
    """
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        raise InputError(
            f"{function}(steps={steps!r}): steps must be a list of step numbers, such as [0, 3, 7]."
        )
    checked = [check_step(function, step, count) for step in steps]
    if not checked:
        raise InputError(f"{function}(steps=[]) would show nothing: name at least one step.")
    return checked


def check_step(function: str, step: int | None, count: int) -> int:
    """Check that the argument ``step`` is a step of a run with `count` steps, and return it; None is the last.

    Raises
    ------
    InputError
        If there is no such step.
    """
    if step is None:
        return count - 1
    is_whole = not isinstance(step, bool) and hasattr(step, "__index__")
    if not is_whole or not -1 <= step < count:
        last = (
            f"0 to {count - 1}, and −1 is before the first"
            if count
            else "none; −1 is before the first"
        )
        raise InputError(
            f"{function}: there is no step {step!r}; the steps of this run are {last}."
        )
    return int(step)
