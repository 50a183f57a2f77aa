"""A long run at a glance: the stretches of the tape that one loop, or one line of the source, has written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from autodiff_lab.figures.notation import shortened
from autodiff_lab.figures.places import Source, Span, Turn

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


def chapters(
    sources: Sequence[Source], spans: Sequence[Sequence[Span]], turns: Sequence[Sequence[Turn]]
) -> tuple[Chapter, ...]:
    """Find the outermost loops of a run, and the lines of the source between them.

    Parameters
    ----------
    sources : sequence of Source
    spans, turns : sequences
        For each line of the tape where it stands, and the turns of the loops that were running.

    Returns
    -------
    tuple of Chapter
        At most 60: where there are more, neighbours are put together. None of a run of few lines.
    """
    if len(spans) <= FEW:
        return ()
    found = []
    keyed = ((_key(where, turn), i) for i, (where, turn) in enumerate(zip(spans, turns, strict=True)))
    for key, group in groupby(keyed, key=lambda pair: pair[0]):
        if key is None:
            continue
        lines = [i for _, i in group]
        found += _visits(shortened(sources[key[0]].text[key[1]].strip(), _LONGEST_TITLE), lines, turns)
    each = math.ceil(len(found) / _MOST)
    return tuple(_together(found[at : at + each]) for at in range(0, len(found), max(each, 1)))


def _key(where: Sequence[Span], turns: Sequence[Turn]) -> tuple[int, int, bool] | None:
    """The source and the row that a line counts to, and whether that is a loop; None of an input."""
    if turns:
        return turns[0].source, turns[0].line, True
    return (where[0].source, where[0].line, False) if where else None


def _visits(title: str, lines: Sequence[int], turns: Sequence[Sequence[Turn]]) -> list[Chapter]:
    """A chapter for each time that a loop is entered; a line of the source is one."""
    if not turns[lines[0]]:
        return [Chapter(title, lines[0], lines[-1] + 1)]
    visits: list[list[int]] = []
    for i in lines:
        if not visits or turns[i][0].n < turns[visits[-1][-1]][0].n:
            visits.append([])
        visits[-1].append(i)
    return [_loop(title, visit, turns) for visit in visits]


def _loop(title: str, lines: Sequence[int], turns: Sequence[Sequence[Turn]]) -> Chapter:
    count = turns[lines[0]][0].count
    starts = [lines[0], *(i for before, i in pairwise(lines) if turns[i][0].n != turns[before][0].n), lines[-1] + 1]
    lengths = {end - start for start, end in pairwise(starts)}
    even = len(lengths) == 1 and len(starts) == count + 1
    return Chapter(title, lines[0], lines[-1] + 1, count, lengths.pop() if even else 0)


def _together(found: Sequence[Chapter]) -> Chapter:
    if len(found) == 1:
        return found[0]
    title = " … ".join(dict.fromkeys([found[0].title, found[-1].title]))
    return Chapter(shortened(title, _LONGEST_TITLE), found[0].first, found[-1].end)
