"""The exercises of `control_flow`: the learner's branches and loops, on a tape and in a static graph."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, record, value_and_grad
from autodiff_lab.lessons.checks import Instance, Refused, attempt, call_case, plain, run_cases
from autodiff_lab.lessons.checks.compare import Finding, describe
from autodiff_lab.lessons.examples.loops import until_ten

# A branch at one point

IDENTITY = "of the slope of x if x != 0 else 0 * x, at 0, by AD and in truth"
# 1, 2 and 5 of each power of ten: near 0 rounding spoils the quotient, and far from 0 a short series is not enough.
DISTANCES = ("2", "1", *(f"0.{'0' * k}{digit}" for k in range(12) for digit in (5, 2, 1)))
PLACES = {"at 0": (0.0,)} | {
    f"at {sign}{x}": (float(sign + x),) for x in DISTANCES[::-1] for sign in ("", "-")
}


def expected_ratio() -> dict[str, Any]:
    """Exercise 3: (eˣ − 1) / x and its slope, by their series Σ xᵏ / (k + 1)! and Σ k xᵏ⁻¹ / (k + 1)!."""
    found: dict[str, Any] = {IDENTITY: (float(grad(lambda x: x if x != 0 else 0 * x)(0.0)), 1.0)}
    for case, (x,) in PLACES.items():
        terms = [
            (x**k / math.factorial(k + 1), k * x ** max(k - 1, 0) / math.factorial(k + 1))
            for k in range(30)
        ]
        found[case] = tuple(math.fsum(column) for column in zip(*terms, strict=True))
    return found


def run_ratio(answer: Any, ratio: Any) -> Any:
    """Exercise 3: the two slopes that were predicted, and the learner's program's values and slopes at many places."""
    found = run_cases(lambda names, x: value_and_grad(ratio)(x), PLACES, ratio)
    pair = plain(answer)
    if not isinstance(pair, tuple) or len(pair) != 2:
        return Refused("The answer is a pair: what AD reports, and the true slope.")
    for case, seen in found.items():
        if isinstance(seen, tuple):
            # nan is not equal to itself, so the check compares the word.
            found[case] = tuple("nan" if part != part else part for part in seen)
    return {IDENTITY: pair} | found


# A loop that stops when its value is good enough

STARTS = {
    "√9 from 3": (9.0, 3.0),
    "√2 from 1": (2.0, 1.0),
    "√2 from 1.5": (2.0, 1.5),
    "√4 from 2": (4.0, 2.0),
    "√1000000 from 1": (1e6, 1.0),
    "√2 from a billion": (2.0, 1e9),
    "√2 from a billionth": (2.0, 1e-9),
}
TABLE = {"sqrt", "cbrt", "power", "exp", "log"}


def expected_roots() -> dict[str, Any]:
    """Exercise 5: √x and its slope 1 / (2√x), which the learner's loop should find."""
    return {case: (x**0.5, 0.5 / x**0.5) for case, (x, _) in STARTS.items()}


def find_roots(root: Any) -> Any:
    """Exercise 5: the value and the slope of the learner's root by a loop, from several starts."""
    found = run_cases(lambda names, x, start: value_and_grad(root)(x, start), STARTS, root)
    if len(found) < len(STARTS):
        return found
    recorded = attempt(lambda: record(lambda x: root(x, 1.0), 2.0)[1].ops)
    if not isinstance(recorded, list):
        return found
    if any(op is not None and op.name in TABLE for op in recorded):
        return Refused(
            "That takes the root from the table of rules. Here it is to be found by the loop, with + and /."
        )
    return found


# A branch in a static graph, on the learner's own nodes

