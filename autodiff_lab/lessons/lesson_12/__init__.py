"""Exercises of notebook 12, learning from scratch."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_12 import loss, updates

progress, seed = lesson("12", "Learning from scratch: iris softmax, then an MLP", loss, updates)
