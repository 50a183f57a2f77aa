"""The exercises of `jacobians`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.jacobians import exercises

progress, seed = lesson(
    "jacobians",
    ex_1={"make": exercises.choose_modes},
    ex_2={"expected": exercises.expected_jacobians(), "observe": exercises.find_jacobians},
    ex_3={"make": exercises.sum_rows},
    ex_4={"expected": exercises.expected_compressed(), "observe": exercises.compress_jacobian},
    ex_5={"make": exercises.differentiate_square},
    ex_6={"make": exercises.count_multiplications},
)
