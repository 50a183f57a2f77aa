"""From the engine's tape to a `Trace`: what each line says, and what each step of the sweep sends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.figures import equations, formulas, notation, sentences, sources
from autodiff_lab.figures.trace import Line, Number, Operand, Send, Span, Step, Trace

_LONGEST_EDGE = 44


def read_tape(tape: Any, f: Callable[..., Any], value: Any = None) -> Trace:
    """Describe a tape and its reverse sweep; see `Trace.from_tape`."""
    # The run itself has warned of log(-1) and the like; looking at it again need not.
    with np.errstate(all="ignore"):
        return _read(tape, f, value)


def _read(tape: Any, f: Callable[..., Any], value: Any) -> Trace:
    located = sources.locate(f, tape.sites, len(tape))
    labels = {
        tape.name(i): label for i, label in enumerate(tape.input_names) if label and notation.pretty(label) == label
    }
    lines = tuple(_line(tape, i, located.spans[i], labels) for i in range(len(tape)))
    result = tape.output
    if result is not None:
        value = tape.values[result]
    steps = [
        Step("record", i, sentence=sentences.recorded(lines, i), equations=equations.recorded(lines[i]))
        for i in range(len(lines))
    ]
    name = sources.name_of(f)
    if result is not None:
        steps += _swept(tape, lines)
    result_name = "result" if "y" in tape.input_names else "y"
    if steps:
        steps[-1] = _with_gradient(name if name.isidentifier() else result_name, lines, steps)
    notes = [
        located.note,
        sentences.result_note(lines, result, Number.of(value) if value is not None else None),
    ]
    parameters = tuple(tape.input_names)
    title = _title(name, parameters)
    return Trace(
        title=title,
        function=name,
        parameters=parameters,
        sources=located.sources,
        note=" ".join(note for note in notes if note),
        lines=lines,
        steps=tuple(steps),
        result=result,
        value=Number.of(np.nan if value is None else value),
        result_name=result_name,
        opening=sentences.opening(title, lines),
    )


def _title(name: str, parameters: tuple[str, ...]) -> str:
    # An input inside a tuple or a dict is called "p['w']"; the function's own parameter is p.
    own = ", ".join(dict.fromkeys(re.split(r"[\[.]", parameter)[0] for parameter in parameters))
    return f"lambda {own}" if name == "<lambda>" else f"{name}({own})"


def _line(tape: Any, i: int, where: tuple[Span, ...], labels: Mapping[str, str]) -> Line:
    op = tape.ops[i]
    label = tape.input_names[i] if op is None else ""
    text = tape.expression(i)
    return Line(
        name=tape.name(i),
        kind="input" if op is None else "operation",
        value=Number.of(tape.values[i]),
        label=label,
        op="" if op is None else op.name,
        symbol=_symbol(tape, i),
        text=text,
        operands=() if op is None else tuple(_operands(tape, i, labels)),
        where=where,
        latex=formulas.operation(tape, i),
        shown=notation.pretty(tape.name(i)),
        expression=label if op is None else notation.readable(text),
        meaning=label if op is None else notation.readable(text, labels),
    )


def _symbol(tape: Any, i: int) -> str:
    op = tape.ops[i]
    if op is None:
        return tape.input_names[i] or notation.pretty(tape.name(i))
    if op.name == "getitem":
        index = tape.expression(i).partition("[")[2]
        return f"[{index}" if 0 < len(index) <= 8 else "[…]"
    return notation.symbol(op.name)


def _operands(tape: Any, i: int, labels: Mapping[str, str]) -> Iterator[Operand]:
    for slot, parent in enumerate(tape.parents[i]):
        value = Number.of(tape.args[i][slot])
        if parent < 0:
            yield Operand(None, value.text, value)
            continue
        partial = formulas.local_partial(tape, i, slot)
        shown = None if partial is None else Number.of(partial)
        formula, latex = formulas.way_back(tape, i, slot)
        edge, whole = _edge(notation.readable(formula, labels) if formula else "", shown)
        yield Operand(parent, tape.name(parent), value, shown, formula, latex, edge, "" if whole == edge else whole)


def _edge(formula: str, partial: Number | None) -> tuple[str, str]:
    """What an edge says, and the whole of it: ``cos x2 = 0.2837``; of an array the formula, if that is short."""
    if partial is None:
        whole = edge = formula
    elif formula in ("", partial.text):
        whole, edge = partial.text, partial.in_node
    else:
        whole = edge = f"{formula} = {partial.text}"
        if partial.shape:
            edge = formula if len(formula) <= _LONGEST_EDGE else partial.in_node
    return notation.shortened(edge, _LONGEST_EDGE), whole


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
    seeded = Number.of(seed)
    start = sentences.seeded(lines, result, seeded), equations.seeded(lines[result], seeded)
    steps = [Step("seed", result, seeded, (), *start)]
    for (i, adjoint, sends), waiting in zip(swept, _still_to_come(swept), strict=True):
        sentence = sentences.swept(lines, i, adjoint, sends, waiting)
        steps.append(Step("sweep", i, adjoint, sends, sentence, equations.swept(lines, i, adjoint, sends)))
    return steps


def _with_gradient(name: str, lines: tuple[Line, ...], steps: list[Step]) -> Step:
    """The last step, which says what it all was for."""
    adjoints: dict[int, Number] = {}
    for step in steps:
        if step.phase == "seed":
            adjoints[step.line] = step.adjoint
        adjoints |= {send.parent: send.after for send in step.sends}
    last = steps[-1]
    gradient = equations.gradient(name, lines, adjoints)
    return replace(last, equations=(*last.equations, gradient)) if gradient else last


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
            contribution=Number.of(contribution),
            after=Number.of(after),
            before=None if before is None else Number.of(before),
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
