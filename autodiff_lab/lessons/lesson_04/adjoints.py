"""The exercises of notebook 04 about adjoints: what all the paths cost, and what a cell gets from its consumers."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_04.sandbox import expected_slopes

# 1. paths and cells


# 2. one graph, annotated twice


# 3. the sweep over consumers


OLAH, *_, TWICE, MANY = expected_slopes()


# 4. seven adjoints


# 5. which sum
