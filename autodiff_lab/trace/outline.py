"""A run as an outline: its loops, their turns, its calls, the lines of the source, and inside of these the operations.

Each section is a stretch of the tape, and the sections inside of it follow each other. The tape is in topological
order, so the graph of the sections that stand beside each other has no cycle.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from autodiff_lab.text.messages import say
from autodiff_lab.text.notation import shortened
from autodiff_lab.trace.source_positions import Source, Span, Turn

MOST = 30
"""A section has no more sections and operations inside than so many; the inputs of a run stand beside them."""

_FEW, _SMALL = 12, 3
_ROUND = 10
_DEEPEST = 40
_LONGEST_TITLE = 44
_LEAVES = ("input", "operation")


class Section(NamedTuple):
    """The lines from `first` up to, not including, `end`.

    `kind` is ``"run"``, ``"loop"`` (each time that it is entered), ``"turn"``, ``"line"`` of the source, ``"call"``, a
    recorded ``"sweep"``; ``"turns"`` or ``"part"`` for neighbours that were put together; ``"input"`` or
    ``"operation"`` for a single line of the tape, which has nothing inside. A loop has `n` turns, a turn is turn `n`.
    """

    kind: str
    title: str
    first: int
    end: int
    inside: tuple[Section, ...] = ()
    n: int = 0

    @property
    def size(self) -> int:
        """How many lines it has."""
        return self.end - self.first

    def walk(self) -> Iterator[Section]:
        """Give this section and all inside of it that have something inside, from the outside in."""
        if self.inside:
            yield self
            for section in self.inside:
                yield from section.walk()


Key = tuple
"""The kind of a section, and what tells it from its neighbours."""


def nested(
    sources: Sequence[Source],
    spans: Sequence[Sequence[Span]],
    turns: Sequence[Sequence[Turn]],
    n_inputs: int,
    sweeps: Sequence[int] = (),
) -> Section:
    """Put the lines of a tape into sections: all there are, however few operations they have.

    Parameters
    ----------
    sources : sequence of Source
    spans, turns : sequences
        For each line of the tape where it stands, and the turns of the loops that were running; outermost first.
    n_inputs : int
        So many lines at the beginning are inputs.
    sweeps : sequence of int, optional
        For each line which recorded sweep has written it; 0 for what the program does itself.
    """
    bodies = [_bodies(source) for source in sources]
    paths = [_path(where, turn, bodies) for where, turn in zip(spans, turns, strict=True)]
    _put_conditions_into_turns(paths)
    paths = [[("sweep", sweep), *path] if sweep else path for sweep, path in zip_longest(sweeps, paths)]

    def inside(first: int, end: int, depth: int) -> tuple[Section, ...]:
        found = []
        i = first
        while i < end:
            if len(paths[i]) <= depth:
                found.append(Section("input" if i < n_inputs else "operation", "", i, i + 1))
                i += 1
                continue
            stop = i + 1
            while stop < end and _go_on(paths[stop - 1], paths[stop], depth):
                stop += 1
            kind, *place = paths[i][depth]
            title, n = _title(kind, place, sources)
            if kind == "loop":
                n = paths[stop - 1][depth + 1][2]
            found.append(Section(kind, title, i, stop, inside(i, stop, depth + 1), n))
            i = stop
        return tuple(found)

    return Section("run", "", 0, len(paths), inside(0, len(paths), 0))


def _path(where: Sequence[Span], turns: Sequence[Turn], bodies: Sequence[dict[int, range]]) -> list[Key]:
    """The sections that a line is in, outermost first: in each call its loops, and the line of the source."""
    path: list[Key] = []
    left = list(turns)
    for depth, span in enumerate(where):
        if len(path) > _DEEPEST:
            break
        if depth:
            path.append(("call", *where[depth - 1]))
        head = -1
        while left and left[0].source == span.source and left[0].line > head:
            _, head, n, count = left[0]
            if span.line not in bodies[span.source].get(head, ()):
                break
            path += [("loop", span.source, head), ("turn", n, count)]
            left.pop(0)
        path.append(("line", span.source, span.line))
    return path


def _bodies(source: Source) -> dict[int, range]:
    """The rows of the body of each loop, by the row of its head."""
    try:
        tree = ast.parse("\n".join(source.text))
    except SyntaxError:  # the text of a lambda is a part of something
        return {}
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    return {node.lineno - 1: range(node.body[0].lineno - 1, node.body[-1].end_lineno or 0) for node in loops}


def _put_conditions_into_turns(paths: list[list[Key]]) -> None:
    """The condition of a `while` belongs to the turn that it lets begin; the one that fails, to the turn before it."""
    heads = {key for path in paths for key in path if key[0] == "loop"}
    for i in reversed(range(len(paths))):
        for k, (kind, *place) in enumerate(paths[i]):
            if kind != "line" or ("loop", *place) not in heads:
                continue
            others = (paths[i + 1 : i + 2], (paths[j] for j in range(i - 1, -1, -1) if paths[j][k:] != paths[i][k:]))
            found = (next(iter(some), []) for some in others)
            turn = next((path[k : k + 2] for path in found if path[: k + 1] == [*paths[i][:k], ("loop", *place)]), None)
            if turn:
                paths[i] = [*paths[i][:k], *turn, *paths[i][k:]]
                break


def _go_on(before: list[Key], after: list[Key], depth: int) -> bool:
    """Whether a line belongs to the same section as the line before it."""
    if len(after) <= depth or after[depth] != before[depth]:
        return False
    # A loop whose turns begin again was entered again.
    return after[depth][0] != "loop" or after[depth + 1][1] >= before[depth + 1][1]


def _title(kind: str, place: Sequence[int], sources: Sequence[Source]) -> tuple[str, int]:
    if kind == "turn":
        return say("one turn", n=place[0]), place[0]
    if kind == "sweep":
        return say("segment inner"), 0
    text = sources[place[0]].text[place[1]]
    if kind == "call":
        _, row, column, end_row, end_column = place
        text = text[column : end_column if end_row == row else None]
    return shortened(text.strip(), _LONGEST_TITLE), 0


def outlined(section: Section, named: Callable[[int], str]) -> Section:
    """Make an outline that is easy to take in out of `nested` sections.

    Few operations need no sections of their own. What would be too many is bundled, turns in round numbers. A section
    that has a single one inside is that one.

    Parameters
    ----------
    section : Section
    named : callable
        The name of a line of the tape.

    >>> leaves = tuple(Section("operation", "", i, i + 1) for i in range(200))
    >>> outline = outlined(Section("run", "", 0, 200, leaves), "v{}".format)
    >>> len(outline.inside), outline.inside[1].title, len(outline.inside[1].inside)
    (20, 'v10 … v19', 10)
    """
    if section.kind in _LEAVES:
        return section
    if section.size <= _FEW and section.kind != "run":
        return section._replace(inside=_operations(section)) if section.size > 1 else _operations(section)[0]
    parts = [outlined(part, named) for part in section.inside]
    inputs = [part for part in parts if part.kind == "input"]
    rest = _bundled(parts[len(inputs) :], _turns_of(section)[len(inputs) :], named)
    if section.kind != "run":
        return section._replace(inside=tuple(rest)) if len(rest) > 1 else _merged(section, rest[0])
    if len(rest) == 1 and rest[0].kind in ("line", "call"):
        rest = list(rest[0].inside)
    return section._replace(inside=(*_bundled(inputs, [0] * len(inputs), named), *rest))


def _loosened(parts: Sequence[Section]) -> list[Section]:
    """Let the two or three operations of a line stand for themselves, where there is room for them."""
    small = [part.kind in ("line", "call") and part.size <= _SMALL for part in parts]
    loose = [one for part, few in zip(parts, small, strict=True) for one in (part.inside if few else (part,))]
    return loose if len(loose) <= MOST else list(parts)


def _turns_of(section: Section) -> list[int]:
    return [part.n if part.kind == "turn" else 0 for part in section.inside]


def _operations(section: Section) -> tuple[Section, ...]:
    return tuple(Section("operation", "", i, i + 1) for i in range(section.first, section.end))


def _merged(outer: Section, inner: Section) -> Section:
    """One section for two of the same lines; a turn keeps its number, since there are others beside it."""
    if inner.kind in _LEAVES or (inner.kind == "loop" and outer.kind != "turn"):
        return inner
    title = f"{outer.title} · {inner.title}" if (outer.kind, inner.kind) == ("turn", "loop") else outer.title
    return outer._replace(title=shortened(title, _LONGEST_TITLE), inside=inner.inside)


def _bundled(parts: Sequence[Section], turns: Sequence[int], named: Callable[[int], str]) -> list[Section]:
    """Put neighbours together until there are few enough."""
    if len(parts) <= MOST:
        return _loosened(parts)
    each = _ROUND
    while -(-len(parts) // each) > MOST:
        each *= _ROUND
    found = []
    for at in range(0, len(parts), each):
        some = parts[at : at + each]
        if len(some) == 1:
            found += some
            continue
        first, last = some[0], some[-1]
        if turns[at]:
            kind, title = "turns", say("some turns", first=turns[at], last=turns[at + len(some) - 1])
        else:
            ends = (part.title or named(line) for part, line in ((first, first.first), (last, last.end - 1)))
            kind, title = "part", shortened(" … ".join(dict.fromkeys(ends)), _LONGEST_TITLE)
        inside = tuple(_bundled(some, turns[at : at + len(some)], named))
        found.append(Section(kind, title, first.first, last.end, inside))
    return found


def stretches(outline: Section, most: int) -> list[tuple[Section, ...]]:
    """Cut an outline at borders of its sections, so that no piece has more than `most` lines; the inputs begin one."""

    def pieces(section: Section) -> Iterator[Section]:
        if section.size <= most:
            yield section
        else:
            for part in section.inside:
                yield from pieces(part)

    found: list[list[Section]] = []
    for piece in pieces(outline):
        if not found or (found[-1][0].first + most < piece.end and not _all_inputs(found[-1])):
            found.append([])
        found[-1].append(piece)
    return [tuple(some) for some in found]


def _all_inputs(pieces: Sequence[Section]) -> bool:
    return all(leaf.kind == "input" for piece in pieces for leaf in (piece.inside or (piece,)))
