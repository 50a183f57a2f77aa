"""The package of notebook 07, TensorFlow's two machines, with the table of its exercises and what each expects."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.tensorflow import exercises

progress, seed = lesson(
    "07",
    ex_07_1={"make": exercises.ask_for_pending_counts},
    ex_07_2={"expected": exercises.expected_gradients(), "observe": exercises.sweep_programs},
    ex_07_3={"expected": exercises.expected_differences(), "observe": exercises.subtract},
    ex_07_4={"make": exercises.fill_truth_table},
    ex_07_5={"observe": exercises.rewind_tape},
    ex_07_6={"observe": exercises.read_policies},
    ex_07_7={"expected": exercises.expected_losses(), "observe": exercises.run_minimize},
)
