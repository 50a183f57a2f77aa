"""What notebook 05 asks of the designs: the ledger of a program, what survives a change, the gradient of two runs.

All numbers, right and wrong ones, come from `compare`, which tries the designs, and from the engine.
"""

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_05.sandbox import by_hand_example
from autodiff_lab.systems.side_by_side import compare
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.widgets.labs.expression import parse_expression


def count_stored_numbers(program: str = "tanh(w * x + b)") -> Instance:
    """How much each design keeps of a program of w, x and b: (partials, operand slots, values in closures).

    >>> count_stored_numbers().expected
    (5, 5, 3)
    """
    columns = compare(parse_expression(program, ("w", "x", "b")), 0.5, 2.0, 0.1).columns[:3]
    partials, closures, operations = (column.numbers for column in columns)
    right = (partials, operations, closures)
    names = [stored.names for stored in columns[1].ledger]
    lines = len(names)
    without_results = len({name for k, kept in enumerate(names, 1) for name in kept if name != f"v{k}"})
    mistakes = {
        "one partial each": (lines, operations, closures),
        "closures counted": (partials, operations, lines),
        "counted per closure": (partials, operations, sum(map(len, names))),
        "results forgotten": (partials, operations, without_results),
        "a value per partial": (partials, operations, partials),
        "results counted": (partials, operations + lines, closures),
    }
    return Instance(right, mistakes=mistakes)


def tell_what_survives() -> tuple[str, ...]:
    """What becomes of each design if something is written over an input after the run.

    >>> set(tell_what_survives()) <= {"survives", "changes", "raises"}
    True
    """
    return tuple(column.mutated.verdict for column in compare(by_hand_example, 3.0, 1.0, written=0.0).columns)


def mix_two_runs(x: float = 2.0, y: float = 5.0, written: float = 0.0) -> Instance:
    """What closures answer for sin(x) * y if something is written over both inputs after the run.

    >>> mix_two_runs().expected
    (0.0, 0.9092974268256817)
    """

    def program(x: Any, y: Any) -> Any:
        return np.sin(x) * y

    columns = compare(program, x, y, written=written).columns
    found, before = columns[1].mutated.numbers, columns[1].gradient
    after = tuple(grad(program, argnums=(0, 1))(written, written))
    only_cosine = tuple(grad(lambda a, b: np.sin(a) * y + b * np.sin(x), argnums=(0, 1))(written, written))
    mistakes = {
        "before": before,
        "after": after,
        "only the cosine anew": only_cosine,
    }
    return Instance(found, mistakes=mistakes)
