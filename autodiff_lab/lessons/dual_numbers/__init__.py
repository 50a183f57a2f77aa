"""The exercises of `dual_numbers`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.dual_numbers import exercises

progress, seed = lesson(
    "dual_numbers",
    ex_1={"expected": exercises.expected_arithmetic(), "observe": exercises.run_arithmetic},
    ex_2={"expected": exercises.expected_functions(), "observe": exercises.run_functions},
    ex_3={"make": exercises.trace_forward},
    ex_4={"observe": exercises.read_direction, "make": exercises.find_steepest_direction},
    ex_5={"make": exercises.count_passes},
    ex_6={"make": exercises.square_dual},
)
