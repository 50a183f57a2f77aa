"""The exercise of notebook 08 about a branch in a static graph, on the learner's own nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import value_and_grad
from autodiff_lab.lessons.checks import call_case, run_cases

LISTING = ("Op", "COMPUTE", "GRADIENT", "gradient", "cond")
Choose = Callable[[Any, Any, Any], Any]


def _log_or_square(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x > 0, log(x), x * x)


def _plain_number(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x > 0, x * x, 5.0)


def _computed_condition(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x * x < 4, x + x, x * x * x)


def _nested(x: Any, log: Any, cond: Choose) -> Any:
    inner = cond(x < -4, x + x, x * x * x)
    return cond(x > 0, log(x), inner) * x


def _bare_condition(x: Any, log: Any, cond: Choose) -> Any:
    return cond(x, x * 2, x * x)


PROGRAMS = {
    "cond(x > 0, log x, x · x) at 2": (_log_or_square, 2.0),
    "cond(x > 0, log x, x · x) at -3": (_log_or_square, -3.0),
    "cond(x > 0, x · x, 5) at -1": (_plain_number, -1.0),
    "cond(x · x < 4, x + x, x · x · x) at 3": (_computed_condition, 3.0),
    "cond(x > 0, log x, cond(x < -4, x + x, x · x · x)) · x at -2": (_nested, -2.0),
    "cond(x, x · 2, x · x) at 3": (_bare_condition, 3.0),
}
VALUE, SLOPE = "{}, its value", "{}, its slope"
POSITIVE, NEGATIVE, *_, BARE = PROGRAMS
LOGARITHMS = "of the number of logarithms computed at -3"


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def _quiet_log(x: Any) -> Any:
    """Python computes both operands of `_chosen`; of a negative number there is no logarithm to be had."""
    return np.log(x) if x > 0 else math.nan


def expected_branches() -> dict[str, Any]:
    """Values and slopes by the tape, which needs no cond, and no logarithm too many."""
    found: dict[str, Any] = {}
    for case, (program, x) in PROGRAMS.items():
        both = value_and_grad(lambda x, program=program: program(x, _quiet_log, _chosen))(x)
        found |= dict(zip((VALUE.format(case), SLOPE.format(case)), both, strict=True))
    return found | {LOGARITHMS: 0.0}


def run_branches(run: Any, cond_gradient: Any) -> Any:
    """Values and slopes by the learner's graph, and what it computed on the way."""
    logarithms: list[float] = []

    def counted(x: Any) -> Any:
        logarithms.append(x)
        return np.log(x)

    def answer(names: dict[str, Any], program: Any, at: float, asked: Callable[[Any, Any], Any] | None) -> Any:
        names["GRADIENT"]["cond"], names["COMPUTE"]["log"] = cond_gradient, counted
        logarithms.clear()
        x = names["Op"]("x")
        values = run(
            [(asked or names["gradient"])(program(x, lambda t: t.operation("log", t), names["cond"]), x)], {x: at}
        )
        return values[0] if isinstance(values, list | tuple) and len(values) == 1 else values

    def count_logarithms(names: dict[str, Any]) -> float:
        answer(names, *PROGRAMS[NEGATIVE], _itself)
        return float(len(logarithms))

    cases: dict[str, tuple[Any, ...]] = {}
    for case, (program, at) in PROGRAMS.items():
        cases[VALUE.format(case)] = (answer, program, at, _itself)
        cases[SLOPE.format(case)] = (answer, program, at, None)
    cases[LOGARITHMS] = (count_logarithms,)
    return run_cases(call_case, cases, run, cond_gradient, listing=LISTING, machine="graph")


def _itself(y: Any, x: Any) -> Any:
    return y
