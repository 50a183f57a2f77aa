"""The exercises of `chance`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.chance import exercises
from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson(
    "chance",
    ex_1={"expected": exercises.expected_averages(), "observe": exercises.run_averages},
    ex_2={"expected": exercises.expected_scores(), "observe": exercises.run_scores},
    ex_3={"expected": exercises.expected_paths(), "observe": exercises.run_paths},
    ex_4={"expected": exercises.expected_advantages(), "observe": exercises.run_advantages},
    ex_5={"expected": exercises.expected_surrogates(), "observe": exercises.run_surrogates},
)
