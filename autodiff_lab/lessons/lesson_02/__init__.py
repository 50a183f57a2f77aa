"""Exercises of notebook 02, dual numbers."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_02.arithmetic import ex_02_1, ex_02_2
from autodiff_lab.lessons.lesson_02.passes import ex_02_3, ex_02_4, ex_02_5, ex_02_6

__all__ = ["ex_02_1", "ex_02_2", "ex_02_3", "ex_02_4", "ex_02_5", "ex_02_6", "progress", "seed"]

progress, seed = lesson("02", "Dual numbers: arithmetic that carries a slope")
