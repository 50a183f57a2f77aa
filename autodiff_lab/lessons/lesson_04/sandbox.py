"""The learner's own sweep and order of notebook 04, tried on programs made of the learner's own cells.

The functions a learner writes there use what stands beside them: `Cell`, the list `tape`, `sin` and `log`. A check
writes its programs with these, compares the slopes with the engine's, and gives the tape back as it was.
"""

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Finding, Refused, describe, plain, run_cases
from autodiff_lab.transforms.gradients import value_and_grad

TAPE: dict[str, Any] = {"listing": ("tape", "Cell", "sin", "log"), "machine": "tape", "empty": ("tape",)}
DOUBLINGS = 18
DOUBLED = f"x doubled {DOUBLINGS} times"
AGAIN = "wrong when it is called once more on the same result"
Program = Callable[..., Any]


NUMPYS = SimpleNamespace(sin=np.sin, log=np.log, Cell=float)
"""What the names that a program uses mean on the engine's side."""


def olah(use: Any, a: Any, b: Any) -> Any:
    """Return (a + b)(b + 1)."""
    return (a + b) * (b + use.Cell(1))


def course(use: Any, x1: Any, x2: Any) -> Any:
    """Return ln x₁ + x₁x₂ − sin x₂."""
    return use.log(x1) + x1 * x2 - use.sin(x2)


def twice_squared(use: Any, x: Any) -> Any:
    """Return (x²)² + (x²)²; every square is a product of a cell with itself."""
    a = x * x
    return a * a + a * a


def with_a_dead_end(use: Any, x: Any, y: Any) -> Any:
    """Compute a product that the result does not use."""
    _ = x * y
    return x + y


def with_an_end_behind(use: Any, x: Any, y: Any) -> Any:
    """Compute the result, and then a product for nothing: the result is not the last cell."""
    result = x + y
    _ = x * y
    return result


def doubled(use: Any, x: Any) -> Any:
    """Double x again and again: a few cells, and more paths than anybody can follow."""
    for _ in range(DOUBLINGS):
        x = x + x
    return x


def beside_its_log(use: Any, x: Any) -> Any:
    """Add a value and something made of it; the value stands first."""
    c = x * x
    return c + use.log(c)


def behind_its_log(use: Any, x: Any) -> Any:
    """Add something made of a value and the value itself, which stands last."""
    c = x * x
    return use.log(c) + c


def deep_and_shallow(use: Any, x: Any) -> Any:
    """Use a value at once, and once more far behind."""
    return x * use.sin(use.log(x * x)) + x


SLOPES: dict[str, tuple[Program, tuple[float, ...]]] = {
    "(a + b) * (b + 1) at (2, 1)": (olah, (2.0, 1.0)),
    "log(x1) + x1 * x2 - sin(x2) at (2, 5)": (course, (2.0, 5.0)),
    "x + y, and x * y for nothing, at (3, 1)": (with_a_dead_end, (3.0, 1.0)),
    "x + y, and then x * y for nothing, at (3, 1)": (with_an_end_behind, (3.0, 1.0)),
    "a * a + a * a with a = x * x, at 2": (twice_squared, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}
ORDERS: dict[str, tuple[Program, tuple[float, ...]]] = {
    "(a + b) * (b + 1)": (olah, (2.0, 1.0)),
    "a * a + a * a with a = x * x": (twice_squared, (2.0,)),
    "log(x1) + x1 * x2 - sin(x2)": (course, (2.0, 5.0)),
    "x + y, and x * y for nothing": (with_a_dead_end, (3.0, 1.0)),
    "c + log(c) with c = x * x": (beside_its_log, (2.0,)),
    "log(c) + c with c = x * x": (behind_its_log, (2.0,)),
    "x * sin(log(x * x)) + x": (deep_and_shallow, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}
GOOD = "every cell once, after its operands"


def expected_slopes() -> dict[str, Any]:
    """The adjoints of the inputs, by the engine.

    >>> expected_slopes()["(a + b) * (b + 1) at (2, 1)"]
    (2.0, 5.0)
    """
    found = {}
    for case, (program, at) in SLOPES.items():
        _, slopes = value_and_grad(functools.partial(program, NUMPYS), argnums=tuple(range(len(at))))(*at)
        found[case] = plain(slopes)
    return found


def sweep_programs(adjoints_from: Any) -> Any:
    """The adjoints that the learner's sweep finds for the inputs, by program."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Any:
        inputs = [names["Cell"](x) for x in at]
        result = program(SimpleNamespace(**names), *inputs)
        found = adjoints_from(result, list(names["tape"]))
        return [found.get(x) for x in inputs] if isinstance(found, dict) else found

    return run_cases(run, SLOPES, adjoints_from, **TAPE)


VALID = ("ybca", "ycba")


def read_orders(answer: Any) -> Any:
    """How many of these orders are valid, however they are written."""
    found = plain(sorted(answer) if isinstance(answer, set) else answer)
    if isinstance(found, tuple):
        found = tuple("".join(map(str, order)) if isinstance(order, tuple) else order for order in found)
    if not isinstance(found, tuple) or not all(isinstance(order, str) for order in found):
        return Refused(f"You gave {describe(answer)}.")
    given = sorted({"".join(char for char in order.lower() if char.isalpha()) for order in found} - {""})
    odd = next((order for order in given if sorted(order) != sorted(VALID[0])), None)
    if odd is not None:
        return Refused(f"An order has each of y, b, c and a once, and {describe(odd)} does not.")
    return {
        "wrong orders in your list": len(set(given) - set(VALID)),
        "valid orders that are missing": len(set(VALID) - set(given)),
        "your orders": tuple(given),
    }


def order_programs(topological_order: Any) -> Any:
    """What is to be said of the learner's order, by program."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Finding:
        result = program(SimpleNamespace(**names), *(names["Cell"](x) for x in at))
        first, again = (_about(topological_order(result), result, names["Cell"]) for _ in range(2))
        return Finding(AGAIN if first == GOOD != again else first)

    return run_cases(run, ORDERS, topological_order, **TAPE)


def _about(order: Any, result: Any, kind: type) -> str:
    """The first thing that is wrong with an order."""
    if not isinstance(order, list | tuple) or not all(isinstance(cell, kind) for cell in order):
        return f"no list of cells, but {describe(order)}"
    needed, to_visit = set(), [result]
    while to_visit:
        cell = to_visit.pop()
        if cell not in needed:
            needed.add(cell)
            to_visit += [operand for operand, _ in cell.links]
    if len(set(order)) < len(order):
        return "a cell is there twice"
    if needed - set(order):
        return "a cell is missing"
    if set(order) - needed:
        return "a cell is there that the result does not need"
    if _stand_first(order):
        return GOOD
    return "backwards, every cell before its operands" if _stand_first(order[::-1]) else "a cell before its operands"


def _stand_first(order: Any) -> bool:
    """Whether operands come before what is made of them."""
    place = {cell: k for k, cell in enumerate(order)}
    return all(place[operand] < place[cell] for cell in order for operand, _ in cell.links)
