"""The exercises of `tape`: a backward pass, two operations, and gradient descent.

A learner's function there uses the notebook's `Cell`, list `tape`, `log` and `sin`, and in exercise 4 the learner's own
`sweep`. A check runs small programs on these, and compares the slopes with the engine's.
"""

import itertools
import operator
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_lab import grad, value_and_grad
from autodiff_lab.lessons.checks import Instance, call_case, plain, run_cases
from autodiff_lab.lessons.examples.cell_programs import SWEPT, course, find_slopes

CELLS: dict[str, Any] = {
    "listing": ("tape", "Cell", "log", "sin"),
    "machine": "engine",
    "empty": ("tape",),
}
ENGINE: dict[str, Any] = {
    "listing": ("tape", "Cell", "sweep"),
    "machine": "engine",
    "empty": ("tape",),
}

AGAIN = "log(x1) + x1 * x2 - sin(x2), swept twice"
ITSELF = "the adjoint of the result itself"
SLOPES: dict[str, Any] = dict(find_slopes(SWEPT))
SLOPES |= {AGAIN: SLOPES["log(x1) + x1 * x2 - sin(x2) at (2, 5)"], ITSELF: 1.0}


def sweep_programs(sweep: Any) -> Any:
    """Exercise 1: the adjoints of each program's inputs, by the learner's `sweep`."""

    def find_adjoints(names: dict[str, Any], program: Any, at: Sequence[float], times: int) -> Any:
        inputs = [names["Cell"](x) for x in at]
        result = program(SimpleNamespace(**names), *inputs)
        for _ in range(times):
            found = sweep(result)
        return [found.get(x) for x in inputs] if isinstance(found, dict) else found

    def find_seed(names: dict[str, Any]) -> Any:
        result = names["Cell"](2.0) * names["Cell"](5.0)
        found = sweep(result)
        return found.get(result) if isinstance(found, dict) else found

    cases = {case: (program, at, 1) for case, (program, at) in SWEPT.items()}
    cases[AGAIN] = (course, (2.0, 5.0), 2)
    found = run_cases(find_adjoints, cases, sweep, **CELLS)
    return found | run_cases(call_case, {ITSELF: (find_seed,)}, sweep, **CELLS)


def count_sweeps(n: int = 6, m: int = 4) -> Instance:
    """Exercise 2: how many backward passes give all slopes of a function with n inputs and m results.

    >>> count_sweeps().expected
    4
    """
    counts = {
        "one per input": n,
        "one per slope": n * m,
        "one in all": 1,
        "one more": m + 1,
        "inputs and results": n + m,
    }
    return Instance(m, mistakes=counts)


OPERATIONS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "cos(a)": (lambda cos, divide, a: cos(a), (2.0,)),
    "cos(a * a)": (lambda cos, divide, a: cos(a * a), (0.5,)),
    "divide(a, b)": (lambda cos, divide, a, b: divide(a, b), (1.25, -0.5)),
    "divide(a, b) * a": (lambda cos, divide, a, b: divide(a, b) * a, (1.25, -0.5)),
    "divide(a, a)": (lambda cos, divide, a: divide(a, a), (3.0,)),
}


def expected_operations() -> dict[str, Any]:
    """Exercise 3: the value and the slopes of each small program, by the engine.

    >>> expected_operations()["divide(a, b)"]
    (-2.5, -2.0, -5.0)
    """
    expected = {}
    for case, (program, at) in OPERATIONS.items():

        def compute(*xs: Any, program: Callable[..., Any] = program) -> Any:
            return program(np.cos, operator.truediv, *xs)

        value, slopes = value_and_grad(compute, argnums=tuple(range(len(at))))(*at)
        expected[case] = plain((value, *slopes))
    return expected


