"""Exercises of notebook 09, Jacobians: rows, columns and what they cost."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_09.passes import ex_09_1, ex_09_2, ex_09_3
from autodiff_lab.lessons.lesson_09.sparsity import ex_09_4, ex_09_5, ex_09_6

__all__ = ["ex_09_1", "ex_09_2", "ex_09_3", "ex_09_4", "ex_09_5", "ex_09_6", "progress", "seed"]

progress, seed = lesson("09", "Jacobians: rows, columns and what they cost")
