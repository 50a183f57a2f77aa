"""The exercises of `linearize`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.linearize import exercises

progress, seed = lesson(
    "linearize",
    ex_1={"expected": exercises.expected_partials(), "observe": exercises.find_partials},
    ex_3={"observe": exercises.find_transposes},
    ex_4={"observe": exercises.find_batches},
    ex_5={"expected": exercises.expected_jacobians(), "observe": exercises.find_jacobians},
    ex_6={"observe": exercises.count_from_front},
)
