"""The exercises of `time`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.time import exercises

progress, seed = lesson(
    "time",
    ex_1={"expected": exercises.expected_doubles(), "observe": exercises.run_double},
)
