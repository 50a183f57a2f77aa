"""A ball that is thrown and slowed down by the air: its flight, and the distance at which it lands."""

from typing import Any

import numpy as np


def flight(angle: Any, speed: Any = 22.0) -> tuple[list[Any], list[Any]]:
    """Compute the flight of a ball in steps of 0.1 s, until it is below the ground.

    Parameters
    ----------
    angle : float
        The angle in radians: 0 is flat, π/2 is straight up.
    speed : float
        The speed in metres per second.

    Returns
    -------
    x, y : list
        Distance and height in metres, at the start and after each step.
    """
    x, y = [0.0], [0.0]
    vx, vy = speed * np.cos(angle), speed * np.sin(angle)
    while y[-1] >= 0:
        # The air takes 2 % of the speed in each step, and gravity 9.81 m/s² · 0.1 s.
        vx = 0.98 * vx
        vy = 0.98 * vy - 0.981
        x.append(x[-1] + 0.1 * vx)
        y.append(y[-1] + 0.1 * vy)
    return x, y


def landing(angle: Any, speed: Any = 22.0) -> Any:
    """Compute the distance at which a ball lands, by linear interpolation between the last two points of its flight.

    >>> round(float(landing(0.2)), 2)
    14.87
    """
    x, y = flight(angle, speed)
    return x[-1] - y[-1] * (x[-1] - x[-2]) / (y[-1] - y[-2])
