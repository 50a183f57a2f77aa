"""The exercises of `own_model`, which don't need PyTorch: lost gradients, initial weights, and a residual block."""

from typing import Any

import numpy as np

from autodiff_lab import vjp
from autodiff_lab.lessons.checks import Refused, plain, run_cases
from autodiff_lab.lessons.checks.compare import in_small_letters

# 1. Lost gradients

LAYERS = ("enter", "old", "side", "gate", "spare", "leave")
LOST = {"old", "side", "gate", "spare"}


def read_lost(answer: Any) -> Any:
    """Exercise 1: the layers that the learner names, and how many of them are wrong and how many are missing."""
    found = in_small_letters(sorted(answer) if isinstance(answer, set) else answer, *LAYERS)
    if isinstance(found, Refused):
        return found
    given = set(found) if isinstance(found, tuple) else {found}
    return {
        "named, but they have gradients": len(given - LOST),
        "without gradients, but not named": len(LOST - given),
        "your layers": tuple(sorted(given)),
    }


# 3. The size of a start

STARTS = {
    "64 units, factor 1": (64, 1.0),
    "100 units, factor 1": (100, 1.0),
    "64 units, factor 0.5": (64, 0.5),
}


def expected_spreads() -> dict[str, float]:
    """Exercise 3: the spread of random weights by which a layer scales an adjoint with each of these factors."""
    return {case: factor / width**0.5 for case, (width, factor) in STARTS.items()}


def run_spreads(spread: Any) -> Any:
    """Exercise 3: the same spreads by the learner's `spread`."""
    return run_cases(
        lambda names, width, factor: spread(width, factor), STARTS, spread, listing=("np",)
    )


# 4. A residual block

BLOCKS = {
    "two units": (
        np.array([0.5, -1.0]),
        np.array([[1.0, 2.0], [-0.5, 0.3]]),
        np.array([1.0, 2.0]),
    ),
    "weights 0": (np.array([0.5, -1.0]), np.zeros((2, 2)), np.array([1.0, 2.0])),
}


def residual(h: Any, weights: Any) -> Any:
    """A residual block: its input plus a tanh layer of its input."""
    return h + np.tanh(h @ weights)


def expected_residual_adjoints() -> dict[str, Any]:
    """Exercise 4: the adjoints of the blocks' inputs, by the engine."""
    found = {}
    for case, (h, weights, adjoint) in BLOCKS.items():
        _, pullback = vjp(lambda h, weights=weights: residual(h, weights), h)
        found[case] = plain(pullback(adjoint)[0])
    return found


def run_residual_adjoints(residual_back: Any) -> Any:
    """Exercise 4: the same adjoints by the learner's `residual_back`."""

    def run(names: dict[str, Any], h: Any, weights: Any, adjoint: Any) -> Any:
        return plain(residual_back(h, weights, adjoint))

    return run_cases(run, BLOCKS, residual_back, listing=("np", "ad"))
