"""The reader of a tape: it makes a `Trace` from our own engine's tape, in reverse mode, forward mode or faulty."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import InputError
from autodiff_lab.engine.tape import Tape
from autodiff_lab.text import notation
from autodiff_lab.text.messages import join_items, join_sentences, message
from autodiff_lab.trace import births, forward_steps, memory_usage, partials, quiz, reverse_steps
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.model import Cost, Line, Number, Question, RunOptions, Step, Trace
from autodiff_lab.trace.model.number import is_small
from autodiff_lab.trace.recorded_run import RecordedRun, RunLine, RunOperand, SweepEvent
from autodiff_lab.trace.run_reader import RunReader, end_raised, find_final_adjoints, quietly
from autodiff_lab.trace.wording import equations, explanations
from autodiff_lab.transforms.recording import Outcome, Seed
from autodiff_lab.transforms.signatures import parameter_names, spell_function

# A longer index is an ellipsis in its node of the graph.
_MAX_INDEX_LENGTH = 8


def read_tape(tape: Tape, f: Callable[..., Any], outcome: Outcome, options: RunOptions) -> Trace:
    """Read a tape into a `Trace`, with its reverse sweep or its tangents; see `Trace.from_tape`."""
    return TapeReader(tape, f, outcome).read_as(options)


def trace_of_tape(tape: Tape) -> Trace:
    """Read a tape into a `Trace` without the function that was recorded, which is called ``tape``.

    >>> from autodiff_lab import record
    >>> trace_of_tape(record(lambda x: x * x, 3.0)[1]).title
    'tape(x)'
    """
    return read_tape(tape, _Tape(), Outcome(tape.constant), RunOptions())


class _Tape:
    """A placeholder for the function that was recorded, which a tape doesn't store."""

    __name__ = "tape"

    def __call__(self) -> None:
        """Do nothing; it is never called."""


def run_of_tape(tape: Tape, f: Callable[..., Any], outcome: Outcome) -> RecordedRun:
    """Make a record of a run, in the form that all engines share, from the tape of `f`, which had this `outcome`.

    Raises
    ------
    InputError
        If the run has no inputs.
    """
    if not tape.n_inputs:
        name = spell_function(f)
        names = join_items(parameter_names(f))
        key = "inputs not passed" if names else "takes no inputs"
        definition = f"def {name}(x): …"
        call = f"play({name}, 2.0)"
        raise InputError(message(key, names=names, definition=definition, call=call))
    result = tape.output
    if result is not None and outcome.chosen is not None:
        outcome = outcome._replace(value=tape.values[result])
    seeds = outcome.seeds
    if not seeds and result is not None:
        seeds = (Seed(outcome.chosen or 0, result, reverse_steps.seed_of(tape)),)
    run = RecordedRun(
        names=[tape.name(i) for i in range(len(tape))],
        parents=tape.parents,
        input_names=tape.input_names,
        output=result,
        outcome=outcome,
        seeds=seeds,
        read_line=functools.cache(functools.partial(_read_line, tape)),
        read_partial=lambda i, slot: partials.local_partial(tape, i, slot),
        sweep=lambda: reverse_steps.watch_sweep(tape, run.seeded_adjoints),
        count_held=lambda: memory_usage.count_held(tape),
        call_stacks=tape.call_stacks,
        execution_log=tape.execution_log,
        sweep_ids=[tape.written_by_sweep.get(i, 0) for i in range(len(tape))],
        constants=tape.constant_arguments,
        comparisons=tape.comparisons,
        notes=(explanations.counts_note(tape),),
    )
    return run


class TapeReader(RunReader):
    """A reader that makes traces from a tape, in either mode.

    Parameters
    ----------
    tape : Tape
    f : callable
        The function that was recorded.
    outcome : Outcome
        Its results, or the exception that ended the run.
    """

    def __init__(self, tape: Tape, f: Callable[..., Any], outcome: Outcome) -> None:
        super().__init__(run_of_tape(tape, f, outcome), f)
        self.tape = tape
        self._has_questions = False

    @quietly
    def read_as(self, options: RunOptions) -> Trace:
        """Make the trace from the tape, in the mode or with the fault that the options give."""
        self._has_questions = quiz.is_askable(self.tape) and not options.fault
        if self.run.outcome.seeds and (options.fault or options.mode == "forward"):
            raise InputError(message("all results in reverse"))
        if options.mode == "forward":
            return _follow_tangents(self.tape, self.describe_run(self.lines), options.direction)
        if options.fault:
            return self._read_faulty(options.fault)
        return self.read()

    def _read_faulty(self, fault: str) -> Trace:
        """Make the trace of a faulty sweep."""
        events = reverse_steps.list_events(self.tape, FAULTS[fault])
        truth = find_final_adjoints(self.run, self.run.events)
        trace = self.follow_sweep(events, faulty=True)
        trace = self.end_with_gradient(trace, find_final_adjoints(self.run, events), truth)
        return _mark_faulty(trace, fault, truth)

    def _ask_about_line(self, i: int, line: Line) -> tuple[Question, ...]:
        if not self._has_questions:
            return ()
        return tuple(quiz.about_value(self.tape, i, line))

    def _ask_about_event(self, step: Step, event: SweepEvent) -> Step:
        if not self._has_questions:
            return step
        return replace(step, questions=tuple(quiz.about_contribution(self.tape, self.lines, event)))


