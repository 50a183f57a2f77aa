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
    wrong = {
        (PRINTED, True): "That is what the document prints. What does your own `run` give?",
        (value, True): "Your number is right. Now compare it with the printed one: they are two numbers, and a "
        "function has one value at a point.",
        (a * b + math.log10(a + b), False): "You took the logarithm to the base 10. In this course, and in NumPy, log "
        "is the natural one.",
        (a * b + math.log(a) + math.log(b), False): "You took the logarithms one by one. The logarithm of a sum is "
        "not the sum of the logarithms.",
        (slope, False): "That is the derivative with respect to a. Asked for is the value.",
    }
    return Instance(right, wrong)


# 3. a batch


# 4. the Jacobian of any node


INTERIOR, TWO_OUTPUTS, _, APART = sandbox.expected_jacobians()
