"""The reader of a tape: it describes the lines, and follows the reverse sweep or the tangents, for a `Trace`."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import InputError
from autodiff_lab.engine.printing import replace_bidi
from autodiff_lab.engine.tape import Tape
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_items, join_sentences, message
from autodiff_lab.trace import (
    assigned_names,
    births,
    forward_steps,
    memory_usage,
    partials,
    quiz,
    reverse_steps,
    source_map,
)
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.model import Cost, Group, Line, Number, Operand, RaisedError, RunOptions, Step, Trace
from autodiff_lab.trace.outline import build_outline, overview
from autodiff_lab.trace.wording import equations, explanations
from autodiff_lab.transforms.recording import Outcome
from autodiff_lab.transforms.results import spell_path
from autodiff_lab.transforms.signatures import name_of, parameter_names, spell_function

_MAX_VALUE_LENGTH = 20


# The run itself has warned of log(-1) and the like; looking at it again need not.
_quietly = np.errstate(all="ignore")


def read_tape(tape: Tape, f: Callable[..., Any], outcome: Outcome, options: RunOptions) -> Trace:
    """Read a tape into a `Trace`, with its reverse sweep or its tangents; see `Trace.from_tape`."""
    return TapeReader(tape, f, outcome=outcome).read(options)


def trace_of_tape(tape: Tape) -> Trace:
    """Read a tape alone into a `Trace`; its program has no name.

    >>> from autodiff_lab import record
    >>> trace_of_tape(record(lambda x: x * x, 3.0)[1]).title
    'tape(x)'
    """
    return read_tape(tape, _Tape(), Outcome(tape.constant), RunOptions())


class _Tape:
    """Stands for the program, which a tape does not know."""

    __name__ = "tape"

    def __call__(self) -> None:
        """It is never called."""


class TapeReader:
    """A reader that makes traces from a tape, in either mode.

    Parameters
    ----------
    tape : Tape
    f : callable
        What was recorded.
    value : optional
        What it returned.
    outcome : Outcome, optional
        How it has ended, if there is more to say than the `value`.

    Attributes
    ----------
    lines : sequence of Line
        Each is described when it is asked for.
    sources : tuple of Source
    outline : Section
        The run with all its sections.
    """

    def __init__(self, tape: Tape, f: Callable[..., Any], value: Any = None, outcome: Outcome | None = None) -> None:
        if not tape.n_inputs:
            names, name = join_items(parameter_names(f)), spell_function(f)
            code = {"definition": f"def {name}(x): …", "call": f"play({name}, 2.0)"}
            raise InputError(message("inputs not passed" if names else "takes no inputs", names=names, **code))
        self.tape, self._f = tape, f
        self._outcome = Outcome(value) if outcome is None else outcome
        raised = self._outcome.raised
        calls = () if raised is None else raised.calls
        self._located = source_map.locate(f, tape.call_stacks, len(tape), tape.execution_log, calls)
        spans, turns, assignments = self._located.spans, self._located.turns, self._located.assignments
        self._labels = {
            tape.name(i): label
            for i, label in enumerate(tape.input_names)
            if label and notation.format_name(label) == label
        }
        self._names = assigned_names.name_lines(tape.input_names, spans, turns, assignments)
        self._result_name = _name_result(tape, self._names, self._outcome)
        numbers = {number: k for k, number in enumerate(dict.fromkeys(tape.written_by_sweep.values()), start=1)}
        self._sweeps = [numbers.get(tape.written_by_sweep.get(i, 0.0), 0) for i in range(len(tape))]
        self.lines: Sequence[Line] = _OnDemand(_quietly(self._describe_line), len(tape))
        self.sources = self._located.sources
        self.outline = build_outline(self.sources, spans, turns, tape.n_inputs, self._sweeps)

    @_quietly
    def read(self, options: RunOptions) -> Trace:
        """Make the trace from the tape, with the derivative that the options ask for."""
        run = self.describe_run(self.lines)
        if options.mode == "reverse":
            return _follow_sweep(self.tape, run, options.fault)
        return _follow_tangents(self.tape, run, options.direction)

    @_quietly
    def describe_run(self, lines: Sequence[Line]) -> Trace:
        """Make a trace without steps from these lines of the tape: all of them, or those of a window."""
        tape, lines = self.tape, tuple(lines)
        result = tape.output
        value = self._outcome.value if result is None else tape.values[result]
        shown = None if value is None else Number.of(value)
        name, parameters = name_of(self._f), tuple(tape.input_names)
        title = _title(name, parameters, tape.constant_arguments)
        raised = self._describe_error()
        is_constant = result is None and raised is None
        reason = self._explain_constant(lines, shown) if is_constant else ""
        results = tuple(map(spell_path, self._outcome.results))
        chosen = self._outcome.chosen
        notes = (
            self._located.note,
            explanations.constant_note(shown, reason) if is_constant else "",
            explanations.results_note(results, chosen),
            explanations.counts_note(tape),
            explanations.sweeps_note(lines),
        )
        return Trace(
            title=title,
            function=name,
            parameters=parameters,
            sources=self.sources,
            note=join_sentences(*notes),
            lines=lines,
            steps=(),
            result=result,
            value=Number.of(np.nan) if shown is None else shown,
            result_name=self._result_name,
            opening=explanations.opening_of_run(title, lines, reason, raised),
            chapters=self._overview,
            warning="" if raised is None else explanations.raised_warning(raised, name),
            headline=equations.write_constant(self._result_name, shown, parameters) if is_constant else None,
            results=results,
            chosen_result=chosen,
            raised=raised,
        )

    def _explain_constant(self, lines: Sequence[Line], value: Number | None) -> str:
        read = source_map.find_read_names(self._f)
        if read is None:  # it is not written in Python: nobody knows
            read = set(self.tape.input_names)
        return explanations.explain_constant(self.tape, lines, value, read)

    def _describe_error(self) -> RaisedError | None:
        raised = self._outcome.raised
        if raised is None:
            return None
        return RaisedError(raised.kind.__name__, replace_bidi(raised.text), self._located.raised)

    def _describe_line(self, i: int) -> Line:
        tape, name, text = self.tape, self.tape.name(i), self.tape.expression(i)
        op, label = tape.ops[i], tape.input_names[i] if tape.ops[i] is None else ""
        own = {tape.name(j): self._names[j].text for j in (*tape.parents[i], i) if j >= 0 and self._names[j].text}

        def write(names: Mapping[str, str]) -> str:
            return label if op is None else notation.format_expression(text, names)

        return Line(
            name=name,
            kind="input" if op is None else "operation",
            value=Number.of(tape.values[i]),
            label=label,
            op="" if op is None else op.name,
            symbol=_symbol(tape, i),
            text=text,
            operands=() if op is None else tuple(_operands(tape, i, self._labels, own)),
            where=self._located.spans[i],
            latex=partials.operation_latex(tape, i),
            display_name=notation.format_name(name),
            expression=write({}),
            source_expression=write(self._labels),
            adjoint_name=notation.format_adjoint(name),
            tangent_name=notation.format_tangent(name),
            sweep_id=self._sweeps[i],
            turns=self._located.turns[i],
            assigned_name=self._names[i].text,
            occurrence=self._names[i].occurrence,
            reading=write(own),
        )

    @functools.cached_property
    def _overview(self) -> tuple[Group, ...]:
        return overview(self.outline, lambda i: notation.format_name(self.tape.name(i)))


def _name_result(tape: Tape, names: list[assigned_names.Name], outcome: Outcome) -> str:
    """What the result is called; if the source has no name for it, it gets its key, or the one of pictures."""
    result = tape.output
    own = names[result] if result is not None and result >= tape.n_inputs else assigned_names.Name("")
    if own.text and not own.occurrence:
        return own.text
    taken = {*tape.input_names, *(name.text for name in names)}
    name = message("result name") if "y" in taken else "y"
    if outcome.results:
        *_, key = outcome.results[outcome.chosen]
        name = key if isinstance(key, str) and key.isidentifier() and key not in taken else f"{name}[{key!r}]"
    if result is not None and not names[result].text:
        names[result] = assigned_names.Name(name)
    return name


class _OnDemand(Sequence[Line]):
    """A sequence whose items are made when they are asked for, and kept."""

    def __init__(self, make: Callable[[int], Line], length: int) -> None:
        self._make, self._length = functools.cache(make), length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        place = range(self._length)[i]
        return [self._make(k) for k in place] if isinstance(i, slice) else self._make(place)


def _follow_sweep(tape: Tape, trace: Trace, fault: str = "") -> Trace:
    """Add the steps of reverse mode: record line by line, then sweep, with a fault if there is one."""
    lines, held = trace.lines, memory_usage.count_held(tape)
    asked = quiz.is_askable(tape) and not fault
    steps = [
        reverse_steps.record_step(tape, lines, i, held, quiz.about_value(tape, i, line) if asked else ())
        for i, line in enumerate(lines)
    ]
    events = reverse_steps.list_events(tape, FAULTS[fault] if fault else reverse_steps.watch_sweep)
    if tape.output is not None:
        swept = reverse_steps.sweep_steps(tape, lines, events, reverse_steps.find_largest_size(events))
        if asked:
            questions = [(), *(tuple(quiz.about_contribution(tape, lines, event)) for event in events)]
            swept = [replace(step, questions=about) for step, about in zip(swept, questions, strict=True)]
        steps += memory_usage.measure_steps(tape, swept, held, len(tape), faulty=bool(fault))
    adjoints = _find_final_adjoints(tape, events)
    truth = _find_final_adjoints(tape, reverse_steps.list_events(tape)) if fault else None
    if trace.raised is None:
        steps[-1] = steps[-1].with_equation(equations.gradient(trace.derivative_name, lines, adjoints, truth))
    steps = _end_raised(trace, steps)
    products = sum(len(event.sent) for event in events)
    run = replace(
        trace,
        warning=trace.warning or births.warn_of_first(steps),
        note=join_sentences(trace.note, explanations.array_note(lines, tape.output)),
        steps=tuple(steps),
        cost=Cost(1, len(tape) - tape.n_inputs, products, *held[-1]),
        hints=quiz.hints(steps),
    )
    return run if truth is None else _mark_faulty(run, fault, truth)


def _end_raised(trace: Trace, steps: list[Step]) -> list[Step]:
    """Say at the last step that an exception ends the run here, if one does."""
    if trace.raised is None:
        return steps
    last, said = steps[-1], message("ends here", kind=trace.raised.kind)
    outcome = join_sentences(last.outcome, said) if last.outcome else ""
    return [*steps[:-1], replace(last, sentence=join_sentences(last.sentence, said), outcome=outcome)]


def _find_final_adjoints(tape: Tape, events: Sequence[reverse_steps.SweepEvent]) -> dict[int, Number]:
    """The adjoints after the last reverse step, by line."""
    seed = {} if tape.output is None else {tape.output: reverse_steps.seed_of(tape)}
    last = seed | {sent.parent: sent.after for event in events for sent in event.sent}
    return {line: Number.of(adjoint) for line, adjoint in last.items()}


def _mark_faulty(run: Trace, fault: str, truth: Mapping[int, Number]) -> Trace:
    """Say of a faulty run that it is one, and what would be right."""
    right = tuple(truth.get(i) for i in range(len(run.lines)))
    harmless = run.gradient == tuple(right[i] for i in run.inputs)
    said = ["faulty on purpose", f"fault {fault}", *(["right all the same"] if harmless else [])]
    warning = join_sentences(*map(message, said))
    return replace(run, fault=fault, badge=message(f"fault {fault}, badge"), warning=warning, truth=right)


def _follow_tangents(tape: Tape, trace: Trace, direction: Any = None) -> Trace:
    """Add the steps of forward mode: each line's value and its tangents together."""
    trace, named = replace(trace, mode="forward"), forward_steps.read_directions(tape, direction)
    steps = list(forward_steps.forward_steps(tape, trace.lines, named))
    agreement = None
    if trace.result is not None:
        tangent = steps[trace.result].tangents
        scalars = [label for label, x in zip(tape.input_names, tape.values, strict=False) if not np.ndim(x)]
        columns = [name for name, _ in named]
        last = equations.derivatives(trace.derivative_name, trace.result_name, scalars, columns, tangent)
        steps[-1] = steps[-1].with_equation(last)
        agreement = forward_steps.compare_with_gradient(tape, trace, named, tangent)
    steps = _end_raised(trace, steps)
    entries = sum(np.size(x) for x in tape.values[: tape.n_inputs])
    passes = -(-entries // len(named))
    meters = [step.meter for step in steps if step.meter is not None]
    most = max((meter.kept, meter.bytes) for meter in meters)
    operations, products = meters[-1].operations, meters[-1].products
    directions = tuple(forward_steps.describe_direction(tape, column, seeds) for column, seeds in named)
    return replace(
        trace,
        steps=tuple(steps),
        warning=trace.warning or births.warn_of_first(steps),
        opening=trace.opening
        if trace.headline
        else explanations.opening_forward(trace.title, trace.lines, [one.shown for one in directions]),
        directions=directions,
        hints=quiz.hints(steps),
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
    return text if len(text) <= _MAX_VALUE_LENGTH and text.isprintable() else "…"


def _symbol(tape: Tape, i: int) -> str:
    op = tape.ops[i]
    if op is None:
        return tape.input_names[i] or notation.format_name(tape.name(i))
    if op.name == "getitem":
        index = tape.expression(i).partition("[")[2]
        return f"[{index}" if 0 < len(index) <= 8 else "[…]"
    return notation.symbol(op.name)


def _shorten_names(text: str) -> str:
    """Write the names of inputs in a text by their keys: ``W1.T`` for ``params['W1'].T``."""
    return re.sub(r"\b[A-Za-z_]\w*(?:\[\d+\])*\['([A-Za-z_]\w*)'\]", r"\1", text)


def _operands(tape: Tape, i: int, labels: Mapping[str, str], own: Mapping[str, str]) -> Iterator[Operand]:
    to = np.shape(tape.values[i]) if tape.operation(i).kind == "elementwise" else ()
    name = tape.name(i)
    bar, own_bar = notation.format_adjoint(name), notation.format_adjoint(own.get(name, name))
    for slot, parent in enumerate(tape.parents[i]):
        value = Number.of(tape.args[i][slot])
        if parent < 0:
            # A number that stands in the formula is written into its box; it has no shape to be told.
            told: dict[str, Any] = {}
            if value.shape:
                told = {"shapes": value.flowing(to), "is_copied": value.is_copied_to(to)}
            yield Operand(None, value.text, value, **told)
            continue
        partial = partials.local_partial(tape, i, slot)
        shown = None if partial is None else Number.of(partial)
        way = partials.write_way_back(tape, i, slot)
        edge, whole = partials.edge_label(notation.format_expression(way.formula, labels), shown)
        readable = notation.format_expression(way.formula, own).replace(bar, own_bar)
        reading, _ = partials.edge_label(readable, shown)
        reading = message("its map") if way.is_name else _shorten_names(reading)
        yield Operand(
            parent,
            tape.name(parent),
            value,
            shown,
            way.formula,
            way.latex,
            edge,
            edge_title="" if whole == edge else whole,
            shapes=value.flowing(to),
            is_copied=value.is_copied_to(to),
            formula_is_name=way.is_name,
            edge_reading="" if reading == edge else reading,
            goes_to=partials.find_targets(tape, i) if slot == 0 and value.is_small else (),
            partial_reads=way.reads,
        )
