"""The exercises of `linearize`: the learner's rules for equation lists."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import custom_gradient, jacrev
from autodiff_lab.lessons.checks import (
    Finding,
    attempt,
    call_case,
    describe,
    plain,
    run_cases,
    summarize,
    vet_code,
)

# Local partials

AT = 0.7
VALUES = {"cos": np.cos(AT), "recip": np.reciprocal(AT)}
WRITTEN = "is written down when it is given names"


def expected_partials() -> dict[str, Any]:
    """Exercise 1: the slopes of cos and reciprocal at one point, by partials that can also be traced."""
    found: dict[str, Any] = {"cos": -float(np.sin(AT)), "recip": -1 / AT**2}
    return found | {f"{op} {WRITTEN}": True for op in VALUES}


def find_partials(cos_partial: Any, recip_partial: Any) -> Any:
    """Exercise 1: the slopes by the learner's two partials, and whether each partial can be traced."""

    def run(names: dict[str, Any], op: str, is_traced: bool) -> Any:
        rule, y = rules[f"{op}_partial"], VALUES[op]
        if not is_traced:
            return rule(y, AT)
        program = names["make_jaxpr"](rule, 2)
        return bool(np.allclose(names["run"](program, y, AT)[0], rule(y, AT)))

    cases = {op: (op, False) for op in VALUES} | {f"{op} {WRITTEN}": (op, True) for op in VALUES}
    rules = {"cos_partial": cos_partial, "recip_partial": recip_partial}
    return run_cases(run, cases, *rules.values(), listing=("bind", "make_jaxpr", "run"), **rules)


# Transposes and batching rules

BATCH = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
CUBE = np.arange(8.0).reshape(2, 2, 2)
Call = tuple[str, tuple[Any, ...], dict[str, int]]
TRANSPOSED: dict[str, Call] = {
    "add of two names": ("add_transposed", (3.0, None, None), {}),
    "a number times a name": ("mul_transposed", (3.0, 5.0, None), {}),
    "a name times a number": ("mul_transposed", (3.0, None, 5.0), {}),
    "the number 0 times a name": ("mul_transposed", (3.0, 0.0, None), {}),
    "a name times the number 0": ("mul_transposed", (3.0, None, 0.0), {}),
    "sum of 4 entries": ("sum_transposed", (3.0, None), {"axis": 0, "n": 4}),
    "sum along axis 1": ("sum_transposed", (np.array([1.0, 2.0]), None), {"axis": 1, "n": 2}),
}
BATCHED: dict[str, Call] = {
    "the sums of two examples with 3 entries": ("sum_batched", (BATCH,), {"axis": 0, "n": 3}),
    "two examples of shape (2, 2), summed along axis 0": (
        "sum_batched",
        (CUBE,),
        {"axis": 0, "n": 2},
    ),
    "two examples of shape (2, 2), summed along axis 1": (
        "sum_batched",
        (CUBE,),
        {"axis": 1, "n": 2},
    ),
    "two numbers, each copied twice": ("copy_batched", (BATCH[:, 0],), {"axis": 0, "n": 2}),
    "two examples with 3 entries, copied twice along axis 0": (
        "copy_batched",
        (BATCH,),
        {"axis": 0, "n": 2},
    ),
}


def find_transposes(add_transposed: Any, mul_transposed: Any, sum_transposed: Any) -> Any:
    """Exercise 3: what the learner's three transpose rules send to each operand, and whether they can be traced."""
    rules = {
        "add_transposed": add_transposed,
        "mul_transposed": mul_transposed,
        "sum_transposed": sum_transposed,
    }
    return _use_rules(rules, TRANSPOSED, ("total", "copy"))


def find_batches(sum_batched: Any, copy_batched: Any) -> Any:
    """Exercise 4: the results of the learner's two batching rules, and whether they can be traced."""
    rules = {"sum_batched": sum_batched, "copy_batched": copy_batched}
    return _use_rules(rules, BATCHED, ("total", "copy"))


