"""Exercises of notebook 17, linearize, transpose, batch."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_17 import batches, rules

progress, seed = lesson("17", "Linearize, transpose, batch", rules, batches)
