"""Excerpts of a long run: ten thousand lines take seconds to put into words, a window of a hundred is there at once.

Each excerpt is a `Trace` of its own. It has the lines of its window, and those from before that they use; its steps
are the steps of the whole run that belong to these lines, once forward and once in the sweep back. It ends where a
turn, a call or a line of the source ends.
"""

import functools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.text import notation
from autodiff_lab.text.messages import message
from autodiff_lab.trace import births, memory_usage, reverse_steps
from autodiff_lab.trace.model import (
    Cost,
    Excerpt,
    Line,
    Number,
    Operand,
    Step,
    StepRange,
    SweptRange,
    Trace,
)
from autodiff_lab.trace.outline import Section, simplify_outline
from autodiff_lab.trace.recorded_run import RecordedRun, number_of
from autodiff_lab.trace.run_reader import RunReader
from autodiff_lab.trace.wording import equations

# A run of more lines than this is shown by excerpts.
MAX_WHOLE_LINES = 600

# So many lines has an excerpt at most, and the inputs.
_MAX_WINDOW_LINES = 100


class Excerpts(RunReader):
    """The excerpts of a long recorded run: a sequence of traces, each of one window on the run.

    Parameters
    ----------
    run : RecordedRun
    f : callable
        What was recorded.

    Examples
    --------
    >>> from autodiff_lab import record
    >>> from autodiff_lab.trace.tape_reader import run_of_tape
    >>> from autodiff_lab.transforms.recording import Outcome
    >>> def f(x):
    ...     for _ in range(1000):
    ...         x = x * 1.001
    ...     return x
    >>> value, tape = record(f, 1.0, sites=True)
    >>> excerpts = Excerpts(run_of_tape(tape, f, Outcome(value)), f)
    >>> len(excerpts), excerpts.holding(700)
    (10, 6)
    >>> trace = excerpts[6]
    >>> trace.lines[1].display_name, trace.lines[-1].display_name, trace.excerpt.steps
    ('v₆₀₁', 'v₇₀₀', 2002)
    """

    @np.errstate(all="ignore")
    def __init__(self, run: RecordedRun, f: Callable[..., Any]) -> None:
        super().__init__(run, f)
        self._events = run.events
        self._largest = reverse_steps.find_largest_size(self._events)
        # the seeds come before the first event
        self._first_event = len(run) + len(run.seeds)
        self.steps = self._first_event + len(self._events)
        self.simple_outline = simplify_outline(
            self.outline, lambda i: notation.format_name(run.names[i])
        )
        self._windows = cut_windows(self.simple_outline, _MAX_WINDOW_LINES)
        self._starts = [pieces[0].first for pieces in self._windows]
        self.last_uses = memory_usage.find_last_uses(run.parents, run.output)
        self._kept = functools.lru_cache(maxsize=32)(self._read)

    def __len__(self) -> int:
        return len(self._windows)

    def __getitem__(self, number: int) -> Trace:
        """Read excerpt `number`; 0 has the inputs."""
        return self._kept(number)

    def holding(self, step: int) -> int:
        """Tell which excerpt has this step of the whole run; −1 is the start."""
        lines = len(self.run)
        if step < lines:
            line = max(step, 0)
        elif step < self._first_event or not self._events:
            line = self.run.output_line
        else:
            line = self._events[min(step - self._first_event, len(self._events) - 1)].line
        return bisect_right(self._starts, line) - 1

    def sections(self, number: int) -> list[Section]:
        """List the sections of the outline that excerpt `number` is made of, without the inputs."""
        return [piece for piece in self._windows[number] if piece.kind != "input"]

    @functools.cached_property
    def large_sections(self) -> list[Section]:
        """For excerpts: the sections of the outline that are too large for one of them."""
        return [
            section for section in self.simple_outline.walk() if section.size > _MAX_WINDOW_LINES
        ]

    @functools.cached_property
    def arrivals(self) -> dict[int, tuple[int, int, Number]]:
        """For all excerpts: the first and the last step of the whole run that sends to each line, and its adjoint."""
        lines, found = len(self.run), {}
        for line, adjoint in self.run.seeded_adjoints.items():
            steps = [lines + k for k, seed in enumerate(self.run.seeds) if seed.line == line]
            found[line] = (steps[0], steps[-1], adjoint)
        for k, move in enumerate(self._events, start=self._first_event):
            for sent in move.sent:
                found[sent.parent] = (found.get(sent.parent, (k,))[0], k, sent.after)
        return found

    @functools.cached_property
    def _swept(self) -> tuple[SweptRange, ...]:
        """For each chapter the steps of the whole run in which the sweep goes through it."""
        back = [-event.line for event in self._events]

        def reach(line: int) -> int:
            return self._first_event + bisect_right(back, -line)

        if not back:
            return ()
        return tuple(
            SweptRange(reach(chapter.end), reach(chapter.first)) for chapter in self._overview
        )

    @functools.cached_property
    def _birth(self) -> str:
        """For each excerpt: that a NaN or an infinity is born in the run, wherever that is."""
        return births.warn_of_first_value(self.run, self.lines)

    @np.errstate(all="ignore")
    def _read(self, number: int) -> Trace:
        run, first, end = self.run, self._starts[number], self._windows[number][-1].end
        own = range(first, end)
        used = {parent for i in own for parent in run.parents[i] if 0 <= parent < first}
        if run.output in own:  # the sweep starts here, at all results
            used |= {seed.line for seed in run.seeds if seed.line < first}
        before = sorted(used)
        place = {line: k for k, line in enumerate([*before, *own])}
        trace = self.describe_run([_move_line(self.lines[i], place) for i in place])
        steps = [reverse_steps.record_step(run, self.lines, i) for i in place]
        parts = [StepRange(len(before), len(steps) - 1, first)]
        swept = [event for event in self._events if event.line in own]
        later = [event for event in self._events if event.line >= end]
        arrived: dict[int, Any] = {}
        if swept or run.output in own:
            told = reverse_steps.sweep_steps(run, self.lines, self._events, self._largest, own)
            if run.output in own:
                last = len(steps) + len(told) - 1
                parts.append(StepRange(len(steps), last, len(run)))
            else:
                arrived = run.seeded_adjoints
                arrived |= {sent.parent: sent.after for event in later for sent in event.sent}
                told[: len(run.seeds)] = [Step("seed", end - 1)]
                last = len(steps) + len(swept)
                parts.append(StepRange(len(steps) + 1, last, self._first_event + len(later)))
            products = sum(len(event.sent) for event in later)
            steps += memory_usage.measure_steps(run, told, end, products)
        if number == 0 and swept:
            shown = {
                i: number_of(self.arrivals[i][2]) for i in range(run.n_inputs) if i in self.arrivals
            }
            gradient = equations.gradient(trace.derivative_name, self.lines[: run.n_inputs], shown)
            steps[-1] = steps[-1].with_equation(gradient)
        names = [self.lines[i].display_name for i in (first, end - 1)]
        excerpt = Excerpt(
            number,
            len(run),
            self.steps,
            tuple(parts),
            said=message(
                "excerpt",
                first=names[0],
                last=names[1],
                lines=f"{len(run):,}".replace(",", "\u202f"),
            ),
            later=message("from later lines"),
            arrived=tuple(number_of(arrived[i]) if i in arrived else None for i in place),
            before=tuple(before),
            swept=self._swept,
            seeds=len(run.seeds),
        )
        products = sum(len(event.sent) for event in self._events)
        return replace(
            trace,
            steps=tuple(_move_step(step, place) for step in steps),
            warning=trace.warning or self._birth,
            result=place.get(run.output),
            seeds=tuple(
                replace(seed, line=place[seed.line]) for seed in trace.seeds if seed.line in place
            ),
            excerpt=excerpt,
            cost=Cost(1, len(run) - run.n_inputs, products, *run.held[-1]),
        )


