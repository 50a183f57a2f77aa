"""Excerpts of a long run: to describe ten thousand lines takes seconds, but a window of a hundred is ready at once.

Each excerpt is a separate `Trace`. It has the lines of its window, and the earlier lines that these use. Its steps
are the steps of the whole run that belong to the window, in the forward pass and in the reverse sweep. A window ends
at the end of an iteration, a call or a line of the source.
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

# A run of more lines than this is shown in excerpts.
MAX_WHOLE_LINES = 600

# The most lines of an excerpt, not counting the inputs.
_MAX_WINDOW_LINES = 100


class Excerpts(RunReader):
    """The excerpts of a long recorded run: a sequence of traces, each of one window on the run.

    Parameters
    ----------
    run : RecordedRun
    f : callable
        The function that was recorded.

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
        # The steps are the lines, then the seeds, then the events.
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
        """Read excerpt `number`; excerpt 0 has the inputs."""
        return self._kept(number)

    def holding(self, step: int) -> int:
        """Find the excerpt that has this step of the whole run; −1 is the state before the first step."""
        lines = len(self.run)
        if step < lines:
            line = max(step, 0)
        elif step < self._first_event or not self._events:
            line = self.run.output_line
        else:
            line = self._events[min(step - self._first_event, len(self._events) - 1)].line
        return bisect_right(self._starts, line) - 1

    def sections(self, number: int) -> list[Section]:
        """List the sections of the outline that are in excerpt `number`, without the inputs."""
        return [piece for piece in self._windows[number] if piece.kind != "input"]

    @functools.cached_property
    def large_sections(self) -> list[Section]:
        """The sections of the outline that are too large for one excerpt."""
        return [
            section for section in self.simple_outline.walk() if section.size > _MAX_WINDOW_LINES
        ]

    @functools.cached_property
    def arrivals(self) -> dict[int, tuple[int, int, Number]]:
        """For each line that gets an adjoint: the first and the last step that sends to it, and its final adjoint.

        The steps are those of the whole run.
        """
        n_lines = len(self.run)
        found = {}
        for line, adjoint in self.run.seeded_adjoints.items():
            steps = [n_lines + k for k, seed in enumerate(self.run.seeds) if seed.line == line]
            found[line] = (steps[0], steps[-1], adjoint)
        for step, event in enumerate(self._events, start=self._first_event):
            for sent in event.sent:
                first = found[sent.parent][0] if sent.parent in found else step
                found[sent.parent] = (first, step, sent.after)
        return found

    @functools.cached_property
    def _swept(self) -> tuple[SweptRange, ...]:
        """For each chapter, the steps of the whole run in which the sweep goes through it."""
        if not self._events:
            return ()
        # The lines of the events descend; with the sign changed, they can be searched.
        back = [-event.line for event in self._events]

        def reach(line: int) -> int:
            return self._first_event + bisect_right(back, -line)

        return tuple(
            SweptRange(reach(chapter.end), reach(chapter.first)) for chapter in self._overview
        )

    @functools.cached_property
    def _birth(self) -> str:
        """The warning that a NaN or an infinity is born in the run, which every excerpt shows."""
        return births.warn_of_first_value(self.run, self.lines)

    @np.errstate(all="ignore")
    def _read(self, number: int) -> Trace:
        run = self.run
        first = self._starts[number]
        end = self._windows[number][-1].end
        own = range(first, end)
        used = {parent for i in own for parent in run.parents[i] if 0 <= parent < first}
        if run.output in own:
            # The sweep starts in this window, and the seeds of all results are shown here.
            used |= {seed.line for seed in run.seeds if seed.line < first}
        before = sorted(used)
        place = {line: k for k, line in enumerate([*before, *own])}
        trace = self.describe_run([_renumber_line(self.lines[i], place) for i in place])
        steps = [reverse_steps.record_step(run, self.lines, i) for i in place]
        parts = [StepRange(len(before), len(steps) - 1, first)]
        swept = [event for event in self._events if event.line in own]
        later = [event for event in self._events if event.line >= end]
        arrived: dict[int, Any] = {}
        if swept or run.output in own:
            back = reverse_steps.sweep_steps(run, self.lines, self._events, self._largest, own)
            if run.output in own:
                last = len(steps) + len(back) - 1
                parts.append(StepRange(len(steps), last, len(run)))
            else:
                # The seeds are elsewhere. One step stands for everything that later lines have sent.
                arrived = run.seeded_adjoints
                arrived |= {sent.parent: sent.after for event in later for sent in event.sent}
                back[: len(run.seeds)] = [Step("seed", end - 1)]
                last = len(steps) + len(swept)
                parts.append(StepRange(len(steps) + 1, last, self._first_event + len(later)))
            products = sum(len(event.sent) for event in later)
            steps += memory_usage.measure_steps(run, back, end, products)
        if number == 0 and swept:
            shown = {
                i: number_of(self.arrivals[i][2]) for i in range(run.n_inputs) if i in self.arrivals
            }
            gradient = equations.gradient(trace.derivative_name, self.lines[: run.n_inputs], shown)
            steps[-1] = steps[-1].with_equation(gradient)
        said = message(
            "excerpt",
            first=self.lines[first].display_name,
            last=self.lines[end - 1].display_name,
            lines=f"{len(run):,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
        )
        excerpt = Excerpt(
            number,
            len(run),
            self.steps,
            tuple(parts),
            said=said,
            later=message("from later lines"),
            arrived=tuple(number_of(arrived[i]) if i in arrived else None for i in place),
            before=tuple(before),
            swept=self._swept,
            seeds=len(run.seeds),
        )
        products = sum(len(event.sent) for event in self._events)
        return replace(
            trace,
            steps=tuple(_renumber_step(step, place) for step in steps),
            warning=trace.warning or self._birth,
            result=place.get(run.output),
            seeds=tuple(
                replace(seed, line=place[seed.line]) for seed in trace.seeds if seed.line in place
            ),
            excerpt=excerpt,
            cost=Cost(1, len(run) - run.n_inputs, products, *run.held[-1]),
        )


