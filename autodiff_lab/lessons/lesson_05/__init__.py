"""Exercises of notebook 05, three ways to remember."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_05.cells import ex_05_1, ex_05_2
from autodiff_lab.lessons.lesson_05.designs import ex_05_3, ex_05_4, ex_05_5, ex_05_6

__all__ = ["ex_05_1", "ex_05_2", "ex_05_3", "ex_05_4", "ex_05_5", "ex_05_6", "progress", "seed"]

progress, seed = lesson("05", "Three ways to remember: partials, closures, replay")