def cut_windows(outline: Section, max_lines: int) -> list[tuple[Section, ...]]:
    """Cut the outline of a run at borders of its sections into the windows of its excerpts.

    None has more than `max_lines`; the inputs begin the first.
    """

    def pieces(section: Section) -> Iterator[Section]:
        if section.size <= max_lines:
            yield section
        else:
            for part in section.inside:
                yield from pieces(part)

    found: list[list[Section]] = []
    for piece in pieces(outline):
        if not found or (found[-1][0].first + max_lines < piece.end and not _all_inputs(found[-1])):
            found.append([])
        found[-1].append(piece)
    return [tuple(some) for some in found]


def _all_inputs(pieces: Sequence[Section]) -> bool:
    return all(leaf.kind == "input" for piece in pieces for leaf in (piece.inside or (piece,)))


def _move_line(line: Line, place: Mapping[int, int]) -> Line:
    """Give a line the places of its operands in the window.

    One from before the window may have operands that are not there: it has none then, and shows its value only.
    """
    if any(operand.line not in place for operand in line.line_operands):
        return replace(line, operands=())
    return replace(line, operands=tuple(_move_operand(operand, place) for operand in line.operands))


def _move_operand(operand: Operand, place: Mapping[int, int]) -> Operand:
    if operand.line is None:
        return operand
    reads = tuple(place[line] for line in operand.partial_reads if line in place)
    return replace(operand, line=place[operand.line], partial_reads=reads)


def _move_step(step: Step, place: Mapping[int, int]) -> Step:
    return replace(
        step,
        line=place[step.line],
        sends=tuple(replace(send, parent=place[send.parent]) for send in step.sends),
        freed_lines=tuple(place[i] for i in step.freed_lines if i in place),
    )
