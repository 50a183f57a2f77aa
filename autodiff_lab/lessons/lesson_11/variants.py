"""The exercises of notebook 11 with numbers of one's own. All numbers, right and wrong, are computed from the data."""

import numpy as np

from autodiff_lab import grad
from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.lessons.lesson_11 import sandbox

Numbers = tuple[float, ...]


def differentiate_mean_and_variance(x: Numbers = (1.0, 2.0, 4.0, 8.0)) -> Instance:
    """The gradient of mean + variance.

    >>> differentiate_mean_and_variance().expected
    (-1.125, -0.625, 0.375, 2.375)
    """
    values = np.array(x)
    n, centred = len(x), values - np.mean(values)
    right = plain(grad(lambda v: np.mean(v) + np.var(v))(values))
    mistakes = {
        "variance alone": grad(np.var)(values),
        "mean alone": grad(np.mean)(values),
        "mean not divided": 1 + 2 * centred / n,
        "variance not divided": 1 / n + 2 * centred,
        "divided by one less": grad(lambda v: np.mean(v) + np.var(v, ddof=1))(values),
        "mean of squares": grad(lambda v: np.mean(v) + np.mean(v * v))(values),
        "sign of the variance": 1 / n - 2 * centred / n,
    }
    return Instance(right, mistakes=mistakes)


def differentiate_gather(index: tuple[int, ...] = (0, 0, 2), weights: Numbers = (1.0, 10.0, 100.0)) -> Instance:
    """The adjoint of an array of three from which some entries are picked, and some twice.

    >>> differentiate_gather().expected
    (11.0, 0.0, 100.0)
    """
    w = np.array(weights)
    right = plain(grad(lambda x: np.sum(w * x[list(index)]))(np.zeros(3)))
    last, first, count = np.zeros(3), np.zeros(3), np.zeros(3)
    last[list(index)] = w
    first[list(index[::-1])] = w[::-1]
    np.add.at(count, list(index), 1.0)
    mistakes = {
        "last one kept": last,
        "first one kept": first,
        "the weights": weights,
        "mean of the contributions": np.array(right) / np.maximum(count, 1),
        "counts": count,
        "picked weights": w[list(index)],
    }
    return Instance(right, mistakes=mistakes)


def differentiate_trace(a: tuple[Numbers, Numbers] = ((2.0, 1.0), (0.5, 3.0))) -> Instance:
    """The gradient of trace(A @ A).

    >>> differentiate_trace().expected
    ((4.0, 1.0), (2.0, 6.0))
    """
    matrix = np.array(a)
    right = plain(grad(lambda x: np.trace(x @ x))(matrix))
    mistakes = {
        "A as a number": 2 * matrix,
        "one place": matrix.T,
        "one transposed": matrix + matrix.T,
        "the square itself": matrix @ matrix,
        "diagonal only": 2 * np.diag(np.diag(matrix)),
    }
    return Instance(right, mistakes=mistakes)


def count_lines(m: int = 2, k: int = 3, n: int = 4) -> Instance:
    """How many operations Σ (A @ B)² is, number by number and array by array.

    >>> count_lines().expected
    (55.0, 3.0)
    """
    a, b = np.ones((m, k)), np.ones((k, n))
    numbers = sandbox.operations(sandbox.squares_of_product_by_numbers, a.tolist(), b.tolist())
    arrays = sandbox.operations(sandbox.squares_of_product, a, b)
    mistakes = {
        "exchanged": (arrays, numbers),
        "numbers twice": (numbers, numbers),
        "k additions": (m * n * 2 * k + 2 * m * n, arrays),
        "multiplications only": (m * n * k + m * n, arrays),
        "inputs of both": (numbers + m * k + k * n, arrays + 2),
        "inputs of the first": (numbers + m * k + k * n, arrays),
    }
    return Instance(plain((numbers, arrays)), reference=f"answer = ({numbers}, {arrays})", mistakes=mistakes)
