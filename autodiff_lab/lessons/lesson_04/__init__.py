"""Exercises of notebook 04, the adjoint flow."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_04 import adjoints, orders

progress, seed = lesson("04", "The adjoint flow: fan-out, order, DAG vs tape", adjoints, orders)
