"""The exercises of notebook 05 about cells, which keep their partials."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_05 import sandbox

# 1. the slip in the founding document

AT_3_1, AT_2_5 = "sin(x) + x * y at (3, 1)", "sin(x) + x * y at (2, 5)"


def _by_hand(sine: str = "np.cos(a)", left: str = "b", right: str = "a", end: str = "x, y, Y") -> str:
    return f"""\
def by_hand(a, b):
    x, y = Var(a), Var(b)
    sin_x = Un(np.sin(a), x, {sine})
    x_times_y = Bin(a * b, x, y, {left}, {right})
    Y = Bin(sin_x.value + x_times_y.value, sin_x, x_times_y, 1.0, 1.0)
    return {end}"""


ex_05_1 = Exercise(
    expects="a function by_hand(a, b) that makes the cells and returns x, y, Y",
    expected=sandbox.expected_by_hand(),
    observe=sandbox.sweep_by_hand,
    cases="These are the value and the derivatives with respect to x and y.",
    reference=_by_hand(),
    misconceptions={
        _by_hand("np.cos(1.0)", "1.0", "3.0"): (
            {AT_3_1: (3.1411200080598674, 1.5403023058681398, 3.0)},
            "That is the listing with its slip. A local partial is taken where the function was evaluated. Where was "
            "the sine evaluated?",
        ),
        _by_hand("np.cos(3.0)", "1.0", "3.0"): (
            {AT_3_1: (3.1411200080598674, 0.010007503399554585, 3.0), AT_2_5: (10.909297426825681, 0.01000750, 3.0)},
            "At (3, 1) it is right now: you have mended the document's listing. At (2, 5) it is wrong, because the "
            "partials are still typed in as numbers. Write them with a and b.",
        ),
        _by_hand("np.cos(a)", "1.0", "3.0"): (
            {AT_3_1: (3.1411200080598674, 0.010007503399554585, 3.0), AT_2_5: (10.909297426825681, 0.58385316, 3.0)},
            "The sine is mended. The partials of x * y are 1 and 3 at (3, 1) only: there they happen to be y and x.",
        ),
        _by_hand("np.cos(a)", "a", "b"): (
            {AT_3_1: (3.1411200080598674, math.cos(3) + 3, 1.0)},
            "The partials of the product are the wrong way round. How fast does x * y grow when x grows by a little?",
        ),
        _by_hand("np.sin(a)"): (
            {AT_3_1: (3.1411200080598674, math.sin(3) + 1, 3.0)},
            "Instead of the partial you put the value of the sine. A cell keeps both, and they are two numbers.",
        ),
        _by_hand(end="Y"): (
            {AT_3_1: 3.1411200080598674},
            "Return all three, x, y, Y: the check reads the sensitivities of x and of y.",
        ),
    },
    hints=(
        "Three partials are asked for. Each is a derivative you know, with the numbers a and b put in.",
        "d sin(x)/dx at x = a; d(xy)/dx and d(xy)/dy at (a, b).",
        "The partials of the product are b and a, in this order. That of the sine is a cosine, and not of 1.",
    ),
    praise="A partial that is typed in is right at one point at best. From here on the operation works it out itself.",
)

# 2. two more kinds of cells


def _two(
    exp: str = "Un(np.exp(x.value), x, np.exp(x.value))",
    left: str = "1 / y.value",
    right: str = "-x.value / y.value**2",
    div: str = "Bin(x.value / y.value, x, y, {}, {})",
) -> str:
    return f"""\
def exponential(x):
    return {exp}


def quotient(x, y):
    return {div.format(left, right)}"""


EXP, DIV, *_ = sandbox.expected_cells()

ex_05_2 = Exercise(
    expects="two functions, exponential(x) and quotient(x, y), that return a cell each",
    expected=sandbox.expected_cells(),
    observe=sandbox.sweep_cells,
    cases="These are the value and the derivatives with respect to x and y.",
    reference=_two(),
    misconceptions={
        _two(exp="Un(np.exp(x.value), x, x.value * np.exp(x.value - 1))"): (
            {EXP: (math.exp(0.5), 0.5 * math.exp(-0.5), 0.0)},
            "You used the rule for powers, and there x is below. In exp(x) it is above: exp is its own derivative.",
        ),
        _two(exp="Un(np.exp(x.value), x, x.value)"): (
            {EXP: (math.exp(0.5), 0.5, 0.0)},
            "The partial you gave to exp is its input. It is its output: exp is its own derivative.",
        ),
        _two(right="x.value / y.value**2"): (
            {DIV: (1.5, 0.5, 0.75)},
            "exp is right. A growing divisor makes a quotient smaller: one partial has the wrong sign.",
        ),
        _two(right="-x.value / y.value"): (
            {DIV: (1.5, 0.5, -1.5)},
            "exp is right. The derivative of 1/y is −1/y², and the square is missing.",
        ),
        _two(left="-x.value / y.value**2", right="1 / y.value"): (
            {DIV: (1.5, -0.75, 0.5)},
            "exp is right. The partials of the quotient are the wrong way round: Bin takes x's first.",
        ),
        _two(div="Un(x.value / y.value, x, {0})"): (
            {DIV: (1.5, 0.5, 0.0)},
            "exp is right. Nothing is ever sent to y: an Un cell has one link. This one needs two.",
        ),
        _two(exp="np.exp(x.value)", div="x.value / y.value"): (
            {EXP: math.exp(0.5)},
            "exponential returns a bare number. A number has no links, and the sweep ends before it. Return a cell.",
        ),
        _two(exp="Un(np.exp(x), x, np.exp(x))"): (
            {EXP: Crashed("TypeError")},
            "np.exp was given a cell, and it knows numbers only. The number is x.value.",
        ),
    },
    hints=(
        "Look at sine and times. Each line says three things: the value, the operands, the partials as numbers.",
        "The partials of x / y are 1 / y in x and −x / y² in y. That of exp(x) is exp(x).",
        "exponential: Un(np.exp(x.value), x, …). In quotient a Bin, with 1 / y.value as its first partial.",
    ),
    praise="backprop was not touched, and it did not notice: it multiplies and adds, whatever the operations were.",
)
