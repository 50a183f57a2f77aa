"""Execution counts: how often each line of the source ran, and in which iterations each line of the tape was recorded.

Both come from a log of every source line that Python reached (`transforms.walking`). A line counts as not run if its
function was entered and its statement has bytecode, but isn't in the log. Without a log, and for a line without
bytecode (a comment, the end of a long call), the count is unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autodiff_lab.trace.model import Turn

# The count of a row that may or may not have run.
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
    """A statement of a source, and how often it ran.

    Attributes
    ----------
    rows : range
        The rows of the file that the statement takes, without those of its body.
    around, loops : tuple of _Statement
        The statements that it is inside, and the loops among those whose body it is in; outermost first.
    owner : syntax tree
        The function that it is in.
    times : int
        How often the statement was executed.
    entry : int or None
        The instruction at which it was reached for the first time.
    opens : _Statement or None
        The loop that begins an iteration when this statement is reached.
    turns : int
        For a loop, the number of its iterations.
    """

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
    """A running call: the statement that it is at, and the loops that it is in.

    For each loop there is a list with one element, the number of iterations since the loop was entered.
    """

    at: _Statement | None = None
    loops: dict[_Statement, list[int]] = field(default_factory=dict)


# A loop that was entered; the list with its number of iterations, which is still counted up; and the present iteration.
_LoopVisit = tuple[_Statement, list[int], int]


def follow_execution(
    walk: Sequence[Any] | None, places: Sequence[Place], n_lines: int
) -> tuple[list[tuple[int, ...]], list[tuple[Turn, ...]]]:
    """Count how often each line of the sources ran, and find the iterations of loops, by following an execution log.

    Parameters
    ----------
    walk : sequence of Event, or None
        `Tape.execution_log`.
    places : sequence of Place
        The place of each source.
    n_lines : int
        The number of lines on the tape.

    Returns
    -------
    ran : list
        For each source, how often each row ran. The counts of a source are empty if every row ran once, or if no
        count is known.
    turns : list
        For each line of the tape, the iterations of the loops that were running.
    """
    if walk is None:
        return [()] * len(places), [()] * n_lines
    codes = {id(event.code): event.code for event in walk}
    # The rows of each file that have bytecode.
    compiled: dict[str, set[int]] = {}
    for code in codes.values():
        rows = compiled.setdefault(code.co_filename, set())
        rows.update(row for _, _, row in code.co_lines() if row)
    statements: dict[tuple[str, int], _Statement] = {}
    for number, place in enumerate(places):
        for statement in _find_statements(place.node, number, compiled.get(place.filename, set())):
            for row in statement.rows:
                statements.setdefault((place.filename, row), statement)
    turns = _count_statements(walk, statements, n_lines, [place.first for place in places])
    entered = {(code.co_filename, code.co_name, code.co_firstlineno) for code in codes.values()}
    reached = {(event.code.co_filename, event.row) for event in walk if event.kind == "line"}
    ran = [
        _count_rows(place, statements, entered, reached, compiled.get(place.filename, set()))
        for place in places
    ]
    return ran, turns


def _find_statements(node: ast.AST, source: int, compiled: set[int]) -> Iterator[_Statement]:
    """Yield all statements inside a function, including those of the functions inside it; a lambda has none."""

    def inside(
        body: Sequence[ast.stmt],
        owner: _Function,
        around: tuple[_Statement, ...],
        loop: _Statement | None = None,
    ) -> Iterator[_Statement]:
        loops = around[-1].loops if around else ()
        if loop:
            loops = (*loops, loop)
        opens = loop
        for child in body:
            statement = _Statement(child, source, _own_rows(child), around, loops, owner)
            if compiled.intersection(statement.rows):
                # An iteration begins at the first statement of the body, if that isn't on the row of the loop.
                if opens and statement.rows[0] > opens.rows[-1]:
                    statement.opens = opens
                opens = None
            yield statement
            if isinstance(child, _Function):
                yield from inside(child.body, child, ())
            elif not isinstance(child, ast.ClassDef):
                for block in _blocks(child):
                    is_loop_body = isinstance(child, _Loop) and block is child.body
                    own_loop = statement if is_loop_body else None
                    yield from inside(block, owner, (*around, statement), own_loop)

    if isinstance(node, _Function):
        yield from inside(node.body, node, ())


def _own_rows(node: ast.stmt) -> range:
    """The rows of a statement without those of its body."""
    start = first_row(node)
    body = getattr(node, "body", None)
    if isinstance(node, ast.Match):
        end = max(start + 1, node.cases[0].pattern.lineno)
    elif body:
        end = max(start + 1, first_row(body[0]))
    else:
        end = (node.end_lineno or start) + 1
    return range(start, end)


def first_row(node: ast.stmt | ast.expr) -> int:
    """The first row of a statement or lambda, which its execution count belongs to; its decorators come first."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements directly inside a statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if block:
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _count_statements(
    walk: Sequence[Any],
    statements: Mapping[tuple[str, int], _Statement],
    n_lines: int,
    firsts: Sequence[int],
) -> list[tuple[Turn, ...]]:
    """Count the statements, and note for each line of the tape the iterations that it was recorded in."""
    frames: dict[int, _Frame] = {}
    running: list[int] = []
    seen: list[tuple[_LoopVisit, ...]] = []
    files = {filename for filename, _ in statements}
    for event in walk:
        if event.lines > len(seen):
            # These lines were recorded since the last event, so the state is still the one after that event.
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


