"""Notebook 12, learning from scratch: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_12 import sandbox

progress, seed = lesson(
    "12",
    "Learning from scratch: iris softmax, then an MLP",
    ex_12_1={"expected": sandbox.expected_score_gradients(), "observe": sandbox.find_score_gradients},
    ex_12_2={"make": sandbox.train_softmax},
    ex_12_3a={"expected": sandbox.expected_comparison(), "observe": sandbox.compare_claims},
    ex_12_3b={"observe": sandbox.read_pair},
    ex_12_4={"observe": sandbox.read_pair, "make": sandbox.overshoot_minimum},
    ex_12_5={"expected": sandbox.run_updates(sandbox.update_leaves), "observe": sandbox.run_updates},
    ex_12_6={"expected": sandbox.expected_w2_gradients(), "observe": sandbox.find_w2_gradients},
    ex_12_7={"make": sandbox.take_first_step},
)
