"""The exercises of `dag_or_tape`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.dag_or_tape import exercises

progress, seed = lesson(
    "dag_or_tape",
    ex_1={"expected": exercises.expected_doubles(), "observe": exercises.run_double},
)
