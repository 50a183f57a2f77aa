"""The exercises of notebook 13 about numbers that overflow or cancel."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_13 import sandbox
from autodiff_lab.lessons.lesson_13.sandbox import CANCELLING, STABLE

# 3. a rule that does not overflow


def _log1pexp(
    rule: str = "partials=lambda y, x: 1 / (1 + np.exp(-x))",
    body: str = "np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))",
) -> str:
    return f"@custom_gradient({rule})\ndef log1pexp(x):\n    return {body}"


FAR, _, _, THREE, SECOND, SMALL = STABLE
SIGMOID = 1 / (1 + math.exp(-1))
LEFT = 1e18 * math.exp(-40)
"""What value and slope are there, times 1e18; the next term of the series is smaller by as much again."""

ex_13_3 = Exercise(
    expects="a function log1pexp(x) whose value and slope are stable",
    expected=sandbox.expected(sandbox.softplus, STABLE),
    observe=lambda log1pexp: sandbox.try_cases(log1pexp, STABLE),
    cases="Where there are two numbers, they are value and slope.",
    reference=_log1pexp(),
    misconceptions={
        "def log1pexp(x):\n    return np.log(1 + np.exp(x))": (
            {FAR: ("inf", "nan")},
            "That is the formula on paper, with no rule. exp(800) is inf, in the value and in the slope.",
        ),
        _log1pexp(body="np.log(1 + np.exp(x))"): (
            {FAR: ("inf", 1.0)},
            "The slope is right: your rule is stable. The value is still inf, because it still takes exp(800). Take "
            "the exponential of a negative number, −|x|.",
        ),
        _log1pexp(rule="partials=lambda y, x: np.exp(x) / (1 + np.exp(x))"): (
            {FAR: (800.0, "nan")},
            "The value is right. In the rule inf is divided by inf. Divide numerator and denominator by exp(x).",
        ),
        _log1pexp(rule="partials=lambda y, x: y"): (
            {FAR: (800.0, 800.0)},
            "You handed on the value as the partial. That is right for exp only.",
        ),
        _log1pexp(rule="vjp=lambda g, y, x: 1 / (1 + np.exp(-x))"): (
            {FAR: (800.0, 1.0), THREE: (3 * math.log1p(math.e), SIGMOID)},
            "Alone it is right, and inside a larger program not: a vjp gets the adjoint g that arrives, and has to "
            "multiply by it. (partials=… does that for you.)",
        ),
        _log1pexp(rule="partials=lambda y, x: float(1 / (1 + np.exp(-x)))"): (
            {FAR: (800.0, 1.0), SECOND: Crashed("DetachedError")},
            "Right once. float() hides the number from the next tape, so the slope of the slope is lost. Leave it out.",
        ),
        _log1pexp(rule="partials=lambda y, x: 1 - np.exp(-y)"): (
            {FAR: (800.0, 1.0), SMALL: (LEFT, 0.0)},
            "On paper your rule is right. But at −40 it takes the difference of two numbers that agree in all their "
            "digits, as 1 and exp(−4e−18) do: you say 0, and the slope is 4e−18. Find a formula without a difference.",
        ),
        _log1pexp(body="np.maximum(x, 0.0) + np.log(1 + np.exp(-np.abs(x)))"): (
            {FAR: (800.0, 1.0), SMALL: (0.0, LEFT)},
            "Nothing overflows any more. But at −40 the exponential is 4e−18, 1 + 4e−18 is rounded to 1, and its "
            "logarithm is 0. np.log1p(t) is log(1 + t), and never makes the sum.",
        ),
    },
    hints=(
        "Two things overflow, and they are repaired apart: the value in the function, the slope in the rule.",
        "log(1 + eˣ) = max(x, 0) + log(1 + e^−|x|). Here the exponential is never of a large number. It may be a tiny "
        "one: np.log1p(t) is log(1 + t), to all digits.",
        "The slope is 1 / (1 + e^−x). At 800 this is 1 / (1 + 0).",
    ),
    praise="Value and slope are two computations. Each has to be stable, and neither has to follow how the other is "
    "made.",
)

# 4. cancellation


def _steady(body: str) -> str:
    return f"def steady(x):\n    return {body}"


HALF, _, TINY = CANCELLING

ex_13_4 = Exercise(
    expects="a function steady(x) that computes (1 − cos x)/x²",
    expected=sandbox.expected(sandbox.half_of_sinc_squared, CANCELLING),
    observe=lambda steady: sandbox.try_cases(steady, CANCELLING),
    cases="First the value, then the slope (at 1e-8 to eight places after the point).",
    reference=_steady("2 * np.sin(x / 2) ** 2 / x**2"),
    misconceptions={
        _steady("(1 - np.cos(x)) / (x * x)"): (
            {TINY: (0.0, 99999999.99999999)},
            "At 1e−8 that is no better than the program as it was. cos(1e−8) is 1 in all its digits, and 1 − 1 has "
            "none left.",
        ),
        _steady("0.5 + 0.0 * x"): (
            {HALF: (0.5, 0.0), TINY: (0.5, 0.0)},
            "That is the limit at 0, and right only there. At 0.5 the value is lower.",
        ),
        _steady("0.5 - x * x / 24"): (
            {TINY: (0.5, 0.0), HALF: (0.5 - 0.25 / 24, -0.5 / 12)},
            "That is the beginning of the series. Near 0 it serves; at 0.5 the next term is missing.",
        ),
        _steady("np.sin(x / 2) ** 2 / x**2"): (
            {TINY: (0.25, 0.0)},
            "There is a factor missing: 1 − cos x = 2 sin²(x/2).",
        ),
        _steady("2 * np.sin(x) ** 2 / x**2"): (
            {TINY: (2.0, 0.0)},
            "The sine is of half the angle: 1 − cos x = 2 sin²(x/2).",
        ),
    },
    hints=(
        "The damage is done by the subtraction of two nearly equal numbers. Find a formula without it.",
        "cos x = 1 − 2 sin²(x/2). Put it in.",
        "2 sin²(x/2) / x². Nothing is subtracted any more.",
    ),
    praise="No rule was changed. The formula was, and its derivative followed.",
)
