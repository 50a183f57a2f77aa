"""The exercises of notebook 09 with numbers of one's own: what is asked, and what people answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.transforms.gradients import jvp, vjp
from autodiff_lab.transforms.jacobians import jacrev

Pairs = tuple[tuple[int, int], ...]
Matrix = tuple[tuple[float, ...], ...]

SIZES: tuple[Pairs, ...] = (
    ((3, 1), (1, 4), (5000, 1), (4, 4), (3, 800)),
    ((1, 2), (2, 2), (700, 1), (1, 90), (12, 3)),
    ((6, 6), (1, 20), (20, 1), (2, 300), (9000, 4)),
    ((10000, 1), (7, 7), (1, 5), (60, 2), (3, 400)),
    ((1, 1000), (1000, 1), (50, 5), (8, 8), (5, 50)),
    ((4, 1), (1, 4), (1, 1), (2000, 3), (3, 2000)),
)
"""Pairs (n, m) for five functions; the same words from the end to the beginning would be a poor exercise."""


def cheaper_instance(pairs: Pairs = ((1, 3), (3, 1), (1000, 1), (2, 1000), (5, 5))) -> Instance:
    """The mode with fewer passes, for each pair."""

    def words(fewer_inputs: str, fewer_results: str, equal: str) -> tuple[str, ...]:
        return tuple(fewer_inputs if n < m else fewer_results if m < n else equal for n, m in pairs)

    right = words("forward", "reverse", "either")
    wrong = {
        words("reverse", "reverse", "reverse"): "Reverse is the mode of neural networks, and not the cheaper one "
        "everywhere. It needs one sweep for each result. Count the results.",
        words("reverse", "forward", "either"): "These are the more expensive modes. A forward pass moves one input "
        "and reaches all results; count the inputs for forward and the results for reverse.",
        words("forward", "reverse", "reverse"): "All right but the square ones. With as many inputs as results, the "
        "passes are as many too: either.",
        words("forward", "reverse", "forward"): "Where n = m forward needs less memory, that is true. Asked for is "
        "the number of passes, and that is the same: either.",
        words("forward", "forward", "forward"): "Forward needs one pass for each input. With a thousand inputs and "
        "one result that is a thousand passes, where one sweep would do.",
    }
    return Instance(right, wrong)


def summed_instance(a: float = 1.0, b: float = 1.0) -> Instance:
    """What ones pull back from (a·x1 + b·x2, x1 − x2), and the seed of its second row."""

    def both(x: Any) -> Any:
        return np.stack([a * x[0] + b * x[1], x[0] - x[1]])

    x = np.array([3.0, 4.0])
    value, pullback = vjp(both, x)
    (summed,) = pullback(np.ones(2))
    first, second = jacrev(both)(x)
    tangent = jvp(both, (x,), (np.ones(2),))[1]
    right = plain((summed, (0.0, 1.0)))

    def answered(first: Any, seed: Any = (0.0, 1.0)) -> Any:
        return plain((first, seed))

    wrong = {
        answered((first, second)): "That is the whole Jacobian. One sweep carries one adjoint to each input, so one "
        "number comes out for each: what has arrived there is added up.",
        answered(first): "That is the first row alone. The seed (1, 1) adds both rows.",
        answered(second): "That is the second row alone. The seed (1, 1) adds both rows.",
        answered(value): "These are the values of the two results. Asked for is what comes back to the inputs.",
        answered(tangent): "You added along the rows: that is what a push of (1, 1) gives, one number for each "
        "result. A pull adds the rows themselves.",
        answered(summed, (1.0, 0.0)): "The first pair is right. The seed (1, 0) brings the first row: its 1 stands at "
        "the first result.",
        answered(summed, (1.0, 1.0)): "The first pair is right. Which adjoints multiply the first row by 0, and "
        "the second by 1?",
        answered(summed, second): "The second pair is the row itself. Asked for is the seed that brings it out: one "
        "adjoint for each result.",
    }
    return Instance(right, wrong)


def square_instance(
    A: Matrix = ((2.0, 1.0), (0.5, 3.0)),
    dA: Matrix = ((1.0, 0.0), (2.0, -1.0)),
) -> Instance:
    """The derivative of A² in the direction dA, by the engine's own push."""
    at, along = np.array(A), np.array(dA)
    right = plain(jvp(lambda X: X @ X, (at,), (along,))[1])
    moved = (at + along) @ (at + along) - at @ at
    wrong = {
        plain(2 * at @ along): "That is 2A dA, the rule for numbers. It puts A before dA in both terms; for matrices "
        "A dA and dA A are two different things.",
        plain(2 * along @ at): "That is 2 dA A: dA stands before A in both terms. Move one factor of A · A at a time.",
        plain(at @ along): "That is A dA, with the first factor held still. The first factor moves too.",
        plain(along @ at): "That is dA A, with the second factor held still. The second factor moves too.",
        plain(2 * at * along): "You multiplied entry by entry. A² is a product of matrices, rows by columns.",
        plain(moved): "That is (A + dA)² − A². It has one term too many, dA², which is not linear in dA.",
    }
    return Instance(right, wrong, f"A, dA = np.array({A}), np.array({dA})\nanswer = A @ dA + dA @ A")


def chain_instance(widths: tuple[int, ...] = (100, 20, 10, 1)) -> Instance:
    """Multiplications for the product of the local Jacobians of a chain, from its input and from its result."""
    n, p, q, m = widths
    forward, reverse = q * p * n + m * q * n, m * q * p + m * p * n
    right = (forward, reverse)
    wrong = {
        right[::-1]: "The two are right, in the other order. Forward begins at the input, with J2 J1.",
        (q * p + m * q, reverse): "The second is right. The first is what one tangent takes; forward has to carry one "
        f"for each of the {n} inputs.",
        (forward, m * q + m * p): "The first is right. The second has lost a factor: a row of p entries times a "
        "matrix of p rows and n columns takes p · n multiplications.",
        (n * p * q * m,) * 2: "You multiplied all widths at once. There are two products of two matrices each, and in "
        "each only three widths take part.",
        (forward, forward): "The result is the same from both ends; the work is not. From the left a single row is "
        "multiplied.",
    }
    return Instance(right, wrong, f"n, p, q, m = {widths}\nanswer = (q * p * n + m * q * n, m * q * p + m * p * n)")
