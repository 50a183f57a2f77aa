"""Notebook 11, arrays: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_11 import sandbox

progress, seed = lesson(
    "11",
    "Arrays: broadcasting and matrix backprop",
    ex_11_1={"expected": sandbox.sum_back_shapes(sandbox.sum_back), "observe": sandbox.sum_back_shapes},
    ex_11_2={"make": sandbox.differentiate_mean_and_variance},
    ex_11_3={"make": sandbox.differentiate_gather},
    ex_11_4={"expected": sandbox.expected_products(), "observe": sandbox.multiply_matrices},
    ex_11_5={"make": sandbox.differentiate_trace},
    ex_11_6={"expected": sandbox.expected_inverses(), "observe": sandbox.invert_matrices},
    ex_11_7={"make": sandbox.count_lines},
    ex_11_8={"expected": sandbox.pull_heads(sandbox.pull_attention), "observe": sandbox.pull_heads},
)
