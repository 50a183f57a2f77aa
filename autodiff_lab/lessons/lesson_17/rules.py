"""The exercises of notebook 17 on one example: partials, the lines of a linear program, transposes."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_17 import sandbox
from autodiff_lab.lessons.lesson_17.sandbox import AT, NUMBER, WRITTEN, G

# 1. local partials


def _partials(cos: str = "-sin(x)", recip: str = "-(y * y)") -> str:
    return f"def cos_partial(y, x):\n    return {cos}\n\n\ndef recip_partial(y, x):\n    return {recip}"


_RIGHT = sandbox.expected_partials()

ex_17_1 = Exercise(
    expects="two functions of y and x that return the slope",
    expected=_RIGHT,
    observe=sandbox.find_partials,
    cases=f"I called your functions at x = {AT}, and traced them.",
    reference=_partials(),
    misconceptions={
        _partials(cos="sin(x)"): (
            {"cos": -_RIGHT["cos"]},
            "The sign of the cosine's partial is missing: the cosine falls where the sine is positive.",
        ),
        _partials(recip="y * y"): (
            {"recip": -_RIGHT["recip"]},
            "The sign is missing: 1/x falls when x rises.",
        ),
        _partials(recip="-y"): (
            {"recip": -1 / AT},
            "That is −1/x. The partial of 1/x is −1/x²: the result times itself.",
        ),
        _partials(cos="-np.sin(x)"): (
            {f"cos {WRITTEN}": Crashed("TypeError", "")},
            "With numbers your cosine is right; np.sin does not know names. Take the sin of the notebook.",
        ),
        _partials(recip="-1 / (x * x)"): (
            {f"recip {WRITTEN}": Crashed("TypeError", "")},
            "With numbers that is right, but a name knows no division. It knows products: the result y is 1/x already.",
        ),
    },
    hints=(
        "The derivative of the cosine is minus the sine, taken at x.",
        "The derivative of 1/x is −1/x². With y = 1/x that is −y · y, which needs no division.",
    ),
    praise="Four curved primitives, four partials. The other five need none: they are linear in what they take.",
)

# 2. what is left

ex_17_2 = Exercise(
    expects="two whole numbers, (equations, how many of them are a mul)",
    expected=(7, 5),
    misconceptions={
        (
            3,
            2,
        ): "That is the function itself: two mul and a sine. The linear program has the equations of the tangents.",
        (9, 6): "cos x2 and x1 · x1 are known numbers: they are computed, and leave no equation.",
        (
            10,
            7,
        ): "That is value and tangent together. What depends on the inputs alone is computed, and is no equation.",
        (5, 5): "The mul are right. The two terms of each product are added, too.",
        (6, 5): "The mul are right. There are two products, and the terms of each are added.",
        (5, 4): "x1 is an operand twice, and each place gives a term: x1 · x1 has two mul and an add.",
        (5, 3): "Each product gives a mul for each of its operands, and an add. There are two products, and a sine.",
        (6, 4): "Does the sine have its mul, by the number cos x2?",
    },
    hints=(
        "Go from left to right: x1 · x1, then sin x2, then their product.",
        "x1 · x1 gives two mul and an add. sin x2 gives one mul, by the number cos x2.",
        "The last product gives a mul for each operand and an add, as the first one does.",
    ),
    praise="Each product gives two mul and an add, each curved function one mul. Values leave no equation.",
)

# 3. transposes


def _transposes(
    add: str = "g, g",
    mul: str = "(g * b, None) if a is None else (None, a * g)",
    total: str = "(copy(g, axis, n),)",
) -> str:
    return f"""\
def add_transposed(g, a, b):
    return {add}


def mul_transposed(g, a, b):
    return {mul}


def sum_transposed(g, x, axis, n):
    return {total}"""


ex_17_3 = Exercise(
    expects="three functions that return a tuple with what goes to each operand",
    expected=sandbox.expected_transposes(),
    observe=sandbox.find_transposes,
    cases=f"I called your rules with g = {G:g} and the number {NUMBER:g}, and sum also with an array.",
    reference=_transposes(),
    misconceptions={
        _transposes(add="g / 2, g / 2"): (
            {"add of two names": (G / 2, G / 2)},
            "An adjoint is not shared out. Both operands move the sum by as much as they move: each gets all of g.",
        ),
        _transposes(add="g"): (
            {"add of two names": G},
            "add has two operands, and each gets something: return a tuple of two.",
        ),
        _transposes(mul="(g * b, None)"): (
            {"a number times a name": Crashed("TypeError", "")},
            "The number may stand on either side. Ask which of a and b is None: that one is the name.",
        ),
        _transposes(mul="(None, g * b) if a is None else (a * g, None)"): (
            {"a number times a name": (G * NUMBER, None)},
            "The places are exchanged. What is sent goes to the name, whose place holds None in the call.",
        ),
        _transposes(mul="(g, None) if a is None else (None, g)"): (
            {"a number times a name": (None, G)},
            "g is sent without the number. Five times as much tangent going forward, five times as much adjoint back.",
        ),
        _transposes(total="copy(g, axis, n)"): (
            {"sum of 4 entries": (G,) * 4},
            "The copies are right, and the tuple is missing: (copy(…),) has one entry for the one operand.",
        ),
        _transposes(total="(g,)"): (
            {"sum of 4 entries": (G,)},
            "The operand of sum has n entries, and each of them gets g: copy it n times along the axis.",
        ),
        _transposes(total="(copy(g, axis, n) * (1 / n),)"): (
            {"sum of 4 entries": ((G / 4,) * 4,)},
            "Nothing is divided by n: each entry moves the sum by as much as it moves itself.",
        ),
    },
    hints=(
        "add: both operands get g. sum: each of the n entries gets g, and `copy` makes n of one.",
        "mul: the operand that is None gets g times the other; the number gets None.",
        "A tuple with one entry needs a comma: (copy(g, axis, n),).",
    ),
    praise="Sum and copy are transposes of each other. That is why a bias, which is copied, collects a sum.",
)
