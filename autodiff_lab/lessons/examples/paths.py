"""Paths through a chain in which every value is used twice: each doubling doubles their number."""

import functools
from typing import Any

from autodiff_lab.transforms.recording import record


@functools.cache
def count_paths(doublings: int) -> tuple[int, int, int]:
    """Count paths from the result to x, calls of a recursive sweep, and cells, for `doublings` times ``x = x + x``.

    >>> [count_paths(k) for k in (1, 2, 10)]
    [(2, 3, 2), (4, 7, 3), (1024, 2047, 11)]
    """

    def doubled(x: Any) -> Any:
        for _ in range(doublings):
            x = x + x
        return x

    tape = record(doubled, 1.0)[1]
    calls = [tape.output_line]
    for i in calls:  # the list grows in the loop, because each call makes one for each operand
        calls += tape.parents[i]
    n_paths = sum(i < tape.n_inputs for i in calls)
    return n_paths, len(calls), len(tape)
