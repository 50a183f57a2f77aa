"""The learner's own dual numbers, tried at many points against the engine's forward mode.

The functions a learner writes in notebook 02 use the class `Dual` that stands beside them in the notebook. A check runs
them right there, and compares value and tangent with what `jvp` computes from the table of rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Finding, describe, run_cases
from autodiff_lab.text.notation import number
from autodiff_lab.transforms.gradients import jvp

Pair = tuple[float, float]


def example(x1: Any, x2: Any) -> Any:
    """The function of the course."""
    return np.log(x1) + x1 * x2 - np.sin(x2)


def points() -> list[tuple[str, Pair, Pair]]:
    """Twenty cases for an operation on two dual numbers; the first two are the ones that tell mistakes apart."""
    draw = random.Random(2)
    pairs = [((2.0, 3.0), (5.0, 7.0)), ((3.0, 0.0), (0.7, 1.0)), ((0.7, 1.0), (0.7, 1.0))]
    while len(pairs) < 20:
        a, da, b, db = (round(draw.uniform(-3, 3), 1) or 1.0 for _ in range(4))
        pairs.append(((a, da), (b, db)))
    return [(f"{write_dual(a)} {{}} {write_dual(b)}", a, b) for a, b in pairs]


def write_dual(dual: Pair) -> str:
    """A dual number as on paper: ``(2 + 3ε)``."""
    value, tangent = dual
    return f"({number(value)} {'−' if tangent < 0 else '+'} {number(abs(tangent))}ε)"


def by_the_engine(operation: Callable[..., Any], *duals: Pair) -> Pair:
    """Value and tangent of an operation, from the table of rules.

    >>> by_the_engine(lambda a, b: a * b, (2.0, 3.0), (5.0, 7.0))
    (10.0, 29.0)
    """
    return jvp(operation, tuple(value for value, _ in duals), tuple(tangent for _, tangent in duals))


SIGNS: dict[str, Callable[[Any, Any], Any]] = {"*": lambda a, b: a * b, "/": lambda a, b: a / b}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {"log": np.log, "sin": np.sin, "exp": np.exp, "sqrt": np.sqrt}
AT = (2.0, 3.0)
DUAL_INSIDE = "a Dual with another Dual inside it"


def _arithmetic_cases() -> dict[str, tuple[str, tuple[Pair, ...]]]:
    """Twenty products and twenty quotients: the sign, and two dual numbers."""
    return {case.format(sign): (sign, (a, b)) for sign in SIGNS for case, a, b in points()}


def _function_cases() -> dict[str, tuple[str, tuple[Pair, ...]]]:
    """Four functions of 2 + 3ε, and the example made of two of them, seeded once in each input."""
    found: dict[str, tuple[str, tuple[Pair, ...]]] = {
        f"{name} of {write_dual(AT)}": (name, (AT,)) for name in FUNCTIONS
    }
    for one, other in ((1.0, 0.0), (0.0, 1.0)):
        found[f"the example with the seed ({one:g}, {other:g})"] = ("example", ((2.0, one), (5.0, other)))
    return found


def _example_of(functions: dict[str, Callable[[Any], Any]]) -> Callable[[Any, Any], Any]:
    return lambda x1, x2: functions["log"](x1) + x1 * x2 - functions["sin"](x2)


def expected_arithmetic() -> dict[str, Pair]:
    """What twenty products and twenty quotients are."""
    return {case: by_the_engine(SIGNS[sign], *duals) for case, (sign, duals) in _arithmetic_cases().items()}


def expected_functions() -> dict[str, Pair]:
    """What four functions do to 2 + 3ε, and what the example is, seeded once in each input."""
    known = {**FUNCTIONS, "example": _example_of(FUNCTIONS)}
    return {case: by_the_engine(known[name], *duals) for case, (name, duals) in _function_cases().items()}


def run_arithmetic(dual_mul: Any, dual_div: Any) -> Any:
    """The learner's products and quotients, by case."""
    return _run_duals({"*": dual_mul, "/": dual_div}, _arithmetic_cases())


def run_functions(dual_log: Any, dual_sin: Any, dual_exp: Any, dual_sqrt: Any) -> Any:
    """The learner's four functions at 2 + 3ε, and the example made of two of them."""
    own = {"log": dual_log, "sin": dual_sin, "exp": dual_exp, "sqrt": dual_sqrt}
    return _run_duals({**own, "example": _example_of(own)}, _function_cases(), *own.values())


def _run_duals(own: dict[str, Any], cases: Mapping[str, Any], *functions: Any) -> Any:
    """Value and tangent that come out; of anything but a dual number the thing itself."""

    def run(names: dict[str, Any], name: str, duals: tuple[Pair, ...]) -> Any:
        mine = names["Dual"]
        result = own[name](*(mine(value, tangent) for value, tangent in duals))
        if isinstance(result, list | tuple):
            return Finding(f"no Dual, but {describe(result)}")
        if not isinstance(result, mine):
            return result
        parts = result.value, result.tangent
        return Finding(DUAL_INSIDE) if any(isinstance(part, mine) for part in parts) else parts

    return run_cases(run, cases, *(functions or own.values()), listing=("Dual",), machine="class")
