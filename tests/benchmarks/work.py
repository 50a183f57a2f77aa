"""The work that is timed, each piece in three hands: the engine, the peer, and Python written by hand.

Three stages: *record* computes the value (and writes down what a sweep needs), *sweep* computes the gradient from
that, *gradient* is both from the start.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab import grad, jvp, record

from .peer import Node

FACTOR = 0.999999
STAGES = ("record", "sweep", "gradient")
HANDS = ("engine", "hand", "peer")


class Work(NamedTuple):
    """One piece of work: for each (stage, hand) a function that prepares it and returns the call to time.

    What one of them prepares is dropped before the next one runs: a tape or a graph that lies about makes Python's
    garbage collector slow for everybody.
    """

    name: str
    operations: int
    prepare: dict[tuple[str, str], Callable[[], Callable[[], Any]]]
    gradient: tuple[float, ...]  # what every hand must find


def _ready(call: Callable[[], Any]) -> Callable[[], Callable[[], Any]]:
    return lambda: call


def _swept(tape: Any) -> list[Any]:
    """Run the sweep as ``grad`` does: to its end, adjoints dropped on the way."""
    adjoints: list[Any] = [None] * len(tape)
    deque(tape.sweep(tape.output, np.float64(1.0), adjoints, keep=False), maxlen=0)
    return adjoints[: tape.n_inputs]


def _sent(inputs: list[Node], result: Node) -> list[float]:
    result.backward()
    return [x.grad for x in inputs]


# ln x1 + x1 x2 − sin x2


def _example(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


def _example_peer() -> tuple[list[Node], Node]:
    x1, x2 = Node(2.0), Node(5.0)
    return [x1, x2], x1.log() + x1 * x2 - x2.sin()


def _example_value(x1: float, x2: float) -> float:
    return math.log(x1) + x1 * x2 - math.sin(x2)


def _example_slopes(x1: float, x2: float) -> tuple[float, float]:
    return 1 / x1 + x2, x1 - math.cos(x2)


def example() -> Work:
    """The function of the first lesson: five operations, at (2, 5)."""
    at = (2.0, 5.0)
    both = grad(_example, (0, 1))
    directions = ((1.0, 0.0), (0.0, 1.0))
    return Work(
        "ln x1 + x1·x2 − sin x2",
        5,
        {
            ("record", "engine"): _ready(lambda: record(_example, *at)),
            ("record", "hand"): _ready(lambda: _example_value(*at)),
            ("record", "peer"): _ready(_example_peer),
            ("sweep", "engine"): lambda: partial(_swept, record(_example, *at)[1]),
            ("sweep", "hand"): _ready(lambda: _example_slopes(*at)),
            ("sweep", "peer"): lambda: partial(_sent, *_example_peer()),
            ("gradient", "engine"): _ready(lambda: both(*at)),
            ("gradient", "hand"): _ready(lambda: (_example_value(*at), _example_slopes(*at))[1]),
            ("gradient", "peer"): _ready(lambda: _sent(*_example_peer())),
            ("forward", "engine"): _ready(lambda: [jvp(_example, at, t)[1] for t in directions]),
            ("forward", "hand"): _ready(lambda: (_example_value(*at), _example_slopes(*at))[1]),
        },
        (5.5, 1.7163378145367738),
    )


# A chain


def turns(x: Any, n: int) -> Any:
    y = x
    for _ in range(n // 2):
        y = y * FACTOR + x
    return y


def _chain_peer(n: int) -> tuple[list[Node], Node]:
    x = Node(1.0)
    return [x], turns(x, n)


def _chain_slope(n: int) -> float:
    """The sweep by hand: two statements for the two operations of a turn."""
    slope, adjoint = 0.0, 1.0
    for _ in range(n // 2):
        slope += adjoint
        adjoint *= FACTOR
    return slope + adjoint


def chain(n: int) -> Work:
    """`n` operations in a row, y ← 0.999999 y + x, at 1."""
    f = partial(turns, n=n)
    slope = grad(f)
    return Work(
        f"chain of {n:,} operations",
        n,
        {
            ("record", "engine"): _ready(lambda: record(f, 1.0)),
            ("record", "hand"): _ready(lambda: f(1.0)),
            ("record", "peer"): _ready(lambda: _chain_peer(n)),
            ("sweep", "engine"): lambda: partial(_swept, record(f, 1.0)[1]),
            ("sweep", "hand"): _ready(lambda: (_chain_slope(n),)),
            ("sweep", "peer"): lambda: partial(_sent, *_chain_peer(n)),
            ("gradient", "engine"): _ready(lambda: (slope(1.0),)),
            ("gradient", "hand"): _ready(lambda: (f(1.0), _chain_slope(n))[1:]),
            ("gradient", "peer"): _ready(lambda: _sent(*_chain_peer(n))),
        },
        (_chain_slope(n),),
    )
