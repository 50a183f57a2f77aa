"""Exercises of notebook 01, what it means to differentiate a program."""

from __future__ import annotations

import numpy as np

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_01 import methods, step_sizes
from autodiff_lab.transforms.gradients import grad

progress, seed = lesson(
    "01",
    "What does it mean to differentiate a program?",
    ex_01_2={"observe": step_sizes.judge_steps},
    ex_01_3={"observe": step_sizes.read_number_and_word},
    ex_01_4={
        "expected": {
            methods._AT_A_HALF: ((2 + 0.5j) ** 3).imag / 0.5,
            "the derivative with respect to x2 at 5": step_sizes.SLOPE,
            "sin at 1": grad(np.sin)(1.0),
            "the operation that breaks it": methods.CULPRIT,
        },
        "observe": methods.try_complex_step,
    },
    ex_01_5={"observe": methods.compare_three_ways, "make": methods._three_ways},
)
