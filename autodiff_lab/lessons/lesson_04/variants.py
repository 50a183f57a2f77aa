"""Exercises of notebook 04 with numbers of one's own: what is right, and what each mistake leads to, by the engine."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.trace.reverse_steps import add_to, pull_back, seed_of, watch_sweep
from autodiff_lab.transforms.gradients import grad, jvp, record
from autodiff_lab.widgets.labs.expression import parse_expression
from autodiff_lab.widgets.labs.order_lab.sweeps import count_paths


def two_products(x1: Any, x2: Any) -> Any:
    """Return x₁x₂ − x₂ sin x₁, with the sine first on the tape; both inputs are used twice.

    >>> float(two_products(0.0, 3.0))
    0.0
    """
    v1 = np.sin(x1)
    v2 = v1 * x2
    v3 = x1 * x2
    return v3 - v2


def annotate_graph(a: float = 2.0, b: float = 1.0) -> Instance:
    """Olah's graph e = (a + b)(b + 1), annotated from b and then from e.

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
    """Seven adjoints of x₁x₂ − x₂ sin x₁, in the order in which they change.

    >>> [round(adjoint, 4) for adjoint in sweep_by_hand().expected]
    [1.0, -1.0, 4.0, 1.0, -4.0, 0.1585, 1.8388]
    """
    _, tape = record(two_products, x1, x2)
    sent = {(move.line, one.parent): one for move in watch_sweep(tape) for one in move.sent}
    asked = ((5, 4), (5, 3), (4, 0), (4, 1), (3, 2), (3, 1), (2, 0))
    right = tuple(float(sent[way].after) for way in asked)
    alone = tuple(float(sent[way].contribution) for way in asked)
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
    """The sum of document 0's equation 2 for x1, with total derivatives over all operations and with local partials.

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
    """How often a recursion calls itself for k doublings, and how many cells a sweep visits.

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


def use_operand_twice(x: float = 3.0) -> Instance:
    """The slopes of x − x, x / x and x · x.

    >>> use_operand_twice().expected
    (0.0, 0.0, 6.0)
    """
    programs = (lambda x: x - x, lambda x: x / x, lambda x: x * x)
    right = tuple(float(grad(f)(x)) for f in programs)
    tapes = [record(f, x)[1] for f in programs]
    first, last = zip(*([float(sent) for _, _, sent in pull_back(t, t.output, seed_of(t))] for t in tapes), strict=True)
    mistakes = {
        "first place twice": (2 * first[0], 2 * first[1], 2.0),
        "first partial doubled": (
            2 * first[0],
            *right[1:],
        ),
        "value of the quotient": (right[0], 1.0, right[2]),
        "second place alone": last,
        "first place alone": first,
        "values": (0.0, 1.0, x * x),
    }
    return Instance(plain(right), mistakes=mistakes)


def call_backward_thrice(program: str = "a + b + c") -> Instance:
    """What a cell holds after one, two and three backward passes that clear nothing but the result.

    >>> call_backward_thrice().expected
    (1.0, 3.0, 6.0)
    """
    _, tape = record(parse_expression(program, ("a", "b", "c")), 1.0, 2.0, 3.0)
    held = tuple(_piled_up(tape))
    slope = held[0]
    mistakes = {
        "found anew": (slope, slope, slope),
        "only a keeps": (slope, 2 * slope, 3 * slope),
        "doubled": (slope, 2 * slope, 4 * slope),
    }
    return Instance(plain(held), mistakes=mistakes)


def _piled_up(tape: Any) -> Iterator[float]:
    """What the first input holds after each of three calls."""
    adjoints: list[Any] = [None] * len(tape)
    for _ in range(3):
        adjoints[tape.output] = seed_of(tape)
        for i in range(tape.output, tape.n_inputs - 1, -1):
            for _, parent, contribution in pull_back(tape, i, adjoints[i]):
                adjoints[parent] = add_to(adjoints[parent], contribution)
        yield float(adjoints[0])
