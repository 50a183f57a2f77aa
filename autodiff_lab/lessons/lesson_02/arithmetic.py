"""The exercises of notebook 02 about the arithmetic: products, quotients, and four functions."""

from __future__ import annotations

import math
from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_02 import sandbox
from autodiff_lab.lessons.lesson_02.sandbox import DUAL_INSIDE

# 1. product and quotient

PRODUCT, QUOTIENT = "(2 + 3ε) * (5 + 7ε)", "(2 + 3ε) / (5 + 7ε)"


def _arithmetic(
    mul: str = "a.value * b.tangent + a.tangent * b.value",
    div: str = "(a.tangent * b.value - a.value * b.tangent) / b.value**2",
    wrap: str = "Dual({}, {})",
) -> str:
    return f"""\
def dual_mul(a, b):
    return {wrap.format("a.value * b.value", mul)}


def dual_div(a, b):
    return {wrap.format("a.value / b.value", div)}"""


ex_02_1 = Exercise(
    expects="two functions, dual_mul(a, b) and dual_div(a, b), that return a Dual each",
    expected=sandbox.expected_arithmetic(),
    observe=sandbox.run_arithmetic,
    cases="These are the value and the tangent.",
    reference=_arithmetic(),
    misconceptions={
        _arithmetic(mul="a.tangent * b.tangent"): (
            {PRODUCT: (10.0, 21.0)},
            "The tangent of the product is not the product of the tangents. Multiply out (a + ȧε)(b + ḃε): the term "
            "with ȧḃ stands before ε², and ε² is 0.",
        ),
        _arithmetic(mul="a.tangent * b.value"): (
            {PRODUCT: (10.0, 15.0)},
            "One of two terms is missing. Both factors may move: ȧ times b, and a times ḃ.",
        ),
        _arithmetic(mul="a.value * b.tangent + a.tangent * b.value + a.tangent * b.tangent"): (
            {PRODUCT: (10.0, 50.0)},
            "You kept the term with ȧḃ. It stands before ε², and ε² = 0. ε is not a small number whose square is "
            "nearly 0: its square is 0.",
        ),
        _arithmetic(div="(a.tangent * b.value + a.value * b.tangent) / b.value**2"): (
            {QUOTIENT: (0.4, (3 * 5 + 2 * 7) / 25)},
            "The product is right. In the quotient a growing divisor makes the result smaller: one sign is wrong.",
        ),
        _arithmetic(div="a.tangent / b.tangent"): (
            {QUOTIENT: (0.4, 3 / 7)},
            "The product is right. The tangent of a quotient is not the quotient of the tangents; for a constant "
            "divisor that would divide by 0.",
        ),
        _arithmetic(div="(a.tangent * b.value - a.value * b.tangent) / b.value"): (
            {QUOTIENT: (0.4, 1 / 5)},
            "The product is right. In the quotient the square is missing: multiply numerator and denominator by b − "
            "ḃε, and see what the denominator becomes.",
        ),
        _arithmetic(wrap="({}, {})[0]"): (
            {PRODUCT: 10.0},
            "dual_mul returns a bare number, and the tangent is lost on the way. Return Dual(value, tangent).",
        ),
        "def dual_mul(a, b):\n    return a * b\n\n\ndef dual_div(a, b):\n    return a / b": (
            {PRODUCT: Crashed("RecursionError")},
            "* on two Duals calls dual_mul, which is what you are writing. Work with the four numbers a.value, "
            "a.tangent, b.value, b.tangent.",
        ),
    },
    hints=(
        "Multiply (a + ȧε)(b + ḃε) out on paper: four terms, one of them with ε². What stands before ε?",
        "For the quotient multiply numerator and denominator by b − ḃε. The denominator becomes b², with no ε left.",
        "dual_mul: Dual(a.value * b.value, a.value * b.tangent + …). In dual_div the tangent is a difference "
        "divided by b.value**2.",
    ),
    praise="You have derived the product rule and the quotient rule from ε² = 0 alone.",
)

# 2. functions


def _functions(
    log: str = "x.tangent / x.value",
    sin: str = "np.cos(x.value) * x.tangent",
    exp: str = "np.exp(x.value) * x.tangent",
    sqrt: str = "x.tangent / (2 * np.sqrt(x.value))",
) -> str:
    tangents = {"log": log, "sin": sin, "exp": exp, "sqrt": sqrt}
    return "\n\n\n".join(
        f"def dual_{name}(x):\n    return Dual(np.{name}(x.value), {tangent})" for name, tangent in tangents.items()
    )


def _of(name: str, tangent: float) -> dict[str, Any]:
    """What a wrong tangent of a function looks like at 2 + 3ε; the value is right."""
    case = f"{name} of (2 + 3ε)"
    return {case: (sandbox.expected_functions()[case][0], tangent)}


ex_02_2 = Exercise(
    expects="four functions of one Dual that return a Dual each",
    expected=sandbox.expected_functions(),
    observe=sandbox.run_functions,
    cases="These are the value and the tangent.",
    reference="import numpy as np\n\n\n" + _functions(),
    misconceptions={
        _functions("1 / x.value", "np.cos(x.value)", "np.exp(x.value)", "1 / (2 * np.sqrt(x.value))"): (
            _of("log", 1 / 2),
            "Your tangents are the slopes of the functions alone. Multiply each by the tangent that came in: that is "
            "the chain rule.",
        ),
        _functions(log="np.log(x.tangent)", sin="np.sin(x.tangent)"): (
            _of("log", math.log(3)),
            "You applied the function to the tangent as well. The tangent is a slope: it is multiplied by the slope "
            "of the function at the value.",
        ),
        _functions(log="1 / x.tangent"): (
            _of("log", 1 / 3),
            "The slope of log is 1 over the value, and you took 1 over the tangent. The local partial is evaluated "
            "where the function is.",
        ),
        _functions(sin="np.cos(x) * x.tangent"): (
            {"sin of (2 + 3ε)": DUAL_INSIDE},
            "np.cos was given the Dual itself, so it gave a Dual back, and that is no slope. Take it at x.value.",
        ),
        _functions(sin="-np.cos(x.value) * x.tangent"): (
            _of("sin", -math.cos(2) * 3),
            "The slope of the sine is the cosine, without a minus. The minus belongs to the cosine's own slope.",
        ),
        _functions(sin="np.cos(x.tangent) * x.tangent"): (
            _of("sin", math.cos(3) * 3),
            "The slope is taken at the wrong place: cos of the tangent. Take it at the value, where the sine was.",
        ),
        _functions(exp="x.value * np.exp(x.value - 1) * x.tangent"): (
            _of("exp", 2 * math.exp(1) * 3),
            "That is the rule for a power xⁿ. In eˣ the exponent moves, and the slope is eˣ again.",
        ),
        _functions(sqrt="x.tangent / np.sqrt(x.value)"): (
            _of("sqrt", 3 / math.sqrt(2)),
            "The tangent of the square root is twice what it should be. √x is x to the power ½: is the factor ½ "
            "there? And are both the 2 and the root below the line? In a / 2 * b the b is above it.",
        ),
    },
    hints=(
        "All four are alike: Dual(f(value), slope of f at the value, times tangent). Look at dual_cos.",
        "The slopes: of log 1/x, of sin cos x, of exp eˣ, of sqrt 1/(2√x).",
        "def dual_log(x): return Dual(np.log(x.value), x.tangent / x.value). Three more in the same manner.",
    ),
    praise="Each function needs its slope at one point and one product. Nothing else in your class changed.",
)
