"""A Gaussian process: how likely are the data, and what does it say between them."""

from typing import Any

import numpy

draws = numpy.random.default_rng(5)
X = numpy.sort(draws.uniform(-3, 3, (12, 1)), axis=0)
Y = numpy.sin(2 * X[:, 0]) + 0.1 * draws.standard_normal(12)
BETWEEN = numpy.array([[-2.0], [0.1], [1.7]])
PARAMETERS = {
    "mean": numpy.float64(0.2),
    "log_scale": numpy.float64(0.3),
    "log_lengths": numpy.array([-0.2]),
    "log_noise": numpy.float64(-1.5),
}


def covariance(np: Any, parameters: Any, a: Any, b: Any) -> Any:
    apart = (a[:, None, :] - b[None, :, :]) / np.exp(parameters["log_lengths"])
    return np.exp(parameters["log_scale"] - 0.5 * np.sum(apart**2, axis=-1))


def loss(np: Any, parameters: Any) -> Any:
    """The negative log of the marginal likelihood, and a penalty on uncertainty between the data."""
    noise = np.exp(2 * parameters["log_noise"]) * np.eye(len(X))
    root = np.linalg.cholesky(covariance(np, parameters, X, X) + noise)
    rest = np.linalg.solve(root, Y - parameters["mean"])
    likelihood = (
        -0.5 * np.dot(rest, rest) - np.sum(np.log(np.diag(root))) - 0.5 * len(X) * np.log(2 * np.pi)
    )
    known = np.linalg.solve(root, covariance(np, parameters, X, BETWEEN))
    uncertainty = np.exp(parameters["log_scale"]) - np.sum(known**2, axis=0)
    return 0.01 * np.sum(uncertainty) - likelihood
