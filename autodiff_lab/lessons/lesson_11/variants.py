"""The exercises of notebook 11 with numbers of one's own. All numbers, right and wrong, are computed from the data."""

from __future__ import annotations

import numpy as np

from autodiff_lab import grad
from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.lessons.lesson_11 import sandbox

Numbers = tuple[float, ...]


def mean_and_variance(x: Numbers = (1.0, 2.0, 4.0, 8.0)) -> Instance:
    """The gradient of mean + variance.

    >>> mean_and_variance().expected
    (-1.125, -0.625, 0.375, 2.375)
    """
    values = np.array(x)
    n, centred = len(x), values - np.mean(values)
    right = plain(grad(lambda v: np.mean(v) + np.var(v))(values))
    variance, mean = plain(grad(np.var)(values)), plain(grad(np.mean)(values))
    mistakes = {
        variance: "That is the gradient of the variance. The mean is in the sum as well.",
        mean: "That is the gradient of the mean. The variance is in the sum as well.",
        plain(1 + 2 * centred / n): "The mean copies its adjoint to every entry, and it divides by the number of "
        "entries too.",
        plain(1 / n + 2 * centred): "The variance is a mean of squares: what it copies back is divided by n too.",
        plain(grad(lambda v: np.mean(v) + np.var(v, ddof=1))(values)): f"You divided by {n - 1}. The variance here is "
        f"the mean of the squared distances, over all {n} entries.",
        plain(grad(lambda v: np.mean(v) + np.mean(v * v))(values)): "You differentiated the mean of the squares. The "
        "variance takes the squares of the distances from the mean.",
        plain(1 / n - 2 * centred / n): "A sign: an entry above the mean that grows makes the variance larger.",
    }
    return Instance(right, wrong)


def gathered(index: tuple[int, ...] = (0, 0, 2), weights: Numbers = (1.0, 10.0, 100.0)) -> Instance:
    """The adjoint of an array of three from which some entries are picked, and some twice.

    >>> gathered().expected
    (11.0, 0.0, 100.0)
    """
    w = np.array(weights)
    right = plain(grad(lambda x: np.sum(w * x[list(index)]))(np.zeros(3)))
    last, first, count = np.zeros(3), np.zeros(3), np.zeros(3)
    last[list(index)] = w
    first[list(index[::-1])] = w[::-1]
    np.add.at(count, list(index), 1.0)
    mistakes = {
        plain(last): "An entry that is picked twice gets two contributions, and here the second replaces the first. "
        "They are added.",
        plain(first): "An entry that is picked twice gets two contributions, and you kept the first. They are added.",
        weights: "That is the adjoint of what was picked. What is the adjoint of x: which weights arrive at "
        "its first entry, which at its second and third?",
        plain(np.array(right) / np.maximum(count, 1)): "You took the mean of the contributions. Nothing is divided: "
        "an entry that is used twice moves the loss twice.",
        plain(count): "That says how often each entry is picked. Each pick comes with a weight.",
        plain(w[list(index)]): "You picked from the weights, as the program picks from x. On the way back it goes the "
        "other way: weight k is sent to the entry with the number index[k].",
    }
    return Instance(right, wrong)


def trace_of_square(a: tuple[Numbers, Numbers] = ((2.0, 1.0), (0.5, 3.0))) -> Instance:
    """The gradient of trace(A @ A).

    >>> trace_of_square().expected
    ((4.0, 1.0), (2.0, 6.0))
    """
    matrix = np.array(a)
    right = plain(grad(lambda x: np.trace(x @ x))(matrix))
    mistakes = {
        plain(2 * matrix): "As if A were a number. Take the entry at the right of the first row: with which entry "
        "does it meet in the trace of A @ A?",
        plain(matrix.T): "That is what comes from one of the two places. A stands in both, and the contributions are "
        "added.",
        plain(matrix + matrix.T): "One of your two contributions is transposed and the other is not. Both pullbacks "
        "transpose: G Bᵀ and Aᵀ G, here with G = I.",
        plain(matrix @ matrix): "That is A @ A itself. Asked for is how its trace moves with each entry of A.",
        plain(2 * np.diag(np.diag(matrix))): "The trace adds the diagonal of A @ A. But that diagonal is made of all "
        "entries of A.",
    }
    return Instance(right, wrong)


def lines_on_tapes(m: int = 2, k: int = 3, n: int = 4) -> Instance:
    """How many operations Σ (A @ B)² is, number by number and array by array.

    >>> lines_on_tapes().expected
    (55.0, 3.0)
    """
    a, b = np.ones((m, k)), np.ones((k, n))
    numbers = sandbox.operations(sandbox.squares_of_product_by_numbers, a.tolist(), b.tolist())
    arrays = sandbox.operations(sandbox.squares_of_product, a, b)
    right = (float(numbers), float(arrays))
    mistakes = {
        (right[1], right[0]): "The other way round: the first number is that of the tape of numbers.",
        (right[0], right[0]): "The second tape has a line for each operation of the program as it is written: a "
        "product, a square, a sum.",
        (float(m * n * 2 * k + 2 * m * n), right[1]): "To add up k numbers takes k − 1 additions, not k. The same at "
        "the end.",
        (float(m * n * k + m * n), right[1]): "These are the multiplications. The additions are operations as well, "
        "inside each entry and at the end.",
        (right[0] + m * k + k * n, right[1] + 2): "You counted the inputs on both tapes. Nothing is done to make "
        "them: count the operations.",
        (right[0] + m * k + k * n, right[1]): "You counted the inputs too. Nothing is done to make them: count the "
        "operations.",
    }
    return Instance(right, wrong, f"answer = ({numbers}, {arrays})")
