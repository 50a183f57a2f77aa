"""Notebook 14, memory: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_14 import sandbox

progress, seed = lesson(
    "14",
    "Memory: keep a value, or compute it again",
    ex_14_1={"expected": sandbox.expected_prices(), "observe": sandbox.find_prices},
    ex_14_2={"expected": sandbox.expected_plans(), "observe": sandbox.follow_plans},
    ex_14_3={"expected": sandbox.expected_segments(), "observe": sandbox.reverse_in_segments},
)
