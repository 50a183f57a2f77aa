"""Exercises of notebook 12, learning from scratch."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_12.loss import ex_12_1, ex_12_2, ex_12_3a, ex_12_3b, ex_12_4
from autodiff_lab.lessons.lesson_12.updates import ex_12_5, ex_12_6, ex_12_7

__all__ = ["ex_12_1", "ex_12_2", "ex_12_3a", "ex_12_3b", "ex_12_4"]
__all__ += ["ex_12_5", "ex_12_6", "ex_12_7", "progress", "seed"]

progress, seed = lesson("12", "Learning from scratch: iris softmax, then an MLP")
