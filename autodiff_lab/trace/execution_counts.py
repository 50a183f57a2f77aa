"""Execution counts: how often each line of the source ran, and in which turns of loops a line was recorded.

Nothing is guessed. Python has written down every line that it came to (`transforms.walking`); a line has not run if its
statement is one of a function that was entered, has code of its own, and was not among them. Where Python's account is
missing, and where a line has no code (a comment, the end of a long call), there is nothing to say.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_lab.trace.model import Turn

# What stands for a row of which there is nothing to say.
NOT_KNOWN = -1

_OPENING = re.compile(r"\s*(else|finally|except|case)\b")

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Place:
    """A piece of source whose executed lines are counted: its file, first line, text and syntax tree."""

    filename: str
    first: int
    text: tuple[str, ...]
    node: ast.AST


@dataclass(eq=False)
class _Statement:
    """A statement: the rows of its own, without those of its body; what it is inside of, outermost first."""

    node: ast.stmt
    source: int
    rows: range
    around: tuple[_Statement, ...]
    loops: tuple[_Statement, ...]
    owner: _Function
    times: int = 0
    entry: int | None = None
    opens: _Statement | None = None
    turns: int = 0


@dataclass(eq=False)
class _Frame:
    """A call that is running: the statement that it is at, and the loops that it is in, each with its visit."""

    at: _Statement | None = None
    loops: dict[_Statement, list[int]] = field(default_factory=dict)


def follow_execution(
    walk: Sequence[Any] | None, places: Sequence[Place], n_lines: int
) -> tuple[list[tuple[int, ...]], list[tuple[Turn, ...]]]:
    """Count how often each line of the sources ran, and find the turns of loops, by following an execution log.

    Parameters
    ----------
    walk : sequence of Event, or None
        `Tape.execution_log`.
    places : sequence of Place
        Where each source stands.
    n_lines : int
        How many lines the tape has.

    Returns
    -------
    ran : list
        For each source how often each row ran. A source has no counts if each of its rows ran once; neither has it if
        nothing is known.
    turns : list
        For each line of the tape the turns of the loops it was in.
    """
    if walk is None:
        return [()] * len(places), [()] * n_lines
    codes = {id(event.code): event.code for event in walk}
    compiled: dict[str, set[int]] = {}
    for code in codes.values():
        compiled.setdefault(code.co_filename, set()).update(
            line for _, _, line in code.co_lines() if line
        )
    statements: dict[tuple[str, int], _Statement] = {}
    for number, place in enumerate(places):
        for statement in _statements(place.node, number, compiled.get(place.filename, set())):
            for row in statement.rows:
                statements.setdefault((place.filename, row), statement)
    turns = _count_statements(walk, statements, n_lines, [place.first for place in places])
    entered = {(code.co_filename, code.co_name, code.co_firstlineno) for code in codes.values()}
    came = {(event.code.co_filename, event.row) for event in walk if event.kind == "line"}
    ran = [
        _count_rows(place, statements, entered, came, compiled.get(place.filename, set()))
        for place in places
    ]
    return ran, turns


def _statements(node: ast.AST, source: int, compiled: set[int]) -> Iterator[_Statement]:
    """All statements inside a function, those of the functions inside it as well; a lambda has none."""

    def inside(
        body: Sequence[ast.stmt],
        owner: _Function,
        around: tuple[_Statement, ...],
        loop: _Statement | None = None,
    ) -> Iterator[_Statement]:
        loops = around[-1].loops if around else ()
        opens = loop
        for child in body:
            statement = _Statement(
                child, source, _own_rows(child), around, (*loops, loop) if loop else loops, owner
            )
            if compiled.intersection(statement.rows):
                # A turn begins where the first statement of the body does, if that has a row of its own.
                if opens and statement.rows[0] > opens.rows[-1]:
                    statement.opens = opens
                opens = None
            yield statement
            if isinstance(child, _Function):
                yield from inside(child.body, child, ())
            elif not isinstance(child, ast.ClassDef):
                for block in _blocks(child):
                    own = statement if isinstance(child, _Loop) and block is child.body else None
                    yield from inside(block, owner, (*around, statement), own)

    return inside(node.body, node, ()) if isinstance(node, _Function) else iter(())


def _own_rows(node: ast.stmt) -> range:
    """The rows of a statement without those of its body."""
    start = first_row(node)
    if isinstance(node, ast.Match):
        return range(start, max(start + 1, node.cases[0].pattern.lineno))
    if inner := getattr(node, "body", None):
        return range(start, max(start + 1, first_row(inner[0])))
    return range(start, (node.end_lineno or start) + 1)


def first_row(node: ast.stmt | ast.expr) -> int:
    """The first row of a statement or lambda, decorators included: the row that its execution count belongs to."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a statement."""
    for name in ("body", "orelse", "finalbody"):
        if getattr(node, name, None):
            yield getattr(node, name)
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _count_statements(
    walk: Sequence[Any],
    statements: Mapping[tuple[str, int], _Statement],
    n_lines: int,
    firsts: Sequence[int],
) -> list[tuple[Turn, ...]]:
    """Count the statements, and note for each line of the tape the turns that it was recorded in."""
    frames: dict[int, _Frame] = {}
    running: list[int] = []
    seen: list[tuple[tuple[_Statement, list[int], int], ...]] = []
    files = {filename for filename, _ in statements}
    for event in walk:
        if event.lines > len(seen):
            # Until now nothing has changed since the last event: these lines were recorded there.
            now = _turns_now(frames, running)
            seen += [now] * (event.lines - len(seen))
        if event.code.co_filename not in files:
            continue
        if event.kind == "call":
            frames.setdefault(event.frame, _Frame())
            running.append(event.frame)
        elif event.kind == "return":
            running.remove(event.frame)
        elif not event.code.co_name.startswith("<"):
            statement = statements.get((event.code.co_filename, event.row))
            if statement is not None:
                _arrive(frames[event.frame], statement, event.instruction)
    seen += [_turns_now(frames, running)] * (n_lines - len(seen))
    return [
        tuple(
            Turn(loop.source, loop.node.lineno - firsts[loop.source], turn, visit[0])
            for loop, visit, turn in now
        )
        for now in seen
    ]


