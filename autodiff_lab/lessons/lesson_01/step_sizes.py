"""The exercises of notebook 01 about differences: how their error falls, which step is good, when there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Refused, plain
from autodiff_lab.lessons.lesson_02.sandbox import example
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.v_curve.lab import METHODS

# 1. the slopes of the error curves


# 2. a good step

SLOPE = grad(example, argnums=1)(2.0, 5.0)
GOOD = {"forward": 1e-7, "central": 1e-9}
BEST = {"forward": 1e-8, "central": 3e-5}


def judge_steps(answer: Any) -> Any:
    """For each formula: whether its error is small enough, or on which side of the V the step is."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2 or not all(isinstance(h, float) for h in seen):
        return seen
    if not all(h > 0 for h in seen):
        return Refused("A step is a positive number.")
    return {name: _judged(name, h) for name, h in zip(GOOD, seen, strict=True)}


def _judged(name: str, h: float) -> str:
    with np.errstate(all="ignore"):
        found = METHODS[name].quotient(lambda x2: example(2.0, x2), 5.0, h)
    if abs(found - SLOPE) < GOOD[name] * SLOPE:
        return "small enough"
    return "too large a step" if h > BEST[name] else "too small a step"


# 3. a parabola


def read_number_and_word(answer: Any) -> Any:
    """A number and a word, the word small and without its full stop; False is a no."""
    seen = plain(answer)
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], bool):
        return (seen[0], "yes" if seen[1] else "no")
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], str):
        return (seen[0], seen[1].strip(" .!").lower())
    return seen
