"""The exercises of `ways_to_remember`: the learner's cells and closures, compared with the engine.

A learner's function there uses the notebook's `Var`, `Un`, `Bin` and list `tape` for cells, and its `Variable`,
`remember` and list `gradient_tape` for closures. A check runs it on these, and restores the lists.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad, hessian, value_and_grad
from autodiff_lab.lessons.checks import Instance, plain, run_cases
from autodiff_lab.lessons.examples.course_function import f as example
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.systems.side_by_side import compare

CELLS: dict[str, Any] = {
    "listing": ("tape", "Var", "Un", "Bin", "backprop"),
    "machine": "cells",
    "empty": ("tape",),
}
CLOSURES: dict[str, Any] = {
    "listing": ("gradient_tape", "Variable", "remember", "grad"),
    "machine": "tape",
    "empty": ("gradient_tape",),
}
BOTH = (0, 1)


def by_hand_example(x: Any, y: Any) -> Any:
    """Exercises 2 and 5: sin(x) + x·y, document 3's function."""
    return np.sin(x) + x * y


POINTS = {"sin(x) + x * y at (3, 1)": (3.0, 1.0), "sin(x) + x * y at (2, 5)": (2.0, 5.0)}

# Programs of x and y that use a given exponential and quotient: the learner's, or NumPy's for the expected result.
MADE_OF_TWO: dict[str, tuple[Callable[..., Callable[..., Any]], tuple[float, float]]] = {
    "exp(x) at x = 0.5": (lambda exp, div: lambda x, y: exp(x), (0.5, 1.0)),
    "x / y at (3, 2)": (lambda exp, div: lambda x, y: div(x, y), (3.0, 2.0)),
    "exp(x / y) * y at (3, 2)": (lambda exp, div: lambda x, y: exp(div(x, y)) * y, (3.0, 2.0)),
    "x / x at x = 3": (lambda exp, div: lambda x, y: div(x, x), (3.0, 2.0)),
}

# The order of differentiation, and the name of the case.
HIGHER = {
    3: "the third derivatives of log x and of sin x at 2",
    4: "the fourth derivatives of log x and of sin x at 2",
}
HESSIANS = {
    "the second derivatives at (2, 5)": (2.0, 5.0),
    "the second derivatives at (0.5, 1)": (0.5, 1.0),
}


def right_slopes(program: Callable[..., Any], at: tuple[float, float]) -> Any:
    """Exercises 2 and 3: the value and both slopes of a program, by the engine.

    >>> right_slopes(by_hand_example, (3.0, 1.0))
    (3.1411200080598674, 0.010007503399554585, 3.0)
    """
    value, slopes = value_and_grad(program, argnums=BOTH)(*at)
    return plain((value, *slopes))


def expected_by_hand() -> dict[str, Any]:
    """Exercise 2: value and slopes of sin(x) + x·y at two points."""
    return {case: right_slopes(by_hand_example, at) for case, at in POINTS.items()}


def expected_cells() -> dict[str, Any]:
    """Exercise 3: value and slopes of programs with exp and ÷, by the engine."""
    return {
        case: right_slopes(make(np.exp, np.divide), at) for case, (make, at) in MADE_OF_TWO.items()
    }


def expected_hessians() -> dict[str, Any]:
    """Exercise 1: second derivatives of the course's function at two points, and higher ones of log and sin."""
    found = {case: plain(hessian(example, argnums=BOTH)(*at)) for case, at in HESSIANS.items()}
    for order, case in HIGHER.items():
        found[case] = tuple(_differentiate(f, order)(2.0) for f in (np.log, np.sin))
    return found


def _differentiate(f: Callable[..., Any], order: int) -> Callable[..., Any]:
    for _ in range(order):
        f = grad(f)
    return f


def sweep_by_hand(by_hand: Any) -> Any:
    """Exercise 2: the value and the slopes by the cells that the learner makes by hand."""

    def run(names: dict[str, Any], a: float, b: float) -> Any:
        found = by_hand(a, b)
        if not (isinstance(found, list | tuple) and len(found) == 3):
            return found
        x, y, result = found
        names["backprop"](result)
        return result.value, x.sensitivity, y.sensitivity

    return run_cases(run, POINTS, by_hand, **CELLS)


def sweep_cells(exponential: Any, quotient: Any) -> Any:
    """Exercise 3: the value and the slopes of programs that use the learner's exponential and quotient cells."""

    def run(
        names: dict[str, Any], make: Callable[..., Callable[..., Any]], at: tuple[float, float]
    ) -> Any:
        x, y = map(names["Var"], at)
        result = make(exponential, quotient)(x, y)
        if not isinstance(result, names["Var"]):
            return result
        names["backprop"](result)
        return result.value, x.sensitivity, y.sensitivity

    return run_cases(run, MADE_OF_TWO, exponential, quotient, **CELLS)


