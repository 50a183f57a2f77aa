"""The exercises of `verification`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.verification import exercises

progress, seed = lesson(
    "verification",
    ex_1={
        "observe": exercises.read_birthplace,
        "make": exercises.find_birthplace,
        "draws": exercises.DRAWS,
    },
    ex_2=exercises.compare_with(exercises.log_or_zero, exercises.SHIELDED),
    ex_3=exercises.compare_with(exercises.softplus, exercises.STABLE)
    | {"observe": exercises.compare_stable},
    ex_4=exercises.compare_with(exercises.half_of_sinc_squared, exercises.CANCELLING),
    ex_5={"expected": exercises.expected_shares(), "observe": exercises.judge_shares},
    ex_6={"make": exercises.differentiate_clip},
    ex_7=exercises.compare_with(exercises.limit_adjoint, exercises.LIMITED),
)
