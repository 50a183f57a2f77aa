"""A hidden Markov model: the likelihood of a sequence by the forward algorithm, in logarithms."""

from typing import Any

import numpy

STATES, SYMBOLS = 3, 4
SEEN = numpy.array([0, 1, 1, 3, 2, 2, 0, 1, 3, 3, 0, 2, 1, 0])
draws = numpy.random.default_rng(11)
PARAMETERS = {
    "start": draws.standard_normal(STATES),
    "change": draws.standard_normal((STATES, STATES)),
    "emit": draws.standard_normal((STATES, SYMBOLS)),
}


def log_sum_exp(np: Any, x: Any, axis: int) -> Any:
    highest = np.max(x, axis=axis, keepdims=True)
    total = np.log(np.sum(np.exp(x - highest), axis=axis, keepdims=True)) + highest
    return np.squeeze(total, axis=axis)


def log_share(np: Any, x: Any) -> Any:
    """Numbers as logarithms of probabilities, along the last axis."""
    return x - np.expand_dims(log_sum_exp(np, x, -1), -1)


def loss(np: Any, parameters: Any) -> Any:
    start, change, emit = (log_share(np, parameters[name]) for name in ("start", "change", "emit"))
    reached = start + emit[:, SEEN[0]]
    for symbol in SEEN[1:]:
        reached = log_sum_exp(np, reached[:, None] + change, 0) + emit[:, symbol]
    return -log_sum_exp(np, reached, 0) / len(SEEN)
