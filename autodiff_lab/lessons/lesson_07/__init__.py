"""Exercises of notebook 07, TensorFlow's two machines."""

from __future__ import annotations

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.lesson_07 import eager_mode, graph_mode

progress, seed = lesson("07", "TensorFlow's two machines", eager_mode, graph_mode)