def cut_windows(outline: Section, max_lines: int) -> list[tuple[Section, ...]]:
    """Cut the outline of a run, at the borders of its sections, into the windows of its excerpts.

    A window has at most `max_lines` lines. The first window has the inputs as well, which don't count.
    """

    def pieces(section: Section) -> Iterator[Section]:
        if section.size <= max_lines:
            yield section
            return
        for part in section.inside:
            yield from pieces(part)

    windows: list[list[Section]] = [[]]
    for piece in pieces(outline):
        window = windows[-1]
        is_full = bool(window) and window[0].first + max_lines < piece.end
        if is_full and not _has_only_inputs(window):
            window = []
            windows.append(window)
        window.append(piece)
    return [tuple(window) for window in windows if window]


def _has_only_inputs(pieces: Sequence[Section]) -> bool:
    return all(leaf.kind == "input" for piece in pieces for leaf in (piece.inside or (piece,)))


def _renumber_line(line: Line, place: Mapping[int, int]) -> Line:
    """Renumber the operands of a line by their places in the excerpt.

    If an operand of an earlier line isn't in the excerpt, the line loses its operands, and only its value is shown.
    """
    if any(operand.line not in place for operand in line.line_operands):
        return replace(line, operands=())
    operands = tuple(_renumber_operand(operand, place) for operand in line.operands)
    return replace(line, operands=operands)


def _renumber_operand(operand: Operand, place: Mapping[int, int]) -> Operand:
    if operand.line is None:
        return operand
    reads = tuple(place[line] for line in operand.partial_reads if line in place)
    return replace(operand, line=place[operand.line], partial_reads=reads)


def _renumber_step(step: Step, place: Mapping[int, int]) -> Step:
    return replace(
        step,
        line=place[step.line],
        sends=tuple(replace(send, parent=place[send.parent]) for send in step.sends),
        freed_lines=tuple(place[i] for i in step.freed_lines if i in place),
    )
