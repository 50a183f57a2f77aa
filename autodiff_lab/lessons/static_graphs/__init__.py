"""The exercises of `static_graphs`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.static_graphs import exercises

progress, seed = lesson(
    "static_graphs",
    ex_1={"expected": exercises.expected_runs(), "observe": exercises.run_programs},
    ex_2={"make": exercises.evaluate_first_example},
    ex_3={"expected": exercises.expected_batch(), "observe": exercises.feed_batch},
    ex_4={"expected": exercises.expected_jacobians(), "observe": exercises.find_jacobians},
    ex_5a={"make": exercises.alias_sum},
    ex_5b={"expected": exercises.expected_sums(), "observe": exercises.sum_flat},
    ex_6={"expected": exercises.expected_counts(), "observe": exercises.count_terms},
    ex_7={"expected": exercises.expected_partials(), "observe": exercises.find_partials},
)
