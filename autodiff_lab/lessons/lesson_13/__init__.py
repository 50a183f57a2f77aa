"""Notebook 13, trust, but verify: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_13 import sandbox

progress, seed = lesson(
    "13",
    "Trust, but verify: checks, kinks, NaNs, custom rules",
    ex_13_1={"observe": sandbox.read_birthplace, "make": sandbox.find_birthplace, "draws": sandbox.DRAWS},
    ex_13_2=sandbox.compare_with(sandbox.log_or_zero, sandbox.SHIELDED),
    ex_13_3=sandbox.compare_with(sandbox.softplus, sandbox.STABLE),
    ex_13_4=sandbox.compare_with(sandbox.half_of_sinc_squared, sandbox.CANCELLING),
    ex_13_5={"expected": sandbox.expected_shares(), "observe": sandbox.judge_shares},
    ex_13_6={"make": sandbox.differentiate_clip},
    ex_13_7=sandbox.compare_with(sandbox.limit_adjoint, sandbox.LIMITED),
)
