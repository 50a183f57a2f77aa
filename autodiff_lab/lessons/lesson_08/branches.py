"""The exercises of notebook 08 about one program and its many tapes: how long they are, and what is at a switch."""

from __future__ import annotations

from typing import Any

from autodiff_lab import grad, record
from autodiff_lab.lessons.checks import Instance

FULL = 10.0


def until_ten(x: Any) -> Any:
    """The program of the notebook: multiply until the product is ten or more."""
    y = x
    while y < FULL:
        y = y * x
    return y


# 1. two tapes


def count_operations(x: float) -> tuple[int, int]:
    """How many operations the tape of a run holds, and how many questions the run asked.

    >>> count_operations(1.5), count_operations(1.6)
    ((5, 6), (4, 5))
    """
    _, tape = record(until_ten, x)
    return len(tape) - tape.n_inputs, len(tape.comparisons)


def two_tapes(a: float = 1.5, b: float = 1.6) -> Instance:
    """The lengths of two tapes of one program."""
    (at_a, asked_a), (at_b, asked_b) = count_operations(a), count_operations(b)
    right = (at_a, at_b)
    mistakes = {
        "values": (
            round(float(until_ten(a)), 6),
            round(float(until_ten(b)), 6),
        ),
        "factors": (at_a + 1, at_b + 1),
        "comparisons": (
            at_a + asked_a,
            at_b + asked_b,
        ),
        "source lines": (1, 1),
        "second like first": (at_a, at_a),
        "one too few": (at_a - 1, at_b - 1),
    }
    return Instance(right, mistakes=mistakes)


# 2. at a switch


def at_a_switch(n: int = 5) -> Instance:
    """The slopes to both sides of x = 10^(1/n), where xⁿ becomes ten."""
    x = FULL ** (1 / n)
    left, right = (float(grad(until_ten)(x + side * 1e-13)) for side in (-1, 1))
    answer = (round(left, 6), round(right, 6), "a")
    before, after = round(FULL * x, 6), FULL

    mistakes = {
        "sides exchanged": (answer[1], answer[0], "a"),
        "letter b": (answer[0], answer[1], "b"),
        "letter c": (answer[0], answer[1], "c"),
        "letter d": (answer[0], answer[1], "d"),
        "values": (before, after, "a"),
        "both from the right": (answer[1], answer[1], "a"),
        "one factor too few": (round(n * x**n, 6), round((n - 1) * x ** (n - 1), 6), "a"),
    }
    reference = f"x = 10 ** (1 / {n})\nanswer = ({n + 1} * x**{n}, {n} * x ** {n - 1}, 'a')"
    return Instance(answer, mistakes=mistakes, reference=reference)
