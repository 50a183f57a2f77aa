"""Notebook 03, the tape line by line: the table of its exercises, what each expects and how it is checked."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_03 import sandbox

progress, seed = lesson(
    "03",
    "The tape, line by line",
    ex_03_1={"observe": sandbox.read_printed_lines},
    ex_03_2={"observe": sandbox.divide},
    ex_03_4={"expected": sandbox.DEAD_ENDS, "observe": sandbox.sweep_past_dead_ends},
    ex_03_5b={"expected": sandbox.IDENTITIES, "observe": sandbox.tell_names_apart},
    ex_03_6={"expected": sandbox.expected_with_numbers(), "observe": sandbox.allow_numbers},
)
