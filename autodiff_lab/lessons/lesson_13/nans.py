"""The exercises of notebook 13 about NaNs: where one is born, and how to keep it from being born."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_13.sandbox import SHIELDED

# 1. where it is born


# 2. two wheres


TWO, ZERO, _, TINY, ARRAY = SHIELDED
