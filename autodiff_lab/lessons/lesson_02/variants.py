"""Exercises of notebook 02 with numbers of one's own: a trace, the steepest direction, passes, and a square."""

import math

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_02.sandbox import by_the_engine, example
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import grad


def trace_forward(x1: float = 2.0, x2: float = 5.0) -> Instance:
    """The tangents of the example's last four lines when x1 moves."""

    def tangents(*direction: float) -> tuple[float, ...]:
        steps = Trace.of(example, x1, x2, mode="forward", direction=direction).steps[2:]
        return tuple(step.tangents[0].value for step in steps)  # type: ignore[misc]

    v1, *right = tangents(1.0, 0.0)
    other = tangents(0.0, 1.0)[1:]
    mistakes = {
        "tangents multiplied": (0.0, v1, 0.0, v1),
        "cosine not multiplied": (*right[:2], other[2], right[1] - other[2]),
        "seed in x2": other,
        "both seeded": tangents(1.0, 1.0)[1:],
        "values": tuple(line.value.value for line in Trace.of(example, x1, x2).lines[3:]),
    }
    return Instance(tuple(right), mistakes=mistakes)


def find_steepest_direction(x1: float = 2.0, x2: float = 5.0) -> Instance:
    """In which direction the example has its largest slope, in degrees, and the slope."""
    by1, by2 = grad(example, argnums=(0, 1))(x1, x2)
    angle, slope = math.degrees(math.atan2(by2, by1)), math.hypot(by1, by2)
    _, diagonal = by_the_engine(example, (x1, math.sqrt(0.5)), (x2, math.sqrt(0.5)))
    mistakes = {
        "radians": (math.radians(angle), slope),
        "legs exchanged": (90 - angle, slope),
        "slopes added": (angle, by1 + by2),
        "at 45 degrees": (45.0, diagonal),
        "along x1": (0.0, by1),
    }
    return Instance((angle, slope), mistakes=mistakes)


def count_passes(n: int = 1000, m: int = 1) -> Instance:
    """How many forward passes give all slopes of a function with n inputs and m results."""
    counts = {"one per result": m, "forward differences": n + 1, "central differences": 2 * n, "all pairs": n * n}
    return Instance(n, mistakes=counts)


def square_dual(x: float = 3.0) -> Instance:
    """Value and tangent of the square of x + ε, and why the second derivative is not among them."""
    value, slope = by_the_engine(lambda a: a**2, (x, 1.0))
    mistakes = {f"letter {letter}": (value, slope, letter) for letter in "bcd"}
    mistakes |= {
        "second derivative": (value, grad(grad(lambda a: a**2))(x), "a"),
        "seed": (value, 1.0, "a"),
    }
    return Instance((value, slope, "a"), mistakes=mistakes, reference=f'answer = ({value}, {slope}, "a")')
