"""The package of notebook 17, linearize, transpose, batch, with the table of its exercises and what each expects."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.linearize import exercises

progress, seed = lesson(
    "17",
    ex_17_1={"expected": exercises.expected_partials(), "observe": exercises.find_partials},
    ex_17_3={"observe": exercises.find_transposes},
    ex_17_4={"observe": exercises.find_batches},
    ex_17_5={"expected": exercises.expected_jacobians(), "observe": exercises.find_jacobians},
    ex_17_6={"observe": exercises.count_from_front},
)
