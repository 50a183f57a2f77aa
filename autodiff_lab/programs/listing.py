"""Each line of the tape beside what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..engine.listing import call, plain
from .draft import Draft
from .writing import Writer

__all__ = ["Line", "listing"]


class Line(NamedTuple):
    """A line of the tape, and what became of it: the text it ends up in, or the pass that removed it."""

    name: str
    recorded: str
    written: str
    removed_by: str
    backward: bool


def listing(lines: Sequence[int], draft: Draft, writer: Writer) -> list[Line]:
    """What became of these lines of the tape."""
    tape, count = draft.tape, 0
    names: dict[int, str] = {}
    for i in range(len(tape)):
        names[i] = draft.trace.names.get(i, "")
        if not names[i]:
            count += 1
            names[i] = f"t{count}"
    out = []
    for i in lines:
        recorded = repr(float(tape.known[i])) if i in tape.known else _recorded(tape, i, names)
        fate = draft.fate.get(i, "")
        written = writer.emitted.get(i, "")
        if not fate and not written:
            written = next((writer.emitted[k] for k in _path(i, writer) if k in writer.emitted), "")
        out.append(Line(names[i], recorded, written, fate, i >= draft.trace.turn))
    return out


def _path(i: int, writer: Writer) -> list[int]:
    """The lines that an expression was folded into, one after the other."""
    path = []
    while (i := writer.consumer[i]) >= 0 and len(path) < 100:
        path.append(i)
    return path


def _recorded(tape: Any, i: int, names: dict[int, str]) -> str:
    op: Any = tape.ops[i]
    operands = [names[j] if j >= 0 else plain(x) for j, x in zip(tape.parents[i], tape.args[i], strict=True)]
    return call(op.name, op.symbol, operands, dict(tape.kwargs.get(i, {})))
