"""Exercises of notebook 07, TensorFlow's two machines."""

from __future__ import annotations

from autodiff_lab.lessons.course import lesson
from autodiff_lab.lessons.machines_loop import ex_07_1, ex_07_2, ex_07_3
from autodiff_lab.lessons.machines_tape import ex_07_4, ex_07_5, ex_07_6, ex_07_7

__all__ = ["ex_07_1", "ex_07_2", "ex_07_3", "ex_07_4", "ex_07_5", "ex_07_6", "ex_07_7", "progress", "seed"]

progress, seed = lesson("07", "TensorFlow's two machines")
