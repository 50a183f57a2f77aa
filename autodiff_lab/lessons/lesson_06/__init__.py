"""Exercises of notebook 06, static graphs."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_06 import runs, sums

progress, seed = lesson("06", "Static graphs: build first, feed later", runs, sums)
