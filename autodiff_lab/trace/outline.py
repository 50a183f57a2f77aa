"""The outline of a run: a tree of its loops, their iterations, calls and source lines, and the ways to cut it.

Each section is a range of the tape, and its subsections follow one another. Because the tape is in
topological order, the graph of the sections on one level has no cycle.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import shorten
from autodiff_lab.trace.model import Group, ModuleCall, Source, Span, Trace, Turn

# The most sections and operations that a section has directly inside; the inputs of a run don't count.
MAX_PARTS = 30

GROUPINGS = ("auto", "line", "loop", "call", None)
# The most boxes that a reader can take in at once.
MAX_GROUPS = 60

# A section of at most so many operations needs no subsections.
_FEW = 12
# The operations of a source line or call that has at most so many are shown one by one.
_SMALL = 3
# Neighbours are bundled by tens, hundreds, …
_ROUND = 10
_DEEPEST = 40
_MAX_TITLE_LENGTH = 44
_LEAVES = ("input", "operation")


class Section(NamedTuple):
    """A section of the outline of a run: the tape's lines from `first` up to, but not including, `end`.

    These are the values of `kind`:

    - ``"run"``: the whole run
    - ``"loop"``: a loop, once for each time it is entered; it has `n` iterations
    - ``"turn"``: iteration number `n` of a loop
    - ``"line"``, ``"call"``: a line of the source, and a call of a function
    - ``"module"``: a call of a framework's module
    - ``"sweep"``: the backward pass of an inner derivative, recorded on the same tape
    - ``"turns"``, ``"part"``: neighbours that were bundled, iterations and others
    - ``"input"``, ``"operation"``: a single line of the tape, with nothing inside
    """

    kind: str
    title: str
    first: int
    end: int
    inside: tuple[Section, ...] = ()
    n: int = 0

    @property
    def size(self) -> int:
        """The number of tape lines in a section of the outline."""
        return self.end - self.first

    @property
    def has_only_inputs(self) -> bool:
        """Whether all lines of a section of the outline are inputs of the run."""
        if self.kind == "input":
            return True
        if not self.inside:
            return False
        return all(section.has_only_inputs for section in self.inside)

    @property
    def turns(self) -> int:
        """The number of iterations of a loop in the outline of a run; 0 for a section that isn't a loop."""
        return self.n if self.kind == "loop" else 0

    def walk(self) -> Iterator[Section]:
        """Yield this section of the outline and all its subsections that aren't empty, outermost first."""
        if self.inside:
            yield self
            for section in self.inside:
                yield from section.walk()


# The kind of a section, followed by what distinguishes it from its neighbours.
Key = tuple[Any, ...]


def build_outline(
    sources: Sequence[Source],
    spans: Sequence[Sequence[Span]],
    turns: Sequence[Sequence[Turn]],
    n_inputs: int,
    sweeps: Sequence[int] = (),
    modules: Sequence[Sequence[ModuleCall]] = (),
) -> Section:
    """Build the outline of a run from the lines of its tape, with all sections, however small.

    Parameters
    ----------
    sources : sequence of Source
    spans, turns : sequences
        For each line of the tape, the places in the source that recorded it, and the iterations of
        the loops that were running; outermost first.
    n_inputs : int
        The number of inputs, which are the first lines of the tape.
    sweeps : sequence of int, optional
        For each line, the number of the recorded backward pass that wrote it; 0 for the program's
        own operations.
    modules : sequence of sequence of ModuleCall, optional
        For each line, the calls of a framework's modules that were running, outermost first.
    """
    bodies = [_find_loop_bodies(source) for source in sources]
    calls = modules or [()] * len(spans)
    paths = [_path(*line, bodies) for line in zip(spans, turns, calls, strict=True)]
    _put_conditions_into_turns(paths)
    for i, sweep in enumerate(sweeps):
        if sweep:
            paths[i] = [("sweep", sweep), *paths[i]]

    def build_sections(first: int, end: int, depth: int) -> tuple[Section, ...]:
        sections = []
        i = first
        while i < end:
            if len(paths[i]) <= depth:
                leaf_kind = "input" if i < n_inputs else "operation"
                sections.append(Section(leaf_kind, "", i, i + 1))
                i += 1
                continue
            stop = i + 1
            while stop < end and _is_same_section(paths[stop - 1], paths[stop], depth):
                stop += 1
            kind, *place = paths[i][depth]
            title = _title(kind, place, sources)
            n = 0
            if kind == "turn":
                n = place[0]
            elif kind == "loop":
                # A loop's key is followed by its iteration's: the kind, the number, how many there are.
                _, _, n = paths[stop - 1][depth + 1]
            inside = build_sections(i, stop, depth + 1)
            sections.append(Section(kind, title, i, stop, inside, n))
            i = stop
        return tuple(sections)

    return Section("run", "", 0, len(paths), build_sections(0, len(paths), 0))


