"""Notebook 06, static graphs: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_06 import sandbox

progress, seed = lesson(
    "06",
    "Static graphs: build first, feed later",
    ex_06_1={"expected": sandbox.expected_runs(), "observe": sandbox.run_programs},
    ex_06_2={"make": sandbox.evaluate_first_example},
    ex_06_3={"expected": sandbox.expected_batch(), "observe": sandbox.feed_batch},
    ex_06_4={"expected": sandbox.expected_jacobians(), "observe": sandbox.find_jacobians},
    ex_06_5a={"make": sandbox.alias_sum},
    ex_06_5b={"expected": sandbox.expected_sums(), "observe": sandbox.sum_flat},
    ex_06_6={"expected": sandbox.expected_counts(), "observe": sandbox.count_terms},
    ex_06_7={"expected": sandbox.expected_partials(), "observe": sandbox.find_partials},
)
