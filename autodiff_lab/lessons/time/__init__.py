"""The exercises of `time`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.time import exercises

progress, seed = lesson(
    "time",
    ex_1={"expected": exercises.expected_steps(), "observe": exercises.run_steps},
    ex_2={"expected": exercises.expected_backs(), "observe": exercises.run_backs},
    ex_3={"expected": exercises.expected_rates(), "observe": exercises.run_rates},
    ex_4={"expected": exercises.expected_reaches(), "observe": exercises.run_reaches},
    ex_5={"expected": exercises.expected_segments(), "observe": exercises.run_segments},
)