def _path(
    where: Sequence[Span],
    turns: Sequence[Turn],
    modules: Sequence[ModuleCall],
    bodies: Sequence[dict[int, range]],
) -> list[Key]:
    """Return the keys of the sections that a line is in, outermost first.

    Each call contributes its loops and then the line of the source. A module is a section directly
    inside the line that calls it; it replaces the call of its `forward`.
    """
    path: list[Key] = []
    left = list(turns)
    for depth, span in enumerate(where):
        if len(path) > _DEEPEST:
            break
        entered = [call for call in modules if call.frames == depth]
        path += [("module", *call) for call in entered]
        if depth and not entered:
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


def _find_loop_bodies(source: Source) -> dict[int, range]:
    """Return the lines of each loop's body, by the line of the loop's head; all of them 0-based."""
    try:
        tree = ast.parse("\n".join(source.text))
    except SyntaxError:  # the text of a lambda may be cut out of a longer statement
        return {}
    bodies = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            first, last = node.body[0], node.body[-1]
            bodies[node.lineno - 1] = range(first.lineno - 1, last.end_lineno or 0)
    return bodies


def _put_conditions_into_turns(paths: list[list[Key]]) -> None:
    """Put the condition of each `while` loop into the iteration that it starts.

    The last check, which fails, has no iteration to start; it goes into the iteration before it.
    """
    heads = {key for path in paths for key in path if key[0] == "loop"}
    # From the end, so that the line after a condition has its place in the loop already.
    for i in reversed(range(len(paths))):
        for depth, (kind, *place) in enumerate(paths[i]):
            loop = ("loop", *place)
            if kind != "line" or loop not in heads:
                continue
            turn = _find_turn_of_condition(paths, i, depth, loop)
            if turn:
                paths[i] = [*paths[i][:depth], *turn, *paths[i][depth:]]
                break


def _find_turn_of_condition(paths: Sequence[list[Key]], i: int, depth: int, loop: Key) -> list[Key]:
    """Return the keys of the loop and of the iteration that the condition at line `i` belongs to.

    Empty if neither the line after the condition nor the one before it is in the loop.
    """
    own = paths[i]
    loop_path = [*own[:depth], loop]
    if i + 1 < len(paths) and paths[i + 1][: depth + 1] == loop_path:
        return paths[i + 1][depth : depth + 2]
    for before in range(i - 1, -1, -1):
        if paths[before][depth:] == own[depth:]:  # another operation of the same condition
            continue
        is_in_loop = paths[before][: depth + 1] == loop_path
        return paths[before][depth : depth + 2] if is_in_loop else []
    return []


def _is_same_section(before: list[Key], after: list[Key], depth: int) -> bool:
    """Whether a line belongs to the same section as the line before it."""
    if len(after) <= depth or after[depth] != before[depth]:
        return False
    if after[depth][0] != "loop":
        return True
    # A loop whose count of iterations starts over was entered again.
    _, n_before, _ = before[depth + 1]
    _, n_after, _ = after[depth + 1]
    return bool(n_after >= n_before)


