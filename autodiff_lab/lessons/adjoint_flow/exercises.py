"""The exercises of `adjoint_flow`: they sweep and order programs made of the learner's own cells.

The functions a learner writes there use what stands beside them: `Cell`, the list `tape`, `sin` and `log`. A check
writes its programs with these, compares the slopes with the engine's, and gives the tape back as it was.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from autodiff_lab import Tape, grad, jvp, record
from autodiff_lab.lessons.checks import Finding, Instance, Refused, call_case, describe, plain, run_cases
from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.lessons.examples.paths import count_paths
from autodiff_lab.trace.reverse_steps import add_to, pull_back, seed_of, watch_sweep

TAPE: dict[str, Any] = {"listing": ("tape", "Cell", "sin", "log"), "machine": "tape", "empty": ("tape",)}
DOUBLINGS = 18
DOUBLED = f"x doubled {DOUBLINGS} times"
Program = Callable[..., Any]


# What the names that a program uses mean on the engine's side.
NUMPYS = SimpleNamespace(sin=np.sin, log=np.log, Cell=float)


def olah(use: Any, a: Any, b: Any) -> Any:
    """Exercises 3 and 7: the program (a + b)(b + 1)."""
    return (a + b) * (b + use.Cell(1))


def course(use: Any, x1: Any, x2: Any) -> Any:
    """Exercises 3 and 7: the program ln x₁ + x₁x₂ − sin x₂."""
    return use.log(x1) + x1 * x2 - use.sin(x2)


def twice_squared(use: Any, x: Any) -> Any:
    """Exercises 3 and 7: (x²)² + (x²)²; every square is a product of a cell with itself."""
    a = x * x
    return a * a + a * a


def with_a_dead_end(use: Any, x: Any, y: Any) -> Any:
    """Exercises 3 and 7: a program with a product that the result does not use."""
    _ = x * y
    return x + y


def with_an_end_behind(use: Any, x: Any, y: Any) -> Any:
    """Exercise 3: a program that computes a product for nothing after its result."""
    result = x + y
    _ = x * y
    return result


def doubled(use: Any, x: Any) -> Any:
    """Exercises 3 and 7: x doubled again and again: a few cells, and more paths than anybody can follow."""
    for _ in range(DOUBLINGS):
        x = x + x
    return x


def beside_its_log(use: Any, x: Any) -> Any:
    """Exercise 7: a sum of a value and its logarithm; the value stands first."""
    c = x * x
    return c + use.log(c)


def behind_its_log(use: Any, x: Any) -> Any:
    """Exercise 7: a sum of a logarithm and its operand, which stands last."""
    c = x * x
    return use.log(c) + c


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
    "x * sin(log(x * x)) + x": (lambda use, x: x * use.sin(use.log(x * x)) + x, (2.0,)),
    DOUBLED: (doubled, (1.0,)),
}
GOOD = "every cell once, after its operands"
COLLECTS = "whether each cell collects from its consumers"
UNTOUCHED = "whether the list of cells and their links are as they were"
LEFT_OVER = "cells of an earlier call are there"
# What outlives a call of the learner's, by which the second call on the same result goes wrong.
AGAIN = "wrong when it is called once more on the same result: {}"


def expected_slopes() -> dict[str, Any]:
    """Exercise 3: the adjoints of each program's inputs, by the engine.

    >>> expected_slopes()["(a + b) * (b + 1) at (2, 1)"]
    (2.0, 5.0)
    """
    return {
        case: plain(grad(functools.partial(program, NUMPYS), argnums=tuple(range(len(at))))(*at))
        for case, (program, at) in SLOPES.items()
    } | {COLLECTS: True, UNTOUCHED: True}


class WatchedPartial(float):
    """Exercise 3: a local partial that notes whose it is whenever it is multiplied by an adjoint."""

    consumer: Any
    sent: list[Any]

    @classmethod
    def of(cls, partial: float, consumer: Any, sent: list[Any]) -> Self:
        """Watch a consumer's partial; `sent` has the consumers in the order in which their partials are used."""
        watched = cls(partial)
        watched.consumer, watched.sent = consumer, sent
        return watched

    def __mul__(self, other: Any) -> Any:
        self.sent.append(self.consumer)
        return float(self) * other

    __rmul__ = __mul__


