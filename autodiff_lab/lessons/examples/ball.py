"""A ball that is thrown, and slowed down by the air: where it flies, and where it lands."""

from typing import Any

import numpy as np


def flight(angle: Any, speed: Any = 22.0) -> tuple[list[Any], list[Any]]:
    """Compute the flight of a ball in steps of 0.1 s, until it is below the ground.

    Parameters
    ----------
    angle : float
        In radians: 0 is flat, π/2 is straight up.
    speed : float
        In metres a second.

    Returns
    -------
    x, y : list
        Distance and height in metres, after each step.
    """
    x, y = [0.0], [0.0]
    vx, vy = speed * np.cos(angle), speed * np.sin(angle)
    while y[-1] >= 0:
        vx, vy = 0.98 * vx, 0.98 * vy - 0.981  # the air, and gravity
        x.append(x[-1] + 0.1 * vx)
        y.append(y[-1] + 0.1 * vy)
    return x, y


def landing(angle: Any, speed: Any = 22.0) -> Any:
    """Compute the distance at which a ball lands, between the last two points of its flight.

    >>> round(float(landing(0.2)), 2)
    14.87
    """
    x, y = flight(angle, speed)
    return x[-1] - y[-1] * (x[-1] - x[-2]) / (y[-1] - y[-2])
