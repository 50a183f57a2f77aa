"""Exercises of notebook 09, Jacobians: rows, columns and what they cost."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_09 import passes, sparsity

progress, seed = lesson("09", "Jacobians: rows, columns and what they cost", passes, sparsity)
