"""Exercises of notebook 01, what it means to differentiate a program."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_01 import methods, step_sizes

progress, seed = lesson("01", "What does it mean to differentiate a program?", methods, step_sizes)
