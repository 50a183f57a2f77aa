"""A long run, told a stretch at a time: ten thousand lines take seconds to put into words, a hundred are there at once.

Each stretch is a `Trace` of its own. It has the lines of the stretch, and those from before that they use; its steps
are the steps of the whole run that belong to these lines, once forward and once in the sweep back. It ends where a
turn, a call or a line of the source ends.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autodiff_lab.text import notation
from autodiff_lab.text.messages import say, speaking, spoken
from autodiff_lab.trace import equations, explanations, from_tape, memory_usage, outline, reverse_steps
from autodiff_lab.trace.model import Cost, Excerpt, Line, Meter, Number, Part, Step, Trace
from autodiff_lab.trace.outline import Section

LONG = 600
"""A run of more lines than this is shown a stretch at a time."""

_LINES = 100
"""A stretch has at most so many, and the inputs."""


class Excerpts:
    """The stretches of a recorded run.

    Parameters
    ----------
    tape : Tape
    f : callable
        What was recorded.
    value : optional
        What it returned.

    Examples
    --------
    >>> from autodiff_lab import record
    >>> def f(x):
    ...     for _ in range(1000):
    ...         x = x * 1.001
    ...     return x
    >>> value, tape = record(f, 1.0, sites=True)
    >>> excerpts = Excerpts(tape, f, value)
    >>> len(excerpts), excerpts.holding(700)
    (10, 6)
    >>> trace = excerpts[6]
    >>> trace.lines[1].shown, trace.lines[-1].shown, trace.excerpt.steps
    ('v₆₀₁', 'v₇₀₀', 2002)
    """

    def __init__(self, tape: Any, f: Callable[..., Any], value: Any = None) -> None:
        self.tape, self._f, self._value, self.lang = tape, f, value, spoken()
        with np.errstate(all="ignore"):
            self.lines, self._origin = from_tape.lines_of(tape, f)
            self._moves = [] if tape.output is None else list(reverse_steps.moves(tape))
            self._held = memory_usage.held_by(tape)
            self._most = reverse_steps.largest(sent.contribution for move in self._moves for sent in move.sent)
        self._at = {move.line: k for k, move in enumerate(self._moves)}
        self.steps = len(tape) + (len(self._moves) + 1 if tape.output is not None else 0)
        self.outline = outline.outlined(self._origin.run, lambda i: notation.pretty(tape.name(i)))
        self._pieces = outline.stretches(self.outline, _LINES)
        self._starts = [pieces[0].first for pieces in self._pieces]
        self.last_uses = memory_usage.last_uses(tape.parents, tape.output)
        self._kept = functools.lru_cache(maxsize=32)(self._read)

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, number: int) -> Trace:
        """Read stretch `number`; 0 has the inputs."""
        return self._kept(number)

    def holding(self, step: int) -> int:
        """Tell which stretch has this step of the whole run; −1 is the start."""
        lines = len(self.tape)
        if step < lines:
            line = max(step, 0)
        elif step == lines:
            line = self.tape.output
        else:
            line = self._moves[min(step - lines - 1, len(self._moves) - 1)].line
        return bisect_right(self._starts, line) - 1

    def sections(self, number: int) -> list[Section]:
        """List the sections of the outline that excerpt `number` is made of, without the inputs."""
        return [piece for piece in self._pieces[number] if piece.kind != "input"]

    @functools.cached_property
    def large_sections(self) -> list[Section]:
        """The sections of the whole run that are larger than an excerpt."""
        return [section for section in self.outline.walk() if section.size > _LINES]

    @functools.cached_property
    def arrivals(self) -> dict[int, tuple[int, int, Number]]:
        """For each line that the sweep reaches: the step of the whole run that does it first, the last, the adjoint."""
        lines, found = len(self.tape), {}
        if self.tape.output is not None:
            found[self.tape.output] = (lines, lines, reverse_steps.seed_of(self.tape))
        for k, move in enumerate(self._moves, start=lines + 1):
            for sent in move.sent:
                found[sent.parent] = (found.get(sent.parent, (k,))[0], k, sent.after)
        return found

    def _read(self, number: int) -> Trace:
        with speaking(self.lang), np.errstate(all="ignore"):
            return self._told(number)

    def _told(self, number: int) -> Trace:
        tape, first, end = self.tape, self._starts[number], self._pieces[number][-1].end
        own = range(first, end)
        before = sorted({parent for i in own for parent in tape.parents[i] if 0 <= parent < first})
        place = {line: k for k, line in enumerate([*before, *own])}
        lines = [_moved(self.lines[i], place) for i in place]
        run = from_tape.described(tape, self._f, self._value, lines, self._origin)
        steps = [self._recorded(i) for i in place]
        parts = [Part(len(before), len(steps) - 1, first)]
        swept = [move for move in self._moves if first <= move.line < end]
        seeded = tape.output in place
        arrived: dict[int, Number] = {}
        if swept or seeded:
            told = reverse_steps.steps(tape, self.lines, self._moves, of=own, most=self._most)
            if seeded:
                parts.append(Part(len(steps), len(steps) + len(swept), len(tape)))
            else:
                arrived = self._arrived(place, end)
                told[0] = Step("seed", end - 1)
                parts.append(Part(len(steps) + 1, len(steps) + len(swept), len(tape) + 1 + self._at[swept[0].line]))
            steps += self._measured(told, place, end)
        names = [self.lines[i].shown for i in (first, end - 1)]
        said = say("excerpt", first=names[0], last=names[1], lines=f"{len(tape):,}".replace(",", "\u202f"))
        excerpt = Excerpt(
            number,
            len(tape),
            self.steps,
            tuple(parts),
            said=said,
            later=say("from later lines"),
            arrived=tuple(arrived.get(i) for i in place),
            before=tuple(before),
        )
        last = self._moves and self._moves[-1].line
        if number == 0 and swept and last == swept[-1].line and tape.n_inputs <= end:
            ends = {sent.parent: sent.after for move in self._moves for sent in move.sent}
            shown = {i: Number.of(ends[i]) for i in range(tape.n_inputs) if i in ends}
            gradient = equations.gradient(run.called, self.lines[: tape.n_inputs], shown)
            if gradient:
                steps[-1] = replace(steps[-1], equations=(*steps[-1].equations, gradient))
        products = sum(len(move.sent) for move in self._moves)
        return replace(
            run,
            steps=tuple(_step_moved(step, place) for step in steps),
            result=place.get(tape.output),
            excerpt=excerpt,
            cost=Cost(1, len(tape) - tape.n_inputs, products, *self._held[-1]),
        )

    def _recorded(self, i: int) -> Step:
        line = self.lines[i]
        meter = Meter(max(0, i + 1 - self.tape.n_inputs), 0, *self._held[i + 1])
        return Step(
            "record", i, sentence=explanations.recorded(self.lines, i), equations=equations.recorded(line), meter=meter
        )

    def _measured(self, told: list[Step], place: Mapping[int, int], end: int) -> list[Step]:
        """Say of each step of the sweep what it has cost, and what it lets go."""
        tape, kept, measured = self.tape, end, []
        products = sum(len(move.sent) for move in self._moves if move.line >= end)
        for step in told:
            products += len(step.sends)
            left = step.line if step.phase == "sweep" else kept
            meter = Meter(len(tape) - tape.n_inputs, products, *self._held[left])
            measured.append(replace(step, meter=meter, released=tuple(range(left, kept))))
            kept = left
        return measured

    def _arrived(self, place: Mapping[int, int], end: int) -> dict[int, Number]:
        """The adjoints as they are when the sweep comes to line `end` − 1."""
        ends = {sent.parent: sent.after for move in self._moves if move.line >= end for sent in move.sent}
        return {i: Number.of(ends[i]) for i in place if i in ends}


def _moved(line: Line, place: Mapping[int, int]) -> Line:
    """Give a line the places of its operands in the stretch; one from before it may have operands that are not there.

    These are left out: such a line shows its value only.
    """
    operands = tuple(
        operand if operand.line is None else replace(operand, line=place.get(operand.line))
        for operand in line.operands
        if operand.line is None or operand.line in place
    )
    whole = len(operands) == len(line.operands)
    return replace(line, operands=operands if whole else ())


def _step_moved(step: Step, place: Mapping[int, int]) -> Step:
    return replace(
        step,
        line=place[step.line],
        sends=tuple(replace(send, parent=place[send.parent]) for send in step.sends),
        released=tuple(place[i] for i in step.released if i in place),
    )
