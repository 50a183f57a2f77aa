"""Four networks whose loss doesn't go down: each has a different bug, which can be found from its readings."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab import load_iris, value_and_grad
from autodiff_lab.lessons.learning.exercises import cross_entropy
from autodiff_lab.systems.perceptron import network

FEW = [0, 40, 80, 100]
"""The indices of a flower of the first species, one of the second, and two of the third."""


class Patient(NamedTuple):
    """A network with a bug: its loss function, initial parameters, flowers and labels, and learning rate."""

    loss: Callable[[Any, Any], Any]
    start: dict[str, np.ndarray]
    x: np.ndarray
    truth: np.ndarray
    rate: float


class Readings(NamedTuple):
    """The readings of a network: the loss at the start, the saturated share, and two losses after training."""

    at_the_start: float
    saturated: float
    four_flowers: float
    all_flowers: float


def start(first: float, second: float, seed: int = 3) -> dict[str, np.ndarray]:
    """Draw initial parameters for 16 hidden units: the weights of each layer are normal, with these two spreads."""
    rng = np.random.default_rng(seed)
    return {
        "W1": first * rng.normal(size=(4, 16)),
        "b1": np.zeros(16),
        "W2": second * rng.normal(size=(16, 3)),
        "b2": np.zeros(3),
    }


def _cross_entropy_of_softmax(z: Any, y: Any) -> Any:
    """The bug of one softmax too many: the loss function expects scores, but gets probabilities."""
    probabilities = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return cross_entropy(probabilities, y)


def _admit() -> dict[str, Patient]:
    iris = load_iris()
    x = iris.train.features
    truth = np.eye(3)[iris.train.labels]
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    mixed = truth[np.random.default_rng(7).permutation(len(truth))]
    healthy = start(0.5, 0.1)
    zeros = {name: np.zeros_like(part) for name, part in healthy.items()}
    return {
        "P": Patient(cross_entropy, healthy, scaled, mixed, 0.5),
        "Q": Patient(_cross_entropy_of_softmax, healthy, scaled, truth, 0.5),
        "R": Patient(cross_entropy, start(1.0, 1.0), x, truth, 0.3),
        "S": Patient(cross_entropy, zeros, scaled, truth, 0.5),
    }


PATIENTS = _admit()


def measure(name: str) -> Readings:
    """Take the readings of a patient: `"P"`, `"Q"`, `"R"` or `"S"`.

    >>> [round(reading, 2) for reading in measure("S")]
    [1.1, 0.0, 1.04, 1.1]
    """
    return take_readings(PATIENTS[name])


def take_readings(patient: Patient) -> Readings:
    """Train a patient twice, on four flowers for 300 steps and on all for 200, and take its readings."""
    hidden = np.tanh(patient.x @ patient.start["W1"] + patient.start["b1"])
    losses = _train(patient, patient.x, patient.truth, steps=200)
    return Readings(
        at_the_start=losses[0],
        saturated=float(np.mean(np.abs(hidden) > 0.99)),
        four_flowers=_train(patient, patient.x[FEW], patient.truth[FEW], steps=300)[-1],
        all_flowers=losses[-1],
    )


def _train(patient: Patient, x: np.ndarray, truth: np.ndarray, steps: int) -> list[float]:
    """Train a patient on these flowers, and return the loss before each step and after the last one."""
    step = value_and_grad(lambda parameters: patient.loss(network(parameters, x), truth))
    parameters, losses = patient.start, []
    for _ in range(steps + 1):
        value, gradient = step(parameters)
        losses.append(float(value))
        parameters = {
            name: part - patient.rate * gradient[name] for name, part in parameters.items()
        }
    return losses
