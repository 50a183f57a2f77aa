"""Exercises of notebook 14, memory, compilation, and the road to real frameworks."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_14 import checkpoints, compilation, frameworks

progress, seed = lesson(
    "14", "Memory, compilation, and the road to real frameworks", checkpoints, compilation, frameworks
)
