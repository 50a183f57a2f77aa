"""The exercises of `adjoint_flow`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.adjoint_flow import exercises
from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson(
    "adjoint_flow",
    ex_1={"make": exercises.count_calls_and_cells},
    ex_2={"make": exercises.annotate_graph},
    ex_3={"expected": exercises.expected_slopes(), "observe": exercises.sweep_programs},
    ex_4={"make": exercises.sweep_by_hand},
    ex_5={"make": exercises.sum_over_operations},
    ex_6={"observe": exercises.read_orders},
)