def _use_rules(rules: dict[str, Any], calls: dict[str, Call], listing: tuple[str, ...]) -> Any:
    def run(
        names: dict[str, Any], rule: str, given: tuple[Any, ...], options: dict[str, int]
    ) -> Any:
        return rules[rule](*given, **options)

    def trace(names: dict[str, Any], rule: str) -> Any:
        for called, given, options in calls.values():
            if called != rule:
                continue
            found = _trace_rule(names, rules[rule], given, options)
            if found is not True:
                return found
        return True

    cases: dict[str, tuple[Any, ...]] = {case: (run, *how) for case, how in calls.items()}
    cases |= {f"{rule} {WRITTEN}": (trace, rule) for rule in rules}
    needed = ("bind", "make_jaxpr", "run", "Name", *listing)
    return run_cases(call_case, cases, *rules.values(), listing=needed, **rules)


def _trace_rule(
    names: dict[str, Any], rule: Any, given: tuple[Any, ...], options: dict[str, int]
) -> Any:
    """Return True if a rule can be traced with a name as its first argument, and otherwise what went wrong."""
    first, *others = given

    def written(x: Any) -> tuple[Any, ...]:
        found = rule(x, *others, **options)
        parts = found if isinstance(found, tuple | list) else [found]
        return tuple(part for part in parts if part is not None)

    program = names["make_jaxpr"](written, 1)
    other = next((y for y in program.results if not isinstance(y, names["Name"])), None)
    if other is not None:
        return Finding(f"no name comes back, but {describe(other)}")
    known = dict(zip(program.inputs, (first,), strict=True))
    for result, op, operands, settings in program.equations:
        xs = [known[x] if isinstance(x, names["Name"]) else x for x in operands]
        if op == "sum":
            length = np.shape(xs[0])[settings["axis"]]
            if length != settings["n"]:
                return Finding(f"a sum of {settings['n']} entries, along an axis that has {length}")
        known[result] = names["bind"](op, *xs, **settings)
    same = all(
        np.allclose(known[y], x) for y, x in zip(program.results, written(first), strict=True)
    )
    return same or Finding("something else than with numbers")


# jacrev

LOOPS, SWEEPS = "the function ran", "the tape was swept"
ONCE = "once for each Jacobian"


def _polar(x: Any) -> Any:
    return np.stack([x[0] * np.cos(x[1]), x[0] * np.sin(x[1]), x[0] * x[1]])


def _wide(x: Any) -> Any:
    return np.stack([np.sum(x * x), x[0] - x[3]])


FUNCTIONS = {
    "2 inputs, 3 results": (_polar, (2.0, 0.5)),
    "4 inputs, 2 results": (_wide, (1.0, 2.0, 3.0, 4.0)),
}


def expected_jacobians() -> dict[str, Any]:
    """Exercise 5: Jacobians by the package's `jacrev`, each with one run of the function and one sweep of its tape."""
    found = {name: plain(jacrev(f)(np.array(x))) for name, (f, x) in FUNCTIONS.items()}
    return found | {LOOPS: ONCE, SWEEPS: ONCE}


def find_jacobians(my_jacrev: Any) -> Any:
    """Exercise 5: the Jacobians by the learner's `my_jacrev`, and how often it ran the function and swept the tape."""
    vet_code(my_jacrev, listing=("ad", "np"))
    found: dict[str, Any] = {}
    runs = sweeps = 0

    def count_sweep(g: Any, y: Any, x: Any) -> Any:
        nonlocal sweeps
        sweeps += 1
        return g

    watched = custom_gradient(vjp=count_sweep)(np.positive)
    for name, (f, x) in FUNCTIONS.items():

        def counted(x: Any, f: Callable[..., Any] = f) -> Any:
            nonlocal runs
            runs += 1
            return f(watched(x))

        found[name] = summarize(attempt(my_jacrev, counted, np.array(x)))
    counts = {LOOPS: runs, SWEEPS: sweeps}
    return found | {
        what: ONCE if n <= len(FUNCTIONS) else f"{n} times" for what, n in counts.items()
    }


# Axes


def count_from_front(answer: Any) -> Any:
    """Exercise 6: the three axes of `in_axes`, with negative ones counted from the front instead.

    >>> count_from_front((None, -1, 0))
    (None, 1.0, 0.0)
    """
    found = plain(answer)
    if not isinstance(found, tuple) or len(found) != 3:
        return found
    return tuple(k + n if k in range(-n, 0) else k for k, n in zip(found, (1, 2, 1), strict=True))
