"""Notebook 15, compilation and frameworks: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_15 import sandbox

progress, seed = lesson(
    "15",
    "Compilation, and the road to real frameworks",
    ex_15_1={"expected": sandbox.expected_compiled(), "observe": sandbox.compile_and_run},
    ex_15_2={"expected": sandbox.expected_guarded(), "observe": sandbox.run_guarded},
    ex_15_3={"observe": sandbox.read_letters},
    ex_15_4={"expected": sandbox.expected_row(), "observe": sandbox.follow_row},
    ex_15_5={"observe": sandbox.follow_invention},
)
