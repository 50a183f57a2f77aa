"""The exercises of `training_trouble`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.training_trouble import exercises

progress, seed = lesson(
    "training_trouble",
    ex_1={"expected": exercises.expected_doubles(), "observe": exercises.run_double},
)
