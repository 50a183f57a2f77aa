"""Methods that descend a curve by its slope, or by its slope and curvature; and where each of them ends.

The curve is that of a founding document, ln((x − 7)² + 10): one minimum, and not convex.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.transforms.gradients import jvp, value_and_grad
from autodiff_lab.transforms.jacobians import hvp

MINIMUM = 7.0
FAR = 1e6
"""Further from the minimum than this, and a path has run away."""
ARRIVED = 1e-9
LONGEST = 400
FLATTEST = 1e-3
"""A curvature that is smaller than this counts as this much, where Newton's step is damped."""


def f(x: Any) -> Any:
    """The founding document's curve ln((x − 7)² + 10), down which Newton's method and gradient descent go."""
    return np.log((x - MINIMUM) ** 2 + 10.0)


class Place(NamedTuple):
    """A place on the curve with the first two derivatives, which a descent method steps by."""

    x: float
    value: float
    slope: float
    curvature: float


def find_place(x: float) -> Place:
    """Find the value, the slope and, by an HVP, the curvature at x: all that a descent method looks at.

    >>> [round(part, 7) for part in find_place(1.0)]
    [1.0, 3.8286414, -0.2608696, -0.0245747]
    """
    value, slope = value_and_grad(f)(x)
    return Place(x, float(value), float(slope), float(hvp(f, (x,), (1.0,))))


def step_by_slope(at: Place, rate: float) -> float:
    """Take a step of gradient descent: against the slope, as far as the learning rate says."""
    return at.x - rate * at.slope


def step_by_newton(at: Place, rate: float) -> float:
    """Take a step of Newton's method: to where the slope would be 0 if it went on in a straight line."""
    return at.x - at.slope / at.curvature if at.curvature else math.inf


def step_by_damped_newton(at: Place, rate: float) -> float:
    """Take a damped Newton step: always downhill, and halved until the value falls enough.

    The curvature counts by its size, and "enough" is Armijo's rule, a ten-thousandth of what the slope promises
    (Nocedal and Wright, *Numerical Optimization*, 2006, section 3.1).
    """
    step = -at.slope / max(abs(at.curvature), FLATTEST)
    for _ in range(60):
        if float(f(at.x + step)) <= at.value + 1e-4 * step * at.slope:
            return at.x + step
        step /= 2
    return at.x


def find_derivatives(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find slope and curvature of the founding document's curve at many points at once, for drawing."""
    ones = np.ones_like(x)
    return jvp(lambda x: jvp(f, (x,), (ones,))[1], (x,), (ones,))


METHODS: dict[str, Callable[[Place, float], float]] = {
    "gradient descent": step_by_slope,
    "Newton": step_by_newton,
    "damped Newton": step_by_damped_newton,
}


class Walk(NamedTuple):
    """A walk down the curve by one method: its places, and its fate (arrived, ran away, to and fro, on its way)."""

    places: tuple[Place, ...]
    fate: str


@functools.lru_cache(maxsize=4096)
def walk(method: str, start: float, rate: float = 2.0, steps: int = LONGEST) -> Walk:
    """Walk down the curve by one method until it arrives or runs away, or for so many steps.

    >>> [round(at.x, 4) for at in walk("Newton", 5.5).places[:4]], walk("Newton", 5.5).fate
    ([5.5, 7.871, 6.857, 7.0006], 'arrived')
    >>> walk("Newton", 5.1).fate, walk("damped Newton", 1.0).fate
    ('ran away', 'arrived')
    """
    places = [find_place(start)]
    for _ in range(steps):
        if abs(places[-1].slope) < ARRIVED and abs(places[-1].x - MINIMUM) < 1:
            return Walk(tuple(places), "arrived")
        x = METHODS[method](places[-1], rate)
        if not abs(x - MINIMUM) < FAR:
            return Walk(tuple(places), "ran away")
        places.append(find_place(x))
        if len(places) > 40 and abs(places[-1].x - places[-3].x) < 1e-6 < abs(places[-1].x - places[-2].x):
            return Walk(tuple(places), "to and fro")
    return Walk(tuple(places), "on its way")


def find_convex_interval() -> tuple[float, float]:
    """Find between which points the founding document's curve is convex: its curvature is positive.

    >>> [round(end, 12) for end in find_convex_interval()]
    [3.837722339832, 10.162277660168]
    """
    return _find_interval(lambda x: find_place(x).curvature > 0)


def find_newton_interval() -> tuple[float, float]:
    """Find between which starting points Newton's method arrives at the minimum."""
    return _find_interval(lambda x: walk("Newton", x).fate == "arrived")


def _find_interval(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Between which points something holds that holds at the minimum, to the last digit."""
    ends = []
    for outside in (MINIMUM - 8, MINIMUM + 8):
        inside = MINIMUM
        while (middle := (inside + outside) / 2) not in (inside, outside):
            inside, outside = (middle, outside) if holds(middle) else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]