def _title(kind: str, place: Sequence[int], sources: Sequence[Source]) -> str:
    if kind == "turn":
        return message("one iteration", n=place[0])
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

    A section of a few operations loses its subsections. Where there are too many subsections,
    neighbours are bundled, by tens or hundreds. A section with a single subsection is merged with it.

    Parameters
    ----------
    section : Section
    named : callable
        Returns the name of a line of the tape, given its number.

    >>> leaves = tuple(Section("operation", "", i, i + 1) for i in range(200))
    >>> outline = simplify_outline(Section("run", "", 0, 200, leaves), "v{}".format)
    >>> len(outline.inside), outline.inside[1].title, len(outline.inside[1].inside)
    (20, 'v10 … v19', 10)
    """
    if section.kind in _LEAVES:
        return section
    if section.size <= _FEW and section.kind != "run":
        operations = _list_operations(section)
        if len(operations) == 1:
            return operations[0]
        return section._replace(inside=operations)
    parts = [simplify_outline(part, named) for part in section.inside]
    inputs = [part for part in parts if part.kind == "input"]
    turns = [part.n if part.kind == "turn" else 0 for part in section.inside]
    rest = _bundle(parts[len(inputs) :], turns[len(inputs) :], named)
    if section.kind == "run":
        if len(rest) == 1 and rest[0].kind in ("line", "call"):
            rest = list(rest[0].inside)
        bundled_inputs = _bundle(inputs, [0] * len(inputs), named)
        return section._replace(inside=(*bundled_inputs, *rest))
    if len(rest) == 1:
        return _merge(section, rest[0])
    return section._replace(inside=tuple(rest))


def _unwrap_small_parts(parts: Sequence[Section]) -> list[Section]:
    """Replace source lines and calls of two or three operations by these operations, if they fit."""
    unwrapped: list[Section] = []
    for part in parts:
        if part.kind in ("line", "call") and part.size <= _SMALL:
            unwrapped += part.inside
        else:
            unwrapped.append(part)
    return unwrapped if len(unwrapped) <= MAX_PARTS else list(parts)


def _list_operations(section: Section) -> tuple[Section, ...]:
    return tuple(Section("operation", "", i, i + 1) for i in range(section.first, section.end))


def _merge(outer: Section, inner: Section) -> Section:
    """Merge two sections that have the same lines into one.

    An iteration keeps its number in the title, because its neighbours are other iterations.
    """
    if inner.kind in _LEAVES:
        return inner
    if inner.kind == "loop" and outer.kind != "turn":
        return inner
    title = outer.title
    if inner.kind == "loop":
        title = f"{outer.title} · {inner.title}"
    return outer._replace(title=shorten(title, _MAX_TITLE_LENGTH), inside=inner.inside)


def _bundle(
    parts: Sequence[Section], turns: Sequence[int], named: Callable[[int], str]
) -> list[Section]:
    """Bundle neighbours until there are few enough.

    `turns` has the number of each part that is an iteration of a loop, and 0 for any other part.
    """
    if len(parts) <= MAX_PARTS:
        return _unwrap_small_parts(parts)
    bundle_size = _ROUND
    while math.ceil(len(parts) / bundle_size) > MAX_PARTS:
        bundle_size *= _ROUND
    bundles: list[Section] = []
    for at in range(0, len(parts), bundle_size):
        neighbours = parts[at : at + bundle_size]
        numbers = turns[at : at + bundle_size]
        first, last = neighbours[0], neighbours[-1]
        if len(neighbours) == 1:
            bundles.append(first)
            continue
        if numbers[0]:
            kind = "turns"
            title = message("some iterations", first=numbers[0], last=numbers[-1])
        else:
            kind = "part"
            title = _title_of_range(first, last, named)
        inside = tuple(_bundle(neighbours, numbers, named))
        bundles.append(Section(kind, title, first.first, last.end, inside))
    return bundles


def _title_of_range(
    first: Section | Group, last: Section | Group, named: Callable[[int], str]
) -> str:
    start = first.title or named(first.first)
    end = last.title or named(last.end - 1)
    title = start if start == end else f"{start} … {end}"
    return shorten(title, _MAX_TITLE_LENGTH)


def outline_of(trace: Trace) -> Section:
    """Build the outline of the lines of a trace, with all its sections."""
    return build_outline(
        trace.sources,
        spans=[line.where for line in trace.lines],
        turns=[line.turns for line in trace.lines],
        n_inputs=len(trace.inputs),
        sweeps=[line.sweep_id for line in trace.lines],
        modules=[line.modules for line in trace.lines],
    )


def group_lines(trace: Trace, by: str | None) -> tuple[Group, ...]:
    """Group the operations of a trace by its outline; the inputs aren't in any group.

    Parameters
    ----------
    trace : Trace
    by : {"line", "loop", "call", None, "auto"}
        What makes one group:

        - ``"line"``: a line of the source, each time it runs
        - ``"loop"``: a loop, or a line outside of loops
        - ``"call"``: a line of the outermost function, with everything that it calls
        - ``None``: a single operation
        - ``"auto"``: the finest of these with at most 60 groups. If each has more, neighbours of
          the coarsest are joined.

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
    """Return the coarsest outline of a long run: its outermost loops, and the source lines between them.

    There are at most 60 groups. A run of at most 30 lines has none.
    """
    if run.size <= MAX_PARTS:
        return ()
    return _join_to_few(_cut(run, "loop"), named)


