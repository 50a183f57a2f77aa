"""Exercises of notebook 02, dual numbers."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_02 import arithmetic, passes

progress, seed = lesson("02", "Dual numbers: arithmetic that carries a slope", arithmetic, passes)
