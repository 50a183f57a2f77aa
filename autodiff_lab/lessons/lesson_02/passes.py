"""The exercises of notebook 02 about a pass: its trace, its direction, its number, and what it does not know."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_02.sandbox import by_the_engine, example
from autodiff_lab.trace.model import Trace
from autodiff_lab.transforms.gradients import grad

# 3. the forward trace


def _trace(x1: float = 2.0, x2: float = 5.0) -> Instance:
    def tangents(*direction: float) -> list[float]:
        steps = Trace.of(example, x1, x2, mode="forward", direction=direction).steps
        return [step.tangents[0].value for step in steps]  # type: ignore[misc]

    _, _, v1, v2, v3, v4, v5 = tangents(1.0, 0.0)
    other = tuple(tangents(0.0, 1.0)[3:])
    both = tuple(tangents(1.0, 1.0)[3:])
    values = [line.value.value for line in Trace.of(example, x1, x2).lines][3:]
    mistakes = {
        "tangents multiplied": (0.0, v1, 0.0, v1),
        "cosine not multiplied": (v2, v3, other[2], v3 - other[2]),
        "seed in x2": other,
        "both seeded": both,
        "values": tuple(values),
    }
    return Instance((v2, v3, v4, v5), mistakes=mistakes)


# 4. the steepest direction


def _steepest(x1: float = 2.0, x2: float = 5.0) -> Instance:
    by1, by2 = grad(example, argnums=(0, 1))(x1, x2)
    angle, slope = math.degrees(math.atan2(by2, by1)), math.hypot(by1, by2)
    diagonal = by_the_engine(example, (x1, math.sqrt(0.5)), (x2, math.sqrt(0.5)))[1]
    mistakes = {
        "radians": (math.radians(angle), slope),
        "legs exchanged": (90 - angle, slope),
        "slopes added": (angle, by1 + by2),
        "at 45 degrees": (45.0, diagonal),
        "along x1": (0.0, by1),
    }
    reference = f"""\
x1, x2 = {x1}, {x2}
by1, by2 = f(Dual(x1, 1.0), Dual(x2, 0.0)).tangent, f(Dual(x1, 0.0), Dual(x2, 1.0)).tangent
answer = (np.degrees(np.arctan2(by2, by1)), np.hypot(by1, by2))"""
    return Instance((angle, slope), mistakes=mistakes, reference=reference)


# 5. how many passes


def _passes(n: int = 1000, m: int = 1) -> Instance:
    mistakes = {
        "one per result": m,
        "forward differences": n + 1,
        "central differences": 2 * n,
        "all pairs": n * n,
    }
    return Instance(n, mistakes=mistakes)


# 6. no second derivative


def _square(x: float = 3.0) -> Instance:
    value, slope = by_the_engine(lambda a: a**2, (x, 1.0))
    second = grad(grad(lambda a: a**2))(x)

    mistakes = {
        "letter b": (value, slope, "b"),
        "letter c": (value, slope, "c"),
        "letter d": (value, slope, "d"),
        "second derivative": (value, second, "a"),
        "seed": (value, 1.0, "a"),
    }
    return Instance((value, slope, "a"), mistakes=mistakes, reference=f'answer = ({value}, {slope}, "a")')