# Whether a section is cut further, by the way of grouping.
_OPENS: dict[str | None, Callable[[Section], bool]] = {
    "line": lambda section: True,
    "loop": lambda section: (
        section.kind != "loop" and any(part.kind == "loop" for part in section.walk())
    ),
    "call": lambda section: section.kind not in ("line", "call", "module"),
}


def _cut(run: Section, by: str | None) -> list[Group]:
    """Cut a run into groups; `group_lines` explains `by`."""
    operations = [part for part in run.inside if part.kind != "input"]
    if by is None:
        first = operations[0].first if operations else run.end
        return [Group("", i, i + 1) for i in range(first, run.end)]
    run = run._replace(inside=tuple(operations))
    while len(run.inside) == 1 and run.inside[0].kind in ("line", "call"):
        # A single source line that calls all the rest would be one group of everything.
        run = run.inside[0]
    return list(_cut_inside(run, _OPENS[by]))


def _cut_inside(section: Section, opens: Callable[[Section], bool]) -> Iterator[Group]:
    for has_parts, neighbours in groupby(section.inside, key=lambda part: bool(part.inside)):
        parts = list(neighbours)
        if has_parts:
            for part in parts:
                if opens(part):
                    yield from _cut_inside(part, opens)
                else:
                    yield _make_group(part)
        elif section.title:
            # Single operations between subsections belong to the section around them.
            yield Group(section.title, parts[0].first, parts[-1].end)
        else:
            yield from map(_make_group, parts)


def _make_group(section: Section) -> Group:
    group = Group(section.title, section.first, section.end, section.turns)
    if section.turns != len(section.inside):
        return group
    lengths = {turn.size for turn in section.inside}
    return group._replace(each=lengths.pop()) if len(lengths) == 1 else group


def _join_to_few(groups: Sequence[Group], named: Callable[[int], str]) -> tuple[Group, ...]:
    """Join neighbours, always the same number of them, until there are at most `MAX_GROUPS` groups."""
    groups_in_one = max(1, math.ceil(len(groups) / MAX_GROUPS))
    joined = []
    for at in range(0, len(groups), groups_in_one):
        neighbours = groups[at : at + groups_in_one]
        first, last = neighbours[0], neighbours[-1]
        if first is last:
            joined.append(first)
        else:
            joined.append(Group(_title_of_range(first, last, named), first.first, last.end))
    return tuple(joined)
