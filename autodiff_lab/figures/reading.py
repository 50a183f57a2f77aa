"""From the engine's tape to a `Trace`: what each line says, and what each step of the sweep sends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autodiff_lab.figures import formulas, notation, sentences, sources
from autodiff_lab.figures.trace import Line, Number, Operand, Send, Span, Step, Trace


def read_tape(tape: Any, f: Callable[..., Any], value: Any = None) -> Trace:
    """Describe a tape and its reverse sweep; see `Trace.from_tape`."""
    # The run itself has warned of log(-1) and the like; looking at it again need not.
    with np.errstate(all="ignore"):
        return _read(tape, f, value)


def _read(tape: Any, f: Callable[..., Any], value: Any) -> Trace:
    located = sources.locate(f, tape.sites, len(tape))
    lines = tuple(_line(tape, i, located.spans[i]) for i in range(len(tape)))
    result = tape.output
    if result is not None:
        value = tape.values[result]
    steps = [Step("record", i, None, (), sentences.recorded(lines, i)) for i in range(len(lines))]
    if result is not None:
        steps += _swept(tape, lines)
    notes = [
        located.note,
        sentences.result_note(lines, result, Number.of(value) if value is not None else None),
    ]
    parameters = tuple(tape.input_names)
    name = sources.name_of(f)
    return Trace(
        title=_title(name, parameters),
        function=name,
        parameters=parameters,
        sources=located.sources,
        note=" ".join(note for note in notes if note),
        lines=lines,
        steps=tuple(steps),
        result=result,
        value=Number.of(np.nan if value is None else value),
    )


def _title(name: str, parameters: tuple[str, ...]) -> str:
    # An input inside a tuple or a dict is called "p['w']"; the function's own parameter is p.
    own = ", ".join(dict.fromkeys(re.split(r"[\[.]", parameter)[0] for parameter in parameters))
    return f"lambda {own}" if name == "<lambda>" else f"{name}({own})"


def _line(tape: Any, i: int, where: tuple[Span, ...]) -> Line:
    op = tape.ops[i]
    label = tape.input_names[i] if op is None else ""
    return Line(
        name=tape.name(i),
        kind="input" if op is None else "operation",
        label=label,
        op="" if op is None else op.name,
        symbol=_symbol(tape, i),
        text=tape.expression(i),
        operands=() if op is None else tuple(_operands(tape, i)),
        value=Number.of(tape.values[i]),
        where=where,
        latex=formulas.operation(tape, i),
    )


def _symbol(tape: Any, i: int) -> str:
    op = tape.ops[i]
    if op is None:
        return tape.input_names[i] or notation.pretty(tape.name(i))
    if op.name == "getitem":
        index = tape.expression(i).partition("[")[2]
        return f"[{index}" if 0 < len(index) <= 8 else "[…]"
    return notation.symbol(op.name)


def _operands(tape: Any, i: int) -> Iterator[Operand]:
    op, args, parents = tape.ops[i], tape.args[i], tape.parents[i]
    for slot, parent in enumerate(parents):
        value = Number.of(args[slot])
        if parent < 0:
            yield Operand(None, value.text, value, None, "", "")
            continue
        partial = None
        if op.kind == "elementwise":
            partial = Number.of(op.local_partial(slot, tape.values[i], *args))
        yield Operand(parent, tape.name(parent), value, partial, *formulas.way_back(tape, i, slot))


def _swept(tape: Any, lines: tuple[Line, ...]) -> list[Step]:
    """The seed and the steps of the engine's own sweep."""
    result = tape.output
    adjoints: list[Any] = [None] * len(tape)
    seed = np.ones(np.shape(tape.values[result]))[()]
    held: list[Any] = [None] * len(tape)
    held[result] = seed
    swept: list[tuple[int, Number, tuple[Send, ...]]] = []
    for i in tape.sweep(result, seed, adjoints):
        swept.append((i, Number.of(adjoints[i]), tuple(_sends(tape, i, adjoints, held))))
    steps = [Step("seed", result, Number.of(seed), (), sentences.seeded(lines, result, Number.of(seed)))]
    coming = _still_to_come(swept)
    steps += [
        Step("sweep", i, adjoint, sends, sentences.swept(lines, i, adjoint, sends, waiting))
        for (i, adjoint, sends), waiting in zip(swept, coming, strict=True)
    ]
    return steps


def _sends(tape: Any, i: int, adjoints: list[Any], held: list[Any]) -> Iterator[Send]:
    """What line `i` has just sent, by the engine's own pullback; the engine's adjoint has the last word."""
    op, args, parents, y = tape.ops[i], tape.args[i], tape.parents[i], tape.values[i]
    last = {parent: slot for slot, parent in enumerate(parents)}
    for slot, parent in enumerate(parents):
        if parent < 0:
            continue
        contribution = op.pullback(slot, adjoints[i], y, args, tape.kwargs.get(i, {}))
        if contribution is None:
            continue
        before = held[parent]
        # Between two operands that are the same line the engine does not stop, so that sum is formed here.
        after = adjoints[parent] if last[parent] == slot else _sum(before, contribution)
        held[parent] = after
        yield Send(
            slot,
            parent,
            Number.of(contribution),
            None if before is None else Number.of(before),
            Number.of(after),
        )


def _sum(before: Any, contribution: Any) -> Any:
    return contribution if before is None else before + contribution


def _still_to_come(swept: list[tuple[int, Number, tuple[Send, ...]]]) -> list[Mapping[int, tuple[int, ...]]]:
    """For each step of the sweep: which lines will send to the same parents later on."""
    later: dict[int, tuple[int, ...]] = {}
    waiting: list[Mapping[int, tuple[int, ...]]] = []
    for i, _, sends in reversed(swept):
        parents = {send.parent for send in sends}
        waiting.append({parent: later.get(parent, ()) for parent in parents})
        for send in sends:
            later[send.parent] = (i, *later.get(send.parent, ()))
    return waiting[::-1]
