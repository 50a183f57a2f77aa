"""Exercises of notebook 10, derivatives of derivatives."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_10.curvature import ex_10_4, ex_10_5, ex_10_6
from autodiff_lab.lessons.lesson_10.nesting import ex_10_1, ex_10_2, ex_10_3

__all__ = ["ex_10_1", "ex_10_2", "ex_10_3", "ex_10_4", "ex_10_5", "ex_10_6", "progress", "seed"]

progress, seed = lesson("10", "Derivatives of derivatives")
