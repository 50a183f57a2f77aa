"""A mixture of Gaussians with full covariances, fitted by its likelihood."""

from typing import Any

import numpy

PARTS, AXES = 3, 2
draws = numpy.random.default_rng(13)
CENTRES = numpy.array([[0.0, 2.0], [1.5, -1.0], [-2.0, -0.5]])
DATA = numpy.concatenate([centre + 0.5 * draws.standard_normal((8, AXES)) for centre in CENTRES])
PARAMETERS = {
    "weights": draws.standard_normal(PARTS),
    "means": draws.standard_normal((PARTS, AXES)),
    "roots": numpy.eye(AXES) + 0.2 * draws.standard_normal((PARTS, AXES, AXES)),
}


def loss(np: Any, parameters: Any) -> Any:
    roots = np.tril(parameters["roots"])  # of the inverse covariances
    apart = DATA[:, None, :] - parameters["means"][None, :, :]
    scaled = np.einsum("nki,kij->nkj", apart, roots)
    _, log_determinants = np.linalg.slogdet(roots)
    log_weights = parameters["weights"] - np.log(np.sum(np.exp(parameters["weights"])))
    constant = log_weights + log_determinants - 0.5 * AXES * np.log(2 * np.pi)
    log_densities = constant - 0.5 * np.sum(scaled**2, axis=-1)
    total = log_densities[:, 0]
    for k in range(1, PARTS):
        total = np.logaddexp(total, log_densities[:, k])
    return -np.mean(total)
