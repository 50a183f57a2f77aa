"""A long run at a glance: the stretches of the tape that one loop, or one line of the source, has written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autodiff_lab.text.notation import shortened
from autodiff_lab.trace.outline import Section

FEW = 30
"""A run of so many lines is seen as it is."""

_MOST = 60
_LONGEST_TITLE = 44


class Chapter(NamedTuple):
    """The lines from `first` up to, not including, `end`, which the text `title` has written.

    It is a loop if it has `turns`; `each` is how many lines a turn has, 0 if not all have as many.
    """

    title: str
    first: int
    end: int
    turns: int = 0
    each: int = 0


def chapters(run: Section) -> tuple[Chapter, ...]:
    """Find the outermost loops of a run, and the lines of the source between them.

    Parameters
    ----------
    run : Section
        All sections of it, see `outline.nested`.

    Returns
    -------
    tuple of Chapter
        At most 60: where there are more, neighbours are put together. None of a run of few lines.
    """
    if run.size <= FEW:
        return ()
    found = list(_chapters([part for part in run.inside if part.kind != "input"], ""))
    each = math.ceil(len(found) / _MOST)
    return tuple(_together(found[at : at + each]) for at in range(0, len(found), max(each, 1)))


def _chapters(parts: Sequence[Section], title: str) -> Iterator[Chapter]:
    """One chapter for each part; where there is a single line of the source, what it calls is told."""
    if len(parts) == 1 and parts[0].kind in ("line", "call"):
        yield from _chapters(parts[0].inside, parts[0].title)
        return
    start = None
    for k, part in enumerate(parts):
        if part.inside:
            yield _chapter(part)
            continue
        # Operations beside each other belong to the line around them.
        start = part.first if start is None else start
        if title and (k + 1 == len(parts) or parts[k + 1].inside):
            yield Chapter(title, start, part.end)
            start = None


def _chapter(part: Section) -> Chapter:
    loop = part
    while loop.kind != "loop" and len(loop.inside) == 1:
        loop = loop.inside[0]
    if loop.kind != "loop":
        return Chapter(part.title, part.first, part.end)
    lengths = {turn.size for turn in loop.inside}
    even = len(lengths) == 1 and len(loop.inside) == loop.n
    return Chapter(loop.title, loop.first, loop.end, loop.n, lengths.pop() if even else 0)


def _together(found: Sequence[Chapter]) -> Chapter:
    if len(found) == 1:
        return found[0]
    title = " … ".join(dict.fromkeys([found[0].title, found[-1].title]))
    return Chapter(shortened(title, _LONGEST_TITLE), found[0].first, found[-1].end)
