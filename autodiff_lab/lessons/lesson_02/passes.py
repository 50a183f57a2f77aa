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
    wrong = {
        (0.0, v1, 0.0, v1): "You multiplied the tangents of the product's operands, 1 · 0. The product has two terms: "
        "v̇₋₁ · v₀ and v₋₁ · v̇₀.",
        (v2, v3, other[2], v3 - other[2]): "The first two are right. In v̇₄ the local partial, the cosine, is "
        "multiplied by v̇₀. Does x2 move?",
        other: "This is the column for the other seed, ẋ2 = 1. Here x1 moves and x2 stays.",
        both: "Both inputs move in this column. The seed is ẋ1 = 1 and ẋ2 = 0.",
        tuple(values): "These are the values of the four lines. Asked for are their tangents.",
    }
    return Instance((v2, v3, v4, v5), wrong)


# 4. the steepest direction


def _steepest(x1: float = 2.0, x2: float = 5.0) -> Instance:
    by1, by2 = grad(example, argnums=(0, 1))(x1, x2)
    angle, slope = math.degrees(math.atan2(by2, by1)), math.hypot(by1, by2)
    diagonal = by_the_engine(example, (x1, math.sqrt(0.5)), (x2, math.sqrt(0.5)))[1]
    wrong = {
        (math.radians(angle), slope): "The slope is right. The direction is in radians, and asked for in degrees.",
        (90 - angle, slope): "The slope is right. You exchanged the two legs: the angle is measured from the x1 axis.",
        (angle, by1 + by2): "The direction is right. By adding both slopes you walk one unit along each axis, and "
        "together that is longer than one unit.",
        (45.0, diagonal): "That is the slope at 45°, as if both inputs mattered equally. Turn the arrow a little to "
        "either side.",
        (0.0, by1): "That is the direction of x1 alone. It is the better of the two axes; between them there is a "
        "steeper one.",
    }
    reference = f"""\
x1, x2 = {x1}, {x2}
by1, by2 = f(Dual(x1, 1.0), Dual(x2, 0.0)).tangent, f(Dual(x1, 0.0), Dual(x2, 1.0)).tangent
answer = (np.degrees(np.arctan2(by2, by1)), np.hypot(by1, by2))"""
    return Instance((angle, slope), wrong, reference)


# 5. how many passes


def _passes(n: int = 1000, m: int = 1) -> Instance:
    wrong = {
        m: "One pass gives one slope for each of the m results, in one direction. Every input needs a direction.",
        n + 1: "That is what forward differences need: one run at the point itself, and one for each input. A dual "
        "pass brings the value along.",
        2 * n: "That is what central differences need: two runs for each input.",
        n * n: "Each pass moves one input. There are n inputs, so there are n passes; the square would be all pairs.",
    }
    return Instance(n, wrong)


# 6. no second derivative


def _square(x: float = 3.0) -> Instance:
    value, slope = by_the_engine(lambda a: a**2, (x, 1.0))
    second = grad(grad(lambda a: a**2))(x)

    wrong = {
        (value, slope, "b"): "The numbers are right. A square does have a second derivative, 2. Where does the "
        "arithmetic leave it?",
        (value, slope, "c"): "The numbers are right. A tangent is one number, and it is taken: it holds the first "
        "derivative.",
        (value, slope, "d"): "The numbers are right. The seed is 1 here, and the exact slope comes out. Rounding has "
        "nothing to do with it.",
        (value, second, "a"): "2 is the second derivative. The tangent is the first one, and the second cannot be "
        "found in it.",
        (value, 1.0, "a"): "1 is the seed, the tangent of what went in. Asked for is what comes out.",
    }
    return Instance((value, slope, "a"), wrong, f'answer = ({value}, {slope}, "a")')
