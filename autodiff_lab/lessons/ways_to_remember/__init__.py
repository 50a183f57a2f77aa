"""The exercises of `ways_to_remember`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.ways_to_remember import exercises

progress, seed = lesson(
    "ways_to_remember",
    ex_1={"expected": exercises.expected_hessians(), "observe": exercises.differentiate_again},
    ex_2={"expected": exercises.expected_by_hand(), "observe": exercises.sweep_by_hand},
    ex_3={"expected": exercises.expected_cells(), "observe": exercises.sweep_cells},
    ex_4={"make": exercises.count_stored_numbers},
    ex_5={"expected": exercises.tell_what_survives()},
    ex_6={"make": exercises.mix_two_runs},
)
