"""Exercises of notebook 11, arrays."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_11.matrices import ex_11_4, ex_11_5, ex_11_6, ex_11_7
from autodiff_lab.lessons.lesson_11.shapes import ex_11_1, ex_11_2, ex_11_3

__all__ = ["ex_11_1", "ex_11_2", "ex_11_3", "ex_11_4", "ex_11_5", "ex_11_6", "ex_11_7", "progress", "seed"]

progress, seed = lesson("11", "Arrays: broadcasting and matrix backprop")
