"""The exercises of `arrays`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.arrays import exercises
from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson(
    "arrays",
    ex_1={
        "expected": exercises.sum_back_shapes(exercises.sum_back),
        "observe": exercises.sum_back_shapes,
    },
    ex_2={"make": exercises.differentiate_mean_and_variance},
    ex_3={"make": exercises.differentiate_gather},
    ex_4={"expected": exercises.expected_products(), "observe": exercises.multiply_matrices},
    ex_5={"make": exercises.differentiate_trace},
    ex_6={"expected": exercises.expected_inverses(), "observe": exercises.invert_matrices},
    ex_7={"make": exercises.count_lines},
    ex_8={
        "expected": exercises.pull_heads(exercises.pull_attention),
        "observe": exercises.pull_heads,
    },
)
