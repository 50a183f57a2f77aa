"""The exercises of `chance`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.chance import exercises
from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson(
    "chance",
    ex_1={"expected": exercises.expected_doubles(), "observe": exercises.run_double},
)
