"""The exercises of `ways_to_remember`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.ways_to_remember import exercises

progress, seed = lesson(
    "ways_to_remember",
    ex_1={"expected": exercises.expected_by_hand(), "observe": exercises.sweep_by_hand},
    ex_2={"expected": exercises.expected_cells(), "observe": exercises.sweep_cells},
    ex_3={"make": exercises.count_stored_numbers},
    ex_4={"expected": exercises.tell_what_survives()},
    ex_5={"make": exercises.mix_two_runs},
    ex_6={"expected": exercises.expected_hessians(), "observe": exercises.differentiate_again},
)
