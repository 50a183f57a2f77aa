"""Notebook 09, Jacobians: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_09 import sandbox

progress, seed = lesson(
    "09",
    "Jacobians: rows, columns and what they cost",
    ex_09_1={"make": sandbox.choose_modes},
    ex_09_2={"expected": sandbox.expected_jacobians(), "observe": sandbox.find_jacobians},
    ex_09_3={"make": sandbox.sum_rows},
    ex_09_4={"expected": sandbox.expected_compressed(), "observe": sandbox.compress_jacobian},
    ex_09_5={"make": sandbox.differentiate_square},
    ex_09_6={"make": sandbox.count_multiplications},
)
