"""Exercises of notebook 06, static graphs."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_06.runs import ex_06_1, ex_06_2, ex_06_3, ex_06_4
from autodiff_lab.lessons.lesson_06.sums import ex_06_5a, ex_06_5b, ex_06_6, ex_06_7

__all__ = ["ex_06_1", "ex_06_2", "ex_06_3", "ex_06_4", "ex_06_5a", "ex_06_5b", "ex_06_6", "ex_06_7", "progress", "seed"]

progress, seed = lesson("06", "Static graphs: build first, feed later")
