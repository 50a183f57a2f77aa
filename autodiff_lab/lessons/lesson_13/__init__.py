"""Exercises of notebook 13, trust, but verify."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_13.conventions import ex_13_5, ex_13_6, ex_13_7
from autodiff_lab.lessons.lesson_13.nans import ex_13_1, ex_13_2
from autodiff_lab.lessons.lesson_13.numerics import ex_13_3, ex_13_4

__all__ = ["ex_13_1", "ex_13_2", "ex_13_3", "ex_13_4", "ex_13_5", "ex_13_6", "ex_13_7", "progress", "seed"]

progress, seed = lesson("13", "Trust, but verify: checks, kinks, NaNs, custom rules")
