"""Checks of notebook 01: a good step for each quotient, a parabola, and the complex step."""

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Refused, describe, plain, run_cases
from autodiff_lab.lessons.lesson_02.sandbox import example
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.v_curve.lab import METHODS

SLOPE = grad(example, argnums=1)(2.0, 5.0)
GOOD = {"forward": 1e-7, "central": 1e-9}
"""The relative error that is small enough."""
BEST = {"forward": 1e-8, "central": 3e-5}
"""Where the V of each error has its lowest point."""


def judge_steps(answer: Any) -> Any:
    """For each formula: whether its error is small enough, or on which side of the V the step is."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2 or not all(isinstance(h, float) for h in seen):
        return seen
    if not all(h > 0 for h in seen):
        return Refused("A step is a positive number.")
    return {name: _judge_step(name, h) for name, h in zip(GOOD, seen, strict=True)}


def _judge_step(name: str, h: float) -> str:
    with np.errstate(all="ignore"):
        found = METHODS[name].quotient(lambda x2: example(2.0, x2), 5.0, h)
    if abs(found - SLOPE) < GOOD[name] * SLOPE:
        return "small enough"
    return "too large a step" if h > BEST[name] else "too small a step"


def read_number_and_word(answer: Any) -> Any:
    """A number and a word, the word small and without its full stop; False is a no."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2:
        return seen
    number, word = seen
    if isinstance(word, bool):
        return number, "yes" if word else "no"
    return number, word.strip(" .!").lower() if isinstance(word, str) else word


BREAKERS = ("exp", "abs", "sin", "sqrt", "log")
COMPLEX_STEPS = {
    "x³ at 2 with h = 0.5": (lambda x: x * x * x, 2.0, 0.5),
    "the derivative with respect to x2 at 5": (lambda x2: example(2.0, x2), 5.0),
    "sin at 1": (np.sin, 1.0),
}
CULPRIT = "the operation that breaks it"


def expected_complex_steps() -> dict[str, Any]:
    """The slopes, the first with the terms of a wide step, and the one operation that has no complex version."""
    slopes = (((2 + 0.5j) ** 3).imag / 0.5, SLOPE, grad(np.sin)(1.0))
    return dict(zip(COMPLEX_STEPS, slopes, strict=True)) | {CULPRIT: "abs"}


def try_complex_step(complex_step: Any, culprit: Any) -> Any:
    """The learner's complex step on three functions, and the operation that it cannot pass."""
    found = run_cases(lambda names, *how: complex_step(*how), COMPLEX_STEPS, complex_step)
    name = getattr(culprit, "__name__", culprit) if callable(culprit) else culprit
    word = name.strip(" .()").lower().removeprefix("np.") if isinstance(name, str) else ""
    word = "abs" if word == "absolute" else word
    if word not in BREAKERS:
        return Refused(f"You gave {describe(culprit)} as culprit. It is one of {', '.join(BREAKERS)}, in quotes.")
    return found | {CULPRIT: word}
