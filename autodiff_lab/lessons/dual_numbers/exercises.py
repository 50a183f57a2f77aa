"""The exercises of `dual_numbers`: the learner's dual numbers, compared with the engine's forward mode.

A learner's function uses the notebook's class `Dual`. A check runs it there, and compares value and tangent with those
that `jvp` computes from the table of rules.
"""

import math
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import Trace, grad, jvp
from autodiff_lab.lessons.checks import Finding, Instance, call_case, describe, plain, run_cases
from autodiff_lab.lessons.examples.course_function import f as example
from autodiff_lab.text.numbers import number

Pair = tuple[float, float]


def points() -> list[tuple[str, Pair, Pair]]:
    """Exercise 1: twenty pairs of dual numbers; for the first two, different mistakes give different results."""
    draw = random.Random(2)
    pairs = [((2.0, 3.0), (5.0, 7.0)), ((3.0, 0.0), (0.7, 1.0)), ((0.7, 1.0), (0.7, 1.0))]
    while len(pairs) < 20:
        a, da, b, db = (round(draw.uniform(-3, 3), 1) or 1.0 for _ in range(4))
        pairs.append(((a, da), (b, db)))
    return [(f"{write_dual(a)} {{}} {write_dual(b)}", a, b) for a, b in pairs]


def write_dual(dual: Pair) -> str:
    """Exercises 1 and 2: a dual number as on paper, ``(2 + 3ε)``, for the name of a case."""
    value, tangent = dual
    return f"({number(value)} {'−' if tangent < 0 else '+'} {number(abs(tangent))}ε)"


def by_the_engine(operation: Callable[..., Any], *duals: Pair) -> Pair:
    """The value and the tangent of an operation on dual numbers, by the engine's rules.

    >>> by_the_engine(lambda a, b: a * b, (2.0, 3.0), (5.0, 7.0))
    (10.0, 29.0)
    """
    values = tuple(value for value, _ in duals)
    tangents = tuple(tangent for _, tangent in duals)
    return jvp(operation, values, tangents)


SIGNS = {"*": operator.mul, "/": operator.truediv}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": np.log,
    "sin": np.sin,
    "exp": np.exp,
    "sqrt": np.sqrt,
}
AT = (2.0, 3.0)

Cases = dict[str, tuple[str, tuple[Pair, ...]]]
# Twenty products and twenty quotients: the sign, and two dual numbers.
ARITHMETIC: Cases = {case.format(sign): (sign, (a, b)) for sign in SIGNS for case, a, b in points()}
# Four functions of 2 + 3ε, and the example made of two of them, seeded once in each input.
AMONG_FUNCTIONS: Cases = {f"{name} of {write_dual(AT)}": (name, (AT,)) for name in FUNCTIONS} | {
    f"the example with the seed ({one:g}, {other:g})": ("example", ((2.0, one), (5.0, other)))
    for one, other in ((1.0, 0.0), (0.0, 1.0))
}

# Several tangents that one value carries at once, as in section 6 of the notebook.
TANGENTS = (1.0, 0.0, 3.0)
SEVERAL = {
    name: f"the tangents of {name} at 2, if the value carries the tangents 1, 0 and 3"
    for name in FUNCTIONS
}
# An operation must not change its operands, because the program may use them again.
KEPT_OF_SIGNS = {sign: f"whether a {sign} b leaves a and b as they were" for sign in SIGNS}
KEPT_OF_FUNCTIONS = {name: f"whether {name}(x) leaves x as it was" for name in FUNCTIONS}


def expected_arithmetic() -> dict[str, Pair | bool]:
    """Exercise 1: twenty products and twenty quotients of dual numbers, by the engine."""
    found = {case: by_the_engine(SIGNS[sign], *duals) for case, (sign, duals) in ARITHMETIC.items()}
    return {**found, **dict.fromkeys(KEPT_OF_SIGNS.values(), True)}


def expected_functions() -> dict[str, Pair]:
    """Exercise 2: four functions of the dual number 2 + 3ε, and the example seeded once in each input."""
    known = {**FUNCTIONS, "example": example}
    found: dict[str, Any] = {
        case: by_the_engine(known[name], *duals) for case, (name, duals) in AMONG_FUNCTIONS.items()
    }
    for name, case in SEVERAL.items():
        found[case] = tuple(
            by_the_engine(FUNCTIONS[name], (AT[0], tangent))[1] for tangent in TANGENTS
        )
    return found | dict.fromkeys(KEPT_OF_FUNCTIONS.values(), True)


def run_arithmetic(dual_mul: Any, dual_div: Any) -> Any:
    """Exercise 1: the same products and quotients by the learner's functions."""
    own = {"*": dual_mul, "/": dual_div}
    kept = _cases_of_kept(own, KEPT_OF_SIGNS, (2.0, 3.0), (5.0, 7.0))
    return _run(own, _cases_of_duals(own, ARITHMETIC) | kept)


def run_functions(dual_log: Any, dual_sin: Any, dual_exp: Any, dual_sqrt: Any) -> Any:
    """Exercise 2: the learner's four functions of 2 + 3ε, and the example made of two of them."""
    own = {"log": dual_log, "sin": dual_sin, "exp": dual_exp, "sqrt": dual_sqrt}
    made = {"example": lambda x1, x2: dual_log(x1) + x1 * x2 - dual_sin(x2)}

    def tangents(names: dict[str, Any], name: str) -> Any:
        result = own[name](names["Dual"](AT[0], np.array(TANGENTS)))
        return plain(getattr(result, "tangent", result))

    several = {case: (tangents, name) for name, case in SEVERAL.items()}
    kept = _cases_of_kept(own, KEPT_OF_FUNCTIONS, AT)
    return _run(own, _cases_of_duals(own | made, AMONG_FUNCTIONS) | several | kept)


