"""Exercises of notebook 04 with numbers of one's own: what is right, and what each mistake leads to, by the engine."""

from __future__ import annotations

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


def annotated(a: float = 2.0, b: float = 1.0) -> Instance:
    """Olah's graph e = (a + b)(b + 1), annotated from b and then from e.

    >>> annotated().expected
    ((1.0, 1.0, 5.0), (2.0, 3.0, 5.0, 2.0))
    """
    from_b = plain(jvp(lambda b: [a + b, b + 1, (a + b) * (b + 1)], (b,), (1.0,))[1])
    to_a, to_b = grad(lambda a, b: (a + b) * (b + 1), argnums=(0, 1))(a, b)
    to_c, to_d = grad(lambda c, d: c * d, argnums=(0, 1))(a + b, b + 1)
    wrong = {
        ((*from_b[:2], to_c), (to_c, to_d, to_c, to_a)): "You followed one way from b to e, the one through c. There "
        "is another, through d.",
        ((*from_b[:2], to_c * to_d), (to_c, to_d, to_c * to_d, to_a)): "You multiplied the two ways. Along a path one "
        "multiplies; from one path to the next one adds.",
        (from_b, (to_d, to_c, to_b, to_a)): "The slopes of e = c · d in c and in d are the wrong way round. How fast "
        "does e grow when only c grows?",
        (from_b, (to_c, to_d, to_b, to_b)): "a and b do not have the same slope: from a there is one way to e.",
        ((to_c, to_d, to_b), from_b): "In the first list c, d and e are differentiated in b. In the second e is "
        "differentiated, in c, d, b, a.",
    }
    return Instance(plain((from_b, (to_c, to_d, to_b, to_a))), wrong)


def by_hand(x1: float = 1.0, x2: float = 4.0) -> Instance:
    """Seven adjoints of x₁x₂ − x₂ sin x₁, in the order in which they change.

    >>> [round(adjoint, 4) for adjoint in by_hand().expected]
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
    wrong = {
        alone: "At the two inputs a second number arrives, and you put it there instead of the first. It is added: the "
        "input was used twice, and both uses count.",
        (*right[:5], right[5] / 2, right[6] / 2): "You took the mean of the two contributions, as if the input were "
        "shared out between its users. Each user gets the whole of it, so what they send is added.",
        (1.0, 1.0, x2, x1, x2, x1 + sine, x2 + x2 * cosine): "v4 = v3 − v2 falls when v2 grows: the adjoint of v2 is "
        "negative, and that goes on to v1 and v0.",
        f"answer = {to_itself}": (
            to_itself,
            "A product sends to each operand the value of the other one. You sent to each its own.",
        ),
        (*right[:6], x2 - x2 * sine): "v1 sends its adjoint times the derivative of the sine. You multiplied by the "
        "value of the sine.",
    }
    return Instance(plain(right), wrong)


def over_which(x1: float = 1.0, x2: float = 4.0) -> Instance:
    """The sum of document 0's equation 2 for x1, with total derivatives over all operations and with local partials.

    >>> [round(each, 4) for each in over_which().expected]
    [1.5164, 1.8388]
    """
    _, tape = record(two_products, x1, x2)
    adjoints: list[Any] = [None] * len(tape)
    for _ in tape.sweep(tape.output, 1.0, adjoints):
        pass

    def values_on_the_way(x1: Any) -> list[Any]:
        v1 = np.sin(x1)
        return [v1, v1 * x2, x1 * x2, x1 * x2 - v1 * x2]

    _, moved = jvp(values_on_the_way, (x1,), (1.0,))
    terms = [float(adjoint) * float(slope) for adjoint, slope in zip(adjoints[2:], moved, strict=True)]
    everything, right = sum(terms), float(adjoints[0])
    wrong = {
        (right, right): "The two sums differ. v2 grows with x1 through v1 only, and a total derivative of its own "
        "counts it once more.",
        (everything, everything): "The second sum runs over the operations that x1 itself goes into, and over no "
        "others.",
        (everything - terms[-1], right): "N is the number of all operations: v4 is one of them, and its adjoint is 1.",
        (right, everything): "Both numbers are there, the other way round.",
    }
    return Instance(plain((everything, right)), wrong)


def calls_and_cells(k: int = 10) -> Instance:
    """How often a recursion calls itself for k doublings, and how many cells a sweep visits.

    >>> calls_and_cells().expected
    (2047, 11)
    """
    paths, calls, cells = count_paths(k)
    wrong = {
        (paths, cells): "That is how many paths there are, and so how often x is reached. The cells on the way are "
        "called as well: once, twice, four times …",
        (cells, cells): "A recursion keeps no list of the cells it has visited. It enters a cell once for each path "
        "to it.",
        (calls, k): "k operations, and x itself is a cell too.",
        (calls, calls): "The tape has one cell for each operation, however many paths lead through it.",
        (2 * k + 1, cells): "Two calls for each doubling would be right if they were not inside each other.",
    }
    return Instance((calls, cells), wrong)


def used_twice(x: float = 3.0) -> Instance:
    """The slopes of x − x, x / x and x · x.

    >>> used_twice().expected
    (0.0, 0.0, 6.0)
    """
    programs = (lambda x: x - x, lambda x: x / x, lambda x: x * x)
    right = tuple(float(grad(f)(x)) for f in programs)
    tapes = [record(f, x)[1] for f in programs]
    first, last = zip(*([float(sent) for _, _, sent in pull_back(t, t.output, seed_of(t))] for t in tapes), strict=True)
    wrong = {
        (2 * first[0], 2 * first[1], 2.0): "That is what comes out when an operand is looked up by what it is. Both "
        "operands are the same cell, and the rule takes both for the first. They stand in two places, and each place "
        "has its own partial.",
        (
            2 * first[0],
            *right[1:],
        ): "The last two are right. The 2 is what document 1's rule gives. But x - x is 0 at "
        "every x: the second place has the partial -1.",
        (right[0], 1.0, right[2]): "1 is the value of x / x, at every x. What is its derivative?",
        last: "Of the two contributions to x only the second is left. Both are from the same operation; add them.",
        first: "That is what the first operand's place sends. x stands in the second place too.",
        (0.0, 1.0, x * x): "These are the values. What are the slopes?",
    }
    return Instance(plain(right), wrong)


def thrice(program: str = "a + b + c") -> Instance:
    """What a cell holds after one, two and three backward passes that clear nothing but the result.

    >>> thrice().expected
    (1.0, 3.0, 6.0)
    """
    _, tape = record(parse_expression(program, ("a", "b", "c")), 1.0, 2.0, 3.0)
    held = tuple(_piled_up(tape))
    slope = held[0]
    wrong = {
        (slope, slope, slope): "You expect each call to find the slope anew. But a call adds to what is there, and "
        "nothing has been cleared.",
        (slope, 2 * slope, 3 * slope): "That would be so if only a had kept its old number. The cell between a and y "
        "has kept its own as well, and sends it again.",
        (slope, 2 * slope, 4 * slope): "It does not double each time. Follow the cell between a and y: what does it "
        "hold after each call?",
    }
    return Instance(plain(held), wrong)


def _piled_up(tape: Any) -> Iterator[float]:
    """What the first input holds after each of three calls."""
    adjoints: list[Any] = [None] * len(tape)
    for _ in range(3):
        adjoints[tape.output] = seed_of(tape)
        for i in range(tape.output, tape.n_inputs - 1, -1):
            for _, parent, contribution in pull_back(tape, i, adjoints[i]):
                adjoints[parent] = add_to(adjoints[parent], contribution)
        yield float(adjoints[0])
