"""The exercises of notebook 10 with numbers of one's own: what is asked, and what people answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autodiff_lab import jvp
from autodiff_lab.lessons.checks import Instance
from autodiff_lab.widgets.labs.tag_inspector.machines import Run


def _product(D: Callable[..., Any], x: Any, y: Any) -> Any:
    return D(lambda x: x * D(lambda y: x * y, y), x)


def _square(D: Callable[..., Any], x: Any, y: Any) -> Any:
    return D(lambda x: x * D(lambda y: x * y * y, y), x)


def merged(a: float = 4.0, b: float = 1.0, c: float = 3.0, d: float = 2.0) -> Instance:
    """What two nested derivatives are, and what a machine with one ε makes of them.

    >>> merged().expected
    (8.0, 5.0, 24.0, 16.0)
    """
    first, second = Run(_product, a, b), Run(_square, c, d)
    right = tuple(float(run.result.tagged) for run in (first, second))
    wrong = tuple(float(run.result.untagged) for run in (first, second))
    # d/dy(x · y) = x and d/dy(x · y · y) = 2xy, held still while x moves
    held = a, 2 * c * d
    answer = right[0], wrong[0], right[1], wrong[1]
    mistakes = {
        (right[0], right[0], right[1], right[1]): "You trust the machine. Follow it: x is a Dual when the inner D "
        "runs, and so is y. What stands before ε in x * y?",
        (wrong[0], right[0], wrong[1], right[1]): "All four numbers are there. First comes what the slope is, then "
        "what the machine says.",
        (held[0], wrong[0], held[1], wrong[1]): "On the machine you are right. On paper the inner derivative depends "
        "on x as well: x times it is a product of two things that move.",
        (right[0], held[0], right[1], held[1]): "What the slopes are is right. The machine does not hold x still in "
        "the inner D: its ε is there, and is added to that of y.",
        (right[0], wrong[0] - a, right[1], wrong[1] - 2 * c * d): "You kept the ε of x and lost that of y. In x * y "
        "both operands have one, and the two are added.",
    }
    return Instance(answer, wrong)


def convexity(centre: float = 7.0, width: float = 10.0) -> Instance:
    """Where ln((x − centre)² + width) bends upwards.

    >>> convexity().expected
    (False, 3.8377223398316205, 10.16227766016838)
    """
    root = math.sqrt(width)
    answer = False, centre - root, centre + root
    narrower = math.sqrt(width / 3)
    mistakes = {
        (True, None, None): "It has one minimum, and it falls towards it from everywhere. Convex asks for more: f″ ≥ "
        "0 everywhere. Look at f″ far away from the minimum.",
        (True, *answer[1:]): "The interval is right. Outside of it f bends downwards; what does that say about f?",
        (False, centre - width, centre + width): "The square is missing: f″ = 0 where (x − centre)² is the number "
        "that is added under the logarithm.",
        (False, -root, root): "That is measured from the minimum. Where does the minimum lie?",
        (False, centre - math.sqrt(2 * width), centre + math.sqrt(2 * width)): "Nearly. The numerator of f″ is 2 (u² "
        "+ b) − 2u · 2u: that is 2b − 2u².",
        (False, centre - narrower, centre + narrower): "That is where Newton's method arrives from, a smaller "
        "interval. Here f″ is asked for.",
        (False, centre + root, centre - root): "Both ends are right. Write the left one first.",
    }
    return Instance(answer, wrong)


def coefficients(x: float = 3.0, y: float = 2.0) -> Instance:
    """What stands before 1, ε₁, ε₂ and ε₁ε₂ in x²y³, for x + ε₁ and y + ε₂.

    >>> coefficients().expected
    (72.0, 48.0, 108.0, 72.0)
    """

    def f(x: Any, y: Any) -> Any:
        return x * x * y * y * y

    value, in_x = jvp(f, (x, y), (1.0, 0.0))
    in_y, both = jvp(lambda x: jvp(lambda y: f(x, y), (y,), (1.0,))[1], (x,), (1.0,))
    answer = float(value), float(in_x), float(in_y), float(both)
    value, in_x, in_y, both = answer
    mistakes = {
        (value, in_x + in_y, in_x + in_y, both): "You added the two slopes, as a machine with one ε would. Each mark "
        "keeps its own.",
        (value, in_x, in_y, 2 * both): "ε₁ε₂ comes about once, not twice: in x the mark ε₁, in y the mark ε₂. (In a "
        "Taylor series there are two such terms, and a ½ before them.)",
        (value, in_y, in_x, both): "ε₁ belongs to x and ε₂ to y: the second and the third number have changed places.",
        (value, in_x, in_y, in_x * in_y): "You multiplied the two slopes. Before ε₁ε₂ stands the slope in y of the "
        "slope in x.",
        (value, in_x, in_y, 0.0): "You dropped ε₁ε₂. ε₁² = 0 and ε₂² = 0, but the product of two different marks is "
        "not 0: it is what you are looking for.",
    }
    return Instance(answer, wrong)