def run_operations(cos: Any, divide: Any) -> Any:
    """Exercise 3: the value and the slopes of each program by the learner's two operations."""

    def run(names: dict[str, Any], program: Callable[..., Any], at: Sequence[float]) -> Any:
        inputs = [names["Cell"](x) for x in at]
        result = program(cos, divide, *inputs)
        if not isinstance(result, names["Cell"]):
            return plain(result)
        adjoint = _sweep(names["tape"], result)
        return plain((result.value, *(adjoint[x] for x in inputs)))

    return run_cases(run, OPERATIONS, cos, divide, **CELLS)


def _sweep(cells: Sequence[Any], result: Any) -> dict[Any, float]:
    """The notebook's backward pass, so that this exercise does not depend on exercise 1."""
    adjoint = dict.fromkeys(cells, 0.0)
    adjoint[result] = 1.0
    for cell in reversed(cells):
        for operand, partial in cell.links:
            adjoint[operand] += adjoint[cell] * partial
    return adjoint


def bowl(w: Any, target: Any) -> Any:
    """Exercise 4: the squared distance to a target."""
    return (w - target) * (w - target)


def valley(w: Any, b: Any, target: Any) -> Any:
    """Exercise 4: the squared error of a product: each slope depends on both weights."""
    return (w * b - target) * (w * b - target)


Descent = tuple[Callable[..., Any], float, list[float], float, int]
DESCENTS: dict[str, Descent] = {
    "(w - 3)² from 0, rate 0.1, 1 step": (bowl, 3.0, [0.0], 0.1, 1),
    "(w - 3)² from 0, rate 0.1, 3 steps": (bowl, 3.0, [0.0], 0.1, 3),
    "(w · b - 6)² from (1, 2), rate 0.01, 2 steps": (valley, 6.0, [1.0, 2.0], 0.01, 2),
    "no step at all": (valley, 6.0, [1.0, 2.0], 0.01, 0),
}
UNTOUCHED = "whether the list of start values is as it was"
EMPTIED = "whether the tape is emptied between two steps"


def expected_descents() -> dict[str, Any]:
    """Exercise 4: where gradient descent arrives, by the engine.

    >>> [round(w, 4) for w in expected_descents()["(w - 3)² from 0, rate 0.1, 3 steps"]]
    [1.464]
    """
    expected: dict[str, Any] = {}
    for case, (loss, target, start, rate, steps) in DESCENTS.items():
        at = list(start)
        for _ in range(steps):
            slopes = grad(loss, argnums=tuple(range(len(at))))(*at, target)
            at = [w - rate * slope for w, slope in zip(at, slopes, strict=True)]
        expected[case] = plain(at)
    return expected | {UNTOUCHED: True, EMPTIED: True}


def run_descents(descend: Any) -> Any:
    """Exercise 4: where the learner's `descend` arrives, and what it does to its start values and the tape."""

    def on_cells(
        names: dict[str, Any], loss: Callable[..., Any], target: float
    ) -> Callable[..., Any]:
        return lambda *weights: loss(*weights, names["Cell"](target))

    def run(
        names: dict[str, Any], loss: Any, target: float, start: list[float], rate: float, steps: int
    ) -> Any:
        return plain(descend(on_cells(names, loss, target), list(start), rate, steps))

    def leaves_start(names: dict[str, Any]) -> bool:
        start = [1.0, 2.0]
        descend(on_cells(names, valley, 6.0), start, 0.01, 2)
        return start == [1.0, 2.0]

    def empties_tape(names: dict[str, Any]) -> bool:
        lengths = []

        def watched(w: Any) -> Any:
            lengths.append(len(names["tape"]))
            return bowl(w, names["Cell"](3.0))

        descend(watched, [0.0], 0.1, 3)
        return all(later <= earlier for earlier, later in itertools.pairwise(lengths))

    found = run_cases(run, DESCENTS, descend, **ENGINE)
    how = {UNTOUCHED: (leaves_start,), EMPTIED: (empties_tape,)}
    return found | run_cases(call_case, how, descend, **ENGINE)
