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
    wrong = {
        (
            round(float(until_ten(a)), 6),
            round(float(until_ten(b)), 6),
        ): "These are the two values. Asked for is how many multiplications each run put on the tape.",
        (at_a + 1, at_b + 1): "You counted the factors. The first factor is x itself: there is one multiplication "
        "less than there are factors.",
        (
            at_a + asked_a,
            at_b + asked_b,
        ): "You counted the comparisons of the while too. A comparison writes nothing on the tape.",
        (1, 1): "The source has one multiplication. The tape has one for each time that line ran.",
        (at_a, at_a): "Two inputs, two runs, two tapes. How often does the loop turn at the second input?",
        (at_a - 1, at_b - 1): "One too few: follow the product until it is 10 or more. The last multiplication counts "
        "as well.",
    }
    return Instance(right, wrong)


# 2. at a switch


def at_a_switch(n: int = 5) -> Instance:
    """The slopes to both sides of x = 10^(1/n), where xⁿ becomes ten."""
    x = FULL ** (1 / n)
    left, right = (float(grad(until_ten)(x + side * 1e-13)) for side in (-1, 1))
    answer = (round(left, 6), round(right, 6), "a")
    before, after = round(FULL * x, 6), FULL

    wrong = {
        (answer[1], answer[0], "a"): "The sides are the wrong way round. A little to the left xⁿ is not yet "
        f"{FULL:.0f}, with n = {n}, so the loop turns once more there.",
        (answer[0], answer[1], "b"): "Both slopes are right. At the switch the program runs too, and it runs one way. "
        "Which slope does a tape have that holds one way only?",
        (answer[0], answer[1], "c"): "Both slopes are right. The graph of the function jumps there; but the tape "
        "holds a product, and a product has an ordinary slope.",
        (answer[0], answer[1], "d"): "Both slopes are right. An error would need a check that finds the switch, "
        "and the tape holds one side only.",
        (before, after, "a"): "These are the values to both sides. Asked for are the slopes.",
        (answer[1], answer[1], "a"): f"On the left of the switch xⁿ, with n = {n}, is still less than 10, and the "
        "loop turns once more.",
        (round(n * x**n, 6), round((n - 1) * x ** (n - 1), 6), "a"): "One factor too few on each side: on the right "
        "of the switch the program computes xⁿ, on the left xⁿ⁺¹.",
    }
    return Instance(answer, wrong, f"x = 10 ** (1 / {n})\nanswer = ({n + 1} * x**{n}, {n} * x ** {n - 1}, 'a')")
