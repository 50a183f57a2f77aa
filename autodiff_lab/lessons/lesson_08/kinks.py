"""The exercises of notebook 08 about kinks and single points: where the slope belongs to the program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_lab import grad, value_and_grad
from autodiff_lab.lessons.checks import Crashed, Instance, Refused, attempt, plain, summarize, vet_code

# 3. a branch at one point

TINY = 1e-7
IDENTITY = "of the slope of x if x != 0 else 0 * x, at 0, by AD and in truth"
AT_ZERO, NEXT_TO_IT = "at 0", "at 0.0000001"
NO_NUMBER = "nan"
"""Two of them are not equal, so a check compares the word."""
PLACES = {AT_ZERO: 0.0, NEXT_TO_IT: TINY, "at 0.5": 0.5, "at -2": -2.0}


def identity_apart(x: Any) -> Any:
    """The identity, with a branch for one point."""
    return x if x != 0 else 0 * x


def expected_ratio() -> dict[str, Any]:
    """(eˣ − 1) / x and its slope, by their series: Σ xᵏ / (k + 1)! and Σ k xᵏ⁻¹ / (k + 1)!."""
    found: dict[str, Any] = {IDENTITY: (float(grad(identity_apart)(0.0)), 1.0)}
    for case, x in PLACES.items():
        terms = [(x**k / math.factorial(k + 1), k * x ** max(k - 1, 0) / math.factorial(k + 1)) for k in range(30)]
        found[case] = tuple(math.fsum(column) for column in zip(*terms, strict=True))
    return found


def run_ratio(answer: Any, ratio: Any) -> Any:
    """The two predicted slopes; value and slope of the learner's program at four places."""
    vet_code(ratio)
    pair = plain(answer)
    if not isinstance(pair, tuple) or len(pair) != 2:
        return Refused("The answer is a pair: what AD reports, and the true slope.")
    both = value_and_grad(ratio)
    found = {IDENTITY: pair}
    for case, x in PLACES.items():
        found[case] = seen = summarize(attempt(lambda x=x: both(x)))
        if isinstance(seen, tuple):
            found[case] = tuple(NO_NUMBER if part != part else part for part in seen)
        if isinstance(seen, Crashed) and seen.never_ends:
            break
    return found


# 4. three programs for one function


def programs(a: float) -> tuple[Any, ...]:
    """Three programs for max(x, a·x), and the third minus the second."""

    def kept(t: Any) -> Any:
        return np.where(t > 0, t, 0.0)

    def first(x: Any) -> Any:
        return np.maximum(x, a * x)

    def second(x: Any) -> Any:
        return np.where(x > 0, x, a * x)

    def third(x: Any) -> Any:
        return (1 - a) * kept(-x) + x

    return first, second, third, lambda x: third(x) - second(x)


def at_the_kink(a: float = 0.0) -> Instance:
    """What AD reports of the four programs at 0."""
    right = tuple(round(float(grad(f)(0.0)), 12) for f in programs(a))
    one, two, three, zero = right
    mistakes = {
        "difference zero": (one, two, three, 0.0),
        "one slope": (two, two, two, 0.0),
        "maximum gives 1": (1.0, two, three, zero),
        "maximum like if": (two, two, three, zero),
        "where gives 1": (one, 1.0, three, round(three - 1.0, 12)),
        "third like second": (one, two, two, 0.0),
        "mean everywhere": (one, one, one, 0.0),
    }
    return Instance(right, mistakes=mistakes)
