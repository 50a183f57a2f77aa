"""The exercises of notebook 17 on one example: partials, the lines of a linear program, transposes."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_17 import sandbox

# 1. local partials


_RIGHT = sandbox.expected_partials()


# 2. what is left


# 3. transposes
