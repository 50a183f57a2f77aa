"""The exercises of notebook 10 with numbers of one's own: what is asked, and what people answer."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from autodiff_lab import jvp
from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.widgets.labs.tag_inspector.machines import Run


def _product(D: Callable[..., Any], x: Any, y: Any) -> Any:
    return D(lambda x: x * D(lambda y: x * y, y), x)


def _square(D: Callable[..., Any], x: Any, y: Any) -> Any:
    return D(lambda x: x * D(lambda y: x * y * y, y), x)


def merge_marks(a: float = 4.0, b: float = 1.0, c: float = 3.0, d: float = 2.0) -> Instance:
    """What two nested derivatives are, and what a machine with one ε makes of them.

    >>> merge_marks().expected
    (8.0, 5.0, 24.0, 16.0)
    """
    programs = Run(_product, a, b), Run(_square, c, d)
    slopes = [run.result.tagged for run in programs]
    merged = [run.result.untagged for run in programs]
    held = a, 2 * c * d  # d/dy(x · y) = x and d/dy(x · y · y) = 2xy, held still while x moves

    def answered(on_paper: Sequence[Any], by_machine: Sequence[Any]) -> tuple[Any, ...]:
        return plain((on_paper[0], by_machine[0], on_paper[1], by_machine[1]))

    mistakes = {
        "the machine trusted": answered(slopes, slopes),
        "exchanged": answered(merged, slopes),
        "x held on paper": answered(held, merged),
        "x held on the machine": answered(slopes, held),
        "the mark of y lost": answered(slopes, (merged[0] - held[0], merged[1] - held[1])),
    }
    return Instance(answered(slopes, merged), mistakes=mistakes)


def find_convexity(centre: float = 7.0, width: float = 10.0) -> Instance:
    """Where ln((x − centre)² + width) bends upwards.

    >>> find_convexity().expected
    (False, 3.8377223398316205, 10.16227766016838)
    """
    root = math.sqrt(width)
    answer = False, centre - root, centre + root
    narrower = math.sqrt(width / 3)
    mistakes = {
        "convex": (True, None, None),
        "convex, with the interval": (True, *answer[1:]),
        "without the root": (False, centre - width, centre + width),
        "from the minimum": (False, -root, root),
        "a term lost": (False, centre - math.sqrt(2 * width), centre + math.sqrt(2 * width)),
        "where Newton arrives": (False, centre - narrower, centre + narrower),
        "ends exchanged": (False, centre + root, centre - root),
    }
    return Instance(answer, mistakes=mistakes)


def find_coefficients(x: float = 3.0, y: float = 2.0) -> Instance:
    """What stands before 1, ε₁, ε₂ and ε₁ε₂ in x²y³, for x + ε₁ and y + ε₂.

    >>> find_coefficients().expected
    (72.0, 48.0, 108.0, 72.0)
    """

    def f(x: Any, y: Any) -> Any:
        return x * x * y * y * y

    value, in_x = jvp(f, (x, y), (1.0, 0.0))
    in_y, both = jvp(lambda x: jvp(lambda y: f(x, y), (y,), (1.0,))[1], (x,), (1.0,))
    mistakes = {
        "slopes added": (value, in_x + in_y, in_x + in_y, both),
        "the product twice": (value, in_x, in_y, 2 * both),
        "marks exchanged": (value, in_y, in_x, both),
        "slopes multiplied": (value, in_x, in_y, in_x * in_y),
        "the product dropped": (value, in_x, in_y, 0.0),
    }
    return Instance(plain((value, in_x, in_y, both)), mistakes=mistakes)
