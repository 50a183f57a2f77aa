"""The exercises of `learning`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.learning import exercises

progress, seed = lesson(
    "learning",
    ex_1={
        "expected": exercises.expected_score_gradients(),
        "observe": exercises.find_score_gradients,
    },
    ex_2={"make": exercises.train_softmax},
    ex_3a={"expected": exercises.expected_comparison(), "observe": exercises.compare_claims},
    ex_3b={"observe": exercises.read_pair},
    ex_4={
        "expected": exercises.run_updates(exercises.update_leaves),
        "observe": exercises.run_updates,
    },
    ex_5={"expected": exercises.expected_w2_gradients(), "observe": exercises.find_w2_gradients},
)
