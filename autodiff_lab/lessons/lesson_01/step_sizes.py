"""The exercises of notebook 01 about differences: how their error falls, which step is good, when there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Exercise, Refused, plain
from autodiff_lab.lessons.lesson_02.sandbox import example
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.v_curve.lab import METHODS

# 1. the slopes of the error curves

ex_01_1 = Exercise(
    expects="a pair of numbers, the slopes of the forward and of the central curve",
    expected=(1, 2),
    tolerance=0.1,
    misconceptions={
        (-1.0, -1.0): "That is the cancellation side, left of the lowest point. Look to the right of it, where h is "
        "large and the curves are smooth.",
        (2.0, 1.0): "Both slopes are there, in the wrong order: first forward, then central.",
        (1.0, 1.0): "The forward curve is right. The central one is steeper: it falls by four decades while h falls "
        "by two.",
        (10.0, 100.0): "That is how much the error falls when h falls by a factor of 10. On logarithmic axes a factor "
        "of 10 is one step.",
    },
    hints=(
        "Slope is rise over run, both counted in decades: from 1e-4 to 1e-3 is one.",
        "Compare the error at h = 1e-4 and at h = 1e-2. By how many decades does each curve rise over these two?",
    ),
    praise="The forward error is proportional to h, the central one to h². So is the first term that Taylor drops.",
)

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


ex_01_2 = Exercise(
    expects="a pair of steps, (h for the forward quotient, h for the central one)",
    expected={"forward": "small enough", "central": "small enough"},
    observe=judge_steps,
    cases="That is what comes out of your step.",
    reference="answer = (1e-8, 1e-5)",
    misconceptions={
        (1e-15, 1e-15): "Both steps are too small: of sixteen digits nearly all cancel in the difference. Smaller is "
        "not better; look for the lowest points of the two curves.",
        (1e-8, 1e-8): "The forward step is good. The other is too small for the central quotient: it is accurate at "
        "larger steps, and there fewer digits cancel.",
        (1e-5, 1e-5): "The central step is good. The forward quotient is still on its truncation side there.",
        (1e-5, 1e-8): "The forward step is too large and the central one too small. Of the two formulas the central "
        "one has its lowest point at the larger step.",
        (0.1, 0.1): "Both steps are too large: over such a long step the curve bends, and the quotient cuts it short.",
    },
    hints=(
        "In the lab, move h until the mark of one curve is at its lowest point. Then do the same for the other.",
        "The best forward step is near the square root of 1e-16, the best central one near its third root.",
    ),
    praise="Neither comes near sixteen digits. The best steps, about 1e-8 and 1e-5, are near the square root and the "
    "third root of the rounding error, 1e-16.",
)

# 3. a parabola


def read_number_and_word(answer: Any) -> Any:
    """A number and a word, the word small and without its full stop; False is a no."""
    seen = plain(answer)
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], bool):
        return (seen[0], "yes" if seen[1] else "no")
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], str):
        return (seen[0], seen[1].strip(" .!").lower())
    return seen


ex_01_3 = Exercise(
    expects='a number and a word, such as (0.25, "yes")',
    expected=(0.0, "no"),
    observe=read_number_and_word,
    reference='answer = (0.0, "no")',
    misconceptions={
        (1.0, "yes"): "That is the forward quotient: (2² − 1²) / 1 = 3, and the slope is 2. The central one takes a "
        "step to each side.",
        (0.0, "yes"): "The number is right. What should a smaller step improve, if the error is 0? It can only add "
        "rounding.",
        (2.0, "no"): "2 is the slope, and the central quotient is 2 as well. Asked for is the error: the difference "
        "of the two.",
        (1.0, "no"): "That is the error of the forward quotient. Compute ((1 + h)² − (1 − h)²) / 2h at h = 1.",
    },
    hints=(
        "Multiply (1 + h)² − (1 − h)² out, and divide by 2h.",
        "What is left does not contain h at all. So which h is best?",
    ),
    praise="For a parabola the central quotient is the slope at any h. Its error comes from the third derivative.",
)
