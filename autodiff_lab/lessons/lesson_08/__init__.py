"""Exercises of notebook 08, control flow."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_08 import branches, kinks, loops, static_branches

progress, seed = lesson("08", "Control flow: you differentiate what ran", branches, kinks, loops, static_branches)
