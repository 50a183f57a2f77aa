"""Notebook 07, TensorFlow's two machines: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_07 import sandbox

progress, seed = lesson(
    "07",
    "TensorFlow's two machines",
    ex_07_1={"make": sandbox.ask_for_pending_counts},
    ex_07_2={"expected": sandbox.expected_gradients(), "observe": sandbox.sweep_programs},
    ex_07_3={"expected": sandbox.expected_differences(), "observe": sandbox.subtract},
    ex_07_4={"make": sandbox.fill_truth_table},
    ex_07_5={"observe": sandbox.rewind_tape},
    ex_07_6={"observe": sandbox.read_policies},
    ex_07_7={"expected": sandbox.expected_losses(), "observe": sandbox.run_minimize},
)
