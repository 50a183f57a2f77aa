"""The package of notebook 17, linearize, transpose, batch, with the table of its exercises and what each expects."""

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
