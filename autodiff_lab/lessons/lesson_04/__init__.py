"""Exercises of notebook 04, the adjoint flow."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_04.adjoints import ex_04_1, ex_04_2, ex_04_3, ex_04_4, ex_04_5
from autodiff_lab.lessons.lesson_04.orders import ex_04_6, ex_04_7, ex_04_8, ex_04_9

__all__ = [
    "ex_04_1",
    "ex_04_2",
    "ex_04_3",
    "ex_04_4",
    "ex_04_5",
    "ex_04_6",
    "ex_04_7",
    "ex_04_8",
    "ex_04_9",
    "progress",
    "seed",
]

progress, seed = lesson("04", "The adjoint flow: fan-out, order, DAG vs tape")
