"""The source map: where each operation of a tape stands in the learner's own source.

The engine keeps, for every line of the tape, the frames that were running: pairs of a code object and an offset into
its bytecode. Python can tell the exact stretch of text that a bytecode came from, wherever there is text: a file, a
notebook cell (IPython keeps cells in `linecache`), or an interactive session.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import os
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from autodiff_lab.engine.printing import replace_bidi
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.trace.assigned_names import Assignment, find_assignments
from autodiff_lab.trace.execution_counts import Place, follow_execution
from autodiff_lab.trace.model import Source, Span, Turn
from autodiff_lab.transforms.recording import name_of

Frames = tuple[tuple[CodeType, int], ...]
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_LIBRARIES = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib"))
# Code that Python makes for the inside of an expression; its text belongs to the function around it.
_INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass(frozen=True)
class Located:
    """The sources that a tape came from; of each line its spans and its turns, outermost first; what was not found.

    `assignments` are the stretches of the sources whose value is given a name.
    """

    sources: tuple[Source, ...]
    spans: tuple[tuple[Span, ...], ...]
    note: str
    turns: tuple[tuple[Turn, ...], ...] = ()
    assignments: Mapping[Span, Assignment] = field(default_factory=dict)


def locate(f: Callable[..., Any], sites: Sequence[Frames] | None, n_lines: int, walk: Any = None) -> Located:
    """Find the source of `f`, and of all the learner's code that ran, and each line's place in it.

    Parameters
    ----------
    f : callable
        The function that was recorded: a function, lambda, method, `functools.partial`, callable object, or a
        decorated one of these.
    sites : sequence of frames, or None
        `Tape.call_stacks`. None if the tape was recorded without them.
    n_lines : int
        How many lines the tape has.
    walk : sequence of Event, or None
        `Tape.execution_log`.

    Returns
    -------
    Located
        `f` itself is the first source, if it has one.
    """
    book = _Book()
    root = code_of(f)
    found = root is not None and book.block(root) is not None
    note = "" if found else _say_missing(f, root)
    spans: list[tuple[Span, ...]] = [()] * n_lines
    for line, frames in enumerate(sites or ()):
        spans[line] = tuple(span for span in (book.span(*frame) for frame in frames) if span is not None)
    if book.lost - {root} and found:
        note = message("no source of some", names=join_items(sorted(code.co_name for code in book.lost)))
    ways = follow_execution(walk, [block.place for block in book.blocks], n_lines)
    shown = tuple(replace(block.source, ran=ran) for block, ran in zip(book.blocks, ways.ran, strict=True))
    return Located(shown, tuple(spans), note, ways.turns, dict(book.assignments()))


def unwrap_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Give the function a learner wrote, from under `functools.partial`, decorators and methods."""
    while isinstance(f, functools.partial):
        f = f.func
    f = inspect.unwrap(f)
    if isinstance(f, functools.partial):
        return unwrap_function(f)
    call = inspect.getattr_static(type(f), "__call__", None)
    if inspect.isfunction(call):
        return unwrap_function(call)
    return getattr(f, "__func__", f)


def code_of(f: Callable[..., Any]) -> CodeType | None:
    """Give the code object of what a learner wrote; None for a function that is not written in Python."""
    return getattr(unwrap_function(f), "__code__", None)


def _say_missing(f: Callable[..., Any], code: CodeType | None) -> str:
    name = name_of(f)
    if code is None:
        return message("not Python", name=name)
    return message("no source", name=name, file=code.co_filename)


@dataclass(frozen=True)
class _Block:
    """A source, and how to go from a place in the file to a place in the dedented text."""

    filename: str
    source: Source
    shifts: tuple[int, ...]
    end: tuple[int, int]
    node: _Function

    @property
    def place(self) -> Place:
        return Place(self.filename, self.source.first_line, self.source.text, self.node)

    def holds(self, filename: str, place: tuple[int, int, int, int]) -> bool:
        first = (self.source.first_line, self.shifts[0])
        return filename == self.filename and first <= place[:2] and place[2:] <= self.end

    def span(self, number: int, place: tuple[int, int, int, int]) -> Span:
        line, column, end_line, end_column = place
        row, end_row = line - self.source.first_line, end_line - self.source.first_line
        return Span(number, row, max(0, column - self.shifts[row]), end_row, max(0, end_column - self.shifts[end_row]))


