"""The learner's own programs of notebook 08: with a branch for one point, with a loop that stops, and in a graph."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, record, value_and_grad
from autodiff_lab.lessons.checks import Refused, attempt, call_case, plain, run_cases

# A branch at one point

IDENTITY = "of the slope of x if x != 0 else 0 * x, at 0, by AD and in truth"
NO_NUMBER = "nan"
"""Two of them are not equal, so a check compares the word."""
PLACES = {"at 0": (0.0,), "at 0.0000001": (1e-7,), "at 0.5": (0.5,), "at -2": (-2.0,)}


def expected_ratio() -> dict[str, Any]:
    """(eˣ − 1) / x and its slope, by their series: Σ xᵏ / (k + 1)! and Σ k xᵏ⁻¹ / (k + 1)!."""
    found: dict[str, Any] = {IDENTITY: (float(grad(lambda x: x if x != 0 else 0 * x)(0.0)), 1.0)}
    for case, (x,) in PLACES.items():
        terms = [(x**k / math.factorial(k + 1), k * x ** max(k - 1, 0) / math.factorial(k + 1)) for k in range(30)]
        found[case] = tuple(math.fsum(column) for column in zip(*terms, strict=True))
    return found


def run_ratio(answer: Any, ratio: Any) -> Any:
    """The two predicted slopes; value and slope of the learner's program at four places."""
    found = run_cases(lambda names, x: value_and_grad(ratio)(x), PLACES, ratio)
    pair = plain(answer)
    if not isinstance(pair, tuple) or len(pair) != 2:
        return Refused("The answer is a pair: what AD reports, and the true slope.")
    for case, seen in found.items():
        if isinstance(seen, tuple):
            found[case] = tuple(NO_NUMBER if part != part else part for part in seen)
    return {IDENTITY: pair} | found


# A loop that stops when its value is good enough

STARTS = {"√9 from 3": (9.0, 3.0), "√2 from 1": (2.0, 1.0), "√2 from 1.5": (2.0, 1.5), "√1000000 from 1": (1e6, 1.0)}
TABLE = {"sqrt", "cbrt", "power", "exp", "log"}


def expected_roots() -> dict[str, Any]:
    """√x and 1 / (2√x)."""
    return {case: (x**0.5, 0.5 / x**0.5) for case, (x, _) in STARTS.items()}


def find_roots(root: Any) -> Any:
    """Value and slope of the learner's loop, from several starts."""
    found = run_cases(lambda names, x, start: value_and_grad(lambda x: root(x, start))(x), STARTS, root)
    if len(found) < len(STARTS):
        return found
    recorded = attempt(lambda: record(lambda x: root(x, 1.0), 2.0)[1].ops)
    if isinstance(recorded, list) and any(op is not None and op.name in TABLE for op in recorded):
        return Refused("That takes the root from the table of rules. Here it is to be found by the loop, with + and /.")
    return found


# A branch in a static graph, on the learner's own nodes

BRANCHES: dict[str, tuple[Callable[..., Any], float]] = {
    "cond(x > 0, log x, x · x) at 2": (lambda x, log, cond: cond(x > 0, log(x), x * x), 2.0),
    "cond(x > 0, log x, x · x) at -3": (lambda x, log, cond: cond(x > 0, log(x), x * x), -3.0),
    "cond(x > 0, x · x, 5) at -1": (lambda x, log, cond: cond(x > 0, x * x, 5.0), -1.0),
    "cond(x · x < 4, x + x, x · x · x) at 3": (lambda x, log, cond: cond(x * x < 4, x + x, x * x * x), 3.0),
    "cond(x > 0, log x, cond(x < -4, x + x, x · x · x)) · x at -2": (
        lambda x, log, cond: cond(x > 0, log(x), cond(x < -4, x + x, x * x * x)) * x,
        -2.0,
    ),
    "cond(x, x · 2, x · x) at 3": (lambda x, log, cond: cond(x, x * 2, x * x), 3.0),
}
VALUE, SLOPE = "{}, its value", "{}, its slope"
NEGATIVE = "cond(x > 0, log x, x · x) at -3"
LOGARITHMS = "of the number of logarithms computed at -3"


def _choose(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def _quiet_log(x: Any) -> Any:
    """Python computes both operands of `_choose`; of a negative number there is no logarithm to be had."""
    return np.log(x) if x > 0 else math.nan


def expected_branches() -> dict[str, Any]:
    """Values and slopes by the tape, which needs no cond, and no logarithm too many."""
    found: dict[str, Any] = {}
    for case, (program, x) in BRANCHES.items():
        both = value_and_grad(lambda x, program=program: program(x, _quiet_log, _choose))(x)
        found |= dict(zip((VALUE.format(case), SLOPE.format(case)), both, strict=True))
    return found | {LOGARITHMS: 0.0}


def run_branches(run: Any, cond_gradient: Any) -> Any:
    """Values and slopes by the learner's graph, and what it computed on the way."""
    logarithms: list[float] = []

    def log_counted(x: Any) -> Any:
        logarithms.append(x)
        return np.log(x)

    def answer(names: dict[str, Any], program: Any, at: float, slope: bool = False) -> Any:
        names["GRADIENT"]["cond"], names["COMPUTE"]["log"] = cond_gradient, log_counted
        logarithms.clear()
        x = names["Op"]("x")
        y = program(x, lambda t: t.operation("log", t), names["cond"])
        values = run([names["gradient"](y, x) if slope else y], {x: at})
        return values[0] if isinstance(values, list | tuple) and len(values) == 1 else values

    def count_logarithms(names: dict[str, Any]) -> float:
        answer(names, *BRANCHES[NEGATIVE])
        return float(len(logarithms))

    cases: dict[str, tuple[Any, ...]] = {}
    for case, (program, at) in BRANCHES.items():
        cases[VALUE.format(case)] = (answer, program, at)
        cases[SLOPE.format(case)] = (answer, program, at, True)
    cases[LOGARITHMS] = (count_logarithms,)
    listing = ("Op", "COMPUTE", "GRADIENT", "gradient", "cond")
    return run_cases(call_case, cases, run, cond_gradient, listing=listing, machine="graph")
