"""The exercises of notebook 09 with numbers of one's own: what is asked, and what people answer."""

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.transforms.gradients import jvp, vjp
from autodiff_lab.transforms.jacobians import jacrev

Pairs = tuple[tuple[int, int], ...]
Matrix = tuple[tuple[float, ...], ...]


def choose_modes(pairs: Pairs = ((1, 3), (3, 1), (1000, 1), (2, 1000), (5, 5))) -> Instance:
    """The mode with fewer passes, for each pair."""

    def words(fewer_inputs: str, fewer_results: str, equal: str) -> tuple[str, ...]:
        return tuple(fewer_inputs if n < m else fewer_results if m < n else equal for n, m in pairs)

    right = words("forward", "reverse", "either")
    mistakes = {
        "all reverse": words("reverse", "reverse", "reverse"),
        "the more expensive": words("reverse", "forward", "either"),
        "square ones reverse": words("forward", "reverse", "reverse"),
        "square ones forward": words("forward", "reverse", "forward"),
        "all forward": words("forward", "forward", "forward"),
    }
    return Instance(right, mistakes=mistakes)


def sum_rows(a: float = 1.0, b: float = 1.0) -> Instance:
    """What ones pull back from (a·x1 + b·x2, x1 − x2), and the seed of its second row."""

    def both(x: Any) -> Any:
        return np.stack([a * x[0] + b * x[1], x[0] - x[1]])

    x = np.array([3.0, 4.0])
    value, pullback = vjp(both, x)
    (summed,) = pullback(np.ones(2))
    first, second = jacrev(both)(x)
    tangent = jvp(both, (x,), (np.ones(2),))[1]
    seed = (0.0, 1.0)
    mistakes = {
        "both rows": ((first, second), seed),
        "first row": (first, seed),
        "second row": (second, seed),
        "values": (value, seed),
        "rows added across": (tangent, seed),
        "seed of the first row": (summed, (1.0, 0.0)),
        "seed of ones": (summed, (1.0, 1.0)),
        "row as the seed": (summed, second),
    }
    return Instance(plain((summed, seed)), mistakes=mistakes)


def differentiate_square(A: Matrix = ((2.0, 1.0), (0.5, 3.0)), dA: Matrix = ((1.0, 0.0), (2.0, -1.0))) -> Instance:
    """The derivative of A² in the direction dA, by the engine's own push."""
    at, along = np.array(A), np.array(dA)
    right = plain(jvp(lambda X: X @ X, (at,), (along,))[1])
    mistakes = {
        "A before dA": 2 * at @ along,
        "dA before A": 2 * along @ at,
        "first factor held": at @ along,
        "second factor held": along @ at,
        "entry by entry": 2 * at * along,
        "difference of squares": (at + along) @ (at + along) - at @ at,
    }
    return Instance(right, mistakes=mistakes)


def count_multiplications(widths: tuple[int, ...] = (100, 20, 10, 1)) -> Instance:
    """Multiplications for the product of the local Jacobians of a chain, from its input and from its result."""
    n, p, q, m = widths
    forward, reverse = q * p * n + m * q * n, m * q * p + m * p * n
    mistakes = {
        "exchanged": (reverse, forward),
        "one tangent": (q * p + m * q, reverse),
        "a lost factor": (forward, m * q + m * p),
        "all widths": (n * p * q * m,) * 2,
        "equal work": (forward, forward),
    }
    return Instance((forward, reverse), mistakes=mistakes)
