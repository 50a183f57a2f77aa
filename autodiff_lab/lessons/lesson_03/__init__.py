"""Exercises of notebook 03, the tape line by line."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_03 import lines, repairs, sandbox

progress, seed = lesson(
    "03",
    "The tape, line by line",
    ex_03_1={"expected": lines.SEVEN_LINES, "observe": lines.read_printed_lines},
    ex_03_2={"observe": sandbox.divide},
    ex_03_4={
        "expected": {
            "an operation that is not used": repairs.GRADIENT,
            "grad called twice": (repairs.GRADIENT, repairs.GRADIENT),
        },
        "observe": sandbox.sweep_past_dead_ends,
    },
    ex_03_5a={"expected": repairs.COLLISION},
    ex_03_5b={
        "expected": {
            "inputs named v1 and v2": repairs.GRADIENT,
            "two inputs of the same value": (2.5, 2.0 - math.cos(2.0)),
            repairs.SAME_BOTH: (2.0, 1.0),
            "the record keeps its values": True,
        },
        "observe": sandbox.tell_names_apart,
    },
    ex_03_6={
        "expected": {
            "x * 3": (4.5, 3.0),
            "3 * x": (4.5, 3.0),
            "2 - x": (0.5, -1.0),
            "3 / x": (2.0, -4 / 3),
            "x - 2": (-0.5, 1.0),
            "x * x": (2.25, 3.0),
        },
        "observe": lambda allow_constants: sandbox.allow_numbers(allow_constants, lines.division()),
    },
)
