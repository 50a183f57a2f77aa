"""Exercises of notebook 11, arrays."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_11 import matrices, shapes

progress, seed = lesson("11", "Arrays: broadcasting and matrix backprop", matrices, shapes)
