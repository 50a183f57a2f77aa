"""The exercises of notebook 13 about NaNs: where one is born, and how to keep it from being born."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_13.sandbox import SHIELDED, expected, log_or_zero, try_cases
from autodiff_lab.lessons.lesson_13.variants import PROGRAMS, birth_instance, birthplace

# 1. where it is born

ex_13_1 = Exercise(
    expects='a row and two numbers, such as ("v2", 1.0, inf)',
    make=birth_instance,
    draws={"program": tuple(PROGRAMS)},
    observe=birthplace,
    hints=(
        "Write the tape: v0 is x, and each operation is a row. (A comparison such as x > 0 is none.) Put the value "
        "beside each row.",
        "Now sweep from the last row, whose adjoint is 1. Each row sends adjoint times local partial. Stop at the "
        "first product that is nan, inf or -inf.",
        "The local partials: 1/x for log, 1/(2·√x) for sqrt, the result for exp, −1/√(1 − x²) for arccos. For "
        "where, nothing or everything is passed on.",
    ),
    praise="Row and both factors: with these three you can say what to change. trace_nonfinite prints the same.",
)

# 2. two wheres


def _safe(body: str) -> str:
    return f"def safe(x):\n    {body}"


TWO, ZERO, _, TINY, ARRAY = SHIELDED

ex_13_2 = Exercise(
    expects="a function safe(x), for numbers and for arrays",
    expected=expected(log_or_zero, SHIELDED),
    observe=lambda safe: try_cases(safe, SHIELDED),
    cases="First the value, then the slope.",
    reference=_safe("inside = np.where(x > 0, x, 1.0)\n    return np.where(x > 0, np.log(inside), 0.0)"),
    misconceptions={
        _safe("return np.where(x > 0, np.log(x), 0.0)"): (
            {TWO: (math.log(2), 0.5), ZERO: (0.0, "nan")},
            "At 0 the slope is nan, as it was. The partial of your log is still infinite there, and meets the 0 that "
            "where sends.",
        ),
        _safe("return np.where(x > 0, np.log(x + 1e-12), 0.0)"): (
            {ZERO: (0.0, 0.0), TINY: (math.log(1e-12), 1e12)},
            "The NaN is gone, and so is the function: at 1e−300 you return the log of 1e−12. A small number that is "
            "added changes the answer for everybody.",
        ),
        _safe("return np.where(x > 0, np.log(np.maximum(x, 1e-12)), 0.0)"): (
            {ZERO: (0.0, 0.0), TINY: (math.log(1e-12), 0.0)},
            "At 1e−300 the maximum takes over, and the slope is 0 where it should be huge. The inner choice has to "
            "ask the same question as the outer one.",
        ),
        _safe("return np.log(x) * (x > 0)"): (
            {ZERO: ("nan", "nan")},
            "Now even the value is nan: −∞ times 0. Multiplying by 0 does not choose; where does.",
        ),
        _safe("if x > 0:\n        return np.log(x)\n    return 0.0 * x"): (
            {TWO: (math.log(2), 0.5), ZERO: (0.0, 0.0), ARRAY: Crashed("ValueError")},
            "For numbers that is right, and the best you can do: what does not run makes no NaN. But an array has no "
            "single answer to x > 0.",
        ),
    },
    hints=(
        "Both branches of where are computed, always. So the log must never see anything that it cannot take.",
        "Choose twice: first a harmless operand for the log, then the result. The question is the same both times.",
        "inside = np.where(x > 0, x, 1.0), and then the where that you had, with the log of inside.",
    ),
    praise="A where around the result chooses a value and protects nothing. What protects is the where around the "
    "operand.",
)
