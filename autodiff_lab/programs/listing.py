"""Each line of the tape beside what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from ..engine.printing import format_call, format_value
from .codegen import Writer
from .draft import Draft

__all__ = ["Line", "Listing"]


class Line(NamedTuple):
    """A line of the tape, and what became of it: the text it ends up in, or the pass that removed it."""

    name: str
    recorded: str
    written: str
    removed_by: str
    backward: bool


class Listing:
    """What became of the lines of a tape, to be told when somebody asks.

    It keeps what is told, and lets the tape go: recorded arrays are held by nobody.
    """

    def __init__(self, lines: Sequence[int], draft: Draft, writer: Writer) -> None:
        tape, trace = draft.tape, draft.trace
        self.lines, self.turn, self.names, self.fate = lines, trace.turn, trace.names, draft.fate
        self.ops, self.parents, self.args = tape.ops, tape.parents, tape.args
        self.static, self.known = tape.kwargs, tape.known
        if not all(writer.numbers):  # then there are arrays, and of these the constants alone are told
            columns = zip(tape.parents, tape.args, strict=True)
            self.args = [
                tuple([x if j < 0 else None for j, x in zip(parents, args, strict=True)]) for parents, args in columns
            ]
        self.consumer = writer.consumer
        self.written = {i: statement.text for i, statement in writer.emitted.items()}

    def told(self) -> list[Line]:
        """Line by line."""
        unnamed = count(1)
        names = [self.names.get(i) or f"t{next(unnamed)}" for i in range(len(self.ops))]
        out = []
        for i in self.lines:
            recorded = repr(float(self.known[i])) if i in self.known else self._recorded(i, names)
            fate = self.fate.get(i, "")
            path = () if fate else self._path(i)
            written = next((self.written[k] for k in path if k in self.written), "")
            out.append(Line(names[i], recorded, written, fate, i >= self.turn))
        return out

    def _path(self, i: int) -> Iterator[int]:
        """A line, and the lines that its expression was folded into, one after the other."""
        while i >= 0:
            yield i
            i = self.consumer[i]

    def _recorded(self, i: int, names: Sequence[str]) -> str:
        op: Any = self.ops[i]
        columns = zip(self.parents[i], self.args[i], strict=True)
        operands = [names[j] if j >= 0 else format_value(x) for j, x in columns]
        return format_call(op.name, op.symbol, operands, dict(self.static.get(i, {})))
