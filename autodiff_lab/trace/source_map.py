"""The source map: the place in the learner's source that each operation of a tape comes from.

For every line of the tape, the engine keeps the frames that were running: pairs of a code object and an offset into
its bytecode. Python maps an instruction back to the characters it was compiled from, if their text is available: in a
file, a notebook cell (IPython keeps cells in `linecache`), or an interactive session.
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
# The line and the character column where a text starts, and those where it ends.
_Stretch = tuple[int, int, int, int]
_LIBRARIES = tuple(
    f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
# Python compiles a comprehension to a code object with one of these names. Its text belongs to the function around it.
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class HiddenSource:
    """A placeholder for a function that the source map doesn't show; the reader sees `note` instead of its source."""

    def __init__(self, name: str, note: str) -> None:
        self.__name__ = name
        self.note = note


@dataclass(frozen=True)
class Located:
    """The source map of a tape.

    Attributes
    ----------
    sources : tuple of Source
        All the learner's code that ran.
    spans : tuple of tuple of Span
        For each line of the tape, the places in the sources that were running, outermost first.
    note : str
        Which source was not found, if any.
    turns : tuple of tuple of Turn
        For each line of the tape, the iterations of the loops it was recorded in, outermost first.
    assignments : mapping of Span to Assignment
        The expressions in the sources whose value is assigned to a name.
    raised : tuple of Span
        The places of the calls that an exception went through, if one ended the run.
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
    """Build the source map of a tape: find `f` and all the learner's code that ran, and each line's place in it.

    Parameters
    ----------
    f : callable
        The function that was recorded: a function, lambda, method, `functools.partial`, callable object, or a
        decorated one of these.
    sites : sequence of frames, or None
        `Tape.call_stacks`. None if the tape was recorded without them.
    n_lines : int
        The number of lines on the tape.
    walk : sequence of Event, or None
        `Tape.execution_log`.
    raised : frames
        The calls that an exception went through, if one ended the run.

    Returns
    -------
    Located
        `f` itself is the first source, if it has one.
    """
    blocks = _Blocks()
    if not isinstance(f, HiddenSource):
        code = _code_of(f)
        if code is not None:
            # `f` is opened before the functions it calls, so that it is the first source.
            blocks.open(code)
    spans: list[tuple[Span, ...]] = [()] * n_lines
    for line, frames in enumerate(sites or ()):
        spans[line] = blocks.spans(frames)
    raised_at = blocks.spans(raised)
    note = _note_missing_source(f, blocks)
    ran, turns = follow_execution(walk, blocks.found, n_lines)
    sources = [
        Source(block.name, block.first, block.text, counts)
        for block, counts in zip(blocks.found, ran, strict=True)
    ]
    assignments = dict(blocks.assignments())
    return Located(tuple(sources), tuple(spans), note, tuple(turns), assignments, raised_at)


def _code_of(f: Callable[..., Any]) -> CodeType | None:
    """The code of the function that a learner wrote; None if it isn't written in Python."""
    return getattr(unwrap_function(f), "__code__", None)


def _note_missing_source(f: Callable[..., Any] | HiddenSource, blocks: "_Blocks") -> str:
    """Say which source was not found; empty if all were."""
    if isinstance(f, HiddenSource):
        return f.note
    code = _code_of(f)
    if code is None:
        return message("not Python", name=name_of(f))
    if code in blocks.lost:
        return message("no source", name=name_of(f), file=code.co_filename)
    if blocks.lost:
        names = sorted(lost.co_name for lost in blocks.lost)
        return message("no source of some", names=join_items(names))
    return ""


