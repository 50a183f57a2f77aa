"""The learner's own dual numbers, tried at many points against the engine's forward mode.

The functions a learner writes in notebook 02 use the class `Dual` that stands beside them in the notebook. A check runs
them right there, and compares value and tangent with what `jvp` computes from the table of rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks.compare import describe, told
from autodiff_lab.lessons.checks.run_code import Crashed, attempt
from autodiff_lab.lessons.lesson_03.sandbox import refuse
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
    return [(f"{written(a)} {{}} {written(b)}", a, b) for a, b in pairs]


def written(dual: Pair) -> str:
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


def expected_arithmetic() -> dict[str, Pair]:
    """What twenty products and twenty quotients are."""
    return {
        case.format(sign): by_the_engine(operation, a, b)
        for sign, operation in SIGNS.items()
        for case, a, b in points()
    }


def expected_functions() -> dict[str, Pair]:
    """What four functions do to 2 + 3ε, and what the example is, seeded once in each input."""
    found = {f"{name} of {written(AT)}": by_the_engine(f, AT) for name, f in FUNCTIONS.items()}
    for seed in ((1.0, 0.0), (0.0, 1.0)):
        found[_seeded(seed)] = by_the_engine(example, (2.0, seed[0]), (5.0, seed[1]))
    return found


def arithmetic(dual_mul: Any, dual_div: Any) -> Any:
    """The learner's products and quotients, by case."""
    refused = refuse(dual_mul, dual_div, listing=("Dual",), machine="class")
    if refused:
        return refused
    mine = dual_mul.__globals__["Dual"]
    found: dict[str, Any] = {}
    for sign, code in zip(SIGNS, (dual_mul, dual_div), strict=True):
        for case, a, b in points():
            found[case.format(sign)] = seen = _seen(mine, code, a, b)
            if isinstance(seen, Crashed) and seen.never_ends:
                return found
    return found


def functions(*code: Any) -> Any:
    """The learner's four functions at 2 + 3ε, and the example made of two of them."""
    refused = refuse(*code, listing=("Dual",), machine="class")
    if refused:
        return refused
    mine = code[0].__globals__["Dual"]
    own = dict(zip(FUNCTIONS, code, strict=True))
    found = {f"{name} of {written(AT)}": _seen(mine, f, AT) for name, f in own.items()}

    def whole(x1: Any, x2: Any) -> Any:
        return own["log"](x1) + x1 * x2 - own["sin"](x2)

    for seed in ((1.0, 0.0), (0.0, 1.0)):
        found[_seeded(seed)] = _seen(mine, whole, (2.0, seed[0]), (5.0, seed[1]))
    return found


def _seeded(seed: Pair) -> str:
    return f"the example with the seed ({number(seed[0])}, {number(seed[1])})"


def _seen(mine: type, code: Callable[..., Any], *duals: Pair) -> Any:
    """Value and tangent that came out; of anything but a dual number the thing itself."""

    def run() -> Any:
        result = code(*(mine(value, tangent) for value, tangent in duals))
        if isinstance(result, list | tuple):
            return f"no Dual, but {describe(result)}"
        if not isinstance(result, mine):
            return result
        parts = result.value, result.tangent
        return DUAL_INSIDE if any(isinstance(part, mine) for part in parts) else parts

    found = attempt(run)
    return found if isinstance(found, str) else told(found)