def differentiate_again(sin_again: Any, cos_again: Any, reciprocal: Any, log_again: Any) -> Any:
    """Exercise 1: the same derivatives by repeated gradients, with the learner's sine, cosine, reciprocal and log."""

    def second(names: dict[str, Any], a: float, b: float) -> Any:
        x, y = names["Variable"](a), names["Variable"](b)
        first = names["grad"](names["log_again"](x) + x * y - names["sin_again"](y), [x, y])
        return [names["grad"](each, [x, y]) for each in first]

    def higher(names: dict[str, Any], name: str, order: int) -> Any:
        x = names["Variable"](2.0)
        y = names[name](x)
        for _ in range(order):
            (y,) = names["grad"](y, [x])
            if y is None:
                return None
        return y

    # The four call each other by name. The check binds the names to the given functions, some of which may be lent.
    own = {
        "sin_again": sin_again,
        "cos_again": cos_again,
        "reciprocal": reciprocal,
        "log_again": log_again,
    }
    found = run_cases(second, HESSIANS, *own.values(), **CLOSURES, **own)
    for order, case in HIGHER.items():
        cases = {name: (name, order) for name in ("log_again", "sin_again")}
        found[case] = tuple(run_cases(higher, cases, *own.values(), **CLOSURES, **own).values())
    return found


# With numbers of one's own


def count_stored_numbers(program: str = "tanh(w * x + b)") -> Instance:
    """Exercise 4: (partials, values of operations, values in closures) that the designs keep of a program.

    >>> count_stored_numbers().expected
    (5, 6, 3)
    """
    columns = compare(parse_expression(program, ("w", "x", "b")), 0.5, 2.0, 0.1).columns[:3]
    partials, closures, operations = (column.numbers for column in columns)
    right = (partials, operations, closures)
    names = [stored.names for stored in columns[1].ledger]
    lines = len(names)
    stored = set().union(*names)
    inputs_alone = len(stored & {"v-2", "v-1", "v0"})
    # If an operation has one operand, the mistake is to count both the operand and the result.
    operand_and_result = len(stored.union(*_of_one_operand(columns[2])))
    without_results = len(
        {name for k, kept in enumerate(names, 1) for name in kept if name != f"v{k}"}
    )
    mistakes = {
        "one partial each": (lines, operations, closures),
        "closures counted": (partials, operations, lines),
        "counted per closure": (partials, operations, sum(map(len, names))),
        "results forgotten": (partials, operations, without_results),
        "a value per partial": (partials, operations, partials),
        "inputs alone": (partials, operations, inputs_alone),
        "operand and result": (partials, operations, operand_and_result),
        "last result forgotten": (partials, operations - 1, closures),
        "counted per line": (
            partials,
            sum(len(kept.names) for kept in columns[2].ledger),
            closures,
        ),
    }
    return Instance(right, mistakes=mistakes)


def _of_one_operand(operations: Any) -> list[tuple[str, ...]]:
    """The operand and the result of each line whose operation has one operand."""
    return [kept.names for kept in operations.ledger if len(kept.names) == 2]


def tell_what_survives() -> tuple[str, ...]:
    """Exercise 5: whether each design's gradient survives if an input is overwritten after the run.

    >>> set(tell_what_survives()) <= {"survives", "changes", "raises"}
    True
    """
    return tuple(
        column.mutated.verdict for column in compare(by_hand_example, 3.0, 1.0, written=0.0).columns
    )


def mix_two_runs(x: float = 2.0, y: float = 5.0, written: float = 0.0) -> Instance:
    """Exercise 6: the slopes that closures give for sin(x) * y if both inputs are overwritten after the run.

    >>> mix_two_runs().expected
    (0.0, 0.9092974268256817)
    """

    def program(x: Any, y: Any) -> Any:
        return np.sin(x) * y

    columns = compare(program, x, y, written=written).columns
    found, before = columns[1].mutated.numbers, columns[1].gradient
    after = tuple(grad(program, argnums=(0, 1))(written, written))
    only_cosine = tuple(
        grad(lambda a, b: np.sin(a) * y + b * np.sin(x), argnums=(0, 1))(written, written)
    )
    return Instance(
        found, mistakes={"before": before, "after": after, "only the cosine anew": only_cosine}
    )
