"""The exercises of `adjoint_flow`: backward passes through programs made of the learner's own cells.

A learner's function there uses the notebook's `Cell`, list `tape`, `sin` and `log`. A check runs its programs on these,
compares the slopes with the engine's, and restores the tape.
"""

import itertools
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from autodiff_lab import grad, jvp, record
from autodiff_lab.lessons.checks import Instance, Refused, call_case, describe, plain, run_cases
from autodiff_lab.lessons.examples.cell_programs import SWEPT, Program, find_slopes, olah
from autodiff_lab.lessons.examples.paths import count_paths
from autodiff_lab.trace.reverse_steps import pull_back, seed_of, watch_sweep

TAPE: dict[str, Any] = {
    "listing": ("tape", "Cell", "sin", "log"),
    "machine": "tape",
    "empty": ("tape",),
}
COLLECTS = "whether each cell collects from its consumers"
UNTOUCHED = "whether the list of cells and their links are as they were"


def expected_slopes() -> dict[str, Any]:
    """Exercise 3: the adjoints of each program's inputs, by the engine, and how the sweep has to find them."""
    return {**find_slopes(SWEPT), COLLECTS: True, UNTOUCHED: True}


class WatchedPartial(float):
    """Exercise 3: a local partial that notes its consumer each time it is multiplied by an adjoint."""

    consumer: Any
    sent: list[Any]

    @classmethod
    def of(cls, partial: float, consumer: Any, sent: list[Any]) -> Self:
        """Watch a consumer's partial: each time it is used, the consumer is appended to `sent`."""
        watched = cls(partial)
        watched.consumer, watched.sent = consumer, sent
        return watched

    def __mul__(self, other: Any) -> Any:
        self.sent.append(self.consumer)
        return float(self) * other

    __rmul__ = __mul__


def sweep_programs(adjoints_from: Any) -> Any:
    """Exercise 3: the adjoints of each program's inputs by the learner's sweep, and how it finds them."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Any:
        inputs = [names["Cell"](x) for x in at]
        result = program(SimpleNamespace(**names), *inputs)
        found = adjoints_from(result, list(names["tape"]))
        return [found.get(x) for x in inputs] if isinstance(found, dict) else found

    def collects(names: dict[str, Any]) -> bool:
        cells = _olah_cells(names)
        sent: list[Any] = []
        for cell in cells:
            cell.links = [
                (operand, WatchedPartial.of(partial, cell, sent)) for operand, partial in cell.links
            ]
        adjoints_from(cells[-1], cells)
        # If cells send, one consumer finishes before the next begins; if cells collect, the consumers alternate.
        one_by_one = [consumer for consumer, _ in itertools.groupby(sent)]
        return not sent or len(one_by_one) > len(set(sent))

    def leaves_alone(names: dict[str, Any]) -> bool:
        given = _olah_cells(names)
        before = [(cell, list(cell.links)) for cell in given]
        adjoints_from(given[-1], given)
        return [(cell, list(cell.links)) for cell in given] == before

    found = run_cases(run, SWEPT, adjoints_from, **TAPE)
    how = {COLLECTS: (collects,), UNTOUCHED: (leaves_alone,)}
    return found | run_cases(call_case, how, adjoints_from, **TAPE)


def _olah_cells(names: dict[str, Any]) -> list[Any]:
    """Return the learner's cells of (a + b)(b + 1), each after its operands."""
    olah(SimpleNamespace(**names), names["Cell"](2.0), names["Cell"](1.0))
    return list(names["tape"])


VALID = ("ybca", "ycba")


def read_orders(answer: Any) -> Any:
    """Exercise 6: how many of the learner's orders are wrong and how many are missing, in any notation."""
    found = plain(sorted(answer) if isinstance(answer, set) else answer)
    if isinstance(found, tuple):
        found = tuple(
            "".join(map(str, order)) if isinstance(order, tuple) else order for order in found
        )
    if not isinstance(found, tuple) or not all(isinstance(order, str) for order in found):
        return Refused(f"You gave {describe(answer)}.")
    letters = {"".join(char for char in order.lower() if char.isalpha()) for order in found}
    given = sorted(letters - {""})
    odd = next((order for order in given if sorted(order) != sorted(VALID[0])), None)
    if odd is not None:
        return Refused(f"An order has each of y, b, c and a once, and {describe(odd)} does not.")
    wrong = set(given) - set(VALID)
    return {
        "wrong orders in your list": len(wrong),
        "valid orders that are missing": len(set(VALID) - set(given)),
        "other orders than the valid ones": bool(wrong),
        "your orders": tuple(given),
    }


# With numbers of one's own