def _run(own: dict[str, Any], cases: dict[str, Any]) -> Any:
    """Run all cases of an exercise; after one that never ends, the others are skipped."""
    return run_cases(call_case, cases, *own.values(), listing=("Dual",), machine="class")


def _cases_of_duals(operations: dict[str, Any], cases: Cases) -> dict[str, Any]:
    """The value and the tangent of each case, by operations on the learner's dual numbers."""

    def run(names: dict[str, Any], name: str, duals: tuple[Pair, ...]) -> Any:
        mine = names["Dual"]
        made = {dual: mine(*dual) for dual in duals}  # in x / x both operands are the same object
        result = operations[name](*(made[dual] for dual in duals))
        if isinstance(result, list | tuple):
            return Finding(f"no Dual, but {describe(result)}")
        if not isinstance(result, mine):
            return result
        parts = result.value, result.tangent
        if any(isinstance(part, mine) for part in parts):
            return Finding("a Dual with another Dual inside it")
        return parts

    return {case: (run, *how) for case, how in cases.items()}


def _cases_of_kept(own: dict[str, Any], cases: dict[str, str], *duals: Pair) -> dict[str, Any]:
    """Whether each of the learner's functions leaves its operands as they were."""

    def run(names: dict[str, Any], name: str) -> bool:
        operands = [names["Dual"](*dual) for dual in duals]
        own[name](*operands)
        return all(
            (each.value, each.tangent) == dual for each, dual in zip(operands, duals, strict=True)
        )

    return {case: (run, name) for name, case in cases.items()}


# With numbers of one's own


def quotient_and_root(x: Any, y: Any) -> Any:
    """The function g of sections 3 and 4: a quotient, and the square root of a product."""
    return x / y + np.sqrt(x * y)


def trace_forward(x: float = 2.0, y: float = 8.0) -> Instance:
    """Exercise 3: the tangents of the last four lines of g when x moves."""

    def tangents(*direction: float) -> tuple[float, ...]:
        steps = Trace.of(quotient_and_root, x, y, mode="forward", direction=direction).steps[2:]
        return tuple(step.tangents[0].scalar for step in steps)

    quotient = 1 / y
    partial = 1 / (2 * math.sqrt(x * y))  # of the root
    mistakes = {
        "tangents multiplied": (quotient, 0.0, 0.0, quotient),
        "own value": (quotient, x, x * partial, quotient + x * partial),
        "root not multiplied": (quotient, y, partial, quotient + partial),
        "root without its half": (quotient, y, 2 * partial * y, quotient + 2 * partial * y),
        "seed in y": tangents(0.0, 1.0),
        "both seeded": tangents(1.0, 1.0),
        "values": tuple(line.value.value for line in Trace.of(quotient_and_root, x, y).lines[2:]),
    }
    return Instance(tangents(1.0, 0.0), mistakes=mistakes)


def find_steepest_direction(x1: float = 2.0, x2: float = 5.0) -> Instance:
    """Exercise 4: the direction of the example's largest slope, in degrees, and that slope."""
    by1, by2 = grad(example, argnums=(0, 1))(x1, x2)
    angle, slope = math.degrees(math.atan2(by2, by1)), math.hypot(by1, by2)
    _, diagonal = by_the_engine(example, (x1, math.sqrt(0.5)), (x2, math.sqrt(0.5)))
    mistakes = {
        "downhill": (angle - 180, slope),
        "radians": (math.radians(angle), slope),
        "legs exchanged": (90 - angle, slope),
        "slopes added": (angle, by1 + by2),
        "at 45 degrees": (45.0, diagonal),
        "along x1": (0.0, by1),
    }
    return Instance((angle, slope), mistakes=mistakes)


def read_direction(answer: Any) -> Any:
    """Exercise 4: degrees and slope, with the degrees between −180 and 180, since a full turn changes no direction.

    >>> read_direction((370.0, 5.5)), read_direction([-350, 5.5])
    ((10.0, 5.5), (10.0, 5.5))
    """
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2 or not isinstance(seen[0], float):
        return seen
    return math.remainder(seen[0], 360), seen[1]


def count_passes(n: int = 1000, m: int = 3) -> Instance:
    """Exercise 5: how many forward passes give all slopes of a function with n inputs and m results: n."""
    counts = {
        "one per result": m,
        "forward differences": n + 1,
        "central differences": 2 * n,
        "one per slope": n * m,
        "all pairs": n * n,
    }
    return Instance(n, mistakes=counts)


def square_dual(x: float = 3.0) -> Instance:
    """Exercise 6: the value and the tangent of (x + ε)², and the reason why neither is the second derivative."""
    value, slope = by_the_engine(lambda a: a**2, (x, 1.0))
    mistakes = {f"letter {letter}": (value, slope, letter) for letter in "bcd"}
    mistakes |= {
        "second derivative": (value, grad(grad(lambda a: a**2))(x), "a"),
        "seed": (value, 1.0, "a"),
    }
    return Instance(
        (value, slope, "a"), mistakes=mistakes, reference=f'answer = ({value}, {slope}, "a")'
    )
