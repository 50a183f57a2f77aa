"""The exercises of notebook 07 about the loop over a graph: counts, the sweep, a registered gradient."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_07.sandbox import expected_differences

# 1. pending counts


# 2. the loop


# 3. a registered gradient


_RIGHT = expected_differences()
