"""Exercises of notebook 03, the tape line by line."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_03 import lines, repairs

progress, seed = lesson("03", "The tape, line by line", lines, repairs)
