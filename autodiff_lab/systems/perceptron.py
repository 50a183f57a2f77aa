"""A multilayer perceptron with one hidden layer, and two tasks that no straight line solves: XOR and two moons.

It is the next step after softmax regression: z = tanh(x W₁ + b₁), and the output is z W₂ + b₂. The loss is the mean
squared error for the targets 0 and 1, so the boundary between the classes is where the output is 0.5. :func:`train` is
a generator that yields before each step; those in :mod:`~autodiff_lab.systems.iris` yield after each epoch:

>>> from autodiff_lab.optimize import Momentum
>>> training = train(XOR, Momentum(0.1), FIXED_START)
>>> steps = [next(training) for _ in range(101)]
>>> [f"{steps[k].loss:.6f}" for k in (0, 100)]
['0.608363', '0.000099']
"""

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..transforms.gradients import value_and_grad

__all__ = [
    "FIXED_START",
    "XOR",
    "Step",
    "Task",
    "loss",
    "network",
    "random_start",
    "train",
    "two_moons",
]

Params = Mapping[str, Any]


class Task(NamedTuple):
    """A classification task for the perceptron: points of shape (n, 2), and their classes 0 or 1, of shape (n, 1)."""

    x: np.ndarray
    t: np.ndarray


class Step(NamedTuple):
    """One training step of the perceptron: its number, and the loss, its gradient and the parameters before it."""

    number: int
    loss: float
    gradient: dict[str, np.ndarray]
    params: dict[str, np.ndarray]


# Exclusive or: the class is 1 if exactly one of the coordinates is 1.
XOR = Task(
    np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
    np.array([[0.0], [1.0], [1.0], [0.0]]),
)

# Initial parameters of a network with three hidden units, small and all different, so that it can be checked by hand.
FIXED_START = {
    "W1": np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]]),
    "b1": np.array([0.01, -0.02, 0.03]),
    "W2": np.array([[0.7], [-0.8], [0.9]]),
    "b2": np.array([0.05]),
}


class Updates(Protocol):
    """The interface of an optimizer that trains the perceptron, as in :mod:`autodiff_lab.optimize`."""

    def update(self, params: Any, grads: Any) -> Any:
        """Return the new parameters of the perceptron, after one step of the optimizer."""


def two_moons(points: int = 40, noise: float = 0.2, seed: int = 12) -> Task:
    """Two moons, a task for the perceptron: two half circles that reach into each other, with noise on each point.

    Each coordinate is changed by at most `noise`. The noise is drawn with Python's own generator, which gives the same
    numbers from the same seed in every version.

    >>> moons = two_moons(points=3, noise=0.0)
    >>> moons.x.round(3).tolist()
    [[1.0, 0.0], [0.0, 0.5], [0.0, 1.0], [1.0, -0.5], [-1.0, 0.0], [2.0, 0.5]]
    >>> moons.t.ravel().tolist()
    [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    """
    draw = random.Random(seed)
    at = []
    for k in range(points):
        angle = math.pi * k / (points - 1)
        upper = (math.cos(angle), math.sin(angle))
        lower = (1 - math.cos(angle), 0.5 - math.sin(angle))
        for x, y in (upper, lower):
            at.append((x + noise * draw.uniform(-1, 1), y + noise * draw.uniform(-1, 1)))
    return Task(np.array(at), np.array([[0.0], [1.0]] * points))


def random_start(width: int, seed: int = 2) -> dict[str, np.ndarray]:
    """Random initial parameters for a perceptron with `width` hidden units, between −1 and 1.

    If all parameters were zero, all hidden units would have the same gradient and stay identical.
    """
    draw = random.Random(seed)

    def draw_matrix(rows: int, columns: int) -> np.ndarray:
        return np.array([[draw.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)])

    return {
        "W1": draw_matrix(2, width),
        "b1": draw_matrix(1, width)[0],
        "W2": draw_matrix(width, 1),
        "b2": np.zeros(1),
    }


def network(params: Params, x: Any) -> Any:
    """The output of the multilayer perceptron, of shape (n, 1), for points of shape (n, 2)."""
    return np.tanh(x @ params["W1"] + params["b1"]) @ params["W2"] + params["b2"]


def loss(params: Params, task: Task) -> Any:
    """The loss of the perceptron: the mean squared error of its output.

    >>> round(float(loss(FIXED_START, XOR)), 14)
    0.60836339549306
    """
    return np.mean((network(params, task.x) - task.t) ** 2)


def train(task: Task, optimizer: Updates, params: Params) -> Iterator[Step]:
    """Train the perceptron with an optimizer of :mod:`autodiff_lab.optimize`, on all points in each step, without end.

    Yields
    ------
    Step
        Before the parameters are updated.
    """
    current = dict(params)
    loss_and_gradient = value_and_grad(lambda params: loss(params, task))
    number = 0
    while True:
        value, gradient = loss_and_gradient(current)
        yield Step(number, value, gradient, current)
        current = optimizer.update(current, gradient)
        number += 1
