"""Exercises of notebook 07, TensorFlow's two machines."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_07.eager_mode import ex_07_4, ex_07_5, ex_07_6, ex_07_7
from autodiff_lab.lessons.lesson_07.graph_mode import ex_07_1, ex_07_2, ex_07_3

__all__ = ["ex_07_1", "ex_07_2", "ex_07_3", "ex_07_4", "ex_07_5", "ex_07_6", "ex_07_7", "progress", "seed"]

progress, seed = lesson("07", "TensorFlow's two machines")
