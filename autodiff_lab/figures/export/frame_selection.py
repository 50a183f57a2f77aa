"""Frame selection: which steps of a run an animation or a contact sheet shows, where all of them would be too many."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from autodiff_lab.text.arguments import check_steps
from autodiff_lab.text.messages import message
from autodiff_lab.trace.model import Trace


def pick_steps(
    function: str, trace: Trace, steps: Iterable[int] | None, most: int
) -> tuple[list[int], str]:
    """Pick the steps that get a frame: those asked for, or so many at most, with a remark if some are left out.

    Raises
    ------
    InputError
        If a step that is asked for does not exist.
    """
    if steps is not None:
        return check_steps(function, steps, len(trace.steps)), ""
    shown = choose_steps([step.phase for step in trace.steps], most)
    remark = message("some steps", shown=len(shown), count=len(trace.steps))
    return shown or [-1], remark if len(shown) < len(trace.steps) else ""


def choose_steps(phases: Sequence[str], most: int) -> list[int]:
    """Choose the steps that get a frame, so many at most: the ends of each phase, and others evenly between them.

    >>> choose_steps(["record"] * 7 + ["seed"] + ["sweep"] * 5, 6)
    [0, 3, 6, 7, 8, 12]
    """
    count = len(phases)
    if count <= most:
        return list(range(count))
    ends = [
        k
        for k in range(count)
        if k in (0, count - 1) or phases[k] != phases[k - 1] or phases[k] != phases[k + 1]
    ]
    picked = set(ends[: most - 1]) | {count - 1} if len(ends) > most else set(ends)
    while len(picked) < most:
        start, end = max(pairwise(sorted(picked)), key=lambda gap: gap[1] - gap[0])
        picked.add((start + end) // 2)
    return sorted(picked)
