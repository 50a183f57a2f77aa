"""The reader of a recorded run: it makes a `Trace` from the run's lines and its reverse sweep."""

import functools
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

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

# A longer argument is an ellipsis in the title of a run.
_MAX_VALUE_LENGTH = 20

# The sum of all results is named by its terms, unless they have more characters than this; then it is S.
_MAX_TOTAL_LENGTH = 28

# NumPy warned of log(-1) and the like during the run itself. Reading the run shouldn't warn again.
quietly = np.errstate(all="ignore")


class RunReader:
    """A reader that makes a trace from the record of a run of any engine.

    Parameters
    ----------
    run : RecordedRun
    f : callable
        The function that was recorded.

    Attributes
    ----------
    run : RecordedRun
    lines : sequence of Line
        Each line is described on first access.
    sources : tuple of Source
    outline : Section
        The run with all its sections.
    """

    @quietly
    def __init__(self, run: RecordedRun, f: Callable[..., Any]) -> None:
        self.run = run
        self._f = f
        raised = run.outcome.raised
        calls = () if raised is None else raised.calls
        located = source_map.locate(f, run.call_stacks, len(run), run.execution_log, calls)
        self._located = located
        # The labels of the inputs, by their names on the tape.
        self._labels = {
            name: label
            for name, label in zip(run.names, run.input_names, strict=False)
            if label and notation.format_name(label) == label
        }
        self._names = assigned_names.name_lines(
            run.input_names, located.spans, located.turns, located.assignments
        )
        self._seeds = _name_seeds(run, self._names) if run.outcome.seeds else ()
        if self._seeds:
            self._terms = equations.write_total(self._seeds)
            self._result_name = self._name_total()
        else:
            self._result_name = _name_result(run, self._names)
            self._terms = self._result_name
        self._sweeps = _number_sweeps(run)
        self.lines: Sequence[Line] = _OnDemand(quietly(self._describe_line), len(run))
        self.sources = located.sources
        # Only a framework's run has modules.
        modules = [run.read_line(i).modules for i in range(len(run))] if run.engine else []
        self.outline = build_outline(
            located.sources, located.spans, located.turns, run.n_inputs, self._sweeps, modules
        )

    @quietly
    def describe_run(self, lines: Sequence[Line]) -> Trace:
        """Make a trace without steps from these lines of the run: all of them, or those of a window."""
        run = self.run
        lines = tuple(lines)
        name = run.function or name_of(self._f)
        parameters = tuple(run.input_names)
        shown = None if run.value is None else run.number_of(run.value)
        title = run.title or _title(name, parameters, run.constants)
        raised = self._describe_error()
        reason = ""
        constant_note = ""
        headline = None
        if run.output is None and raised is None:
            reason = self._explain_constant(lines, shown)
            constant_note = explanations.constant_note(shown, reason)
            headline = equations.write_constant(self._result_name, shown, parameters)
        results = tuple(map(spell_path, run.outcome.results))
        chosen = run.outcome.chosen
        notes = (
            self._located.note,
            constant_note,
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
            headline=headline,
            results=results,
            chosen_result=chosen,
            raised=raised,
            engine=run.engine,
            seeds=self._seeds,
        )

    def _name_total(self) -> str:
        """Name the sum of all results, which the sweep differentiates: its terms, if they are short, or S."""
        if len(self._terms) <= _MAX_TOTAL_LENGTH:
            return self._terms
        taken = {*self.run.input_names, *(name.text for name in self._names)}
        return next(name for name in ("S", "S_total") if name not in taken)

    def _explain_constant(self, lines: Sequence[Line], value: Number | None) -> str:
        read = source_map.find_read_names(self._f)
        if read is None:
            # The function isn't written in Python. It may read all of its inputs.
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
        """Make the trace with the steps of reverse mode: the run line by line, then its sweep.

        If `events` are given, these are the events of another sweep, which is shown instead.
        """
        run = self.run
        trace = self.describe_run(self.lines)
        lines = trace.lines
        if events is None:
            events = run.events
        steps = [
            reverse_steps.record_step(run, lines, i, self._ask_about_line(i, line))
            for i, line in enumerate(lines)
        ]
        largest = reverse_steps.find_largest_size(events)
        swept = reverse_steps.sweep_steps(run, lines, events, largest)
        # The first steps are the seeds, which have no event.
        n_seeds = len(run.seeds)
        swept[n_seeds:] = [
            self._ask_about_event(step, event)
            for step, event in zip(swept[n_seeds:], events, strict=True)
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
        adjoints = find_final_adjoints(self.run, self.run.events)
        return self.end_with_gradient(self.follow_sweep(), adjoints)

    def end_with_gradient(
        self,
        trace: Trace,
        adjoints: Mapping[int, Number],
        truth: Mapping[int, Number] | None = None,
    ) -> Trace:
        """Add the gradient to the last step of a trace; for a faulty sweep, the `truth` as well.

        If an exception ended the run, the step says so instead.
        """
        if trace.raised is not None:
            return replace(trace, steps=tuple(end_raised(trace, trace.steps)))
        *steps, last = trace.steps
        gradient = equations.gradient(trace.derivative_name, trace.lines, adjoints, truth)
        return replace(trace, steps=(*steps, last.with_equation(gradient)))

    def _ask_about_line(self, i: int, line: Line) -> tuple[Question, ...]:
        """The questions to ask before a line of the run is recorded; here there are none."""
        return ()

    def _ask_about_event(self, step: Step, event: SweepEvent) -> Step:
        """Add to a step of the sweep the questions to ask before it; here there are none."""
        return step

    def _describe_line(self, i: int) -> Line:
        run = self.run
        name = run.names[i]
        line = run.read_line(i)
        is_input = i < run.n_inputs
        # The learner's names for this line and its operands.
        own = {
            run.names[j]: self._names[j].text
            for j in (*run.parents[i], i)
            if j >= 0 and self._names[j].text
        }

        def write(names: Mapping[str, str]) -> str:
            if is_input:
                return line.label
            return notation.format_expression(line.text, names)

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
        # Only an elementwise operation broadcasts its operands.
        to = np.shape(line.value) if line.is_elementwise else ()
        shapes = value.flowing(to)
        is_copied = value.is_copied_to(to)
        if operand.line < 0:
            if not value.shape:
                # A constant number is written in the formula, so its shape isn't shown.
                return Operand(None, value.text, value)
            return Operand(None, value.text, value, shapes=shapes, is_copied=is_copied)
        partial = None if operand.partial is None else self.run.number_of(operand.partial)
        formula = notation.format_expression(operand.formula, self._labels)
        edge, whole = partials.edge_label(formula, partial)
        if operand.formula_is_name:
            reading = message("its map" if operand.is_linear else "its pullback")
        else:
            adjoint = notation.format_adjoint(name)
            own_adjoint = notation.format_adjoint(own.get(name, name))
            own_formula = notation.format_expression(operand.formula, own)
            own_formula = own_formula.replace(adjoint, own_adjoint)
            reading, _ = partials.edge_label(own_formula, partial)
            reading = _shorten_names(reading)
        return Operand(
            operand.line,
            self.run.names[operand.line],
            value,
            partial,
            operand.formula,
            operand.latex,
            edge,
            edge_title="" if whole == edge else whole,
            shapes=shapes,
            is_copied=is_copied,
            formula_is_name=operand.formula_is_name,
            edge_reading="" if reading == edge else reading,
            goes_to=operand.goes_to,
            partial_reads=operand.partial_reads,
        )

    @functools.cached_property
    def _overview(self) -> tuple[Group, ...]:
        return overview(self.outline, lambda i: notation.format_name(self.run.names[i]))


def find_final_adjoints(run: RecordedRun, events: Sequence[SweepEvent]) -> dict[int, Number]:
    """Find the adjoints of a run after its last reverse step, by line."""
    adjoints = run.seeded_adjoints
    for event in events:
        for sent in event.sent:
            adjoints[sent.parent] = sent.after
    return {line: run.number_of(adjoint) for line, adjoint in adjoints.items()}


def end_raised(trace: Trace, steps: Sequence[Step]) -> list[Step]:
    """Add to the last step that an exception ends the run here, if one does."""
    *before, last = steps
    if trace.raised is None:
        return [*before, last]
    said = message("ends here", kind=trace.raised.kind)
    sentence = join_sentences(last.sentence, said)
    outcome = join_sentences(last.outcome, said) if last.outcome else ""
    return [*before, replace(last, sentence=sentence, outcome=outcome)]


def _number_sweeps(run: RecordedRun) -> list[int]:
    """For each line, the number of the recorded backward pass that wrote it, from 1; 0 for the program's own lines."""
    if not run.sweep_ids:
        return [0] * len(run)
    numbers: dict[float, int] = {0: 0}
    for sweep_id in run.sweep_ids:
        numbers.setdefault(sweep_id, len(numbers))
    return [numbers[sweep_id] for sweep_id in run.sweep_ids]


def _name_result(run: RecordedRun, names: list[assigned_names.Name]) -> str:
    """Name the result of a run, and its line if that has no name: as in the source, or by its key, or ``y``."""
    result = run.output
    if result is not None:
        own_name = _find_unique_name(run, names, result)
        if own_name:
            return own_name
    taken = {*run.input_names, *(name.text for name in names)}
    name = message("result name") if "y" in taken else "y"
    if run.outcome.results:
        *_, key = run.outcome.results[run.outcome.chosen or 0]
        name = key if _is_free_name(key, taken) else f"{name}[{key!r}]"
    if result is not None and not names[result].text:
        names[result] = assigned_names.Name(name)
    return name


def _name_seeds(run: RecordedRun, names: list[assigned_names.Name]) -> tuple[ResultSeed, ...]:
    """Name the results of a run that is differentiated with respect to all of them, and their lines without a name."""
    taken = {*run.input_names, *(name.text for name in names)}
    named = []
    for place, line, adjoint in run.seeds:
        name = _find_unique_name(run, names, line)
        if not name:
            path = run.outcome.results[place]
            *_, key = path
            name = key if _is_free_name(key, taken) else f"y{_spell_keys(path)}"
        if not names[line].text and line >= run.n_inputs:
            names[line] = assigned_names.Name(name)
        weights = {float(weight) for weight in np.ravel(adjoint)}
        weight = weights.pop() if len(weights) == 1 else None
        named.append(ResultSeed(place, line, name, run.number_of(adjoint), weight))
    return tuple(named)


def _find_unique_name(run: RecordedRun, names: Sequence[assigned_names.Name], line: int) -> str:
    """The learner's name for an operation; empty for an input, and if other lines have the same name."""
    if line < run.n_inputs or names[line].occurrence:
        return ""
    return names[line].text


def _is_free_name(key: Any, taken: Container[str]) -> TypeGuard[str]:
    """Whether the key of a result can be its name: an identifier that names nothing else."""
    return isinstance(key, str) and key.isidentifier() and key not in taken


def _spell_keys(path: ResultPath) -> str:
    """Spell the keys of a result: ``[1]['pred']``."""
    return "".join(f"[{key!r}]" for key in path)


class _OnDemand(Sequence[Line]):
    """A sequence whose items are made on first access."""

    def __init__(self, make: Callable[[int], Line], length: int) -> None:
        self._make = functools.cache(make)
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._make(k) for k in range(self._length)[i]]
        # The range raises for an index that is too large, and counts a negative one from the end.
        return self._make(range(self._length)[i])


def _title(name: str, parameters: tuple[str, ...], fixed: Mapping[str, Any]) -> str:
    """The title of a run: its function with the names of the inputs, and with the arguments that are fixed."""
    # An input inside a tuple or a dict is called "p['w']"; the function's own parameter is p.
    own_parameters = [re.split(r"[\[.]", parameter)[0] for parameter in parameters]
    arguments = list(dict.fromkeys(own_parameters))
    arguments += [f"{argument}={_briefly(x)}" for argument, x in fixed.items()]
    shown = ", ".join(arguments)
    if "<lambda>" not in name:
        return f"{name}({shown})"
    return name.replace("<lambda>′", f"(lambda {shown})′").replace("<lambda>", f"lambda {shown}")


def _shorten_names(text: str) -> str:
    """Shorten the names of inputs in a text to their keys: ``params['W1'].T`` becomes ``W1.T``."""
    return re.sub(r"\b[A-Za-z_]\w*(?:\[\d+\])*\['([A-Za-z_]\w*)'\]", r"\1", text)


def _briefly(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= _MAX_VALUE_LENGTH and text.isprintable() else "…"
