"""Three exercises of notebook 12 with numbers of one's own; right and wrong ones are computed by training."""

import numpy as np

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_12.sandbox import iris_run, sharpness
from autodiff_lab.optimize import Adam


def train_softmax(rate: float = 0.1, epoch: int = 10) -> Instance:
    """The loss at an epoch: after as many updates."""
    run = iris_run(rate, epoch + 2)
    right = run[epoch].loss
    kept = iris_run(rate, epoch + 1, clear=False)[epoch].loss
    mistakes = {
        "one update missing": run[epoch - 1].loss,
        "one update too many": run[epoch + 1].loss,
        "no update": run[0].loss,
        "gradients kept": kept,
        "sum over the flowers": 112 * right,
    }
    return Instance(right, mistakes=mistakes)


def overshoot_minimum(rate: float = 0.2) -> Instance:
    """By how much one step multiplies the distance along the steepest direction, and what follows."""
    run = iris_run(0.1, 161)
    first, before, bend = (sharpness(run[epoch].parameters) for epoch in (0, 159, 160))
    right = 1 - rate * bend
    mistakes = {
        "what is taken away": (rate * bend, "b"),
        "sign": (1 + rate * bend, "b"),
        "size only": (abs(right), "b"),
        "wrong gradient": (right, "a"),
        "more epochs": (right, "c"),
        "rounding": (right, "d"),
        "rate of the text": (1 - 0.1 * bend, "b"),
        "first λ": (1 - rate * first, "b"),
        "λ before": (1 - rate * before, "b"),
    }
    return Instance((right, "b"), mistakes=mistakes, reference=f'answer = (1 - {rate} * {bend!r}, "b")')


def take_first_step(rate: float = 0.05, gradient: float = 0.001) -> Instance:
    """How far Adam's first step goes."""
    moved = -float(Adam(rate).update(0.0, gradient))
    uncorrected = rate * 0.1 * gradient / (np.sqrt(0.001 * gradient**2) + 1e-8)
    mistakes = {
        "gradient descent": rate * gradient,
        "m as it is": 0.1 * rate,
        "m and v as they are": float(uncorrected),
        "sign": -moved,
    }
    if gradient < 0.01:  # where ε is seen in the fourth digit
        mistakes["m and v without ε"] = rate * 0.1 / np.sqrt(0.001)
    return Instance(moved, mistakes=mistakes)
