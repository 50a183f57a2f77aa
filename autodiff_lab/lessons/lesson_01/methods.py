"""The exercises of notebook 01 about the other ways: the complex step, and one slope by three methods."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Instance, Refused, attempt, describe, plain, vet_code
from autodiff_lab.transforms.gradients import grad

# 4. the complex step

BREAKERS = ("exp", "abs", "sin", "sqrt", "log")
CULPRIT = "abs"


def try_complex_step(complex_step: Any, culprit: Any) -> Any:
    """The learner's complex step on three functions, and the operation that it cannot pass."""
    vet_code(complex_step)
    name = getattr(culprit, "__name__", culprit) if callable(culprit) else culprit
    word = name.strip(" .()").lower().removeprefix("np.") if isinstance(name, str) else ""
    word = "abs" if word == "absolute" else word
    if word not in BREAKERS:
        return Refused(f"You gave {describe(culprit)} as culprit. It is one of {', '.join(BREAKERS)}, in quotes.")

    def of_x2(x: Any) -> Any:
        return np.log(2.0) + 2.0 * x - np.sin(x)

    def seen(*args: Any) -> Any:
        found = attempt(lambda: plain(complex_step(*args)))
        return found if not isinstance(found, complex) else describe(found)

    return {
        "x³ at 2 with h = 0.5": seen(lambda x: x * x * x, 2.0, 0.5),
        "the derivative with respect to x2 at 5": seen(of_x2, 5.0),
        "sin at 1": seen(np.sin, 1.0),
        "the operation that breaks it": word,
    }


_AT_A_HALF = "x³ at 2 with h = 0.5"


# 5. the logistic map, three ways


def logistic(x: Any) -> Any:
    """l₄ of the iterated logistic map."""
    for _ in range(3):
        x = 4 * x * (1 - x)
    return x


OTHERS = (0.1, 0.6, 0.85)
WIDE = 0.01
ON_PAPER = "by_formula runs l4 or AD. Find the slope on paper: write what the chain rule gives, in x alone."
ALL_DIGITS = "the digits of by_ad that are right"
FORMULA, CENTRAL, AD = f"by_formula(x) for x in {OTHERS}", f"by_difference(0.6, {WIDE})", "by_ad"


def _quotient(x: float, h: float) -> float:
    return float((logistic(x + h) - logistic(x - h)) / (2 * h))


def _cell(
    x: float,
    turns: str = "3",
    factor: str = "4 * (1 - 2 * x)",
    difference: str = "(l4(x + h) - l4(x - h)) / (2 * h)",
    by_ad: str = "ad.grad(l4)(x)",
    end: str = "slope",
) -> str:
    return f"""\
x = {x}


def by_formula(x):
    slope = 1.0
    for _ in range({turns}):
        slope = slope * {factor}
        x = 4 * x * (1 - x)
    return {end}


def by_difference(x, h):
    return {difference}


by_ad = {by_ad}"""


def _three_ways(x: float = 0.3) -> Instance:
    slope, value = grad(logistic)(x), float(logistic(x))
    right = {
        FORMULA: tuple(grad(logistic)(other) for other in OTHERS),
        CENTRAL: _quotient(0.6, WIDE),
        AD: slope,
        ALL_DIGITS: "all",
    }

    def formula(f: Any) -> dict[str, Any]:
        return {FORMULA: tuple(float(f(other)) for other in OTHERS)}

    def difference(f: Any) -> dict[str, Any]:
        return {CENTRAL: float(f(0.6, WIDE))}

    wrong = {
        _cell(x, turns="1"): (
            formula(lambda x: 4 * (1 - 2 * x)),
            "The formula has the slope of the first turn only. Each of the three turns contributes a factor 4(1 − "
            "2l), taken at its own l.",
        ),
        _cell(x, turns="1", factor="(4 * (1 - 2 * x)) ** 3"): (
            formula(lambda x: (4 * (1 - 2 * x)) ** 3),
            "You took all three slopes at x. By the chain rule the slope of the second turn is taken at l₂, and that "
            "of the third at l₃.",
        ),
        _cell(x, turns="2"): (
            formula(grad(lambda x: 4 * (y := 4 * x * (1 - x)) * (1 - y))),
            "The formula stops one turn too early: that is l₃′. There are three turns between l₁ = x and l₄.",
        ),
        _cell(x, end="x"): (
            formula(logistic),
            "by_formula gives l₄ itself. Asked for is its slope, three times.",
        ),
        _cell(x, difference="(l4(x + h) - l4(x)) / h"): (
            difference(lambda x, h: (logistic(x + h) - logistic(x)) / h),
            "by_difference is the forward quotient. The central one takes a step to each side.",
        ),
        _cell(x, difference="(l4(x + h) - l4(x - h)) / h"): (
            difference(lambda x, h: 2 * _quotient(x, h)),
            "From x − h to x + h the run is 2h, and you divide by h.",
        ),
        _cell(x, difference="ad.grad(l4)(x)"): (
            difference(lambda x, h: grad(logistic)(x)),
            "by_difference does not feel its step: with h = 0.01 no difference is so close. Run l4 at x + h and at x "
            "− h, with the h that is given.",
        ),
        _cell(x, by_ad="by_difference(x, 1e-5)"): (
            {FORMULA: right[FORMULA], ALL_DIGITS: "some"},
            "by_ad is right to some digits, as a difference is. AD gives all of them: ad.grad(l4)(x).",
        ),
        _cell(x, by_ad="l4(x)"): (
            {FORMULA: right[FORMULA], AD: value},
            "by_ad is l₄ itself, and not its slope.",
        ),
    }
    return Instance(right, wrong, _cell(x))


def compare_three_ways(by_formula: Any, by_difference: Any, by_ad: Any) -> Any:
    """The formula at other points, the difference with a wide and a narrow step, and AD to its last digit."""
    if isinstance(by_formula, types.FunctionType) and by_formula.__globals__["__name__"].startswith("autodiff_lab"):
        return Refused(ON_PAPER)
    if callable(by_ad):
        return Refused("by_ad is a function that computes slopes. Call it at x: by_ad = ad.grad(l4)(x).")
    vet_code(by_formula, by_difference, listing=("l4",), machine="program")
    # On paper there is no program to run: what the formula computes with is its own.
    names = {name: thing for name, thing in by_formula.__globals__.items() if name not in ("l4", "ad", "f", "grad")}
    alone = types.FunctionType(
        by_formula.__code__, names, by_formula.__name__, by_formula.__defaults__, by_formula.__closure__
    )
    formula = attempt(lambda: plain([alone(x) for x in OTHERS]))
    unknown = formula.message if isinstance(formula, Crashed) and formula.kind == "NameError" else ""
    if "'l4'" in unknown or "'ad'" in unknown:
        return Refused(ON_PAPER)
    number = plain(by_ad)
    off = min(abs(number - slope) / abs(slope) for slope in EXACT) if isinstance(number, float) else 1.0
    return {
        FORMULA: formula,
        CENTRAL: attempt(lambda: plain(by_difference(0.6, WIDE))),
        AD: number,
        ALL_DIGITS: "all" if off <= 1e-14 else "some" if off < 1e-3 else "none",
    }


DRAWN = (0.1, 0.15, 0.2, 0.35, 0.4, 0.45, 0.6, 0.7)
EXACT = tuple(grad(logistic)(x) for x in (0.3, *DRAWN))
