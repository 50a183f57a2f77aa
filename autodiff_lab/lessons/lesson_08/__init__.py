"""Exercises of notebook 08, control flow."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_08.branches import ex_08_1, ex_08_2
from autodiff_lab.lessons.lesson_08.kinks import ex_08_3, ex_08_4
from autodiff_lab.lessons.lesson_08.loops import ex_08_5
from autodiff_lab.lessons.lesson_08.static_branches import ex_08_6

__all__ = ["ex_08_1", "ex_08_2", "ex_08_3", "ex_08_4", "ex_08_5", "ex_08_6", "progress", "seed"]

progress, seed = lesson("08", "Control flow: you differentiate what ran")