def _turns_now(
    frames: Mapping[int, _Frame], running: Sequence[int]
) -> tuple[tuple[_Statement, list[int], int], ...]:
    """The loops that the running calls are in the body of; a visit is a list, since its turns are still counted."""
    return tuple(
        (loop, visit, visit[0])
        for number in running
        for loop, visit in frames[number].loops.items()
        if visit[0] and frames[number].at is not loop
    )


def _arrive(frame: _Frame, statement: _Statement, instruction: int) -> None:
    """A call comes to a statement: for the first time, once more, or only back to it from the middle of it."""
    before, frame.at = frame.at, statement
    if statement.entry is None:
        statement.entry = instruction
    elsewhere = before is None or (before is not statement and statement not in before.around)
    again = instruction == statement.entry and not isinstance(statement.node, ast.While)
    within = (*statement.loops, statement) if isinstance(statement.node, _Loop) else statement.loops
    frame.loops = {loop: visit for loop, visit in frame.loops.items() if loop in within}
    if not elsewhere and not again:
        return
    statement.times += 1
    if statement.opens:
        statement.opens.turns += 1
        if statement.opens in frame.loops:
            frame.loops[statement.opens][0] += 1
    if isinstance(statement.node, _Loop):
        frame.loops.pop(statement, None)
        frame.loops[statement] = [0]


def _count_rows(
    place: Place,
    statements: Mapping[tuple[str, int], _Statement],
    entered: set[tuple[str, str, int]],
    came: set[tuple[str, int]],
    compiled: set[int],
) -> tuple[int, ...]:
    """How often each row of a source ran."""
    counts = [NOT_KNOWN] * len(place.text)
    there = (statements.get((place.filename, place.first + row)) for row in range(len(counts)))
    own = dict.fromkeys(statement for statement in there if statement)
    missed: set[ast.stmt] = set()
    for statement in own:
        owner = (place.filename, statement.owner.name, first_row(statement.owner))
        if statement.times:
            counts[statement.rows[0] - place.first] = statement.turns or statement.times
        elif owner in entered and compiled.intersection(statement.rows):
            missed.add(statement.node)
            for line in statement.rows:
                counts[line - place.first] = 0
    for statement in own:
        for block in _blocks(statement.node):
            opening = _opening(place, statement.node, block)
            if missed.issuperset(block) and opening and (place.filename, opening) not in came:
                counts[opening - place.first] = 0
    return tuple(counts) if any(count not in (NOT_KNOWN, 1) for count in counts) else ()


def _opening(place: Place, node: ast.stmt, block: Sequence[ast.stmt]) -> int | None:
    """The row of `else:`, `except:` or the like before a block, which is no statement."""
    start = first_row(block[0])
    ends = [(other[-1].end_lineno or 0) for other in _blocks(node)]
    before = max([node.lineno, *(end for end in ends if end < start)])
    rows = range(start - 1, before, -1)
    return next((line for line in rows if _OPENING.match(place.text[line - place.first])), None)
