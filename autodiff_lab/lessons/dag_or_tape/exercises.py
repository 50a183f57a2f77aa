"""The exercises of `dag_or_tape`: topological orders of the learner's own cells, and repeated backward passes.

A learner's function there uses the notebook's `Cell`, list `tape`, `sin` and `log`. A check runs its programs on these,
and restores the tape.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_lab import grad, record
from autodiff_lab.lessons.checks import Finding, Instance, describe, plain, run_cases
from autodiff_lab.lessons.examples.cell_programs import (
    DOUBLED,
    Case,
    Program,
    course,
    doubled,
    olah,
    twice_squared,
    with_a_dead_end,
)
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.trace.reverse_steps import add_to, pull_back, seed_of

TAPE: dict[str, Any] = {
    "listing": ("tape", "Cell", "sin", "log"),
    "machine": "tape",
    "empty": ("tape",),
}


def beside_its_log(use: Any, x: Any) -> Any:
    """Exercise 1: a sum of a value and its logarithm, with the value first."""
    c = x * x
    return c + use.log(c)


def behind_its_log(use: Any, x: Any) -> Any:
    """Exercise 1: a sum of a value and its logarithm, with the logarithm first."""
    c = x * x
    return use.log(c) + c


ORDERS: dict[str, Case] = {
    "(a + b) * (b + 1)": (olah, (2.0, 1.0)),
    "a * a + a * a with a = x * x": (twice_squared, (2.0,)),
    "log(x1) + x1 * x2 - sin(x2)": (course, (2.0, 5.0)),
    "x + y, and x * y for nothing": (with_a_dead_end, (3.0, 1.0)),
    "c + log(c) with c = x * x": (beside_its_log, (2.0,)),
    "log(c) + c with c = x * x": (behind_its_log, (2.0,)),
    "x * sin(log(x * x)) + x": (lambda use, x: x * use.sin(use.log(x * x)) + x, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}
GOOD = "every cell once, after its operands"
LEFT_OVER = "cells of an earlier call are there"
# Something that the learner's first call left behind makes the second call on the same result go wrong.
AGAIN = "wrong when it is called once more on the same result: {}"


def order_programs(topological_order: Any) -> Any:
    """Exercise 1: whether the learner's order of each program's cells is topological, and if not, why."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Finding:
        result = program(SimpleNamespace(**names), *(names["Cell"](x) for x in at))
        made = tuple(names["tape"])
        noted = [set(vars(cell)) for cell in made]
        first = _judge_order(topological_order(result), result, names["Cell"], made)
        again = _judge_order(topological_order(result), result, names["Cell"], made)
        if first != GOOD or again == GOOD:
            return Finding(first)
        if [set(vars(cell)) for cell in made] != noted:
            return Finding(AGAIN.format("a cell keeps a mark"))
        defaults = (
            *(topological_order.__defaults__ or ()),
            *(topological_order.__kwdefaults__ or {}).values(),
        )
        if any(isinstance(default, list | dict | set) for default in defaults):
            return Finding(AGAIN.format("a default keeps what it was given"))
        return Finding(AGAIN.format("something outlives the call"))

    return run_cases(run, ORDERS, topological_order, **TAPE)


def _judge_order(order: Any, result: Any, kind: type, made: tuple[Any, ...]) -> str:
    """Describe an order of the cells that were made for a program: what is wrong first, or that it is good."""
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
    if set(order) - set(made):
        return LEFT_OVER
    if set(order) - needed:
        return "a cell is there that the result does not need"
    if _operands_come_first(order):
        return GOOD
    if _operands_come_first(order[::-1]):
        return "backwards, every cell before its operands"
    return "a cell before its operands"


def _operands_come_first(order: Any) -> bool:
    """Whether every cell comes after its operands."""
    place = {cell: k for k, cell in enumerate(order)}
    return all(place[operand] < place[cell] for cell in order for operand, _ in cell.links)


# With numbers of one's own


def count_over_tape(x: float = 2.0) -> Instance:
    """Exercise 2: the count and the adjoint that x is left with, if a sweep waits for consumers on the whole tape.

    The program is x ln x − sin x, with a square that is not used. The result sends, then the sine; the product waits
    for the square, which never sends.

    >>> count_over_tape().expected
    (2, 0.4161468365471424)
    """
    slope = float(grad(lambda x: np.log(x) * x - np.sin(x))(x))
    by_sine = float(grad(lambda x: -np.sin(x))(x))
    mistakes = {
        "nothing waits": (5, slope),
        "without x": (4, slope),
        "dead end sends": (6, slope),
        "right slope": (2, slope),
        "x sends": (3, by_sine),
        "result not counted": (1, by_sine),
        "sign": (2, -by_sine),
        "nothing arrives": (1, 0.0),
    }
    return Instance((2, by_sine), mistakes=mistakes)


def _both_contributions(tape: Any) -> list[float]:
    """The contributions that the last line of a tape sends to its two operands."""
    return [float(sent) for _, _, sent in pull_back(tape, tape.output_line, seed_of(tape))]


def use_operand_twice(x: float = 3.0) -> Instance:
    """Exercise 3: the slopes of x − x, x / x and x · x.

    >>> use_operand_twice().expected
    (0.0, 0.0, 6.0)
    """
    programs = (lambda x: x - x, lambda x: x / x, lambda x: x * x)
    right = tuple(float(grad(f)(x)) for f in programs)
    first, last = zip(*(_both_contributions(record(f, x)[1]) for f in programs), strict=True)
    mistakes = {
        "first place twice": (2 * first[0], 2 * first[1], 2.0),
        "first partial doubled": (2 * first[0], *right[1:]),
        "first partials doubled": (2 * first[0], 2 * first[1], right[2]),
        "two for both": (2 * first[0], 2 * first[0], right[2]),
        "value of the quotient": (right[0], 1.0, right[2]),
        "second place alone": last,
        "first place alone": first,
        "values": (0.0, 1.0, x * x),
    }
    return Instance(plain(right), mistakes=mistakes)


def call_backward_thrice(program: str = "a + b + c") -> Instance:
    """Exercise 4: the value of a.grad after one, two and three backward passes that clear only the result's gradient.

    >>> call_backward_thrice().expected
    (1.0, 3.0, 6.0)
    """
    _, tape = record(parse_expression(program, ("a", "b", "c")), 1.0, 2.0, 3.0)
    held = tuple(_accumulate(tape))
    slope = held[0]
    mistakes = {
        "found anew": (slope, slope, slope),
        "only a keeps": (slope, 2 * slope, 3 * slope),
        "doubled": (slope, 2 * slope, 4 * slope),
    }
    return Instance(plain(held), mistakes=mistakes)


def _accumulate(tape: Any) -> Iterator[float]:
    """Yield the gradient of the first input after each of three backward passes that do not clear it."""
    adjoints: list[Any] = [None] * len(tape)
    for _ in range(3):
        adjoints[tape.output_line] = seed_of(tape)
        for i in range(tape.output_line, tape.n_inputs - 1, -1):
            for _, parent, contribution in pull_back(tape, i, adjoints[i]):
                adjoints[parent] = add_to(adjoints[parent], contribution)
        yield float(adjoints[0])