def _turns_now(frames: Mapping[int, _Frame], running: Sequence[int]) -> tuple[_LoopVisit, ...]:
    """The loops whose body the running calls are in, outermost first, each with the number of its iteration."""
    visits: list[_LoopVisit] = []
    for number in running:
        frame = frames[number]
        for loop, visit in frame.loops.items():
            if visit[0] and frame.at is not loop:
                visits.append((loop, visit, visit[0]))
    return tuple(visits)


def _arrive(frame: _Frame, statement: _Statement, instruction: int) -> None:
    """Count that a call has reached a statement, unless it only returns to the statement from the middle of it."""
    before = frame.at
    frame.at = statement
    if statement.entry is None:
        statement.entry = instruction
    is_loop = isinstance(statement.node, _Loop)
    within = (*statement.loops, statement) if is_loop else statement.loops
    frame.loops = {loop: visit for loop, visit in frame.loops.items() if loop in within}
    from_outside = before is None or (before is not statement and statement not in before.around)
    # The instruction at which a `while` begins can be reached again before each iteration.
    from_its_start = instruction == statement.entry and not isinstance(statement.node, ast.While)
    if not from_outside and not from_its_start:
        return
    statement.times += 1
    if statement.opens:
        statement.opens.turns += 1
        if statement.opens in frame.loops:
            frame.loops[statement.opens][0] += 1
    if is_loop:
        # It is removed first, so that it comes last again.
        frame.loops.pop(statement, None)
        frame.loops[statement] = [0]


def _count_rows(
    place: Place,
    statements: Mapping[tuple[str, int], _Statement],
    entered: set[tuple[str, str, int]],
    reached: set[tuple[str, int]],
    compiled: set[int],
) -> tuple[int, ...]:
    """Count how often each row of a source ran; empty if every row ran once or its count isn't known."""
    counts = [NOT_KNOWN] * len(place.text)
    rows = range(place.first, place.first + len(counts))
    found = (statements.get((place.filename, row)) for row in rows)
    own = dict.fromkeys(statement for statement in found if statement)
    missed: set[ast.stmt] = set()
    for statement in own:
        owner = (place.filename, statement.owner.name, first_row(statement.owner))
        if statement.times:
            counts[statement.rows[0] - place.first] = statement.turns or statement.times
        elif owner in entered and compiled.intersection(statement.rows):
            missed.add(statement.node)
            for row in statement.rows:
                counts[row - place.first] = 0
    for statement in own:
        for block in _blocks(statement.node):
            opening = _find_opening(place, statement.node, block)
            if opening is None or (place.filename, opening) in reached:
                continue
            if missed.issuperset(block):
                counts[opening - place.first] = 0
    if all(count in (NOT_KNOWN, 1) for count in counts):
        return ()
    return tuple(counts)


def _find_opening(place: Place, node: ast.stmt, block: Sequence[ast.stmt]) -> int | None:
    """Find the row with the `else:`, `except:` or the like of a block; it isn't a statement."""
    start = first_row(block[0])
    ends = [(other[-1].end_lineno or 0) for other in _blocks(node)]
    before = max([node.lineno, *(end for end in ends if end < start)])
    for row in range(start - 1, before, -1):
        if _OPENING.match(place.text[row - place.first]):
            return row
    return None
