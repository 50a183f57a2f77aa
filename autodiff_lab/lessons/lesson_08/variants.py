"""Three exercises of notebook 08 with numbers of one's own: two tapes, a switch, and a kink."""

from typing import Any

import numpy as np

from autodiff_lab import grad, record
from autodiff_lab.lessons.checks import Instance

FULL = 10.0


def until_ten(x: Any) -> Any:
    """The program of the notebook: multiply until the product is ten or more."""
    y = x
    while y < FULL:
        y = y * x
    return y


def count_operations(x: float) -> tuple[int, int]:
    """How many operations the tape of a run holds, and how many questions the run asked.

    >>> count_operations(1.5), count_operations(1.6)
    ((5, 6), (4, 5))
    """
    _, tape = record(until_ten, x)
    return len(tape) - tape.n_inputs, len(tape.comparisons)


def measure_two_tapes(a: float = 1.5, b: float = 1.6) -> Instance:
    """The lengths of two tapes of one program."""
    (at_a, asked_a), (at_b, asked_b) = count_operations(a), count_operations(b)
    mistakes = {
        "values": tuple(round(float(until_ten(x)), 6) for x in (a, b)),
        "factors": (at_a + 1, at_b + 1),
        "comparisons": (at_a + asked_a, at_b + asked_b),
        "source lines": (1, 1),
        "second like first": (at_a, at_a),
        "one too few": (at_a - 1, at_b - 1),
    }
    return Instance((at_a, at_b), mistakes=mistakes)


def differentiate_at_switch(n: int = 5) -> Instance:
    """The slopes to both sides of x = 10^(1/n), where xⁿ becomes ten."""
    x = FULL ** (1 / n)
    left, right = (round(float(grad(until_ten)(x + side * 1e-13)), 6) for side in (-1, 1))
    mistakes = {
        "sides exchanged": (right, left, "a"),
        "letter b": (left, right, "b"),
        "letter c": (left, right, "c"),
        "letter d": (left, right, "d"),
        "values": (round(FULL * x, 6), FULL, "a"),
        "both from the right": (right, right, "a"),
        "one factor too few": (round(n * x**n, 6), round((n - 1) * x ** (n - 1), 6), "a"),
    }
    reference = f"x = 10 ** (1 / {n})\nanswer = ({n + 1} * x**{n}, {n} * x ** {n - 1}, 'a')"
    return Instance((left, right, "a"), mistakes=mistakes, reference=reference)


def programs(a: float) -> tuple[Any, ...]:
    """Three programs for max(x, a·x), and the third minus the second."""

    def first(x: Any) -> Any:
        return np.maximum(x, a * x)

    def second(x: Any) -> Any:
        return np.where(x > 0, x, a * x)

    def third(x: Any) -> Any:
        return (1 - a) * np.where(-x > 0, -x, 0.0) + x

    return first, second, third, lambda x: third(x) - second(x)


def differentiate_at_kink(a: float = 0.0) -> Instance:
    """What AD reports of the four programs at 0."""
    one, two, three, zero = (round(float(grad(f)(0.0)), 12) for f in programs(a))
    mistakes = {
        "difference zero": (one, two, three, 0.0),
        "one slope": (two, two, two, 0.0),
        "maximum gives 1": (1.0, two, three, zero),
        "maximum like if": (two, two, three, zero),
        "where gives 1": (one, 1.0, three, round(three - 1.0, 12)),
        "third like second": (one, two, two, 0.0),
        "mean everywhere": (one, one, one, 0.0),
    }
    return Instance((one, two, three, zero), mistakes=mistakes)
