"""The exercises of `tensorflow`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.tensorflow import exercises

progress, seed = lesson(
    "tensorflow",
    ex_1={"make": exercises.ask_for_pending_counts},
    ex_2={"expected": exercises.expected_gradients(), "observe": exercises.sweep_programs},
    ex_3={"expected": exercises.expected_differences(), "observe": exercises.subtract},
    ex_4={"make": exercises.fill_truth_table},
    ex_5={"observe": exercises.rewind_tape},
    ex_6={"expected": exercises.expected_losses(), "observe": exercises.run_minimize},
    ex_7={"observe": exercises.read_policies},
)
