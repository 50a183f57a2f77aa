"""Exercises of notebook 13, trust, but verify."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_13 import sandbox, variants

progress, seed = lesson(
    "13",
    "Trust, but verify: checks, kinks, NaNs, custom rules",
    ex_13_1={"observe": variants.read_birthplace, "make": variants.find_birthplace, "draws": variants.DRAWS},
    ex_13_2=sandbox.compare_with(sandbox.log_or_zero, sandbox.SHIELDED),
    ex_13_3=sandbox.compare_with(sandbox.softplus, sandbox.STABLE),
    ex_13_4=sandbox.compare_with(sandbox.half_of_sinc_squared, sandbox.CANCELLING),
    ex_13_5={"expected": sandbox.expected_shares(), "observe": sandbox.judge_shares},
    ex_13_6={"make": variants.differentiate_clip},
    ex_13_7=sandbox.compare_with(sandbox.limit_adjoint, sandbox.LIMITED),
)
