"""The exercises of `dag_or_tape`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.dag_or_tape import exercises

progress, seed = lesson(
    "dag_or_tape",
    ex_1={
        "expected": dict.fromkeys(exercises.ORDERS, exercises.GOOD),
        "observe": exercises.order_programs,
    },
    ex_2={"make": exercises.count_over_tape},
    ex_3={"make": exercises.use_operand_twice},
    ex_4={"make": exercises.call_backward_thrice},
)
