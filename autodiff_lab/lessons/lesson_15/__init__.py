"""Exercises of notebook 15, compilation, and the road to real frameworks."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_15 import compilation, frameworks

progress, seed = lesson("15", "Compilation, and the road to real frameworks", compilation, frameworks)
