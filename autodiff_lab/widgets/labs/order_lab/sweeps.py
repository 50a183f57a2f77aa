"""The sweeps of OrderLab: through one small graph in any order of its cells, or along every path.

The partials are the engine's. What an order can get wrong is when a cell sends, and with what it had by then.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.reverse_steps import SweepEvent, seed_adjoints, send
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.recording import record

CELLS = ("x", "a", "b", "c", "y")
# The cells that have something to send, as they stand on the tape read backwards.
OPERATIONS = CELLS[:0:-1]
POINT = 2.0


def f(x: Any) -> Any:
    """(x²)² + (x²)², the function that the order lab sweeps; its inner square is computed once and used twice."""
    a = np.square(x)
    b = np.square(a)
    c = np.square(a)
    return b + c


@functools.cache
def record_tape() -> Any:
    """Record the order lab's function (x²)² + (x²)² at x = 2, for its sweeps."""
    return record(f, POINT)[1]


@functools.cache
def slope() -> float:
    """Find the slope of (x²)² + (x²)² at 2, which a sweep in every valid order must give.

    >>> slope()
    64.0
    """
    return float(grad(f)(POINT))


@functools.cache
def list_users() -> dict[str, tuple[str, ...]]:
    """List for each cell of the order lab the cells that use it, and must send before it.

    >>> list_users()["a"]
    ('b', 'c')
    """
    parents = record_tape().parents
    return {name: tuple(user for k, user in enumerate(CELLS) if i in parents[k]) for i, name in enumerate(CELLS)}


def sweep_in_order(order: Sequence[str], overwrites: bool = False) -> Iterator[SweepEvent]:
    """Sweep by letting the cells send in a given order, each once, whatever it holds when its turn comes.

    >>> [float(list(sweep_in_order(order))[-1].sent[0].after) for order in ("ybca", "ycba")]
    [64.0, 64.0]
    >>> [float(move.sent[0].after) for move in sweep_in_order("ybac") if move.line == 1]
    [32.0]
    """
    tape = record_tape()
    adjoints = seed_adjoints(tape)
    for i in map(CELLS.index, order):
        adjoint = adjoints[i]
        events = [] if adjoint is None else send(tape, i, adjoint, adjoints, overwrites)
        yield SweepEvent(i, adjoint, tuple(sent for event in events for sent in event.sent))


@functools.cache
def sweep_by_recursion() -> tuple[SweepEvent, ...]:
    """Sweep along every path by itself, passing on the whole adjoint: the player's fault of that name.

    >>> [float(move.sent[0].after) for move in sweep_by_recursion()][-1]
    96.0
    """
    return tuple(FAULTS["recursion"](record_tape()))


@functools.cache
def count_paths(doublings: int) -> tuple[int, int, int]:
    """Count paths from the result to x, calls of a sweep by recursion, and cells, for ``x = x + x`` many times.

    >>> [count_paths(k) for k in (1, 2, 10)]
    [(2, 3, 2), (4, 7, 3), (1024, 2047, 11)]
    """

    def doubled(x: Any) -> Any:
        for _ in range(doublings):
            x = x + x
        return x

    tape = record(doubled, 1.0)[1]
    calls = [tape.output]
    for i in calls:  # which grows meanwhile: a call makes one for each operand
        calls += tape.parents[i]
    return sum(i < tape.n_inputs for i in calls), len(calls), len(tape)