def _mark_faulty(trace: Trace, fault: str, truth: Mapping[int, Number]) -> Trace:
    """Add to the trace of a faulty sweep a warning, and the correct adjoints."""
    correct = tuple(truth.get(i) for i in range(len(trace.lines)))
    keys = ["faulty on purpose", f"fault {fault}"]
    if trace.gradient == tuple(correct[i] for i in trace.inputs):
        keys.append("right all the same")
    warning = join_sentences(*map(message, keys))
    badge = message(f"fault {fault}, badge")
    return replace(trace, fault=fault, badge=badge, warning=warning, truth=correct)


def _follow_tangents(tape: Tape, trace: Trace, direction: Any = None) -> Trace:
    """Add the steps of forward mode, which compute each line's value together with its tangents."""
    trace = replace(trace, mode="forward")
    named = forward_steps.read_directions(tape, direction)
    steps = list(forward_steps.forward_steps(tape, trace.lines, named))
    agreement = None
    if trace.result is not None:
        tangent = steps[trace.result].tangents
        scalars = [
            label for label, x in zip(tape.input_names, tape.values, strict=False) if not np.ndim(x)
        ]
        columns = [name for name, _ in named]
        last = equations.derivatives(
            trace.derivative_name, trace.result_name, scalars, columns, tangent
        )
        steps[-1] = steps[-1].with_equation(last)
        agreement = forward_steps.compare_with_gradient(tape, trace, named, tangent)
    steps = end_raised(trace, steps)
    directions = tuple(
        forward_steps.describe_direction(tape, column, seeds) for column, seeds in named
    )
    opening = trace.opening
    if not trace.headline:
        shown = [one.shown for one in directions]
        opening = explanations.opening_forward(trace.title, trace.lines, shown)
    return replace(
        trace,
        steps=tuple(steps),
        warning=trace.warning or births.warn_of_first(steps),
        opening=opening,
        directions=directions,
        hints=quiz.hints(steps),
        cost=_cost_of_gradient(tape, steps, len(named)),
        agreement=agreement,
    )


def _cost_of_gradient(tape: Tape, steps: Sequence[Step], n_directions: int) -> Cost:
    """The cost of the whole gradient in forward mode: as many passes as the elements of the inputs need."""
    elements = sum(np.size(x) for x in tape.values[: tape.n_inputs])
    passes = -(-elements // n_directions)  # rounded up
    meters = [step.meter for step in steps if step.meter is not None]
    kept, size = max((meter.kept, meter.bytes) for meter in meters)
    last = meters[-1]
    return Cost(passes, passes * last.operations, passes * last.products, kept, size)


def _symbol(tape: Tape, i: int) -> str:
    """The text of a line's node in the graph."""
    op = tape.ops[i]
    if op is None:
        return tape.input_names[i] or notation.format_name(tape.name(i))
    if op.name != "getitem":
        return notation.symbol(op.name)
    index = tape.expression(i).partition("[")[2]
    return f"[{index}" if 0 < len(index) <= _MAX_INDEX_LENGTH else "[…]"


def _read_line(tape: Tape, i: int) -> RunLine:
    """Describe a line of a tape for the record of its run."""
    op = tape.ops[i]
    line = RunLine(
        value=tape.values[i],
        text=tape.expression(i),
        symbol=_symbol(tape, i),
        latex=partials.operation_latex(tape, i),
    )
    if op is None:
        return replace(line, label=tape.input_names[i])
    operands = [_read_operand(tape, i, slot) for slot in range(len(tape.parents[i]))]
    is_elementwise = op.kind == "elementwise"
    return replace(line, op=op.name, operands=tuple(operands), is_elementwise=is_elementwise)


def _read_operand(tape: Tape, i: int, slot: int) -> RunOperand:
    """Describe an operand of a line for the record of its run."""
    parent = tape.parents[i][slot]
    value = tape.args[i][slot]
    if parent < 0:
        return RunOperand(parent, value)
    way = partials.write_way_back(tape, i, slot)
    targets: tuple[int, ...] = ()
    if slot == 0 and is_small(np.shape(value)):
        targets = partials.find_targets(tape, i)
    return RunOperand(
        parent,
        value,
        partials.local_partial(tape, i, slot),
        way.formula,
        way.latex,
        way.is_name,
        targets,
        way.reads,
        way.is_linear,
    )