class _Book:
    """The blocks found so far. A function defined inside one of them is shown there, not a second time."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self.lost: set[CodeType] = set()
        self._numbers: dict[CodeType, int | None] = {}
        self._spans: dict[tuple[CodeType, int], Span | None] = {}

    def block(self, code: CodeType) -> int | None:
        """Give the number of the block that shows `code`, opening it at the first time."""
        if code not in self._numbers:
            self._numbers[code] = self._open(code)
            if self._numbers[code] is None:
                self.lost.add(code)
        return self._numbers[code]

    def span(self, code: CodeType, lasti: int) -> Span | None:
        """Give the stretch of text that the bytecode at `lasti` came from."""
        key = (code, lasti)
        if key not in self._spans:
            number, place = None if self._library(code) else self.block(code), _place(code, lasti)
            if number is None or place is None or not self.blocks[number].holds(code.co_filename, place):
                self._spans[key] = None
            else:
                self._spans[key] = self.blocks[number].span(number, place)
        return self._spans[key]

    def assignments(self) -> Iterator[tuple[Span, Assignment]]:
        """Give the stretches of text whose value is given a name."""
        for number, block in enumerate(self.blocks):
            for node, assignment in find_assignments(block.node):
                place = _place_of_node(_file(block.filename), node)
                yield block.span(number, place), assignment
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    # Python places the call of a method on the line on which the method is named.
                    line, byte = (
                        node.func.end_lineno or 0,
                        (node.func.end_col_offset or 0) - len(node.func.attr.encode()),
                    )
                    if line != place[0]:
                        named = line, _character(_file(block.filename)[line - 1], byte)
                        yield block.span(number, (*named, *place[2:])), assignment

    def _library(self, code: CodeType) -> bool:
        """Whether `code` came with Python or a package, and is not what was asked for."""
        return code not in self._numbers and code.co_filename.startswith(_LIBRARIES)

    def _open(self, code: CodeType) -> int | None:
        node = _function_node(code)
        if node is None:
            return None
        lines = _file(code.co_filename)
        (line, byte), (end_line, end_byte) = _reach(node)
        first = min([line, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        start = 0 if first < line else _character(lines[line - 1], byte)
        end = (end_line, _character(lines[end_line - 1], end_byte))
        for number, block in enumerate(self.blocks):
            if block.holds(code.co_filename, (first, start, *end)):
                return number
        text, shifts = _dedent(lines[first - 1 : end_line], start, end[1], isinstance(node, ast.Lambda))
        name = getattr(node, "name", "<lambda>")
        self.blocks.append(
            _Block(code.co_filename, Source(name, first, tuple(map(replace_bidi, text))), shifts, end, node)
        )
        return len(self.blocks) - 1


def _file(filename: str) -> list[str]:
    return [line.rstrip("\n") for line in linecache.getlines(filename)]


@functools.lru_cache(maxsize=64)
def _functions(filename: str, text: str) -> tuple[_Function, ...]:
    # The text is part of the key: a file that changed, or a cell number used again, is parsed again.
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, _Function))


def _function_node(code: CodeType) -> _Function | None:
    """Find the smallest function in the text that holds all of `code`."""
    text = "".join(linecache.getlines(code.co_filename))
    nodes = _functions(code.co_filename, text) if text else ()
    if code.co_name == "<lambda>" or code.co_name in _INSIDE:
        start, end = _extent(code)
        within = (ast.Lambda,) if code.co_name == "<lambda>" else (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)
        nodes = tuple(n for n in nodes if isinstance(n, within) and _reach(n)[0] <= start and end <= _reach(n)[1])
    else:
        nodes = tuple(
            node
            for node in nodes
            if not isinstance(node, ast.Lambda)
            and node.name == code.co_name
            and code.co_firstlineno in (node.lineno, *(decorator.lineno for decorator in node.decorator_list))
        )
    return min(nodes, key=_size, default=None)


def _reach(node: _Function) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a function starts and ends, in lines and bytes."""
    return (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)


def _size(node: _Function) -> tuple[int, int]:
    (line, byte), (end_line, end_byte) = _reach(node)
    return end_line - line, end_byte - byte


def _extent(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last place, in lines and bytes, that the bytecode comes from."""
    first = code.co_firstlineno
    starts, ends = [], []
    for line, end_line, byte, end_byte in code.co_positions():
        # The first instruction of every function claims the columns 0 to 0.
        if line and end_line and byte is not None and end_byte:
            starts.append((line, byte))
            ends.append((end_line, end_byte))
    if not starts:
        return (first, 10**9), (max(line or first for line, *_ in code.co_positions()), 0)
    return min(starts), max(ends)


def _place(code: CodeType, lasti: int) -> tuple[int, int, int, int] | None:
    """The line and character column where a bytecode starts and ends in its file."""
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[lasti // 2] if lasti // 2 < len(positions) else (None,) * 4
    lines = _file(code.co_filename)
    if line is None or not 0 < line <= len(lines):
        return None
    if end_line is None or column is None or end_column is None or end_line > len(lines):
        # Python was told not to keep columns (-X no_debug_ranges): show the whole line.
        text = lines[line - 1]
        return line, len(text) - len(text.lstrip()), line, len(text.rstrip())
    return line, _character(lines[line - 1], column), end_line, _character(lines[end_line - 1], end_column)


def _place_of_node(lines: Sequence[str], node: Any) -> tuple[int, int, int, int]:
    """The line and character column where a node of the syntax tree starts and ends in its file."""
    start, end = (
        _character(lines[node.lineno - 1], node.col_offset),
        _character(lines[node.end_lineno - 1], node.end_col_offset),
    )
    return node.lineno, start, node.end_lineno, end


def _character(line: str, byte: int) -> int:
    """Turn a column counted in UTF-8 bytes, as Python counts, into one counted in characters."""
    return len(line.encode()[:byte].decode(errors="ignore"))


def _dedent(lines: Iterable[str], start: int, end: int, cut: bool) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Take the common indentation away; cut a lambda out of the statement around it.

    Returns the text and, for each line, how many characters were taken from its front.
    """
    rows = list(lines)
    if cut:
        rows[-1] = rows[-1][:end]
    indents = [len(row) - len(row.lstrip()) for row in rows[cut:] if row.strip()]
    common = min(indents, default=0)
    shifts = [min(common, len(row) - len(row.lstrip())) for row in rows]
    if cut:
        shifts[0] = start
    return tuple(row[shift:] for row, shift in zip(rows, shifts, strict=True)), tuple(shifts)
