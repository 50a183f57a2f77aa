"""The exercises of `own_model`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.own_model import exercises

progress, seed = lesson(
    "own_model",
    ex_1={"observe": exercises.read_lost},
    ex_3={"expected": exercises.expected_spreads(), "observe": exercises.run_spreads},
    ex_4={
        "expected": exercises.expected_residual_adjoints(),
        "observe": exercises.run_residual_adjoints,
    },
)
