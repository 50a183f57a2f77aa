"""Exercises of notebook 13, trust, but verify."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_13 import sandbox, variants

progress, seed = lesson(
    "13",
    "Trust, but verify: checks, kinks, NaNs, custom rules",
    ex_13_1={"observe": variants.birthplace, "make": variants.birth_instance},
    ex_13_2={
        "expected": sandbox.expected(sandbox.log_or_zero, sandbox.SHIELDED),
        "observe": lambda safe: sandbox.try_cases(safe, sandbox.SHIELDED),
    },
    ex_13_3={
        "expected": sandbox.expected(sandbox.softplus, sandbox.STABLE),
        "observe": lambda log1pexp: sandbox.try_cases(log1pexp, sandbox.STABLE),
    },
    ex_13_4={
        "expected": sandbox.expected(sandbox.half_of_sinc_squared, sandbox.CANCELLING),
        "observe": lambda steady: sandbox.try_cases(steady, sandbox.CANCELLING),
    },
    ex_13_5={"expected": sandbox.fair(), "observe": sandbox.judge_shares},
    ex_13_6={"make": variants.clip_instance},
    ex_13_7={
        "expected": sandbox.expected(sandbox.limit_adjoint, sandbox.LIMITED),
        "observe": lambda clip_gradient: sandbox.try_cases(clip_gradient, sandbox.LIMITED),
    },
)
