"""A network whose weights are uncertain: variational inference with fixed noise, for several samples at once."""

from typing import Any

import numpy

SHAPES = ((1, 6), (6, 1))
SAMPLES, NOISE = 4, 0.2
COUNT = sum((rows + 1) * columns for rows, columns in SHAPES)
draws = numpy.random.default_rng(17)
X = numpy.linspace(-2.0, 2.0, 9)[:, None]
Y = numpy.cos(2 * X) + 0.1 * draws.standard_normal(X.shape)
STANDARD = draws.standard_normal((SAMPLES, COUNT))
PARAMETERS = {
    "mean": 0.3 * draws.standard_normal(COUNT),
    "log_spread": -1.0 + 0.1 * draws.standard_normal(COUNT),
}


def predict(np: Any, weights: Any, x: Any) -> Any:
    """What each of the sampled networks makes of x: by sample, point and output."""
    y, used = x[None, :, :], 0
    for layer, (rows, columns) in enumerate(SHAPES):
        matrix = np.reshape(weights[:, used : used + rows * columns], (SAMPLES, rows, columns))
        used += rows * columns
        bias = np.reshape(weights[:, used : used + columns], (SAMPLES, 1, columns))
        used += columns
        y = np.matmul(np.maximum(y, 0.01 * y) if layer else y, matrix) + bias
    return y


def loss(np: Any, parameters: Any) -> Any:
    """The negative lower bound of the evidence."""
    weights = parameters["mean"] + np.exp(parameters["log_spread"]) * STANDARD
    surprise = 0.5 * np.sum(((predict(np, weights, X) - Y) / NOISE) ** 2) / SAMPLES
    spread = np.exp(2 * parameters["log_spread"])
    divergence = 0.5 * np.sum(spread + parameters["mean"] ** 2 - 1 - 2 * parameters["log_spread"])
    return surprise + divergence
