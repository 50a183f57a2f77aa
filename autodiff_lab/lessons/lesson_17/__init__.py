"""Notebook 17, linearize, transpose, batch: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_17 import sandbox

progress, seed = lesson(
    "17",
    "Linearize, transpose, batch",
    ex_17_1={"expected": sandbox.expected_partials(), "observe": sandbox.find_partials},
    ex_17_3={"observe": sandbox.find_transposes},
    ex_17_4={"observe": sandbox.find_batches},
    ex_17_5={"expected": sandbox.expected_jacobians(), "observe": sandbox.find_jacobians},
    ex_17_6={"observe": sandbox.count_from_front},
)