def unwrap_function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Find the function that a learner wrote, under `functools.partial`, decorators and methods."""
    f = inspect.unwrap(f)
    if isinstance(f, functools.partial):
        return unwrap_function(f.func)
    call = inspect.getattr_static(type(f), "__call__", None)
    if inspect.isfunction(call):
        return unwrap_function(call)
    return getattr(f, "__func__", f)


def find_read_names(f: Callable[..., Any]) -> set[str] | None:
    """Find the names that a function reads, including those read by the functions defined inside it.

    None if the function isn't written in Python.
    """
    outermost = _code_of(f)
    if outermost is None:
        return None
    found: set[str] = set()
    pending = [outermost]
    while pending:
        code = pending.pop()
        pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(code):
            opname = instruction.opname
            if not opname.startswith("LOAD_") or opname == "LOAD_CONST":
                continue
            argument = instruction.argval
            # One instruction can load two variables.
            loaded = argument if isinstance(argument, tuple) else (argument,)
            found |= {name for name in loaded if isinstance(name, str)}
    return found


@dataclass(frozen=True)
class _Block(Place):
    """A function's source, dedented as it is shown, and how to convert positions in its file to positions in it.

    `shifts` has the number of characters that were removed from the front of each line, and `end`
    the line and column in the file where the source ends.
    """

    name: str
    shifts: tuple[int, ...]
    end: tuple[int, int]

    def contains(self, filename: str, place: _Stretch) -> bool:
        """Whether a stretch of text in a file lies inside this block."""
        if filename != self.filename:
            return False
        start = (self.first, self.shifts[0])
        return start <= place[:2] and place[2:] <= self.end

    def span(self, number: int, place: _Stretch) -> Span:
        """Convert a stretch of the file to a span of this block, which is source `number`."""
        line, column, end_line, end_column = place
        row = line - self.first
        end_row = end_line - self.first
        shown_column = max(0, column - self.shifts[row])
        shown_end = max(0, end_column - self.shifts[end_row])
        return Span(number, row, shown_column, end_row, shown_end)


class _Blocks:
    """The blocks found so far. A function that is defined inside one of them doesn't get a second block."""

    def __init__(self) -> None:
        self.found: list[_Block] = []
        self._numbers: dict[CodeType, int | None] = {}
        self.span = functools.cache(self._find_span)

    def open(self, code: CodeType) -> int | None:
        """Return the number of the block that contains `code`, making it the first time; None if there is no text."""
        if code not in self._numbers:
            self._numbers[code] = self._make_block(code)
        return self._numbers[code]

    @property
    def lost(self) -> set[CodeType]:
        """The code whose source text was not found."""
        return {code for code, number in self._numbers.items() if number is None}

    def spans(self, frames: Frames) -> tuple[Span, ...]:
        """Map the frames of a call stack to places in the sources, leaving out those without a source."""
        spans = (self.span(code, offset) for code, offset in frames)
        return tuple(span for span in spans if span is not None)

    def _find_span(self, code: CodeType, offset: int) -> Span | None:
        """Find the stretch of text that the instruction at an offset into the bytecode was compiled from."""
        if code not in self._numbers and code.co_filename.startswith(_LIBRARIES):
            # Code of Python or a package isn't shown, unless it is the recorded function itself.
            return None
        number = self.open(code)
        place = _place(code, offset)
        if number is None or place is None:
            return None
        block = self.found[number]
        if not block.contains(code.co_filename, place):
            return None
        return block.span(number, place)

    def assignments(self) -> Iterator[tuple[Span, Assignment]]:
        """Yield the assignments in all blocks, each with the span of the expression whose value gets the name."""
        for number, block in enumerate(self.found):
            lines = _read_lines(block.filename)
            for node, assignment in find_assignments(block.node):
                starts = [_start(node)]
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    # For a method call that spans several lines, Python reports the method's name as the start.
                    line, end = _end(node.func)
                    if line != node.lineno:
                        starts.append((line, end - len(node.func.attr.encode())))
                for start in starts:
                    place = _in_characters(lines, *start, *_end(node))
                    yield block.span(number, place), assignment

    def _make_block(self, code: CodeType) -> int | None:
        node = _find_function(code)
        if node is None:
            return None
        lines = _read_lines(code.co_filename)
        line, start, end_line, end_column = _in_characters(lines, *_start(node), *_end(node))
        first = first_row(node)
        if first < line:
            # The block begins with a decorator.
            start = 0
        for number, block in enumerate(self.found):
            if block.contains(code.co_filename, (first, start, end_line, end_column)):
                return number
        is_lambda = isinstance(node, ast.Lambda)
        text, shifts = _dedent(lines[first - 1 : end_line], start, end_column, is_lambda)
        block = _Block(
            filename=code.co_filename,
            first=first,
            text=tuple(replace_bidi(row) for row in text),
            node=node,
            name=getattr(node, "name", "<lambda>"),
            shifts=shifts,
            end=(end_line, end_column),
        )
        self.found.append(block)
        return len(self.found) - 1


def _read_lines(filename: str) -> list[str]:
    return [line.rstrip("\n") for line in linecache.getlines(filename)]


@functools.lru_cache(maxsize=64)
def _parse_functions(filename: str, text: str) -> tuple[_Function, ...]:
    # The text is part of the cache's key, so a file that has changed is parsed again, and so is a new cell
    # with the number of an old one.
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, _Function))


