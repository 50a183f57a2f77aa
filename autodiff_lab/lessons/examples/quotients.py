"""Difference quotients: three ways to measure a slope with a small step h, by name."""

from collections.abc import Callable
from typing import Any

import numpy as np

# Called with a function, the point x, and the step h.
Quotient = Callable[[Callable[[Any], Any], Any, Any], Any]

QUOTIENTS: dict[str, Quotient] = {
    "forward": lambda f, x, h: (f(x + h) - f(x)) / h,
    "central": lambda f, x, h: (f(x + h) - f(x - h)) / (2 * h),
    "complex": lambda f, x, h: np.imag(f(x + 1j * h)) / h,
}
