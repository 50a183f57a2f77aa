"""Exercises of notebook 08, control flow."""

from __future__ import annotations

from autodiff_lab.lessons.checks import in_small_letters
from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_08 import branches, kinks, loops, static_branches

progress, seed = lesson(
    "08",
    "Control flow: you differentiate what ran",
    ex_08_1={"make": branches.two_tapes},
    ex_08_2={"observe": lambda answer: in_small_letters(answer, *"abcd"), "make": branches.at_a_switch},
    ex_08_3={"expected": kinks.expected_ratio(), "observe": kinks.run_ratio},
    ex_08_4={"make": kinks.at_the_kink},
    ex_08_5={"expected": loops.expected_roots(), "observe": loops.find_roots},
    ex_08_6={"expected": static_branches.expected_branches(), "observe": static_branches.run_branches},
)
