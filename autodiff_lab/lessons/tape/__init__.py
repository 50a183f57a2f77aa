"""The exercises of `tape`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.tape import exercises

progress, seed = lesson(
    "tape",
    ex_1={"expected": exercises.SLOPES, "observe": exercises.sweep_programs},
    ex_2={"make": exercises.count_sweeps},
    ex_3={"expected": exercises.expected_operations(), "observe": exercises.run_operations},
    ex_4={"expected": exercises.expected_descents(), "observe": exercises.run_descents},
)
