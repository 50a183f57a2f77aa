"""Exercises of notebook 17, linearize, transpose, batch."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_17 import batches, rules, sandbox

progress, seed = lesson(
    "17",
    "Linearize, transpose, batch",
    ex_17_1={"expected": rules._RIGHT, "observe": sandbox.find_partials},
    ex_17_3={"expected": sandbox.expected_transposes(), "observe": sandbox.find_transposes},
    ex_17_4={"expected": sandbox.expected_batches(), "observe": sandbox.find_batches},
    ex_17_5={"expected": sandbox.expected_jacobians(), "observe": sandbox.find_jacobians},
    ex_17_6={"expected": (None, 1, 0), "observe": batches._from_the_front},
)
