"""The outline of a run: a tree of its loops, their turns, calls and lines of the source, and the ways to cut it.

Each section is a range of the tape, and the sections inside of it follow each other. The tape is in topological
order, so the graph of the sections that stand beside each other has no cycle.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import shorten
from autodiff_lab.trace.model import Group, ModuleCall, Source, Span, Trace, Turn

# A section has no more sections and operations inside than so many; the inputs of a run stand beside them.
MAX_PARTS = 30

GROUPINGS = ("auto", "line", "loop", "call", None)
# How many boxes a reader can still take in.
MAX_GROUPS = 60

_FEW, _SMALL = 12, 3
_ROUND = 10
_DEEPEST = 40
_MAX_TITLE_LENGTH = 44
_LEAVES = ("input", "operation")


class Section(NamedTuple):
    """A section of the outline of a run: the lines from `first` up to, not including, `end`.

    `kind` is ``"run"``, ``"loop"`` (each time that it is entered), ``"turn"``, ``"line"`` of the source, ``"call"``, a
    framework's ``"module"``, a recorded ``"sweep"``; ``"turns"`` or ``"part"`` for neighbours that were put together;
    ``"input"`` or ``"operation"`` for a single line of the tape, which has nothing inside. A loop has `n` turns, a turn
    is turn `n`.
    """

    kind: str
    title: str
    first: int
    end: int
    inside: tuple[Section, ...] = ()
    n: int = 0

    @property
    def size(self) -> int:
        """How many lines of the tape a section of the outline has."""
        return self.end - self.first

    @property
    def has_only_inputs(self) -> bool:
        """Whether all lines of a section of the outline are inputs of the run."""
        return self.kind == "input" or (
            bool(self.inside) and all(one.has_only_inputs for one in self.inside)
        )

    @property
    def turns(self) -> int:
        """How often a loop in the outline of a run turned; 0 for a section that is no loop."""
        return self.n if self.kind == "loop" else 0

    def walk(self) -> Iterator[Section]:
        """Give this section of the outline and all inside it that have something inside, from the outside in."""
        if self.inside:
            yield self
            for section in self.inside:
                yield from section.walk()


# The kind of a section, and what tells it from its neighbours.
Key = tuple[Any, ...]


def build_outline(
    sources: Sequence[Source],
    spans: Sequence[Sequence[Span]],
    turns: Sequence[Sequence[Turn]],
    n_inputs: int,
    sweeps: Sequence[int] = (),
    modules: Sequence[Sequence[ModuleCall]] = (),
) -> Section:
    """Build the outline of a run from the lines of its tape: all sections, however few operations they have.

    Parameters
    ----------
    sources : sequence of Source
    spans, turns : sequences
        For each line of the tape where it stands, and the turns of the loops that were running; outermost first.
    n_inputs : int
        So many lines at the beginning are inputs.
    sweeps : sequence of int, optional
        For each line which recorded sweep has written it; 0 for what the program does itself.
    modules : sequence of sequence of ModuleCall, optional
        For each line the calls of a framework's modules that were running, outermost first.
    """
    bodies = [_bodies(source) for source in sources]
    calls = modules or [()] * len(spans)
    paths = [_path(*line, bodies) for line in zip(spans, turns, calls, strict=True)]
    _put_conditions_into_turns(paths)
    paths = [
        [("sweep", sweep), *path] if sweep else path for sweep, path in zip_longest(sweeps, paths)
    ]

    def inside(first: int, end: int, depth: int) -> tuple[Section, ...]:
        found = []
        i = first
        while i < end:
            if len(paths[i]) <= depth:
                found.append(Section("input" if i < n_inputs else "operation", "", i, i + 1))
                i += 1
                continue
            stop = i + 1
            while stop < end and _is_same_section(paths[stop - 1], paths[stop], depth):
                stop += 1
            kind, *place = paths[i][depth]
            # Inside of a loop is a turn: its kind, its number, and how many there are.
            n = (
                place[0]
                if kind == "turn"
                else paths[stop - 1][depth + 1][2]
                if kind == "loop"
                else 0
            )
            found.append(
                Section(kind, _title(kind, place, sources), i, stop, inside(i, stop, depth + 1), n)
            )
            i = stop
        return tuple(found)

    return Section("run", "", 0, len(paths), inside(0, len(paths), 0))


def _path(
    where: Sequence[Span],
    turns: Sequence[Turn],
    modules: Sequence[ModuleCall],
    bodies: Sequence[dict[int, range]],
) -> list[Key]:
    """The sections that a line is in, outermost first: in each call its loops, and the line of the source.

    A module is a section right inside of the line that calls it, in place of the call of its `forward`.
    """
    path: list[Key] = []
    left = list(turns)
    entered = {
        depth: [call for call in modules if call.frames == depth] for depth in range(len(where))
    }
    for depth, span in enumerate(where):
        if len(path) > _DEEPEST:
            break
        path += [("module", *call) for call in entered[depth]]
        if depth and not entered[depth]:
            path.append(("call", *where[depth - 1]))
        head = -1
        while left and left[0].source == span.source and left[0].line > head:
            _, head, n, count = left[0]
            if span.line not in bodies[span.source].get(head, ()):
                break
            path += [("loop", span.source, head), ("turn", n, count)]
            left.pop(0)
        path.append(("line", span.source, span.line))
    return path + [("module", *call) for call in modules if call.frames >= len(where)]


def _bodies(source: Source) -> dict[int, range]:
    """The rows of the body of each loop, by the row of its head."""
    try:
        tree = ast.parse("\n".join(source.text))
    except SyntaxError:  # the text of a lambda is a part of something
        return {}
    loops = (
        node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.While)
    )
    return {
        node.lineno - 1: range(node.body[0].lineno - 1, node.body[-1].end_lineno or 0)
        for node in loops
    }


def _put_conditions_into_turns(paths: list[list[Key]]) -> None:
    """The condition of a `while` belongs to the turn that it lets begin; the one that fails, to the turn before it."""
    heads = {key for path in paths for key in path if key[0] == "loop"}
    for i in reversed(range(len(paths))):
        for k, (kind, *place) in enumerate(paths[i]):
            if kind != "line" or ("loop", *place) not in heads:
                continue
            others = (
                paths[i + 1 : i + 2],
                (paths[j] for j in range(i - 1, -1, -1) if paths[j][k:] != paths[i][k:]),
            )
            found = (next(iter(some), []) for some in others)
            turn = next(
                (
                    path[k : k + 2]
                    for path in found
                    if path[: k + 1] == [*paths[i][:k], ("loop", *place)]
                ),
                None,
            )
            if turn:
                paths[i] = [*paths[i][:k], *turn, *paths[i][k:]]
                break


def _is_same_section(before: list[Key], after: list[Key], depth: int) -> bool:
    """Whether a line belongs to the same section as the line before it."""
    if len(after) <= depth or after[depth] != before[depth]:
        return False
    # A loop whose turns begin again was entered again.
    return bool(after[depth][0] != "loop" or after[depth + 1][1] >= before[depth + 1][1])


def _title(kind: str, place: Sequence[int], sources: Sequence[Source]) -> str:
    if kind == "turn":
        return message("one turn", n=place[0])
    if kind == "sweep":
        return message("segment inner")
    if kind == "module":
        return shorten(str(place[0]), _MAX_TITLE_LENGTH)
    text = sources[place[0]].text[place[1]]
    if kind == "call":
        _, row, column, end_row, end_column = place
        text = text[column : end_column if end_row == row else None]
    return shorten(text.strip(), _MAX_TITLE_LENGTH)


def simplify_outline(section: Section, named: Callable[[int], str]) -> Section:
    """Simplify the outline of a run, as `build_outline` makes it, so that it is easy to take in.

    Few operations need no sections of their own. What would be too many is bundled, turns in round numbers. A section
    that has a single one inside is that one.

    Parameters
    ----------
    section : Section
    named : callable
        The name of a line of the tape.

    >>> leaves = tuple(Section("operation", "", i, i + 1) for i in range(200))
    >>> outline = simplify_outline(Section("run", "", 0, 200, leaves), "v{}".format)
    >>> len(outline.inside), outline.inside[1].title, len(outline.inside[1].inside)
    (20, 'v10 … v19', 10)
    """
    if section.kind in _LEAVES:
        return section
    if section.size <= _FEW and section.kind != "run":
        return (
            section._replace(inside=_operations(section))
            if section.size > 1
            else _operations(section)[0]
        )
    parts = [simplify_outline(part, named) for part in section.inside]
    inputs = [part for part in parts if part.kind == "input"]
    turns = [part.n if part.kind == "turn" else 0 for part in section.inside]
    rest = _bundle(parts[len(inputs) :], turns[len(inputs) :], named)
    if section.kind != "run":
        return section._replace(inside=tuple(rest)) if len(rest) > 1 else _merge(section, rest[0])
    if len(rest) == 1 and rest[0].kind in ("line", "call"):
        rest = list(rest[0].inside)
    return section._replace(inside=(*_bundle(inputs, [0] * len(inputs), named), *rest))


def _loosen(parts: Sequence[Section]) -> list[Section]:
    """Let the two or three operations of a line stand for themselves, where there is room for them."""
    small = [part.kind in ("line", "call") and part.size <= _SMALL for part in parts]
    loose = [
        one
        for part, few in zip(parts, small, strict=True)
        for one in (part.inside if few else (part,))
    ]
    return loose if len(loose) <= MAX_PARTS else list(parts)


def _operations(section: Section) -> tuple[Section, ...]:
    return tuple(Section("operation", "", i, i + 1) for i in range(section.first, section.end))


def _merge(outer: Section, inner: Section) -> Section:
    """One section for two of the same lines; a turn keeps its number, since there are others beside it."""
    if inner.kind in _LEAVES or (inner.kind == "loop" and outer.kind != "turn"):
        return inner
    title = (
        f"{outer.title} · {inner.title}"
        if (outer.kind, inner.kind) == ("turn", "loop")
        else outer.title
    )
    return outer._replace(title=shorten(title, _MAX_TITLE_LENGTH), inside=inner.inside)


def _bundle(
    parts: Sequence[Section], turns: Sequence[int], named: Callable[[int], str]
) -> list[Section]:
    """Put neighbours together until there are few enough."""
    if len(parts) <= MAX_PARTS:
        return _loosen(parts)
    each = _ROUND
    while -(-len(parts) // each) > MAX_PARTS:
        each *= _ROUND
    found: list[Section] = []
    for at in range(0, len(parts), each):
        some = parts[at : at + each]
        if len(some) == 1:
            found += some
            continue
        first, last = some[0], some[-1]
        if turns[at]:
            kind, title = (
                "turns",
                message("some turns", first=turns[at], last=turns[at + len(some) - 1]),
            )
        else:
            kind, title = "part", _title_of_range(first, last, named)
        inside = tuple(_bundle(some, turns[at : at + len(some)], named))
        found.append(Section(kind, title, first.first, last.end, inside))
    return found


def _title_of_range(
    first: Section | Group, last: Section | Group, named: Callable[[int], str]
) -> str:
    ends = (
        part.title or named(line) for part, line in ((first, first.first), (last, last.end - 1))
    )
    return shorten(" … ".join(dict.fromkeys(ends)), _MAX_TITLE_LENGTH)


def outline_of(trace: Trace) -> Section:
    """Build the outline of the lines of a trace, with all its sections."""
    columns = ("where", "turns", "sweep_id", "modules")
    where, turns, sweeps, modules = (
        [getattr(line, name) for line in trace.lines] for name in columns
    )
    return build_outline(trace.sources, where, turns, len(trace.inputs), sweeps, modules)


def group_lines(trace: Trace, by: str | None) -> tuple[Group, ...]:
    """Put the operations of a trace into groups, by its outline; inputs belong to none.

    Parameters
    ----------
    trace : Trace
    by : {"line", "loop", "call", None, "auto"}
        One group each time a line of the source runs; one for each loop, and for each line outside of loops; one for
        each line of the outermost function, with all that it calls; one for each operation; or the finest of these
        that has at most 60 groups, otherwise neighbours together.

    >>> def f(x):
    ...     for _ in range(3):
    ...         x = x * x + 1
    ...     return x - 2
    >>> from autodiff_lab import Trace
    >>> trace = Trace.of(f, 1.0)
    >>> [len(group_lines(trace, by)) for by in (None, "line", "loop")]
    [7, 4, 2]
    """
    run = outline_of(trace)
    if by != "auto":
        return tuple(_cut(run, by))
    cuts = sorted((_cut(run, each) for each in (None, "line", "call", "loop")), key=len)
    finest = max((cut for cut in cuts if len(cut) <= MAX_GROUPS), key=len, default=cuts[0])
    return _join_to_few(finest, lambda i: trace.lines[i].display_name)


def overview(run: Section, named: Callable[[int], str]) -> tuple[Group, ...]:
    """The coarsest outline of a long run: its outermost loops, and the lines of the source between them.

    There are at most 60 of these groups; a short run has none.
    """
    return _join_to_few(_cut(run, "loop"), named) if run.size > MAX_PARTS else ()


_OPENS: dict[str | None, Callable[[Section], bool]] = {
    "line": lambda section: True,
    "loop": lambda section: (
        section.kind != "loop" and any(part.kind == "loop" for part in section.walk())
    ),
    "call": lambda section: section.kind not in ("line", "call", "module"),
}


def _cut(run: Section, by: str | None) -> list[Group]:
    """Cut all sections of a run into groups, as `group_lines` says."""
    operations = [part for part in run.inside if part.kind != "input"]
    if by is None:
        return [
            Group("", i, i + 1)
            for i in range(operations[0].first if operations else run.end, run.end)
        ]
    run = run._replace(inside=tuple(operations))
    while len(run.inside) == 1 and run.inside[0].kind in ("line", "call"):
        # A single line of the source that calls all the rest says nothing.
        run = run.inside[0]
    return list(_cut_inside(run, _OPENS[by]))


def _cut_inside(section: Section, opens: Callable[[Section], bool]) -> Iterator[Group]:
    for has_parts, some in groupby(section.inside, key=lambda part: bool(part.inside)):
        parts = list(some)
        if has_parts:
            for part in parts:
                yield from _cut_inside(part, opens) if opens(part) else [_make_group(part)]
        elif section.title:
            # Operations beside each other belong to the line around them.
            yield Group(section.title, parts[0].first, parts[-1].end)
        else:
            yield from map(_make_group, parts)


def _make_group(section: Section) -> Group:
    lengths = (
        {turn.size for turn in section.inside} if section.turns == len(section.inside) else set()
    )
    return Group(
        section.title,
        section.first,
        section.end,
        section.turns,
        *(lengths if len(lengths) == 1 else ()),
    )


def _join_to_few(groups: Sequence[Group], named: Callable[[int], str]) -> tuple[Group, ...]:
    """As many groups as one can take in, each made of the same number of neighbours."""
    each = max(1, math.ceil(len(groups) / MAX_GROUPS))
    pairs = (
        (groups[at], groups[min(at + each, len(groups)) - 1]) for at in range(0, len(groups), each)
    )
    return tuple(
        first
        if first is last
        else Group(_title_of_range(first, last, named), first.first, last.end)
        for first, last in pairs
    )
