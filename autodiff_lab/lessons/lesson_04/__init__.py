"""Notebook 04, the adjoint flow: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_04 import sandbox

progress, seed = lesson(
    "04",
    "The adjoint flow: fan-out, order, DAG vs tape",
    ex_04_1={"make": sandbox.count_calls_and_cells},
    ex_04_2={"make": sandbox.annotate_graph},
    ex_04_3={"expected": sandbox.expected_slopes(), "observe": sandbox.sweep_programs},
    ex_04_4={"make": sandbox.sweep_by_hand},
    ex_04_5={"make": sandbox.sum_over_operations},
    ex_04_6={"observe": sandbox.read_orders},
    ex_04_7={"expected": dict.fromkeys(sandbox.ORDERS, sandbox.GOOD), "observe": sandbox.order_programs},
    ex_04_8={"make": sandbox.use_operand_twice},
    ex_04_9={"make": sandbox.call_backward_thrice},
)
