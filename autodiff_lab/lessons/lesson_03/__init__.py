"""Exercises of notebook 03, the tape line by line."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_03.lines import ex_03_1, ex_03_2, ex_03_3
from autodiff_lab.lessons.lesson_03.repairs import ex_03_4, ex_03_5a, ex_03_5b, ex_03_6

__all__ = ["ex_03_1", "ex_03_2", "ex_03_3", "ex_03_4", "ex_03_5a", "ex_03_5b", "ex_03_6", "progress", "seed"]

progress, seed = lesson("03", "The tape, line by line")