BRANCHES: dict[str, tuple[Callable[..., Any], float]] = {
    "cond(x > 0, log x, x · x) at 2": (lambda x, log, cond: cond(x > 0, log(x), x * x), 2.0),
    "cond(x > 0, log x, x · x) at -3": (lambda x, log, cond: cond(x > 0, log(x), x * x), -3.0),
    "cond(x > 0, log x, x · x) at 1": (lambda x, log, cond: cond(x > 0, log(x), x * x), 1.0),
    "cond(x > 0, x · x, 5) at -1": (lambda x, log, cond: cond(x > 0, x * x, 5.0), -1.0),
    "cond(x · x < 4, x + x, x · x · x) at 3": (
        lambda x, log, cond: cond(x * x < 4, x + x, x * x * x),
        3.0,
    ),
    "cond(x > 0, log x, cond(x < -4, x + x, x · x · x)) · x at -2": (
        lambda x, log, cond: cond(x > 0, log(x), cond(x < -4, x + x, x * x * x)) * x,
        -2.0,
    ),
    "cond(x, x · 2, x · x) at 3": (lambda x, log, cond: cond(x, x * 2, x * x), 3.0),
}
VALUE, SLOPE = "{}, its value", "{}, its slope"
LOGARITHMS = "of the number of logarithms computed at -3"
TWO_TARGETS = "of x · x and x + x at 3, both asked for at once"
FED = "of how many values are in the feed after a run that was fed one"


