"""Notebook 05, three ways to remember: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_05 import sandbox

progress, seed = lesson(
    "05",
    "Three ways to remember: partials, closures, replay",
    ex_05_1={"expected": sandbox.expected_by_hand(), "observe": sandbox.sweep_by_hand},
    ex_05_2={"expected": sandbox.expected_cells(), "observe": sandbox.sweep_cells},
    ex_05_3={"make": sandbox.count_stored_numbers},
    ex_05_4={"expected": sandbox.tell_what_survives()},
    ex_05_5={"make": sandbox.mix_two_runs},
    ex_05_6={"expected": sandbox.expected_hessians(), "observe": sandbox.differentiate_again},
)
