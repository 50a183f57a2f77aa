"""The exercises of notebook 15 about programs: a tape written down as Python, and a guard that notices another way."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_15.sandbox import PROGRAMS

COURSE, SQUARE, TAN, _, ALONE, UNUSED = PROGRAMS

# 1. compile a tape


# 2. a guard
