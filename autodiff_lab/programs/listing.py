"""The listing of a program: each line of the tape beside what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

from ..engine.printing import call, plain
from .codegen import Writer
from .draft import Draft

__all__ = ["Line", "prepare_listing"]


class Line(NamedTuple):
    """A line of the tape, and what became of it: the text it ends up in, or the pass that removed it."""

    name: str
    recorded: str
    written: str
    removed_by: str
    backward: bool


def prepare_listing(lines: Sequence[int], draft: Draft, writer: Writer) -> Callable[[], list[Line]]:
    """A function that lists these lines when somebody asks. It lets the tape go: recorded arrays are held by nobody."""
    tape, turn, recorded_names = draft.tape, draft.trace.turn, draft.trace.names
    ops, parents, args, static, known = tape.ops, tape.parents, tape.args, tape.kwargs, tape.known
    fate, consumer = draft.fate, writer.consumer
    written = {i: statement.text for i, statement in writer.emitted.items()}
    if not all(writer.numbers):  # then there are arrays, and of these the constants alone are told
        args = [
            tuple([x if j < 0 else None for j, x in zip(js, xs, strict=True)])
            for js, xs in zip(parents, args, strict=True)
        ]

    def list_lines() -> list[Line]:
        unnamed, listed = count(1), []
        names = [recorded_names.get(i) or f"t{next(unnamed)}" for i in range(len(ops))]
        for i in lines:
            operands = [names[j] if j >= 0 else plain(x) for j, x in zip(parents[i], args[i], strict=True)]
            op = ops[i]
            text = repr(float(known[i])) if op is None else call(op.name, op.symbol, operands, dict(static.get(i, {})))
            final = -1 if i in fate else i
            while final >= 0 and final not in written:  # its expression was folded into the line that uses it
                final = consumer[final]
            listed.append(Line(names[i], text, written.get(final, ""), fate.get(i, ""), i >= turn))
        return listed

    return list_lines if lines else list
