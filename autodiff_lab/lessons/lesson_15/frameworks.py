"""The exercises of notebook 15 at the end of the road: who does what, and a row that everything follows."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise, in_small_letters
from autodiff_lab.lessons.lesson_15 import own_rule
from autodiff_lab.lessons.lesson_15.own_rule import DIFFERENCES, POINTS, REVERSE, SECOND

# 3. six machines

_SYSTEMS = ("d", "f", "a", "c", "e", "b")


def read_letters(answer: Any) -> Any:
    """Six letters, in one text or apart."""
    parts = [letter for letter in answer if letter.isalpha()] if isinstance(answer, str) else answer
    return in_small_letters(parts, *sorted(_SYSTEMS))


ex_15_3 = Exercise(
    formerly="ex_14_6",
    expects="six letters, such as ('a', 'b', 'c', 'd', 'e', 'f'), in the order of the systems",
    expected=_SYSTEMS,
    observe=read_letters,
    misconceptions={
        ("d", "a", "f", "c", "e", "b"): "Both are static graphs. Which of the two looks up gradients in a registry, "
        "under the operation's name? NaiveGraph has scalars, and its derivatives in a method.",
        ("d", "f", "a", "e", "c", "b"): "TensorFlow's GradientTape and PyTorch are the other way round. One has a "
        "tape object with records in it; in the other each tensor points to what made it.",
        ("c", "f", "a", "d", "e", "b"): "What does the tape of notebook 03 keep for an operation: a name and its "
        "operands, or a function that it calls in the sweep? And is its list global?",
        ("d", "f", "b", "c", "e", "a"): "JAX and the first TensorFlow both work on a program that is there before it "
        "runs. Only one of them gets it by running the function on tracers, and makes reverse mode by transposing a "
        "linear program.",
    },
    hints=(
        "Begin with what you have built yourself: the tape in notebook 03, NaiveGraph in 06, both of TensorFlow's "
        "machines in 07.",
        "PyTorch has no tape object at all. Follow grad_fn from a tensor to see what it has.",
        "JAX runs your function on tracers, takes the linear part, and turns it around.",
    ),
    praise="Six machines, and one chain rule.",
)

# 4. a row of the table


def _row(by_x: str = "(1 - y) / (x + k)", by_k: str = "-y / (x + k)") -> str:
    return f"""\
def by_x(y, x, k):
    return {by_x}


def by_k(y, x, k):
    return {by_k}"""


_AT = POINTS[0]
_RIGHT = own_rule.expected_row()[f"{REVERSE}, both slopes"]

ex_15_4 = Exercise(
    formerly="ex_14_7",
    expects="two functions of y, x and k that return the local partials",
    expected=own_rule.expected_row(),
    observe=own_rule.follow_row,
    cases=f"The point is x = {_AT[0]:g}, k = {_AT[1]:g}.",
    reference=_row(),
    misconceptions={
        _row(by_k="y / (x + k)"): (
            {f"{REVERSE}, both slopes": (_RIGHT[0], -_RIGHT[1])},
            "The slope in k has the wrong sign. The more k there is, the smaller the quotient.",
        ),
        _row(by_x="1 / (x + k)"): (
            {f"{REVERSE}, both slopes": (1 / sum(_AT), _RIGHT[1])},
            "In x you differentiated the numerator only. x stands in the denominator too.",
        ),
        _row(by_x="-y / (x + k)", by_k="(1 - y) / (x + k)"): (
            {f"{REVERSE}, both slopes": _RIGHT[::-1]},
            "The two partials are in each other's place.",
        ),
        _row(by_x=f"{_RIGHT[0]!r}", by_k=f"{_RIGHT[1]!r}"): (
            {f"{REVERSE}, both slopes": _RIGHT, f"{SECOND}, the slope of the slope in x": 0.0},
            "These are the right numbers at one point, and constants. A partial is a formula of y, x and k: only then "
            "can it be differentiated again, written, and compiled.",
        ),
        _row(by_x="float(k) / (float(x) + float(k)) ** 2"): (
            {f"{REVERSE}, both slopes": _RIGHT, f"{SECOND}, the slope of the slope in x": Crashed("DetachedError")},
            "The numbers are right, and float() has cut the way: a partial that is to be differentiated again is made "
            "of operators and NumPy functions, nothing else.",
        ),
    },
    hints=(
        "Differentiate x / (x + k) on paper, once in x and once in k. The rule for quotients is enough.",
        "∂y/∂x = k / (x + k)² and ∂y/∂k = −x / (x + k)². You may use y = x / (x + k), which is there already.",
    ),
    praise="Two lines of yours, and six interpreters agree.",
)

# 5. an operation of one's own


def _invention(function: str = "x * np.exp(-x * x)", partial: str = "np.exp(-x * x) * (1 - 2 * x * x)") -> str:
    return f"""\
def my_function(x):
    return {function}


def my_partial(y, x):
    return {partial}"""


ex_15_5 = Exercise(
    formerly="ex_14_8",
    is_whole=True,
    expects="two functions: my_function(x), and my_partial(y, x), its derivative",
    expected=own_rule.expected_invention(),
    observe=own_rule.follow_invention,
    cases=f"I tried it at x = {', '.join(f'{x:g}' for x, _ in POINTS)}.",
    reference=_invention(),
    misconceptions={
        _invention(partial="np.exp(-x * x)"): (
            {"the values at three points": "numbers that differ", DIFFERENCES: "does not agree"},
            "The partial is not the derivative of the function: central differences find another slope. Differentiate "
            "on paper once more; check_grads prints both numbers.",
        ),
        _invention(function="2.0", partial="0.0 * x"): (
            {"on the tape": "one line", "the values at three points": "(2, 2, 2)"},
            "A constant: its slope is 0 everywhere, and that says little about a row. Choose a function that changes.",
        ),
        _invention(partial="float(np.exp(-x * x) * (1 - 2 * x * x))"): (
            {DIFFERENCES: Crashed("DetachedError")},
            "float() cuts the way: no second derivative, and no formula. Write the partial with operators and NumPy "
            "functions only.",
        ),
    },
    hints=(
        "Any smooth function of one number will do that is defined between 0.5 and 4, for example x · exp(−x²).",
        "my_partial is called with the result first: my_partial(y, x). Use y where it saves work.",
        "Try it first: make the row with ad.custom_gradient(partials=my_partial)(my_function), and run ad.check_grads "
        "on it at (1.0,).",
    ),
    praise="One row, and everything follows. That is the whole design of this package.",
)
