"""The exercises of `training_trouble`: initial weights, step sizes, and an optimizer."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import Adam, hessian, load_iris
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    attempt,
    plain,
    run_cases,
    summarize,
    vet_code,
)
from autodiff_lab.lessons.learning.exercises import cross_entropy, iris_run
from autodiff_lab.systems.iris import Parameters


def read_first_loss(classes: int = 10, loss: float = 6.9) -> Instance:
    """Exercise 1: the loss of equal probabilities, and the probability of the true class that a loss corresponds to."""
    fair = math.log(classes)
    given = math.exp(-loss)
    mistakes = {
        "chance": (fair, 1 / classes),
        "one of n": (1 / classes, given),
        "decimal logarithm": (math.log10(classes), given),
        "binary logarithm": (math.log2(classes), given),
        "sign": (-fair, given),
        "inverse": (fair, 1 / given),
        "power of ten": (fair, 10**-loss),
    }
    return Instance((fair, given), mistakes=mistakes)


# Initial weights that keep the spread

LAYERS = {"4 rows": (4, 900), "100 rows": (100, 400)}


def measure_start(initial: Any) -> Any:
    """Exercise 2: the shape and the mean of the learner's weights, and the spread of the sums that they produce."""
    vet_code(initial)
    found: dict[str, Any] = {}
    for case, (rows, columns) in LAYERS.items():
        weights = attempt(initial, rows, columns, np.random.default_rng(5))
        if isinstance(weights, Crashed) or not np.shape(weights):
            return {case: summarize(weights)}
        found[f"the shape, {case}"] = plain(np.shape(weights))
        if np.shape(weights) != (rows, columns):
            return found
        measured = _describe_weights(np.asarray(weights, float))
        found |= {f"{name}, {case}": value for name, value in measured.items()}
    return found


def _describe_weights(weights: np.ndarray) -> dict[str, Any]:
    rows, _ = weights.shape
    x = np.random.default_rng(8).normal(size=(400, rows))
    x /= np.sqrt(np.mean(x**2, axis=0))
    centred = abs(np.mean(weights)) <= 0.1 * np.std(weights)
    alike = np.array_equal(weights[:, 0], weights[:, 1])
    return {
        "spread of the sums": _round_spread(float(np.sqrt(np.mean((x @ weights) ** 2)))),
        "mean of the weights": "near 0" if centred else "not near 0",
        "two units": "alike" if alike else "different",
    }


def _round_spread(spread: float) -> float:
    """Round a measured spread so that random variation disappears: 0.93 to 1.07 becomes 1.

    >>> [_round_spread(spread) for spread in (0.97, 1.41, 2.03, 0.102, 0.0)]
    [1.0, 1.4, 2.0, 0.1, 0.0]
    """
    if abs(spread - 1) < 0.07:
        return 1.0
    digits = 2 if 0.9 < spread < 1.6 else 1
    return float(f"{spread:.{digits}g}")


def expected_start() -> dict[str, Any]:
    """Exercise 2: the same measurements for weights that keep the spread."""
    expected: dict[str, Any] = {}
    for case, shape in LAYERS.items():
        expected[f"the shape, {case}"] = plain(shape)
        expected[f"spread of the sums, {case}"] = 1.0
        expected[f"mean of the weights, {case}"] = "near 0"
        expected[f"two units, {case}"] = "different"
    return expected


# Update to weight

UPDATES = {
    "one weight": (np.array([[4.0]]), np.array([[-2.0]]), 0.1),
    "a matrix": (np.array([[3.0, 0.0], [0.0, -4.0]]), np.array([[1.0, 2.0], [2.0, -4.0]]), 0.2),
    "a vector": (np.array([1.0, -2.0, 2.0]), np.array([0.0, 30.0, 40.0]), 0.01),
}


def find_update_ratios(update_ratio: Callable[..., Any]) -> Any:
    """Exercise 3: the ratios of updates to weights by the learner's function."""

    def run(names: dict[str, Any], weights: Any, gradient: Any, rate: float) -> Any:
        return update_ratio(weights.copy(), gradient.copy(), rate)

    return run_cases(run, UPDATES, update_ratio)


def expected_update_ratios() -> dict[str, float]:
    """Exercise 3: the lengths of some updates, divided by the lengths of the weights."""
    return {
        case: float(rate * np.linalg.norm(gradient) / np.linalg.norm(weights))
        for case, (weights, gradient, rate) in UPDATES.items()
    }


# Too long a step


def sharpness(parameters: Parameters) -> float:
    """Exercise 5: the largest eigenvalue of the iris loss's Hessian, the curvature in the steepest direction.

    >>> f"{sharpness(Parameters(np.zeros((3, 4)), np.zeros(3))):.1f}"
    '20.7'
    """
    iris = load_iris()
    truth = np.eye(3)[iris.train.labels]

    def of_vector(theta: Any) -> Any:
        return cross_entropy(iris.train.features @ theta[:12].reshape(3, 4).T + theta[12:], truth)

    theta = np.concatenate([parameters.w.ravel(), parameters.b])
    eigenvalues = np.linalg.eigvalsh(hessian(of_vector)(theta))  # in ascending order
    return float(eigenvalues[-1])


def overshoot_minimum(rate: float = 0.2) -> Instance:
    """Exercise 5: the factor by which a step multiplies the distance along the steepest direction, and what follows."""
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
    return Instance(
        (right, "b"), mistakes=mistakes, reference=f'answer = (1 - {rate} * {bend!r}, "b")'
    )


def take_first_step(rate: float = 0.05, gradient: float = 0.001) -> Instance:
    """Exercise 6: the length of Adam's first step."""
    moved = -float(Adam(rate).update(0.0, gradient))
    uncorrected = rate * 0.1 * gradient / (np.sqrt(0.001 * gradient**2) + 1e-8)
    mistakes = {
        "gradient descent": rate * gradient,
        "m as it is": 0.1 * rate,
        "m and v as they are": float(uncorrected),
        "sign": -moved,
    }
    if gradient < 0.01:  # for a larger one ε doesn't change the first four digits
        mistakes["m and v without ε"] = rate * 0.1 / np.sqrt(0.001)
    return Instance(moved, mistakes=mistakes)