def _choose(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def _quiet_log(x: Any) -> Any:
    """A logarithm without a warning for negative numbers: `_choose` is given both branches, so both are computed."""
    return np.log(x) if x > 0 else math.nan


def expected_branches() -> dict[str, Any]:
    """Exercise 6: the values and the slopes by the engine's tape, and no logarithm in the branch that is not taken."""
    found: dict[str, Any] = {}
    for case, (program, x) in BRANCHES.items():
        both = value_and_grad(lambda x, program=program: program(x, _quiet_log, _choose))(x)
        found |= dict(zip((VALUE.format(case), SLOPE.format(case)), both, strict=True))
    return found | {TWO_TARGETS: (9.0, 6.0), FED: 1.0, LOGARITHMS: 0.0}


def run_branches(run: Any, cond_gradient: Any) -> Any:
    """Exercise 6: the values and the slopes of cond by the learner's graph, and the logarithms that it computed."""
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
        if not isinstance(values, list | tuple):
            return Finding(
                f"{describe(values)}; run returns a list, with one value for each target"
            )
        return values[0] if len(values) == 1 else values

    def count_logarithms(names: dict[str, Any]) -> float:
        answer(names, *BRANCHES["cond(x > 0, log x, x · x) at -3"])
        return float(len(logarithms))

    def ask_for_two(names: dict[str, Any]) -> Any:
        x = names["Op"]("x")
        return run([x * x, x + x], {x: 3.0})

    def count_fed(names: dict[str, Any]) -> float:
        x = names["Op"]("x")
        feed = {x: 3.0}
        run([x * x], feed)
        return float(len(feed))

    cases: dict[str, tuple[Any, ...]] = {}
    for case, (program, at) in BRANCHES.items():
        cases[VALUE.format(case)] = (answer, program, at)
        cases[SLOPE.format(case)] = (answer, program, at, True)
    cases |= {TWO_TARGETS: (ask_for_two,), FED: (count_fed,), LOGARITHMS: (count_logarithms,)}
    listing = ("Op", "COMPUTE", "GRADIENT", "gradient", "cond")
    return run_cases(call_case, cases, run, cond_gradient, listing=listing, machine="graph")


# The same branch, and no NaN

SHIELDED = {"at 2": 2.0, "at -3": -3.0, "at 0": 0.0, "at 0.000000000001": 1e-12}
GRAPH_CELLS = ("Op", "COMPUTE", "GRADIENT", "gradient", "cond", "run", "log")


def expected_shielded() -> dict[str, Any]:
    """Exercise 7: the value and the slope of log x where x is positive, and of x elsewhere, by the engine's tape."""
    return {
        case: value_and_grad(lambda x: np.log(x) if x > 0 else x)(at)
        for case, at in SHIELDED.items()
    }


def run_shielded(shielded: Any) -> Any:
    """Exercise 7: the value and the slope of the learner's nodes, by the learner's graph."""

    def answer(names: dict[str, Any], at: float) -> Any:
        x = names["Op"]("x")
        y = shielded(x)
        if not isinstance(y, names["Op"]):
            return Finding(f"{describe(y)}; shielded returns a node")
        slope = names["gradient"](y, x)
        if slope is None:
            return Finding("no path from the result to x")
        with np.errstate(all="ignore"):
            both = names["run"]([y, slope], {x: np.float64(at)})
        return tuple(map(_spell_nonfinite, both))

    cases = {case: (at,) for case, at in SHIELDED.items()}
    return run_cases(answer, cases, shielded, listing=GRAPH_CELLS, machine="graph")


def _spell_nonfinite(value: Any) -> Any:
    """Spell out inf and nan: a NaN isn't equal to itself, but the words can be compared."""
    return value if np.isfinite(value) else str(float(value))


# With numbers of one's own

FULL = 10.0


def count_operations(x: float) -> tuple[int, int]:
    """Exercise 1: the numbers of operations and of comparisons that are recorded in a run of the loop.

    >>> count_operations(1.5), count_operations(1.6)
    ((5, 6), (4, 5))
    """
    _, tape = record(until_ten, x)
    return len(tape) - tape.n_inputs, len(tape.comparisons)


def measure_two_tapes(a: float = 1.5, b: float = 1.6) -> Instance:
    """Exercise 1: the lengths of two tapes of one program with a loop."""
    (at_a, asked_a), (at_b, asked_b) = count_operations(a), count_operations(b)
    mistakes = {
        "values": tuple(round(float(until_ten(x)), 6) for x in (a, b)),
        "factors": (at_a + 1, at_b + 1),
        "comparisons": (at_a + asked_a, at_b + asked_b),
        "source lines": (1, 1),
        "second like first": (at_a, at_a),
        "one too few": (at_a - 1, at_b - 1),
    }
    return Instance((at_a, at_b), mistakes=mistakes)


def differentiate_at_switch(n: int = 5) -> Instance:
    """Exercise 2: the slopes on both sides of x = 10^(1/n), where xⁿ reaches ten."""
    x = FULL ** (1 / n)
    left, right = (round(float(grad(until_ten)(x + side * 1e-13)), 6) for side in (-1, 1))
    mistakes = {
        "sides exchanged": (right, left, "a"),
        "letter b": (left, right, "b"),
        "letter c": (left, right, "c"),
        "letter d": (left, right, "d"),
        "values": (round(FULL * x, 6), FULL, "a"),
        "both from the right": (right, right, "a"),
        "one factor too few": (round(n * x**n, 6), round((n - 1) * x ** (n - 1), 6), "a"),
    }
    reference = f"x = 10 ** (1 / {n})\nanswer = ({n + 1} * x**{n}, {n} * x ** {n - 1}, 'a')"
    return Instance((left, right, "a"), mistakes=mistakes, reference=reference)


def programs(a: float) -> tuple[Any, ...]:
    """Exercise 4: three programs for max(x, a·x), and the third minus the second."""

    def first(x: Any) -> Any:
        return np.maximum(x, a * x)

    def second(x: Any) -> Any:
        return np.where(x > 0, x, a * x)

    def third(x: Any) -> Any:
        return (1 - a) * np.where(-x > 0, -x, 0.0) + x

    return first, second, third, lambda x: third(x) - second(x)


def differentiate_at_kink(a: float = 0.0) -> Instance:
    """Exercise 4: the slopes of four programs at their kink, x = 0, by AD."""
    one, two, three, zero = (round(float(grad(f)(0.0)), 12) for f in programs(a))
    mistakes = {
        "difference zero": (one, two, three, 0.0),
        "one slope": (two, two, two, 0.0),
        "maximum gives 1": (1.0, two, three, zero),
        "maximum like if": (two, two, three, zero),
        "where gives 1": (one, 1.0, three, round(three - 1.0, 12)),
        "third like second": (one, two, two, 0.0),
        "mean everywhere": (one, one, one, 0.0),
    }
    return Instance((one, two, three, zero), mistakes=mistakes)
