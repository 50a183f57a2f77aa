"""A network as the right-hand side of a differential equation, fitted to a pendulum by Runge and Kutta's steps."""

from typing import Any

import numpy

STEP, STEPS = 0.25, 8
START = numpy.array([1.2, 0.0])
draws = numpy.random.default_rng(3)
PARAMETERS = {
    "inner": 0.5 * draws.standard_normal((2, 5)),
    "bias": 0.1 * draws.standard_normal(5),
    "outer": 0.5 * draws.standard_normal((5, 2)),
    "friction": numpy.float64(0.3),
}


def runge_kutta(np: Any, slope: Any, y: Any) -> Any:
    path = [y]
    for _ in range(STEPS):
        first = slope(y)
        second = slope(y + STEP / 2 * first)
        third = slope(y + STEP / 2 * second)
        fourth = slope(y + STEP * third)
        y = y + STEP / 6 * (first + 2 * second + 2 * third + fourth)
        path.append(y)
    return np.stack(path)


def pendulum(y: Any) -> Any:
    angle, speed = y
    return numpy.stack([speed, -numpy.sin(angle) - 0.1 * speed])


SEEN = runge_kutta(numpy, pendulum, START)


def loss(np: Any, parameters: Any) -> Any:
    def slope(y: Any) -> Any:
        hidden = np.tanh(y @ parameters["inner"] + parameters["bias"])
        drag = np.stack([0.0, -parameters["friction"] * y[1]])
        return hidden @ parameters["outer"] + drag

    return np.mean((runge_kutta(np, slope, START) - SEEN) ** 2)
