"""The exercises of notebook 10 about nesting: Hessian times vector in three ways, marks that merge, and tags."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_10 import sandbox
from autodiff_lab.lessons.lesson_10.sandbox import NESTED

# 1. Hessian times vector, three ways

_RIGHT = sandbox.expected_products()


# 2. marks that merge


# 3. tags


_SUM, _PRODUCT, *_, _ALONE, _OUTSIDE, _, _, _ = NESTED
