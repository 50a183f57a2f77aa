"""What the learner builds in notebook 17, run for a check: rules for an equation list, and `jacrev` from `vmap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import custom_gradient, jacrev
from autodiff_lab.lessons.checks import attempt, plain, run_cases, summarize, vet_code

# Local partials

AT = 0.7
WRITTEN = "is written down when it is given names"


def expected_partials() -> dict[str, Any]:
    """The slopes at one point, and that names work as numbers do."""
    found: dict[str, Any] = {"cos": -float(np.sin(AT)), "recip": -1 / AT**2}
    return found | {f"{op} {WRITTEN}": True for op in ("cos", "recip")}


def find_partials(cos_partial: Any, recip_partial: Any) -> Any:
    """The slopes that the learner's two functions give, of numbers and of names."""

    def run(names: dict[str, Any], op: str, is_traced: bool) -> Any:
        rule = names[f"{op}_partial"]
        y = {"cos": np.cos, "recip": np.reciprocal}[op](AT)
        if not is_traced:
            return rule(y, AT)
        program = names["make_jaxpr"](rule, 2)
        return bool(np.allclose(names["run"](program, y, AT)[0], rule(y, AT)))

    cases = {op: (op, False) for op in ("cos", "recip")}
    cases |= {f"{op} {WRITTEN}": (op, True) for op in ("cos", "recip")}
    rules = {"cos_partial": cos_partial, "recip_partial": recip_partial}
    return run_cases(run, cases, *rules.values(), listing=("bind", "make_jaxpr", "run"), **rules)


# Transposes

G, NUMBER, LENGTH = 3.0, 5.0, 4


def expected_transposes() -> dict[str, Any]:
    """What goes to each operand."""
    return {
        "add of two names": (G, G),
        "a number times a name": (None, G * NUMBER),
        "a name times a number": (G * NUMBER, None),
        "sum of 4 entries": ((G,) * LENGTH,),
        "sum along axis 1": (((1.0, 1.0), (2.0, 2.0)),),
    }


def find_transposes(add_transposed: Any, mul_transposed: Any, sum_transposed: Any) -> Any:
    """What the learner's three rules send to each operand."""

    def run(names: dict[str, Any], op: str, g: Any, *operands: Any, **options: Any) -> Any:
        sent = names[f"{op}_transposed"](g, *operands, **options)
        return _entries(sent)

    calls: dict[str, Callable[..., Any]] = {
        "add of two names": lambda names: run(names, "add", G, None, None),
        "a number times a name": lambda names: run(names, "mul", G, NUMBER, None),
        "a name times a number": lambda names: run(names, "mul", G, None, NUMBER),
        "sum of 4 entries": lambda names: run(names, "sum", G, None, axis=0, n=LENGTH),
        "sum along axis 1": lambda names: run(names, "sum", np.array([1.0, 2.0]), None, axis=1, n=2),
    }
    rules = {
        "add_transposed": add_transposed,
        "mul_transposed": mul_transposed,
        "sum_transposed": sum_transposed,
    }
    cases = {case: (call,) for case, call in calls.items()}
    listing = ("bind", "total", "copy")
    return run_cases(lambda names, call: call(names), cases, *rules.values(), listing=listing, **rules)


def _entries(x: Any) -> Any:
    """Arrays and sequences as nested tuples, which a reply can show."""
    if isinstance(x, np.ndarray):
        x = x.tolist()
    return tuple(map(_entries, x)) if isinstance(x, tuple | list) else plain(x)


# Batching rules

BATCH = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
CUBE = np.arange(8.0).reshape(2, 2, 2)


def expected_batches() -> dict[str, Any]:
    """What a loop over the two examples gives."""
    return {
        "the sums of two examples with 3 entries": (6.0, 15.0),
        "two examples of shape (2, 2), summed along axis 0": _entries(CUBE.sum(1)),
        "two examples of shape (2, 2), summed along axis 1": _entries(CUBE.sum(2)),
        "two numbers, each copied twice": ((1.0, 1.0), (4.0, 4.0)),
        "two examples with 3 entries, copied twice along axis 0": _entries(np.repeat(BATCH[:, None], 2, 1)),
    }


def find_batches(sum_batched: Any, copy_batched: Any) -> Any:
    """What the learner's two rules make of a batch."""
    rules = {"sum_batched": sum_batched, "copy_batched": copy_batched}
    given = (("sum", BATCH, 0, 3), ("sum", CUBE, 0, 2), ("sum", CUBE, 1, 2), ("copy", BATCH[:, 0], 0, 2))
    given = (*given, ("copy", BATCH, 0, 2))

    def run(names: dict[str, Any], op: str, x: Any, axis: int, n: int) -> Any:
        return _entries(names[f"{op}_batched"](x, axis=axis, n=n))

    cases = dict(zip(expected_batches(), given, strict=True))
    return run_cases(run, cases, *rules.values(), listing=("total", "copy"), **rules)


# jacrev

LOOPS, SWEEPS = "the function ran", "the tape was swept"
ONCE = "once for each Jacobian"


def _polar(x: Any) -> Any:
    return np.stack([x[0] * np.cos(x[1]), x[0] * np.sin(x[1]), x[0] * x[1]])


def _wide(x: Any) -> Any:
    return np.stack([np.sum(x * x), x[0] - x[3]])


FUNCTIONS = {"2 inputs, 3 results": (_polar, (2.0, 0.5)), "4 inputs, 2 results": (_wide, (1.0, 2.0, 3.0, 4.0))}


def expected_jacobians() -> dict[str, Any]:
    """The Jacobians by the package, and one run of the function and one sweep for each."""
    found = {name: _entries(jacrev(f)(np.array(x))) for name, (f, x) in FUNCTIONS.items()}
    return found | {LOOPS: ONCE, SWEEPS: ONCE}


def find_jacobians(my_jacrev: Any) -> Any:
    """What the learner's `jacrev` gives, and how often it ran the function and swept the tape."""
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

        found[name] = summarize(attempt(lambda g, x: _entries(my_jacrev(g, x)), counted, np.array(x)))
    counts = {LOOPS: runs, SWEEPS: sweeps}
    return found | {what: ONCE if n <= len(FUNCTIONS) else f"{n} times" for what, n in counts.items()}
