"""Notebook 02, dual numbers: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_02 import sandbox

progress, seed = lesson(
    "02",
    "Dual numbers: arithmetic that carries a slope",
    ex_02_1={"expected": sandbox.expected_arithmetic(), "observe": sandbox.run_arithmetic},
    ex_02_2={"expected": sandbox.expected_functions(), "observe": sandbox.run_functions},
    ex_02_3={"make": sandbox.trace_forward},
    ex_02_4={"make": sandbox.find_steepest_direction},
    ex_02_5={"make": sandbox.count_passes},
    ex_02_6={"make": sandbox.square_dual},
)
