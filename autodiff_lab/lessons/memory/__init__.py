"""The exercises of `memory`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.memory import exercises

progress, seed = lesson(
    "memory",
    ex_1={"expected": exercises.expected_segments(), "observe": exercises.reverse_in_segments},
    ex_2={"expected": exercises.expected_prices(), "observe": exercises.find_prices},
    ex_3={"expected": exercises.expected_plans(), "observe": exercises.follow_plans},
)
