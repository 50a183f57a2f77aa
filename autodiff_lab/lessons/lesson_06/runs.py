"""The exercises of notebook 06 about building, running and sweeping a graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_06 import sandbox
from autodiff_lab.transforms.gradients import grad

# 1. the loop that runs a graph


SQUARE, WITH_CONSTANT, ONE_OPERAND, FAN, *_ = sandbox.expected_runs()


# 2. the first example of the document

PRINTED = 46.63906


def _product_and_log(a: Any, b: Any) -> Any:
    return a * b + np.log(a + b)


def _example(a: float = 10.0, b: float = 4.0) -> Instance:
    value = float(_product_and_log(a, b))
    right = (value, math.isclose(value, PRINTED, rel_tol=1e-6))
    slope = float(grad(_product_and_log)(a, b))
    mistakes = {
        "printed": (PRINTED, True),
        "said to agree": (value, True),
        "base 10": (a * b + math.log10(a + b), False),
        "logarithms one by one": (a * b + math.log(a) + math.log(b), False),
        "slope": (slope, False),
    }
    return Instance(right, mistakes=mistakes)


# 3. a batch


# 4. the Jacobian of any node


INTERIOR, TWO_OUTPUTS, _, APART = sandbox.expected_jacobians()
