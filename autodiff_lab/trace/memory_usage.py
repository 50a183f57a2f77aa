"""Memory usage and cost: the numbers that a tape holds, and the few that forward mode needs at a time.

A tape keeps, for every line, its operands and its value, because the sweep may ask for them. Forward mode forgets a
value, and its tangents, once no later line needs it. (Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 4.)
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
    """Count the memory usage of a tape: what its first n lines hold, for n from 0 to all of them.

    What several lines share is counted once, as `Tape.nbytes` counts.

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
    """Add to each step of a reverse sweep its cost and memory usage, and the lines that it lets go.

    Before the first step, the lines up to `end` are held, and `products` multiplications are done.
    """
    for step, after in zip_longest(steps, steps[1:]):
        products += len(step.sends)
        # A line whose last contribution has gone is not asked for again, nor any line behind it. A faulty sweep may.
        done = step.phase == "sweep" and not faulty and (after is None or after.line != step.line)
        left = step.line if done else end
        meter = Meter(len(run) - run.n_inputs, products, *run.held[left])
        yield replace(step, meter=meter, freed_lines=tuple(range(left, end)))
        end = left


def find_forgotten(tape: Tape) -> list[tuple[int, ...]]:
    """Tell which lines forward mode drops from memory at each line: those that neither it nor a later one needs."""
    forgotten: list[list[int]] = [[] for _ in range(len(tape) + 1)]
    for j, last in enumerate(find_last_uses(tape.parents, tape.output)):
        forgotten[last if last > j else min(j + 1, len(tape))].append(j)
    return [tuple(lines) for lines in forgotten[:-1]]


def count_needed_forward(tape: Tape, directions: int) -> list[Kept]:
    """Count the memory usage of forward mode after each line: the values still needed, each with its tangents."""
    numbers = size = 0
    needed = []
    for value, forgotten in zip(tape.values, find_forgotten(tape), strict=True):
        gone, come = _sum(tape.values[j] for j in forgotten), _sum([value])
        numbers, size = numbers + come.numbers - gone.numbers, size + come.bytes - gone.bytes
        needed.append(Kept(numbers * (1 + directions), size * (1 + directions)))
    return needed


def _sum(values: Iterable[Any], start: Kept = Kept(0, 0)) -> Kept:  # noqa: B008 — a tuple does not change
    numbers, size = start
    for x in values:
        numbers += np.size(x)
        size += getattr(x, "nbytes", 8)
    return Kept(int(numbers), int(size))


def find_last_uses(operands: Sequence[Sequence[int | None]], result: int | None) -> list[int]:
    """Find the last line that uses each line, and so keeps it in memory; the result is used behind all of them."""
    last = list(range(len(operands)))
    for i, parents in enumerate(operands):
        for parent in parents:
            if parent is not None and parent >= 0:
                last[parent] = i
    if result is not None:
        last[result] = len(operands)
    return last
