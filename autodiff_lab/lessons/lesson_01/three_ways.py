"""The last exercise of notebook 01: one slope of the logistic map by formula, by difference and by AD."""

import types
from typing import Any

from autodiff_lab.lessons.checks import Crashed, Instance, Refused, attempt, plain, vet_code
from autodiff_lab.transforms.gradients import grad


def logistic(x: Any) -> Any:
    """l₄ of the iterated logistic map."""
    for _ in range(3):
        x = 4 * x * (1 - x)
    return x


OTHERS = (0.1, 0.6, 0.85)
WIDE = 0.01
FORMULA, CENTRAL, AD = f"by_formula(x) for x in {OTHERS}", f"by_difference(0.6, {WIDE})", "by_ad"
ALL_DIGITS = "the digits of by_ad that are right"
ON_PAPER = Refused("by_formula runs l4 or AD. Find the slope on paper: write what the chain rule gives, in x alone.")
DRAWN = (0.1, 0.15, 0.2, 0.35, 0.4, 0.45, 0.6, 0.7)
EXACT = tuple(grad(logistic)(x) for x in (0.3, *DRAWN))


def differentiate_three_ways(x: float = 0.3) -> Instance:
    """What the formula gives at other points, the difference with a wide step, and AD."""
    slope = grad(logistic)

    def formula(f: Any) -> dict[str, Any]:
        return {FORMULA: tuple(float(f(other)) for other in OTHERS)}

    def difference(run: float) -> dict[str, Any]:
        return {CENTRAL: float((logistic(0.6 + WIDE) - logistic(0.6 - WIDE)) / run)}

    by_formula, by_difference = formula(slope), difference(2 * WIDE)
    mistakes = {
        "one turn": formula(lambda x: 4 * (1 - 2 * x)),
        "all at x": formula(lambda x: (4 * (1 - 2 * x)) ** 3),
        "two turns": formula(grad(lambda x: 4 * (y := 4 * x * (1 - x)) * (1 - y))),
        "value by formula": formula(logistic),
        "forward quotient": {CENTRAL: float((logistic(0.6 + WIDE) - logistic(0.6)) / WIDE)},
        "run of h": difference(WIDE),
        "no difference": {CENTRAL: float(slope(0.6))},
        "difference for AD": by_formula | {ALL_DIGITS: "some"},
        "value for AD": by_formula | {AD: float(logistic(x))},
    }
    return Instance({**by_formula, **by_difference, AD: slope(x), ALL_DIGITS: "all"}, mistakes=mistakes)


def compare_three_ways(by_formula: Any, by_difference: Any, by_ad: Any) -> Any:
    """The formula at other points, the difference with a wide and a narrow step, and AD to its last digit."""
    if isinstance(by_formula, types.FunctionType) and by_formula.__globals__["__name__"].startswith("autodiff_lab"):
        return ON_PAPER
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
        return ON_PAPER
    number = plain(by_ad)
    off = min(abs(number - slope) / abs(slope) for slope in EXACT) if isinstance(number, float) else 1.0
    return {
        FORMULA: formula,
        CENTRAL: attempt(lambda: plain(by_difference(0.6, WIDE))),
        AD: number,
        ALL_DIGITS: "all" if off <= 1e-14 else "some" if off < 1e-3 else "none",
    }