def _find_function(code: CodeType) -> _Function | None:
    """Find the syntax tree of the smallest function that contains all of `code`."""
    text = "".join(linecache.getlines(code.co_filename))
    if not text:
        return None
    if code.co_name == "<module>":
        return _parse_module(code.co_filename, text)
    functions = _parse_functions(code.co_filename, text)
    if code.co_name == "<lambda>":
        lambdas = [node for node in functions if isinstance(node, ast.Lambda)]
        candidates = _keep_around(lambdas, code)
    elif code.co_name in _COMPREHENSIONS:
        candidates = _keep_around(functions, code)
    else:
        candidates = [node for node in functions if _defines(node, code)]
    return min(candidates, key=_size, default=None)


def _keep_around(functions: Iterable[_Function], code: CodeType) -> list[_Function]:
    """The functions whose text contains everything that `code` was compiled from."""
    start, end = _extent(code)
    return [node for node in functions if _start(node) <= start and end <= _end(node)]


def _defines(node: _Function, code: CodeType) -> bool:
    """Whether a function in the text is the `def` that `code` was compiled from."""
    if isinstance(node, ast.Lambda) or node.name != code.co_name:
        return False
    # The code of a decorated function begins at its decorator.
    return code.co_firstlineno in (node.lineno, first_row(node))


def _parse_module(filename: str, text: str) -> _Function | None:
    """Parse a whole cell or file as if it were one function, for the code outside all functions."""
    try:
        tree: Any = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    lines = text.splitlines()
    tree.name = os.path.basename(filename)
    tree.decorator_list = []
    tree.lineno = 1
    tree.col_offset = 0
    tree.end_lineno = len(lines)
    tree.end_col_offset = len(lines[-1].encode())
    return cast("_Function", tree)


def _start(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the byte column where a node of the syntax tree starts in its file."""
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The line and the byte column where a node of the syntax tree ends in its file."""
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _size(node: _Function) -> tuple[int, int]:
    """The lines and the columns from the start of a function to its end."""
    line, byte = _start(node)
    end_line, end_byte = _end(node)
    return end_line - line, end_byte - byte


def _extent(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last position, in lines and bytes, that the bytecode was compiled from."""
    positions = list(code.co_positions())
    starts = []
    ends = []
    for line, end_line, byte, end_byte in positions:
        # The first instruction of every function always has the columns 0 to 0.
        if line and end_line is not None and byte is not None and end_byte:
            starts.append((line, byte))
            ends.append((end_line, end_byte))
    if not starts:
        first = code.co_firstlineno
        last = max(line or first for line, *_ in positions)
        return (first, 10**9), (last, 0)
    return min(starts), max(ends)


def _place(code: CodeType, offset: int) -> _Stretch | None:
    """Find where the text of an instruction starts and ends in its file; None if Python has no line for it."""
    positions = list(code.co_positions())
    number = offset // 2  # an instruction takes two bytes
    if number >= len(positions):
        return None
    line, end_line, column, end_column = positions[number]
    lines = _read_lines(code.co_filename)
    if line is None or not 0 < line <= len(lines):
        return None
    if end_line is None or column is None or end_column is None or end_line > len(lines):
        # With -X no_debug_ranges, Python keeps no columns. The whole line is shown then.
        text = lines[line - 1]
        return line, _indent(text), line, len(text.rstrip())
    return _in_characters(lines, line, column, end_line, end_column)


def _in_characters(
    lines: Sequence[str], line: int, byte: int, end_line: int, end_byte: int
) -> _Stretch:
    """Convert columns counted in UTF-8 bytes, as Python counts them, to columns counted in characters."""
    column = _count_characters(lines[line - 1], byte)
    end_column = _count_characters(lines[end_line - 1], end_byte)
    return line, column, end_line, end_column


def _count_characters(text: str, n_bytes: int) -> int:
    """The number of characters in the first bytes of a text."""
    return len(text.encode()[:n_bytes].decode(errors="ignore"))


def _dedent(
    lines: Iterable[str], start: int, end: int, is_lambda: bool
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Remove the indentation that all lines of a function share; cut a lambda out of the statement around it.

    Returns the text and, for each line, how many characters were removed from its front.
    """
    rows = list(lines)
    if is_lambda:
        rows[-1] = rows[-1][:end]
    # The first line of a lambda is cut at its start, whatever its indentation.
    indented = rows[1:] if is_lambda else rows
    common = min((_indent(row) for row in indented if row.strip()), default=0)
    shifts = [min(common, _indent(row)) for row in rows]
    if is_lambda:
        shifts[0] = start
    text = tuple(row[shift:] for row, shift in zip(rows, shifts, strict=True))
    return text, tuple(shifts)


def _indent(text: str) -> int:
    """The number of spaces that a line of source begins with."""
    return len(text) - len(text.lstrip())
