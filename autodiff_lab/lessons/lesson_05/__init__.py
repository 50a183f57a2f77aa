"""Exercises of notebook 05, three ways to remember."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_05 import sandbox, variants

progress, seed = lesson(
    "05",
    "Three ways to remember: partials, closures, replay",
    ex_05_1={"expected": sandbox.expected_by_hand(), "observe": sandbox.sweep_by_hand},
    ex_05_2={"expected": sandbox.expected_cells(), "observe": sandbox.sweep_cells},
    ex_05_3={"make": variants.count_stored_numbers},
    ex_05_4={"expected": variants.tell_what_survives()},
    ex_05_5={"make": variants.mix_two_runs},
    ex_05_6={"expected": sandbox.expected_hessians(), "observe": sandbox.differentiate_again},
)
