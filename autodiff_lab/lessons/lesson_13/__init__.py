"""Exercises of notebook 13, trust, but verify."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_13 import conventions, nans, numerics

progress, seed = lesson("13", "Trust, but verify: checks, kinks, NaNs, custom rules", conventions, nans, numerics)
