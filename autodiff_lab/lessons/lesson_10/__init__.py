"""Notebook 10, derivatives of derivatives: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_10 import sandbox

progress, seed = lesson(
    "10",
    "Derivatives of derivatives",
    ex_10_1={"expected": sandbox.expected_products(), "observe": sandbox.multiply_hessians},
    ex_10_2={"make": sandbox.merge_marks},
    ex_10_3={"expected": sandbox.expected_nested(), "observe": sandbox.run_nested},
    ex_10_4={"make": sandbox.find_convexity},
    ex_10_5={"make": sandbox.find_coefficients},
    ex_10_6={"expected": sandbox.expected_on_a_tape(), "observe": sandbox.differentiate_on_tape},
    ex_10_7={"expected": sandbox.take_steps(sandbox.truncated), "observe": sandbox.take_steps},
)
