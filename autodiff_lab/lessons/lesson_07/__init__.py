"""Exercises of notebook 07, TensorFlow's two machines."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_07 import eager_mode, graph_mode, sandbox, variants

progress, seed = lesson(
    "07",
    "TensorFlow's two machines",
    ex_07_1={"make": variants.pending_instance},
    ex_07_2={"expected": sandbox.expected_gradients(), "observe": sandbox.sweep_programs},
    ex_07_3={"expected": graph_mode._RIGHT, "observe": sandbox.subtract},
    ex_07_4={"make": variants.table_instance},
    ex_07_5={
        "expected": {eager_mode._TWICE: (4.0, 6.0), eager_mode._AFTERWARDS: "ReleasedError"},
        "observe": sandbox.rewind_tape,
    },
    ex_07_6={"expected": eager_mode.NONE_OR_ZERO, "observe": eager_mode.read_policies},
    ex_07_7={
        "expected": {sandbox.WHERE: 4.6}
        | eager_mode._shrinking(0.64)
        | {sandbox.BESIDE: 1.0, sandbox.AT_ONCE: (4.0, 9.5)},
        "observe": sandbox.run_minimize,
    },
)
