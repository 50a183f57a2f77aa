"""The forward pass of DualPlayground: the dual number of every line, and the ε² that each line drops."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autodiff_lab.engine.tape import Tape
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import jvp, record
from autodiff_lab.widgets.labs.canvas import Point


def f(x1: Any, x2: Any) -> Any:
    """The function of the course."""
    return np.log(x1) + x1 * x2 - np.sin(x2)


@functools.lru_cache(maxsize=1)
def push_seed(point: Point, seed: Point) -> dict[str, Any]:
    """Take one forward pass; what is shown asks for it several times."""
    trace, tape = Trace.of(f, *point, mode="forward", direction=seed), record(f, *point)[1]
    tangents = [step.tangents[0].value for step in trace.steps]
    return {
        "point": point,
        "seed": seed,
        "value": trace.value.value,
        "tangent": trace.tangent[0].value,
        "lines": [line.name for line in trace.lines],
        "operations": [line.expression for line in trace.lines],
        "values": [line.value.value for line in trace.lines],
        "tangents": tangents,
        "dropped": [find_dropped(tape, line, tangents) for line in range(len(tape))],
    }


def find_dropped(tape: Tape, line: int, tangents: list[Any]) -> float:
    """Find what a line's own arithmetic has in front of ε², if it is carried that far: half a second derivative.

    For the product this is ẋ₁ẋ₂. It is what multiplying out (a + ȧε)(b + ḃε) leaves over.
    """
    op, args = tape.ops[line], tape.args[line]
    if op is None:
        return 0.0
    along = [tangents[j] if j >= 0 else 0.0 for j in tape.parents[line]]

    def moved(t: Any) -> Any:
        return op.fn(*(a + t * da for a, da in zip(args, along, strict=True)))

    return float(jvp(lambda t: jvp(moved, (t,), (1.0,))[1], (0.0,), (1.0,))[1]) / 2


def round_to_zero(x: float) -> float:
    """Make 0 of a rounding error that stands for it."""
    return 0.0 if abs(x) < 1e-12 else x
