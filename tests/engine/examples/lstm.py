"""A recurrent network with gates (LSTM) that learns to say which letter comes next."""

from typing import Any

import numpy

TEXT = "backpropagation through time is backpropagation"
LETTERS = sorted(set(TEXT))
CODES = numpy.eye(len(LETTERS))[[LETTERS.index(letter) for letter in TEXT]][:12]
HIDDEN = 4
draws = numpy.random.default_rng(7)
PARAMETERS = {
    "start": 0.1 * draws.standard_normal((2, HIDDEN)),
    "gates": 0.4 * draws.standard_normal((len(LETTERS) + HIDDEN + 1, 4 * HIDDEN)),
    "out": 0.4 * draws.standard_normal((HIDDEN + 1, len(LETTERS))),
}


def sigmoid(np: Any, x: Any) -> Any:
    return 0.5 * (np.tanh(x / 2) + 1)


def with_one(np: Any, *parts: Any) -> Any:
    return np.concatenate([*parts, np.ones(1)])


def loss(np: Any, parameters: Any) -> Any:
    """The mean surprise at each next letter."""
    hidden, cell = parameters["start"]
    scores = []
    for code in CODES[:-1]:
        forget, take, show, new = np.split(with_one(np, code, hidden) @ parameters["gates"], 4)
        cell = sigmoid(np, forget) * cell + sigmoid(np, take) * np.tanh(new)
        hidden = sigmoid(np, show) * np.tanh(cell)
        scores.append(with_one(np, hidden) @ parameters["out"])
    table = np.stack(scores)
    highest = np.max(table, axis=1, keepdims=True)
    normal = highest + np.log(np.sum(np.exp(table - highest), axis=1, keepdims=True))
    return -np.mean(np.sum((table - normal) * CODES[1:], axis=1))
