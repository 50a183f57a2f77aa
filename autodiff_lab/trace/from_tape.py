"""From the engine's tape to a `Trace`: what each line says, what each step of the sweep sends, or each tangent is."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import InputError
from autodiff_lab.text import notation
from autodiff_lab.text.messages import checked_language, say, separated, speaking, spoken, together
from autodiff_lab.trace import (
    equations,
    explanations,
    faulty_engines,
    forward_steps,
    memory_usage,
    partials,
    quiz,
    reverse_steps,
    source_map,
)
from autodiff_lab.trace.chapters import chapters
from autodiff_lab.trace.model import (
    Cost,
    Hint,
    Line,
    Meter,
    Number,
    Operand,
    Question,
    Source,
    Span,
    Step,
    Trace,
)
from autodiff_lab.trace.outline import Section, nested
from autodiff_lab.transforms.keywords import parameter_names, spell_function
from autodiff_lab.transforms.recording import name_of

_LONGEST_EDGE = 44
_LONGEST_VALUE = 20


def read_tape(
    tape: Any,
    f: Callable[..., Any],
    value: Any = None,
    mode: str = "reverse",
    direction: Any = None,
    fault: str = "",
    lang: str = "en",
) -> Trace:
    """Describe a tape, and its reverse sweep or its tangents; see `Trace.from_tape`."""
    if mode not in ("reverse", "forward"):
        raise InputError(f"There is no mode {mode!r}; a trace is taken in mode 'reverse' or 'forward'.")
    if mode == "reverse" and direction is not None:
        raise InputError("A direction belongs to forward mode: write mode='forward' with it.")
    if mode == "forward" and fault:
        raise InputError("The faulty engines are reverse ones: leave mode='forward' out, or the fault.")
    with speaking(checked_language("Trace.of", lang)):
        run = read_run(tape, f, value)
        trace = reversed_run(tape, run, fault) if mode == "reverse" else forward_run(tape, run, direction)
    return trace.remembering(lambda: read_tape(tape, f, value, mode, direction, fault))


# The run itself has warned of log(-1) and the like; looking at it again need not.
_quietly = np.errstate(all="ignore")


@_quietly
def read_run(tape: Any, f: Callable[..., Any], value: Any = None) -> Trace:
    """Read what both modes share: the lines, and where they stand in the source. There are no steps yet."""
    return described(tape, f, value, *lines_of(tape, f))


def lines_of(tape: Any, f: Callable[..., Any]) -> tuple[Sequence[Line], Origin]:
    """The lines of a tape, each read when it is asked for; and where they come from."""
    if not tape.n_inputs:
        names, name = separated(parameter_names(f)), spell_function(f)
        code = {"definition": f"def {name}(x): …", "call": f"play({name}, 2.0)"}
        raise InputError(say("inputs not passed" if names else "takes no inputs", names=names, **code))
    located = source_map.locate(f, tape.call_stacks, len(tape), tape.execution_log)
    labels = {
        tape.name(i): label for i, label in enumerate(tape.input_names) if label and notation.pretty(label) == label
    }
    sweeps = {number: k for k, number in enumerate(dict.fromkeys(tape.written_by_sweep.values()), start=1)}

    def line(i: int) -> Line:
        return replace(_line(tape, i, located.spans[i], labels), stretch=origin[i], turns=located.turns[i])

    origin = [sweeps.get(tape.written_by_sweep.get(i), 0) for i in range(len(tape))]
    run = nested(located.sources, located.spans, located.turns, tape.n_inputs, origin)
    return OnDemand(line, len(tape)), Origin(located.sources, located.note, run)


class Origin(NamedTuple):
    """Where the lines of a tape come from: the sources, what is to be said of them, the run in sections."""

    sources: tuple[Source, ...]
    note: str
    run: Section


class OnDemand(Sequence):
    """A sequence whose items are made when they are asked for, and kept."""

    def __init__(self, make: Callable[[int], Any], length: int) -> None:
        self._make, self._length = functools.cache(make), length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._make(k) for k in range(*i.indices(self._length))]
        if not -self._length <= i < self._length:
            raise IndexError(i)
        return self._make(i % self._length)


def described(tape: Any, f: Callable[..., Any], value: Any, lines: Sequence[Line], origin: Origin) -> Trace:
    """A run of these lines, without steps; the lines of a stretch of the tape may stand for all."""
    lines = tuple(lines)
    result = tape.output
    if result is not None:
        value = tape.values[result]
    name = name_of(f)
    constant = explanations.constant_note(Number.of(value) if value is not None else None) if result is None else ""
    parameters = tuple(tape.input_names)
    title = _title(name, parameters, tape.constant_arguments)
    return Trace(
        title=title,
        function=name,
        parameters=parameters,
        sources=origin.sources,
        note=together(origin.note, constant, explanations.counts_note(tape), explanations.stretches_note(lines)),
        lines=lines,
        steps=(),
        result=result,
        value=Number.of(np.nan if value is None else value),
        result_name=say("result name") if "y" in tape.input_names else "y",
        opening=explanations.opening(title, lines),
        chapters=chapters(origin.run),
        lang=spoken(),
    )


@_quietly
def reversed_run(tape: Any, trace: Trace, fault: str = "") -> Trace:
    """Give what `read_run` gave its steps: record line by line, then sweep, with a fault if there is one."""
    lines, held = trace.lines, memory_usage.held_by(tape)
    operations = len(tape) - tape.n_inputs
    wrong = faulty_engines.fault(fault) if fault else None
    ask = quiz.askable(tape) and not wrong
    steps = []
    for i, line in enumerate(lines):
        said = {"sentence": explanations.recorded(lines, i), "equations": equations.recorded(line)}
        meter = Meter(max(0, i + 1 - tape.n_inputs), 0, *held[i + 1])
        asked = tuple(quiz.about_value(tape, i, line)) if ask else ()
        steps.append(Step("record", i, **said, meter=meter, questions=asked))
    truth: dict[int, Number] = {}
    if tape.output is not None:
        moves = list(wrong.sweep(tape) if wrong else reverse_steps.moves(tape))
        swept = reverse_steps.steps(tape, lines, moves)
        truth = reverse_steps.final(reverse_steps.steps(tape, lines)) if wrong else truth
        products, kept = 0, len(tape)
        asked = [(), *(_asked(tape, lines, move) if ask else () for move in moves)]
        for step, about in zip(swept, asked, strict=True):
            products += len(step.sends)
            # The sweep will not ask for the line it has just left, nor for any line behind it. A faulty one may.
            left = step.line if step.phase == "sweep" and not wrong else kept
            meter = Meter(operations, products, *held[left])
            steps.append(replace(step, meter=meter, released=tuple(range(left, kept)), questions=about))
            kept = left
    if steps:
        steps[-1] = reverse_steps.with_gradient(trace.called, lines, steps, truth if wrong else None)
    total = steps[-1].meter.products if steps else 0
    note = together(trace.note, explanations.array_note(lines, tape.output))
    run = replace(trace, note=note, steps=tuple(steps), cost=Cost(1, operations, total, *held[-1]))
    run = replace(run, hints=_hints(steps))
    return _marked(run, wrong, truth) if wrong else run


def _asked(tape: Any, lines: tuple[Line, ...], move: reverse_steps.Move) -> tuple[Question, ...]:
    return tuple(question for sent in move.sent for question in quiz.about_send(tape, lines, move, sent))


def _hints(steps: Sequence[Step]) -> tuple[Hint, ...]:
    """What may have to be said about the answers to the questions of these steps."""
    kinds = {mistake.kind for step in steps for question in step.questions for mistake in question.mistakes}
    return quiz.hints(kinds)


def _marked(run: Trace, wrong: faulty_engines.Fault, truth: Mapping[int, Number]) -> Trace:
    """Say of a faulty run that it is one, and what would be right."""
    right = tuple(truth.get(i) for i in range(len(run.lines)))
    harmless = run.gradient == tuple(right[i] for i in run.inputs)
    warning = together(say("faulty on purpose"), wrong.mistake, say("right all the same") if harmless else "")
    return replace(run, fault=wrong.name, badge=wrong.badge, warning=warning, truth=right)


@_quietly
def forward_run(tape: Any, trace: Trace, direction: Any = None) -> Trace:
    """Give what `read_run` gave its steps: each line's value and its tangents together."""
    trace, named = replace(trace, mode="forward"), forward_steps.directions(tape, direction)
    steps = list(forward_steps.steps(tape, trace.lines, named))
    labels, columns = [line.label for line in trace.lines if line.kind == "input"], [name for name, _ in named]
    scalars = [label for label, x in zip(labels, tape.values, strict=False) if not np.ndim(x)]
    name, agreement = trace.called, None
    if trace.result is not None:
        tangent = steps[trace.result].tangents
        last = equations.derivatives(name, trace.result_name, scalars, columns, tangent)
        steps[-1] = replace(steps[-1], equations=(*steps[-1].equations, last))
        agreement = forward_steps.agreement(tape, trace, named, tangent)
    entries = sum(np.size(x) for x in tape.values[: tape.n_inputs])
    passes = -(-entries // len(named))
    most = max(step.meter[2:] for step in steps)
    operations, products, *_ = steps[-1].meter
    directions = tuple(forward_steps.described(tape, column, seeds) for column, seeds in named)
    return replace(
        trace,
        steps=tuple(steps),
        opening=explanations.opening_forward(trace.title, trace.lines, [one.shown for one in directions]),
        directions=directions,
        hints=_hints(steps),
        cost=Cost(passes, passes * operations, passes * products, *most),
        agreement=agreement,
    )


def _title(name: str, parameters: tuple[str, ...], fixed: Mapping[str, Any]) -> str:
    # An input inside a tuple or a dict is called "p['w']"; the function's own parameter is p.
    inputs = [re.split(r"[\[.]", parameter)[0] for parameter in parameters]
    own = ", ".join([*dict.fromkeys(inputs), *(f"{argument}={_briefly(x)}" for argument, x in fixed.items())])
    if "<lambda>" not in name:
        return f"{name}({own})"
    return name.replace("<lambda>′", f"(lambda {own})′").replace("<lambda>", f"lambda {own}")


def _briefly(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= _LONGEST_VALUE and text.isprintable() else "…"


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
        latex=partials.operation(tape, i),
        shown=notation.pretty(tape.name(i)),
        expression=label if op is None else notation.readable(text),
        meaning=label if op is None else notation.readable(text, labels),
        bar=notation.pretty_adjoint(tape.name(i)),
        dot=notation.pretty_tangent(tape.name(i)),
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
    to = np.shape(tape.values[i]) if tape.ops[i].kind == "elementwise" else ()
    for slot, parent in enumerate(tape.parents[i]):
        value = Number.of(tape.args[i][slot])
        if parent < 0:
            # A number that stands in the formula is written into its box; it has no shape to be told.
            yield Operand(None, value.text, value, shapes=value.flowing(to) if value.shape else "")
            continue
        partial = partials.local_partial(tape, i, slot)
        shown = None if partial is None else Number.of(partial)
        formula, latex = partials.way_back(tape, i, slot)
        edge, whole = _edge(notation.readable(formula, labels) if formula else "", shown)
        title, name = "" if whole == edge else whole, tape.name(parent)
        yield Operand(parent, name, value, shown, formula, latex, edge, title, value.flowing(to))


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
