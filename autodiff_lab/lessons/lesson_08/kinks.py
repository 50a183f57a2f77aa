"""The exercises of notebook 08 about kinks and single points: where the slope belongs to the program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_lab import grad, value_and_grad
from autodiff_lab.lessons.checks import Crashed, Exercise, Instance, Refused, attempt, plain, summarize, vet_code

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


def _ratio(*body: str, answer: str = "(0.0, 1.0)") -> str:
    lines = "\n    ".join(body)
    return f"import numpy as np\n\nanswer = {answer}\n\n\ndef ratio(x):\n    {lines}"


_GENERAL = "return (np.exp(x) - 1) / x"
_SERIES = "return 1 + x / 2 + x * x / 6 + x * x * x / 24"
_NEAR = "if -1e-3 < x < 1e-3:"

ex_08_3 = Exercise(
    expects="a pair of slopes, and a function ratio(x)",
    expected=expected_ratio(),
    observe=run_ratio,
    cases="For ratio, these are value and slope.",
    reference=_ratio(_NEAR, f"    {_SERIES}", _GENERAL),
    misconceptions={
        _ratio(_NEAR, f"    {_SERIES}", _GENERAL, answer="(1.0, 1.0)"): (
            {IDENTITY: (1.0, 1.0)},
            "At 0 the program computes 0 * x, and nothing else. What is the slope of 0 * x? The tape knows no other "
            "line.",
        ),
        _ratio(_NEAR, f"    {_SERIES}", _GENERAL, answer="(0.0, 0.0)"): (
            {IDENTITY: (0.0, 0.0)},
            "The first number is right. The second asks about the function, which is x everywhere, also at 0.",
        ),
        _ratio(_NEAR, f"    {_SERIES}", _GENERAL, answer="(0.0, 0.5)"): (
            {IDENTITY: (0.0, 0.5)},
            "0.5 is the slope of ratio at 0. The pair is about the short program, x if x != 0 else 0 * x: which "
            "function is that?",
        ),
        _ratio(_NEAR, f"    {_SERIES}", _GENERAL, answer="(1.0, 0.0)"): (
            {IDENTITY: (1.0, 0.0)},
            "The other way round: first what AD reports, then the true slope.",
        ),
        _ratio("if x == 0:", "    return 1.0", _GENERAL): (
            {AT_ZERO: (1.0, 0.0)},
            "The value at 0 is right and the slope is 0, as before: the line that runs at 0 does not use x. It has to "
            "compute something that bends as the function does near 0.",
        ),
        _ratio("if x == 0:", "    return 1 + x", _GENERAL): (
            {AT_ZERO: (1.0, 1.0)},
            "The branch uses x now, but its slope is 1. The series is 1 + x/2 + x²/6 + …",
        ),
        _ratio("if x == 0:", "    return 1 + x / 2", _GENERAL): (
            {AT_ZERO: (1.0, 0.5), NEXT_TO_IT: plain(value_and_grad(lambda x: (np.exp(x) - 1) / x)(TINY))},
            "Right at 0, and beside 0 the other line runs: at 0.0000001 it subtracts two large numbers that are "
            "nearly equal, and few digits are left. Let the series have a whole neighbourhood of 0.",
        ),
        _ratio(_NEAR, "    return 1 + x / 2", _GENERAL).replace("1e-3", "1"): (
            {AT_ZERO: (1.0, 0.5), "at 0.5": (1.25, 0.5)},
            "The neighbourhood is too large for so few terms: at 0.5 the line 1 + x/2 is not close enough. Make the "
            "neighbourhood small, or take more terms.",
        ),
        _ratio("return np.where(x == 0, 1 + x / 2, (np.exp(x) - 1) / x)"): (
            {AT_ZERO: (1.0, NO_NUMBER)},
            "np.where computes both lines and then chooses. At 0 the second one is 0/0, and its slope spoils the sum. "
            "Take an if: it computes one line only.",
        ),
        _ratio(_GENERAL): (
            {AT_ZERO: (NO_NUMBER, NO_NUMBER)},
            "At 0 this is 0/0. There another line has to run: the beginning of the series.",
        ),
    },
    hints=(
        "First the pair: at 0 the tape holds one line, 0 * x.",
        "The series is 1 + x/2 + x²/6 + x³/24 + …: a program that computes its beginning has the right slope at 0.",
        "Let the series run for all x between -0.001 and 0.001, and the quotient elsewhere.",
    ),
    praise="The branch now computes the function and its slope. A branch for one point never does that by itself.",
)


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
    wrong = {
        (one, two, three, 0.0): "The first three are right. The last function is zero everywhere, but AD does not "
        "know the function: it subtracts the slope of the second program from the slope of the third.",
        (two, two, two, 0.0): "Three programs for one function, and you gave them one slope. At the kink the function "
        "has none, and each program has its own.",
        (1.0, two, three, zero): "The first: at 0 both operands of maximum are equal. The policy of this package "
        "splits a tie evenly.",
        (two, two, three, zero): "The first: maximum is no if. At 0 both operands are equal, and this package splits "
        "a tie evenly.",
        (one, 1.0, three, round(three - 1.0, 12)): "The second: 0 > 0 is False. Which line does where take then?",
        (one, two, two, 0.0): "The third: R(−x) takes the line without x, so its slope is 0. What is left is + x.",
        (one, one, one, 0.0): "The mean of both sides is what maximum gives. An if and a where take one side.",
    }
    return Instance(right, wrong)


ex_08_4 = Exercise(
    expects="four slopes",
    make=at_the_kink,
    draws={"a": (0.1, 0.2, 0.25, 0.3, 0.01)},
    hints=(
        "Which line runs at 0? Write down for each program what is computed there, and differentiate that.",
        "maximum is the only one that treats both operands alike: a tie is split evenly (ad.policy() says so).",
        "R(-x) at 0: the condition is 0 > 0, which is False, so R gives a plain 0 and its slope is 0.",
    ),
    praise="Equal functions, unequal slopes: at a kink the slope belongs to the program.",
)
