"""Memory usage and cost: the numbers that a tape holds, and the few that forward mode needs at a time.

A tape keeps the operands and the value of every line, because the sweep may need them. Forward mode can free a value
and its tangents as soon as no later line needs them. (Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 4.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.trace.model import Meter, Step
from autodiff_lab.trace.recorded_run import Kept, RecordedRun


def count_held(tape: Tape) -> list[Kept]:
    """Count the memory usage of the first n lines of a tape, for n from 0 to all of them.

    A value that several lines share is counted once, as in `Tape.nbytes`.

    >>> import numpy as np
    >>> from autodiff_lab import record
    >>> value, tape = record(lambda x: np.sin(x) * x, 2.0)
    >>> count_held(tape)[-1].bytes == tape.nbytes
    True
    """
    seen: dict[int, Any] = {}
    held = [Kept(0, 0)]
    for i in range(len(tape)):
        new = {id(x): x for x in (*tape.args[i], tape.values[i]) if id(x) not in seen}
        seen |= new
        held.append(_sum(new.values(), held[-1]))
    return held


def measure_steps(
    run: RecordedRun, steps: Sequence[Step], end: int, products: int = 0, faulty: bool = False
) -> Iterator[Step]:
    """Add to each step of a reverse sweep its cost, its memory usage, and the lines that it frees.

    Before the first step, the lines up to `end` are held, and `products` multiplications are done.
    """
    for step, after in zip_longest(steps, steps[1:]):
        products += len(step.sends)
        left = end
        is_last_of_line = after is None or after.line != step.line
        # Once a line has sent its last contribution, the sweep needs neither it nor any later line.
        # A faulty sweep may come back to them.
        if step.phase == "sweep" and is_last_of_line and not faulty:
            left = step.line
        meter = Meter(len(run) - run.n_inputs, products, *run.held[left])
        yield replace(step, meter=meter, freed_lines=tuple(range(left, end)))
        end = left


def find_freed_forward(tape: Tape) -> list[tuple[int, ...]]:
    """For each line, find the lines that forward mode frees there: neither it nor a later line needs their values."""
    n = len(tape)
    # The last element collects the lines that are kept to the end.
    freed: list[list[int]] = [[] for _ in range(n + 1)]
    for i, last_use in enumerate(find_last_uses(tape.parents, tape.output)):
        # A line that is never used is freed at the next one.
        freed_at = last_use if last_use > i else min(i + 1, n)
        freed[freed_at].append(i)
    return [tuple(lines) for lines in freed[:-1]]


def count_needed_forward(tape: Tape, directions: int) -> list[Kept]:
    """Count the memory usage of forward mode after each line: the values still needed, each with its tangents."""
    numbers = 0
    size = 0
    needed = []
    for value, freed_lines in zip(tape.values, find_freed_forward(tape), strict=True):
        added = _sum([value])
        freed = _sum(tape.values[i] for i in freed_lines)
        numbers += added.numbers - freed.numbers
        size += added.bytes - freed.bytes
        needed.append(Kept(numbers * (1 + directions), size * (1 + directions)))
    return needed


def _sum(values: Iterable[Any], start: Kept = Kept(0, 0)) -> Kept:  # noqa: B008 — a tuple does not change
    """Count the numbers and the bytes of some values, in addition to those of `start`."""
    numbers, size = start
    for x in values:
        numbers += np.size(x)
        size += getattr(x, "nbytes", 8)
    return Kept(int(numbers), int(size))


def find_last_uses(operands: Sequence[Sequence[int | None]], result: int | None) -> list[int]:
    """Find the last line that uses each line, and so keeps it in memory.

    A line that is never used has its own number. The result is used after the last line.
    """
    last = list(range(len(operands)))
    for i, parents in enumerate(operands):
        for parent in parents:
            if parent is not None and parent >= 0:
                last[parent] = i
    if result is not None:
        last[result] = len(operands)
    return last
