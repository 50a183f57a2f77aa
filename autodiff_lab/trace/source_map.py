"""The source map: where each operation of a tape stands in the learner's own source.

The engine keeps, for every line of the tape, the frames that were running: pairs of a code object and an offset into
its bytecode. Python can tell the exact stretch of text that a bytecode came from, wherever there is text: a file, a
notebook cell (IPython keeps cells in `linecache`), or an interactive session.
"""

import ast
import dis
import functools
import inspect
import linecache
import os
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, cast

from autodiff_lab.engine.printing import replace_bidi
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.trace.assigned_names import Assignment, find_assignments
from autodiff_lab.trace.execution_counts import Place, first_row, follow_execution
from autodiff_lab.trace.model import Source, Span, Turn
from autodiff_lab.transforms.signatures import name_of

Frames = tuple[tuple[CodeType, int], ...]
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# the line and the character column where a text starts, and where it ends
_Stretch = tuple[int, int, int, int]
_LIBRARIES = tuple(
    f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
# Code that Python makes for the inside of an expression; its text belongs to the function around it.
_INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class HiddenSource:
    """Stands for a function in the source map whose source is not the learner's; `note` says so in its place."""

    def __init__(self, name: str, note: str) -> None:
        self.__name__, self.note = name, note


@dataclass(frozen=True)
class Located:
    """The source map of a tape: its sources; of each line the spans and turns, outermost first; what was not found.

    `assignments` are the stretches of the sources whose value is given a name. `raised` is where an exception that
    ended the run came from.
    """

    sources: tuple[Source, ...]
    spans: tuple[tuple[Span, ...], ...]
    note: str
    turns: tuple[tuple[Turn, ...], ...]
    assignments: Mapping[Span, Assignment]
    raised: tuple[Span, ...] = ()


def locate(
    f: Callable[..., Any] | HiddenSource,
    sites: Sequence[Frames] | None,
    n_lines: int,
    walk: Any = None,
    raised: Frames = (),
) -> Located:
    """Map a tape to its source: find `f` and all the learner's code that ran, and each line's place in it.

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
    raised : frames
        The calls that an exception went through, if one ended the run.

    Returns
    -------
    Located
        `f` itself is the first source, if it has one.
    """
    book = _Book()
    # A function that is not written in Python has no code.
    root = None if isinstance(f, HiddenSource) else getattr(unwrap_function(f), "__code__", None)
    found = root is not None and book.block(root) is not None
    spans: list[tuple[Span, ...]] = [()] * n_lines
    for line, frames in enumerate(sites or ()):
        spans[line] = book.spans(frames)
    raised_at = book.spans(raised)
    note = ""
    if isinstance(f, HiddenSource):
        note = f.note
    elif root is None:
        note = message("not Python", name=name_of(f))
    elif not found:
        note = message("no source", name=name_of(f), file=root.co_filename)
    elif book.lost:
        note = message(
            "no source of some", names=join_items(sorted(code.co_name for code in book.lost))
        )
    ran, turns = follow_execution(walk, book.blocks, n_lines)
    counted = zip(book.blocks, ran, strict=True)
    sources = tuple(
        Source(block.name, block.first, block.text, counts) for block, counts in counted
    )
    return Located(sources, tuple(spans), note, tuple(turns), dict(book.assignments()), raised_at)


def unwrap_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Find the function whose source a learner wrote, under `functools.partial`, decorators and methods."""
    f = inspect.unwrap(f)
    if isinstance(f, functools.partial):
        return unwrap_function(f.func)
    call = inspect.getattr_static(type(f), "__call__", None)
    if inspect.isfunction(call):
        return unwrap_function(call)
    return getattr(f, "__func__", f)


def find_read_names(f: Callable[..., Any]) -> set[str] | None:
    """Find the names that the source of a function reads, also inside of functions in it; None if it has no source."""
    code = getattr(unwrap_function(f), "__code__", None)
    if code is None:
        return None
    found: set[str] = set()
    codes = [code]
    while codes:
        one = codes.pop()
        codes += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
        for step in dis.get_instructions(one):
            if step.opname.startswith("LOAD_") and step.opname != "LOAD_CONST":
                named = step.argval if isinstance(step.argval, tuple) else (step.argval,)
                found |= {name for name in named if isinstance(name, str)}
    return found


@dataclass(frozen=True)
class _Block(Place):
    """A piece of source, and how to go from a place in the file to a place in the dedented text."""

    name: str
    shifts: tuple[int, ...]
    end: tuple[int, int]

    def holds(self, filename: str, place: _Stretch) -> bool:
        return (
            filename == self.filename
            and (self.first, self.shifts[0]) <= place[:2]
            and place[2:] <= self.end
        )

    def span(self, number: int, place: _Stretch) -> Span:
        line, column, end_line, end_column = place
        row, end_row = line - self.first, end_line - self.first
        return Span(
            number,
            row,
            max(0, column - self.shifts[row]),
            end_row,
            max(0, end_column - self.shifts[end_row]),
        )


class _Book:
    """The blocks found so far. A function defined inside one of them is shown there, not a second time."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self._numbers: dict[CodeType, int | None] = {}
        self.span = functools.cache(self._find_span)

    def block(self, code: CodeType) -> int | None:
        """Give the number of the source block that shows `code`, opening it the first time."""
        if code not in self._numbers:
            self._numbers[code] = self._open(code)
        return self._numbers[code]

    @property
    def lost(self) -> set[CodeType]:
        """The code that could not be mapped to a source: no text of it was found."""
        return {code for code, number in self._numbers.items() if number is None}

    def spans(self, frames: Frames) -> tuple[Span, ...]:
        """Map calls to the stretches of text that they stand at, as far as these are found."""
        return tuple(span for span in (self.span(*frame) for frame in frames) if span is not None)

    def _find_span(self, code: CodeType, lasti: int) -> Span | None:
        """Give the stretch of text that the bytecode at `lasti` came from."""
        # Code that came with Python or a package is not shown, unless it is what was asked for.
        from_library = code not in self._numbers and code.co_filename.startswith(_LIBRARIES)
        number, place = None if from_library else self.block(code), _place(code, lasti)
        if (
            number is None
            or place is None
            or not self.blocks[number].holds(code.co_filename, place)
        ):
            return None
        return self.blocks[number].span(number, place)

    def assignments(self) -> Iterator[tuple[Span, Assignment]]:
        """Map assignments to the source: yield each stretch of text whose value gets a name."""
        for number, block in enumerate(self.blocks):
            lines = _file(block.filename)
            for node, assignment in find_assignments(block.node):
                starts = [_start(node)]
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    # Python places the call of a method on the line on which the method is named.
                    line, end = _end(node.func)
                    starts += (
                        [(line, end - len(node.func.attr.encode()))] if line != node.lineno else []
                    )
                for start in starts:
                    yield block.span(number, _in_characters(lines, *start, *_end(node))), assignment

    def _open(self, code: CodeType) -> int | None:
        node = _function_node(code)
        if node is None:
            return None
        lines = _file(code.co_filename)
        line, start, end_line, end_column = _in_characters(lines, *_start(node), *_end(node))
        first = first_row(node)
        start = 0 if first < line else start
        for number, block in enumerate(self.blocks):
            if block.holds(code.co_filename, (first, start, end_line, end_column)):
                return number
        text, shifts = _dedent(
            lines[first - 1 : end_line], start, end_column, isinstance(node, ast.Lambda)
        )
        text, name = tuple(map(replace_bidi, text)), getattr(node, "name", "<lambda>")
        self.blocks.append(
            _Block(code.co_filename, first, text, node, name, shifts, (end_line, end_column))
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
    if code.co_name == "<module>":
        return _whole_text(code.co_filename, text)
    nodes = _functions(code.co_filename, text) if text else ()
    if code.co_name == "<lambda>" or code.co_name in _INSIDE:
        start, end = _extent(code)
        kind = ast.Lambda if code.co_name == "<lambda>" else _Function
        nodes = tuple(
            n for n in nodes if isinstance(n, kind) and _start(n) <= start and end <= _end(n)
        )
    else:
        named = (
            node for node in nodes if not isinstance(node, ast.Lambda) and node.name == code.co_name
        )
        nodes = tuple(
            node for node in named if code.co_firstlineno in (node.lineno, first_row(node))
        )
    return min(nodes, key=_size, default=None)


def _whole_text(filename: str, text: str) -> _Function | None:
    """The whole of a cell or a file, as if it were a function: what runs outside of all functions stands there."""
    if not text:
        return None
    try:
        tree: Any = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    lines = text.splitlines()
    tree.name, tree.lineno, tree.col_offset, tree.decorator_list = (
        os.path.basename(filename),
        1,
        0,
        [],
    )
    tree.end_lineno, tree.end_col_offset = len(lines), len(lines[-1].encode())
    return cast("_Function", tree)


def _start(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the byte column where a node of the syntax tree starts in its file."""
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the byte column where a node of the syntax tree ends in its file."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _size(node: _Function) -> tuple[int, int]:
    (line, byte), (end_line, end_byte) = _start(node), _end(node)
    return end_line - line, end_byte - byte


def _extent(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last place, in lines and bytes, that the bytecode comes from."""
    positions = list(code.co_positions())
    # The first instruction of every function claims the columns 0 to 0.
    starts, ends = [], []
    for line, end_line, byte, end_byte in positions:
        if line and end_line is not None and byte is not None and end_byte:
            starts.append((line, byte))
            ends.append((end_line, end_byte))
    if not starts:
        first = code.co_firstlineno
        return (first, 10**9), (max(line or first for line, *_ in positions), 0)
    return min(starts), max(ends)


def _place(code: CodeType, lasti: int) -> _Stretch | None:
    """The line and character column where a bytecode starts and ends in its file."""
    positions = list(code.co_positions())
    line, end_line, column, end_column = (
        positions[lasti // 2] if lasti // 2 < len(positions) else (None,) * 4
    )
    lines = _file(code.co_filename)
    if line is None or not 0 < line <= len(lines):
        return None
    if end_line is None or column is None or end_column is None or end_line > len(lines):
        # Python was told not to keep columns (-X no_debug_ranges): show the whole line.
        text = lines[line - 1]
        return line, len(text) - len(text.lstrip()), line, len(text.rstrip())
    return _in_characters(lines, line, column, end_line, end_column)


def _in_characters(
    lines: Sequence[str], line: int, byte: int, end_line: int, end_byte: int
) -> _Stretch:
    """Turn columns counted in UTF-8 bytes, as Python counts, into columns counted in characters."""
    start, end = lines[line - 1].encode()[:byte], lines[end_line - 1].encode()[:end_byte]
    return line, len(start.decode(errors="ignore")), end_line, len(end.decode(errors="ignore"))


def _dedent(
    lines: Iterable[str], start: int, end: int, cut: bool
) -> tuple[tuple[str, ...], tuple[int, ...]]:
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
