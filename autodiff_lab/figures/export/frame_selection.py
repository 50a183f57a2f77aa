"""Frame selection: the steps of a run that an animation or a contact sheet shows, if all of them would be too many."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from autodiff_lab.text.arguments import check_steps
from autodiff_lab.text.messages import message
from autodiff_lab.trace.model import Trace


def pick_steps(
    function: str, trace: Trace, steps: Iterable[int] | None, most: int
) -> tuple[list[int], str]:
    """Return the steps that get a frame, and a remark if some are left out.

    If no `steps` are given, at most `most` are chosen.

    Raises
    ------
    InputError
        If one of the `steps` doesn't exist.
    """
    count = len(trace.steps)
    if steps is not None:
        return check_steps(function, steps, count), ""
    shown = choose_steps([step.phase for step in trace.steps], most)
    remark = ""
    if len(shown) < count:
        remark = message("some steps", shown=len(shown), count=count)
    # A run without steps still has the picture before the first step.
    return shown or [-1], remark


def choose_steps(phases: Sequence[str], most: int) -> list[int]:
    """Choose at most `most` steps that get a frame: the ends of each phase, and others evenly between them.

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
    if len(ends) > most:
        ends = [*ends[: most - 1], count - 1]
    picked = set(ends)
    while len(picked) < most:
        start, end = max(pairwise(sorted(picked)), key=lambda gap: gap[1] - gap[0])
        picked.add((start + end) // 2)
    return sorted(picked)
