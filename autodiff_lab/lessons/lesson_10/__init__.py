"""Exercises of notebook 10, derivatives of derivatives."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_10 import curvature, nesting

progress, seed = lesson("10", "Derivatives of derivatives", curvature, nesting)