def two_products(x1: Any, x2: Any) -> Any:
    """Exercises 4 and 5: x₁x₂ − x₂ sin x₁, which uses both inputs twice; the sine is recorded first.

    >>> float(two_products(0.0, 3.0))
    0.0
    """
    v1 = np.sin(x1)
    v2 = v1 * x2
    v3 = x1 * x2
    return v3 - v2


def annotate_graph(a: float = 2.0, b: float = 1.0) -> Instance:
    """Exercise 2: Olah's graph e = (a + b)(b + 1), annotated from b and then from e.

    >>> annotate_graph().expected
    ((1.0, 1.0, 5.0), (2.0, 3.0, 5.0, 2.0))
    """
    from_b = plain(jvp(lambda b: [a + b, b + 1, (a + b) * (b + 1)], (b,), (1.0,))[1])
    to_a, to_b = grad(lambda a, b: (a + b) * (b + 1), argnums=(0, 1))(a, b)
    to_c, to_d = b + 1, a + b
    mistakes = {
        "one way only": ((*from_b[:2], to_c), (to_c, to_d, to_c, to_a)),
        "ways multiplied": ((*from_b[:2], to_c * to_d), (to_c, to_d, to_c * to_d, to_a)),
        "c and d exchanged": (from_b, (to_d, to_c, to_b, to_a)),
        "a like b": (from_b, (to_c, to_d, to_b, to_b)),
        "lists exchanged": ((to_c, to_d, to_b), from_b),
    }
    return Instance(plain((from_b, (to_c, to_d, to_b, to_a))), mistakes=mistakes)


def sweep_by_hand(x1: float = 1.0, x2: float = 4.0) -> Instance:
    """Exercise 4: seven adjoints of x₁x₂ − x₂ sin x₁, in the order in which they change.

    >>> [round(adjoint, 4) for adjoint in sweep_by_hand().expected]
    [1.0, -1.0, 4.0, 1.0, -4.0, 0.1585, 1.8388]
    """
    _, tape = record(two_products, x1, x2)
    sent = {(move.line, one.parent): one for move in watch_sweep(tape) for one in move.sent}
    asked = ((5, 4), (5, 3), (4, 0), (4, 1), (3, 2), (3, 1), (2, 0))
    right = tuple(float(sent[edge].after) for edge in asked)
    alone = tuple(float(sent[edge].contribution) for edge in asked)
    sine = float(tape.values[2])
    (cosine,) = (float(sent) for _, _, sent in pull_back(tape, 2, seed_of(tape)))
    to_itself = (1.0, -1.0, x1, x2, -sine, 0.0, x1 - sine * cosine)
    mistakes = {
        "not added": alone,
        "mean": (*right[:5], right[5] / 2, right[6] / 2),
        "minus forgotten": (1.0, 1.0, x2, x1, x2, x1 + sine, x2 + x2 * cosine),
        "own value sent": to_itself,
        "sine for cosine": (*right[:6], x2 - x2 * sine),
    }
    return Instance(plain(right), mistakes=mistakes)


def sum_over_operations(x1: float = 1.0, x2: float = 4.0) -> Instance:
    """Exercise 5: document 0's equation 2 for x1, with total derivatives and with local partials.

    >>> [round(each, 4) for each in sum_over_operations().expected]
    [1.5164, 1.8388]
    """
    _, tape = record(two_products, x1, x2)
    adjoints = {move.line: float(move.adjoint) for move in watch_sweep(tape)}

    def values_on_the_way(x1: Any) -> list[Any]:
        v1 = np.sin(x1)
        return [v1, v1 * x2, x1 * x2, x1 * x2 - v1 * x2]

    _, moved = jvp(values_on_the_way, (x1,), (1.0,))
    terms = [adjoints[line] * float(slope) for line, slope in enumerate(moved, 2)]
    everything, right = sum(terms), float(grad(two_products)(x1, x2))
    mistakes = {
        "both local": (right, right),
        "both over all": (everything, everything),
        "last term missing": (everything - terms[-1], right),
        "exchanged": (right, everything),
    }
    return Instance(plain((everything, right)), mistakes=mistakes)


def count_calls_and_cells(k: int = 10) -> Instance:
    """Exercise 1: the number of calls of a recursion for k doublings, and of cells that a sweep visits.

    >>> count_calls_and_cells().expected
    (2047, 11)
    """
    paths, calls, cells = count_paths(k)
    mistakes = {
        "paths": (paths, cells),
        "cells alone": (cells, cells),
        "operations": (calls, k),
        "calls alone": (calls, calls),
        "calls side by side": (2 * k + 1, cells),
    }
    return Instance((calls, cells), mistakes=mistakes)
