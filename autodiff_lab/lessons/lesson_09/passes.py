"""The exercises of notebook 09 about passes: how many, one matrix in two ways, and what a seed of ones gives."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_09 import sandbox

# 1. the cheaper mode


# 2. the whole matrix


_EXPECTED = sandbox.expected_jacobians()


# 3. a seed of ones
