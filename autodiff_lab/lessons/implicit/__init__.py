"""The exercises of `implicit`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.implicit import exercises

progress, seed = lesson(
    "implicit",
    ex_1={"expected": exercises.expected_slopes(), "observe": exercises.slope_roots},
    ex_2={"expected": exercises.expected_tangents(), "observe": exercises.push_solutions},
    ex_3={"expected": exercises.expected_rule(), "observe": exercises.use_rule},
    ex_4={"make": exercises.count_turns},
    ex_5={"expected": exercises.expected_fits(), "observe": exercises.slope_fits},
    ex_6={"expected": exercises.expected_shares(), "observe": exercises.slope_shares},
    ex_7={"expected": exercises.expected_adjoints(), "observe": exercises.settle_adjoints},
)
