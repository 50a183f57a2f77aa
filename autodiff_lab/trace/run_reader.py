"""The reader of a recorded run: it describes the lines and follows the reverse sweep, for a `Trace`."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.engine.printing import replace_bidi
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_sentences, message
from autodiff_lab.trace import (
    assigned_names,
    births,
    memory_usage,
    partials,
    quiz,
    reverse_steps,
    source_map,
)
from autodiff_lab.trace.model import (
    Cost,
    Group,
    Line,
    Number,
    Operand,
    Question,
    RaisedError,
    ResultSeed,
    Step,
    Trace,
)
from autodiff_lab.trace.outline import build_outline, overview
from autodiff_lab.trace.recorded_run import RecordedRun, RunLine, RunOperand, SweepEvent
from autodiff_lab.trace.wording import equations, explanations
from autodiff_lab.transforms.results import ResultPath, spell_path
from autodiff_lab.transforms.signatures import name_of

_MAX_VALUE_LENGTH = 20

# The sum of all results is called by its terms, if they have so many characters; else S.
_MAX_TOTAL_LENGTH = 28

# The run itself has warned of log(-1) and the like; looking at it again need not.
quietly = np.errstate(all="ignore")


class RunReader:
    """A reader that makes a trace from the record of a run, whichever engine has run it.

    Parameters
    ----------
    run : RecordedRun
    f : callable
        What was recorded.

    Attributes
    ----------
    run : RecordedRun
    lines : sequence of Line
        Each is described when it is asked for.
    sources : tuple of Source
    outline : Section
        The run with all its sections.
    """

    @quietly
    def __init__(self, run: RecordedRun, f: Callable[..., Any]) -> None:
        self.run, self._f = run, f
        raised = run.outcome.raised
        calls = () if raised is None else raised.calls
        self._located = source_map.locate(f, run.call_stacks, len(run), run.execution_log, calls)
        spans, turns, assignments = (
            self._located.spans,
            self._located.turns,
            self._located.assignments,
        )
        self._labels = {
            name: label
            for name, label in zip(run.names, run.input_names, strict=False)
            if label and notation.format_name(label) == label
        }
        self._names = assigned_names.name_lines(run.input_names, spans, turns, assignments)
        self._seeds = _name_seeds(run, self._names) if run.outcome.seeds else ()
        if self._seeds:
            self._terms = equations.write_total(self._seeds)
            self._result_name = self._name_total()
        else:
            self._result_name = self._terms = _name_result(run, self._names)
        numbers = {
            number: k
            for k, number in enumerate(dict.fromkeys(filter(None, run.sweep_ids)), start=1)
        }
        self._sweeps = [numbers.get(number, 0) for number in run.sweep_ids] or [0] * len(run)
        self.lines: Sequence[Line] = _OnDemand(quietly(self._describe_line), len(run))
        self.sources = self._located.sources
        modules = [] if not run.engine else [run.read_line(i).modules for i in range(len(run))]
        self.outline = build_outline(
            self.sources, spans, turns, run.n_inputs, self._sweeps, modules
        )

    @quietly
    def describe_run(self, lines: Sequence[Line]) -> Trace:
        """Make a trace without steps from these lines of the run: all of them, or those of a window."""
        run, lines = self.run, tuple(lines)
        name, parameters = run.function or name_of(self._f), tuple(run.input_names)
        shown = None if run.value is None else run.number_of(run.value)
        title = run.title or _title(name, parameters, run.constants)
        raised = self._describe_error()
        is_constant = run.output is None and raised is None
        reason = self._explain_constant(lines, shown) if is_constant else ""
        results = tuple(map(spell_path, run.outcome.results))
        chosen = run.outcome.chosen
        notes = (
            self._located.note,
            explanations.constant_note(shown, reason) if is_constant else "",
            explanations.results_note(results, chosen, self._result_name, self._terms),
            *run.notes,
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
            result=run.output,
            value=Number.of(np.nan) if shown is None else shown,
            result_name=self._result_name,
            opening=explanations.opening_of_run(title, lines, reason, raised),
            chapters=self._overview,
            warning="" if raised is None else explanations.raised_warning(raised, name),
            headline=equations.write_constant(self._result_name, shown, parameters)
            if is_constant
            else None,
            results=results,
            chosen_result=chosen,
            raised=raised,
            engine=run.engine,
            seeds=self._seeds,
        )

    def _name_total(self) -> str:
        """Name the sum of all results, which the sweep differentiates: by its terms, if these are short."""
        if len(self._terms) <= _MAX_TOTAL_LENGTH:
            return self._terms
        taken = {*self.run.input_names, *(name.text for name in self._names)}
        return next(name for name in ("S", "S_total") if name not in taken)

    def _explain_constant(self, lines: Sequence[Line], value: Number | None) -> str:
        read = source_map.find_read_names(self._f)
        if read is None:  # it is not written in Python: nobody knows
            read = set(self.run.input_names)
        return explanations.explain_constant(self.run, lines, value, read)

    def _describe_error(self) -> RaisedError | None:
        raised = self.run.outcome.raised
        if raised is None:
            return None
        return RaisedError(raised.kind.__name__, replace_bidi(raised.text), self._located.raised)

    @quietly
    def follow_sweep(
        self, events: Sequence[SweepEvent] | None = None, faulty: bool = False
    ) -> Trace:
        """Make the trace with the steps of reverse mode: line by line, then the sweep; or another sweep's `events`."""
        run, trace = self.run, self.describe_run(self.lines)
        lines, events = trace.lines, run.events if events is None else events
        steps = [
            reverse_steps.record_step(run, lines, i, self._ask_about_line(i, line))
            for i, line in enumerate(lines)
        ]
        swept = reverse_steps.sweep_steps(
            run, lines, events, reverse_steps.find_largest_size(events)
        )
        n = len(run.seeds)
        swept[n:] = [
            self._ask_about_event(step, event)
            for step, event in zip(swept[n:], events, strict=True)
        ]
        steps += memory_usage.measure_steps(run, swept, len(run), faulty=faulty)
        products = sum(len(event.sent) for event in events)
        array_note = "" if trace.seeds else explanations.array_note(lines, run.output)
        return replace(
            trace,
            warning=trace.warning or births.warn_of_first(steps),
            note=join_sentences(trace.note, array_note),
            steps=tuple(steps),
            cost=Cost(1, len(run) - run.n_inputs, products, *run.held[-1]),
            hints=quiz.hints(steps),
        )

    def read(self) -> Trace:
        """Make the trace from the record of the run, with its reverse sweep."""
        return self.end_with_gradient(
            self.follow_sweep(), find_final_adjoints(self.run, self.run.events)
        )

    def end_with_gradient(
        self,
        trace: Trace,
        adjoints: Mapping[int, Number],
        truth: Mapping[int, Number] | None = None,
    ) -> Trace:
        """Let the last step of a trace say the gradient; of a faulty sweep with the `truth` beside it.

        If an exception ended the run, it says that instead.
        """
        if trace.raised is not None:
            return replace(trace, steps=tuple(end_raised(trace, trace.steps)))
        *steps, last = trace.steps
        gradient = equations.gradient(trace.derivative_name, trace.lines, adjoints, truth)
        return replace(trace, steps=(*steps, last.with_equation(gradient)))

    def _ask_about_line(self, i: int, line: Line) -> tuple[Question, ...]:
        """What a learner is asked before a line of the run is recorded."""
        return ()

    def _ask_about_event(self, step: Step, event: SweepEvent) -> Step:
        """Add to a step of the run's sweep what a learner is asked before it."""
        return step

    def _describe_line(self, i: int) -> Line:
        run, name, line = self.run, self.run.names[i], self.run.read_line(i)
        is_input = i < run.n_inputs
        own = {
            run.names[j]: self._names[j].text
            for j in (*run.parents[i], i)
            if j >= 0 and self._names[j].text
        }

        def write(names: Mapping[str, str]) -> str:
            return line.label if is_input else notation.format_expression(line.text, names)

        return Line(
            name=name,
            kind="input" if is_input else "operation",
            value=run.number_of(line.value),
            label=line.label,
            op=line.op,
            symbol=line.symbol,
            text=line.text,
            operands=tuple(
                self._describe_operand(name, line, operand, own) for operand in line.operands
            ),
            where=self._located.spans[i],
            latex=line.latex,
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
            modules=line.modules,
        )

    def _describe_operand(
        self, name: str, line: RunLine, operand: RunOperand, own: Mapping[str, str]
    ) -> Operand:
        value = self.run.number_of(operand.value)
        to = np.shape(line.value) if line.is_elementwise else ()
        if operand.line < 0:
            if not value.shape:
                # A number that stands in the formula is written into its box; it has no shape to be told.
                return Operand(None, value.text, value)
            return Operand(
                None, value.text, value, shapes=value.flowing(to), is_copied=value.is_copied_to(to)
            )
        shown = None if operand.partial is None else self.run.number_of(operand.partial)
        edge, whole = partials.edge_label(
            notation.format_expression(operand.formula, self._labels), shown
        )
        bar, own_bar = notation.format_adjoint(name), notation.format_adjoint(own.get(name, name))
        readable = notation.format_expression(operand.formula, own).replace(bar, own_bar)
        reading, _ = partials.edge_label(readable, shown)
        if operand.formula_is_name:
            reading = message("its map" if operand.is_linear else "its pullback")
        else:
            reading = _shorten_names(reading)
        return Operand(
            operand.line,
            self.run.names[operand.line],
            value,
            shown,
            operand.formula,
            operand.latex,
            edge,
            edge_title="" if whole == edge else whole,
            shapes=value.flowing(to),
            is_copied=value.is_copied_to(to),
            formula_is_name=operand.formula_is_name,
            edge_reading="" if reading == edge else reading,
            goes_to=operand.goes_to,
            partial_reads=operand.partial_reads,
        )

    @functools.cached_property
    def _overview(self) -> tuple[Group, ...]:
        return overview(self.outline, lambda i: notation.format_name(self.run.names[i]))


