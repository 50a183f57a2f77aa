"""Lines of a tape that belong together: what one line of the source, a loop or a call has written.

A group is a stretch of the tape. The tape is in topological order, so the graph of the groups has no cycle either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from autodiff_lab.text.notation import shortened
from autodiff_lab.trace.model import Span, Trace

GROUPINGS = ("auto", "line", "loop", "call", None)
READABLE = 60
"""How many boxes a reader can still take in."""

_LONGEST_TITLE = 44
_LONGEST_BODY = 16


class Group(NamedTuple):
    """The lines from `first` up to, not including, `end`; they come from the text `title`, which ran `times` times."""

    title: str
    first: int
    end: int
    times: int = 1


def groups_of(trace: Trace, by: str | None) -> tuple[Group, ...]:
    """Put the operations of a trace into groups; inputs belong to none.

    Parameters
    ----------
    trace : Trace
    by : {"line", "loop", "call", None, "auto"}
        One group each time a line of the source runs; one for all runs of a loop's body; one for each line of the
        outermost function, with all that it calls; one for each operation; or the finest of these that has at most
        60 boxes, otherwise stretches of the coarsest.

    >>> def f(x):
    ...     for _ in range(3):
    ...         x = x * x + 1
    ...     return x - 2
    >>> trace = Trace.of(f, 1.0)
    >>> [len(groups_of(trace, by)) for by in (None, "line", "loop")]
    [7, 4, 2]
    """
    if by != "auto":
        return tuple(_FOUND[by](trace))
    ways = [tuple(found(trace)) for found in _FOUND.values()]
    readable = [groups for groups in ways if len(groups) <= READABLE]
    return readable[0] if readable else _stretches(trace, min(ways, key=len))


def _stretches(trace: Trace, groups: Sequence[Group]) -> tuple[Group, ...]:
    """As many groups as one can take in, each made of the same number of neighbours."""
    each = math.ceil(len(groups) / READABLE)
    found = []
    for at in range(0, len(groups), each):
        first, last = groups[at], groups[min(at + each, len(groups)) - 1]
        ends = [trace.lines[first.first].shown, trace.lines[last.end - 1].shown]
        found.append(Group(" … ".join(dict.fromkeys(ends)), first.first, last.end))
    return tuple(found)


def _single(trace: Trace) -> list[Group]:
    return [Group("", i, i + 1) for i, line in enumerate(trace.lines) if line.kind == "operation"]


def _by_line(trace: Trace, frame: int = -1) -> list[Group]:
    """One group each time a source line runs; `frame` says whose line counts, −1 the innermost function's."""
    groups: list[Group] = []
    done: set[tuple[Span, ...]] = set()
    for single in _single(trace):
        where = trace.lines[single.first].where
        place = where[frame] if where else None
        before = groups[-1] if groups else None
        # A place that comes a second time means that the line runs again.
        if before and place and _same_line(trace, before.first, place, frame) and where not in done:
            groups[-1] = before._replace(end=single.end)
            done.add(where)
        else:
            groups.append(single._replace(title=_text(trace, place) if place else ""))
            done = {where}
    return groups


def _same_line(trace: Trace, first: int, place: Span, frame: int) -> bool:
    where = trace.lines[first].where
    return bool(where) and where[frame][:2] == place[:2]


def _by_call(trace: Trace) -> list[Group]:
    return _by_line(trace, 0)


def _by_loop(trace: Trace) -> list[Group]:
    """Bodies of loops, found by what repeats."""
    rows = _by_line(trace)
    keys = [trace.lines[row.first].where[-1][:2] if row.title else (row.first,) for row in rows]
    groups: list[Group] = []
    at = 0
    while at < len(rows):
        body, times = max(
            ((body, _repeats(keys, at, body)) for body in range(1, _LONGEST_BODY + 1)),
            key=lambda found: (found[0] * found[1] if found[1] > 1 else 1, -found[0]),
        )
        body = body if times > 1 else 1
        end = at + body * times
        titles = dict.fromkeys(row.title for row in rows[at : at + body])
        title = shortened("; ".join(titles), _LONGEST_TITLE)
        groups.append(Group(title, rows[at].first, rows[end - 1].end, times))
        at = end
    return groups


def _repeats(keys: Sequence[tuple[int, ...]], at: int, body: int) -> int:
    """How many times in a row the next `body` keys come."""
    times = 1
    while keys[at + times * body : at + (times + 1) * body] == keys[at : at + body]:
        times += 1
    return times


def _text(trace: Trace, place: Span) -> str:
    return shortened(trace.sources[place.source].text[place.line].strip(), _LONGEST_TITLE)


_FOUND = {None: _single, "line": _by_line, "loop": _by_loop, "call": _by_call}
