"""Exercises of notebook 16, differentiate the solution, not the solver."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_16 import best_fits, solutions

progress, seed = lesson("16", "Differentiate the solution, not the solver", solutions, best_fits)