def find_final_adjoints(run: RecordedRun, events: Sequence[SweepEvent]) -> dict[int, Number]:
    """The adjoints of a run after the last reverse step, by line."""
    last = run.seeded_adjoints | {
        sent.parent: sent.after for event in events for sent in event.sent
    }
    return {line: run.number_of(adjoint) for line, adjoint in last.items()}


def end_raised(trace: Trace, steps: Sequence[Step]) -> list[Step]:
    """Say at the last step that an exception ends the run here, if one does."""
    *before, last = steps
    if trace.raised is None:
        return [*before, last]
    said = message("ends here", kind=trace.raised.kind)
    outcome = join_sentences(last.outcome, said) if last.outcome else ""
    return [*before, replace(last, sentence=join_sentences(last.sentence, said), outcome=outcome)]


def _name_result(run: RecordedRun, names: list[assigned_names.Name]) -> str:
    """What the result is called; if the source has no name for it, it gets its key, or the one of pictures."""
    result = run.output
    own = (
        names[result] if result is not None and result >= run.n_inputs else assigned_names.Name("")
    )
    if own.text and not own.occurrence:
        return own.text
    taken = {*run.input_names, *(name.text for name in names)}
    name = message("result name") if "y" in taken else "y"
    if run.outcome.results:
        *_, key = run.outcome.results[run.outcome.chosen or 0]
        name = (
            key
            if isinstance(key, str) and key.isidentifier() and key not in taken
            else f"{name}[{key!r}]"
        )
    if result is not None and not names[result].text:
        names[result] = assigned_names.Name(name)
    return name