def sweep_programs(adjoints_from: Any) -> Any:
    """Exercise 3: the adjoints that the learner's sweep finds for the inputs, by program."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Any:
        inputs = [names["Cell"](x) for x in at]
        result = program(SimpleNamespace(**names), *inputs)
        found = adjoints_from(result, list(names["tape"]))
        return [found.get(x) for x in inputs] if isinstance(found, dict) else found

    def collects(names: dict[str, Any]) -> bool:
        cells = _olah_cells(names)
        sent: list[Any] = []
        for cell in cells:
            cell.links = [(operand, WatchedPartial.of(partial, cell, sent)) for operand, partial in cell.links]
        adjoints_from(cells[-1], cells)
        # Whoever sends is done with one consumer before the next; where each collects, the consumers take turns.
        one_by_one = [consumer for consumer, _ in itertools.groupby(sent)]
        return not sent or len(one_by_one) > len(set(sent))

    def leaves_alone(names: dict[str, Any]) -> bool:
        given = _olah_cells(names)
        before = [(cell, list(cell.links)) for cell in given]
        adjoints_from(given[-1], given)
        return [(cell, list(cell.links)) for cell in given] == before

    found = run_cases(run, SLOPES, adjoints_from, **TAPE)
    how = {COLLECTS: (collects,), UNTOUCHED: (leaves_alone,)}
    return found | run_cases(call_case, how, adjoints_from, **TAPE)


def _olah_cells(names: dict[str, Any]) -> list[Any]:
    """The learner's cells of (a + b)(b + 1), each after its operands."""
    olah(SimpleNamespace(**names), names["Cell"](2.0), names["Cell"](1.0))
    return list(names["tape"])


VALID = ("ybca", "ycba")


def read_orders(answer: Any) -> Any:
    """Exercise 6: how many of these orders are valid, however they are written."""
    found = plain(sorted(answer) if isinstance(answer, set) else answer)
    if isinstance(found, tuple):
        found = tuple("".join(map(str, order)) if isinstance(order, tuple) else order for order in found)
    if not isinstance(found, tuple) or not all(isinstance(order, str) for order in found):
        return Refused(f"You gave {describe(answer)}.")
    given = sorted({"".join(char for char in order.lower() if char.isalpha()) for order in found} - {""})
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


def order_programs(topological_order: Any) -> Any:
    """Exercise 7: what is to be said of the learner's topological order, by program."""

    def run(names: dict[str, Any], program: Program, at: tuple[float, ...]) -> Finding:
        result = program(SimpleNamespace(**names), *(names["Cell"](x) for x in at))
        made = tuple(names["tape"])
        noted = [set(vars(cell)) for cell in made]
        first, again = (_about(topological_order(result), result, names["Cell"], made) for _ in range(2))
        if first != GOOD or again == GOOD:
            return Finding(first)
        if [set(vars(cell)) for cell in made] != noted:
            return Finding(AGAIN.format("a cell keeps a mark"))
        defaults = (*(topological_order.__defaults__ or ()), *(topological_order.__kwdefaults__ or {}).values())
        if any(isinstance(default, list | dict | set) for default in defaults):
            return Finding(AGAIN.format("a default keeps what it was given"))
        return Finding(AGAIN.format("something outlives the call"))

    return run_cases(run, ORDERS, topological_order, **TAPE)


def _about(order: Any, result: Any, kind: type, made: tuple[Any, ...]) -> str:
    """The first thing that is wrong with an order of the cells that were made for one program."""
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
    if _stand_first(order):
        return GOOD
    return "backwards, every cell before its operands" if _stand_first(order[::-1]) else "a cell before its operands"


def _stand_first(order: Any) -> bool:
    """Whether operands come before what is made of them."""
    place = {cell: k for k, cell in enumerate(order)}
    return all(place[operand] < place[cell] for cell in order for operand, _ in cell.links)


# With numbers of one's own


def two_products(x1: Any, x2: Any) -> Any:
    """Exercises 4 and 5: x₁x₂ − x₂ sin x₁, with the sine first on the tape and both inputs used twice.

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
    """Exercise 1: how often a recursion calls itself for k doublings, and how many cells a sweep visits.

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


def _both_contributions(tape: Tape) -> list[float]:
    """What the last line of a tape sends to its two operands."""
    return [float(sent) for _, _, sent in pull_back(tape, tape.output_line, seed_of(tape))]


def use_operand_twice(x: float = 3.0) -> Instance:
    """Exercise 8: the slopes of x − x, x / x and x · x.

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
    """Exercise 9: what a.grad holds after one, two and three backward passes that clear the result alone.

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


def _piled_up(tape: Tape) -> Iterator[float]:
    """What the first input holds after each of three calls."""
    adjoints: list[Any] = [None] * len(tape)
    for _ in range(3):
        adjoints[tape.output_line] = seed_of(tape)
        for i in range(tape.output_line, tape.n_inputs - 1, -1):
            for _, parent, contribution in pull_back(tape, i, adjoints[i]):
                adjoints[parent] = add_to(adjoints[parent], contribution)
        yield float(adjoints[0])
