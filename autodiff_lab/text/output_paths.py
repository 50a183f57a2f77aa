"""Where a picture is written: checked before anything is drawn, so that nothing is drawn in vain."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from autodiff_lab.engine.errors import AutodiffError, InputError


class PathError(AutodiffError, ValueError):
    """A file cannot be written under this name, or in this folder."""


def checked_path(function: str, path: str | Path, *extensions: str) -> Path:
    """Give back a path that can be written to.

    Raises
    ------
    PathError
        If the name ends in something else than one of `extensions`, or there is no such folder.

    >>> checked_path("save_svg", "a.png", ".svg")
    Traceback (most recent call last):
    autodiff_lab.text.output_paths.PathError: save_svg writes .svg, and 'a.png' ends in '.png'. Write 'a.svg'.
    """
    path = Path(path)
    if path.suffix.lower() not in extensions:
        ending = f"ends in {path.suffix!r}" if path.suffix else "has no ending"
        allowed = " or ".join(extensions)
        better = path.with_suffix(extensions[0]) if path.name else Path(f"picture{extensions[0]}")
        raise PathError(f"{function} writes {allowed}, and {str(path)!r} {ending}. Write {str(better)!r}.")
    if not path.parent.is_dir():
        raise PathError(
            f"{function} cannot write {str(path)!r}: there is no folder {str(path.parent)!r}. Make it first: "
            f"pathlib.Path({str(path.parent)!r}).mkdir(parents=True)."
        )
    if path.is_dir():
        raise PathError(f"{function} cannot write {str(path)!r}: this is a folder. Add the name of a file.")
    return path


def checked_steps(function: str, steps: Iterable[int], count: int) -> list[int]:
    """Give back steps that a run of `count` steps has; −1 is before the first.

    Raises
    ------
    InputError
        If one of them is no such step, or there is none.
    """
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        raise InputError(f"{function}(steps={steps!r}) is not possible; steps is a list of step numbers, as [0, 3, 7].")
    checked = [checked_step(function, step, count) for step in steps]
    if not checked:
        raise InputError(f"{function}(steps=[]) shows nothing; name at least one step.")
    return checked


def checked_step(function: str, step: int | None, count: int) -> int:
    """Give back a step that a run of `count` steps has; the last one for None.

    Raises
    ------
    InputError
        If there is no such step.
    """
    if step is None:
        return count - 1
    whole = not isinstance(step, bool) and hasattr(step, "__index__")
    if not whole or not -1 <= step < count:
        last = f"0 to {count - 1}, and −1 is before the first" if count else "none; −1 is before the first"
        raise InputError(f"{function}: there is no step {step!r}; the steps of this run are {last}.")
    return int(step)


def chosen(phases: Sequence[str], most: int) -> list[int]:
    """Choose so many steps of a run at most: the ends of each phase, and others evenly between them.

    >>> chosen(["record"] * 7 + ["seed"] + ["sweep"] * 5, 6)
    [0, 3, 6, 7, 8, 12]
    """
    count = len(phases)
    if count <= most:
        return list(range(count))
    ends = [k for k in range(count) if k in (0, count - 1) or phases[k] != phases[k - 1] or phases[k] != phases[k + 1]]
    picked = set(ends[: most - 1]) | {count - 1} if len(ends) > most else set(ends)
    while len(picked) < most:
        # Into the middle of the longest stretch that is left out.
        ordered = sorted(picked)
        start, end = max(itertools.pairwise(ordered), key=lambda stretch: stretch[1] - stretch[0])
        picked.add((start + end) // 2)
    return sorted(picked)
