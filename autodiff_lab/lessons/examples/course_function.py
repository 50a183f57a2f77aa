"""The function that runs through the course: ln x₁ + x₁x₂ − sin x₂."""

from typing import Any

import numpy as np


def f(x1: Any, x2: Any) -> Any:
    """The course's function ln x₁ + x₁x₂ − sin x₂, mostly at (2, 5)."""
    return np.log(x1) + x1 * x2 - np.sin(x2)
