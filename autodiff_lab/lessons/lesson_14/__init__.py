"""Exercises of notebook 14, memory, compilation, and the road to real frameworks."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_14.checkpoints import ex_14_1, ex_14_2, ex_14_3
from autodiff_lab.lessons.lesson_14.compilation import ex_14_4, ex_14_5
from autodiff_lab.lessons.lesson_14.frameworks import ex_14_6, ex_14_7, ex_14_8

__all__ = [
    "ex_14_1",
    "ex_14_2",
    "ex_14_3",
    "ex_14_4",
    "ex_14_5",
    "ex_14_6",
    "ex_14_7",
    "ex_14_8",
    "progress",
    "seed",
]

progress, seed = lesson("14", "Memory, compilation, and the road to real frameworks")
