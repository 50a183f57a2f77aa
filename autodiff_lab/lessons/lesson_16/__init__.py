"""Notebook 16, differentiate the solution: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_16 import sandbox

progress, seed = lesson(
    "16",
    "Differentiate the solution, not the solver",
    ex_16_1={"expected": sandbox.expected_slopes(), "observe": sandbox.slope_roots},
    ex_16_2={"expected": sandbox.expected_tangents(), "observe": sandbox.push_solutions},
    ex_16_3={"expected": sandbox.expected_rule(), "observe": sandbox.use_rule},
    ex_16_4={"make": sandbox.count_turns},
    ex_16_5={"expected": sandbox.expected_fits(), "observe": sandbox.slope_fits},
    ex_16_6={"expected": sandbox.expected_adjoints(), "observe": sandbox.settle_adjoints},
)
