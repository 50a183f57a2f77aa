"""Notebook 08, control flow: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_08 import sandbox

progress, seed = lesson(
    "08",
    "Control flow: you differentiate what ran",
    ex_08_1={"make": sandbox.measure_two_tapes},
    ex_08_2={"make": sandbox.differentiate_at_switch},
    ex_08_3={"expected": sandbox.expected_ratio(), "observe": sandbox.run_ratio},
    ex_08_4={"make": sandbox.differentiate_at_kink},
    ex_08_5={"expected": sandbox.expected_roots(), "observe": sandbox.find_roots},
    ex_08_6={"expected": sandbox.expected_branches(), "observe": sandbox.run_branches},
)
