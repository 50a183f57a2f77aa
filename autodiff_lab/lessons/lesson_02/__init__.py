"""Exercises of notebook 02, dual numbers."""

from __future__ import annotations

from autodiff_lab.lessons.checks import in_small_letters
from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_02 import passes, sandbox

progress, seed = lesson(
    "02",
    "Dual numbers: arithmetic that carries a slope",
    ex_02_1={"expected": sandbox.expected_arithmetic(), "observe": sandbox.run_arithmetic},
    ex_02_2={"expected": sandbox.expected_functions(), "observe": sandbox.run_functions},
    ex_02_3={"make": passes._trace},
    ex_02_4={"make": passes._steepest},
    ex_02_5={"make": passes._passes},
    ex_02_6={"observe": lambda answer: in_small_letters(answer, *"abcd"), "make": passes._square},
)