def _name_seeds(run: RecordedRun, names: list[assigned_names.Name]) -> tuple[ResultSeed, ...]:
    """Name the results of a run that are followed together, and let the lines have these names that have none."""
    taken = {*run.input_names, *(name.text for name in names)}
    named = []
    for place, line, adjoint in run.seeds:
        own = names[line] if line >= run.n_inputs else assigned_names.Name("")
        name = own.text if own.text and not own.occurrence else ""
        if not name:
            *_, key = run.outcome.results[place]
            is_free = isinstance(key, str) and key.isidentifier() and key not in taken
            name = key if is_free else f"y{_spell_keys(run.outcome.results[place])}"
        if not names[line].text and line >= run.n_inputs:
            names[line] = assigned_names.Name(name)
        entries = {float(entry) for entry in np.ravel(adjoint)}
        weight = entries.pop() if len(entries) == 1 else None
        named.append(ResultSeed(place, line, name, run.number_of(adjoint), weight))
    return tuple(named)


def _spell_keys(path: ResultPath) -> str:
    """Spell the keys of a result: ``[1]['pred']``."""
    return "".join(f"[{key!r}]" for key in path)


class _OnDemand(Sequence[Line]):
    """A sequence whose items are made when they are asked for, and kept."""

    def __init__(self, make: Callable[[int], Line], length: int) -> None:
        self._make, self._length = functools.cache(make), length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        place = range(self._length)[i]
        return [self._make(k) for k in place] if isinstance(i, slice) else self._make(place)


def _title(name: str, parameters: tuple[str, ...], fixed: Mapping[str, Any]) -> str:
    # An input inside a tuple or a dict is called "p['w']"; the function's own parameter is p.
    inputs = [re.split(r"[\[.]", parameter)[0] for parameter in parameters]
    own = ", ".join(
        [*dict.fromkeys(inputs), *(f"{argument}={_briefly(x)}" for argument, x in fixed.items())]
    )
    if "<lambda>" not in name:
        return f"{name}({own})"
    return name.replace("<lambda>′", f"(lambda {own})′").replace("<lambda>", f"lambda {own}")


def _shorten_names(text: str) -> str:
    """Write the names of inputs in a text by their keys: ``W1.T`` for ``params['W1'].T``."""
    return re.sub(r"\b[A-Za-z_]\w*(?:\[\d+\])*\['([A-Za-z_]\w*)'\]", r"\1", text)


def _briefly(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= _MAX_VALUE_LENGTH and text.isprintable() else "…"
