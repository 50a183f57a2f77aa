"""Exercises of notebook 01, what it means to differentiate a program."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_01.methods import ex_01_4, ex_01_5
from autodiff_lab.lessons.lesson_01.step_sizes import ex_01_1, ex_01_2, ex_01_3

__all__ = ["ex_01_1", "ex_01_2", "ex_01_3", "ex_01_4", "ex_01_5", "progress", "seed"]

progress, seed = lesson("01", "What does it mean to differentiate a program?")
