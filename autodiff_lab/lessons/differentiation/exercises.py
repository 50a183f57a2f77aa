"""The exercises of `differentiation`: steps, difference quotients and complex steps."""

import types
from typing import Any

import numpy as np

from autodiff_lab import grad
from autodiff_lab.lessons.checks import (
    Crashed,
    Instance,
    Refused,
    attempt,
    describe,
    plain,
    run_cases,
    vet_code,
)
from autodiff_lab.lessons.checks.run_code import names_in, nested_code
from autodiff_lab.lessons.examples.course_function import f as example
from autodiff_lab.lessons.examples.quotients import QUOTIENTS

SLOPE = grad(example, argnums=1)(2.0, 5.0)
# For each quotient: the relative error that is small enough, and the step at which its error is smallest.
LIMITS = {"forward": (1e-7, 1e-8), "central": (1e-9, 3e-5)}


def judge_steps(answer: Any) -> Any:
    """Exercise 2: whether each quotient's step is good enough, and if not, whether it is too large or too small."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2 or not all(isinstance(h, float) for h in seen):
        return seen
    if not all(h > 0 for h in seen):
        return Refused("A step is a positive number.")
    return {name: _judge_step(name, h) for name, h in zip(LIMITS, seen, strict=True)}


def _judge_step(name: str, h: float) -> str:
    with np.errstate(all="ignore"):
        found = QUOTIENTS[name](lambda x2: example(2.0, x2), 5.0, h)
    good, lowest = LIMITS[name]
    if abs(found - SLOPE) < good * SLOPE:
        return "small enough"
    return "too large a step" if h > lowest else "too small a step"


def read_number_and_word(answer: Any) -> Any:
    """Exercise 3: a number and a word, in small letters and without a full stop; True and False mean yes and no."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2:
        return seen
    number, word = seen
    if isinstance(word, bool):
        word = "yes" if word else "no"
    if isinstance(word, str):
        word = word.strip(" .!").lower()
    return number, word


BREAKERS = ("exp", "abs", "sin", "sqrt", "log")
COMPLEX_STEPS = {
    "x³ at 2 with h = 0.5": (lambda x: x * x * x, 2.0, 0.5),
    "the derivative with respect to x2 at 5": (lambda x2: example(2.0, x2), 5.0),
    "sin at 1": (np.sin, 1.0),
}
CULPRIT = "the operation that breaks it"


def expected_complex_steps() -> dict[str, Any]:
    """Exercise 4: three slopes by complex step, and the one operation that has no complex version."""
    slopes = (((2 + 0.5j) ** 3).imag / 0.5, SLOPE, grad(np.sin)(1.0))
    return dict(zip(COMPLEX_STEPS, slopes, strict=True)) | {CULPRIT: "abs"}


def try_complex_step(complex_step: Any, culprit: Any) -> Any:
    """Exercise 4: the slopes by the learner's complex step, and the operation that the learner says breaks it."""
    found = run_cases(lambda names, *how: complex_step(*how), COMPLEX_STEPS, complex_step)
    word = _name_operation(culprit)
    if word not in BREAKERS:
        return Refused(
            f"You gave {describe(culprit)} as culprit. It is one of {', '.join(BREAKERS)}, in quotes."
        )
    return found | {CULPRIT: word}


def _name_operation(culprit: Any) -> str:
    """The name of an operation that is given as a function or as text; empty for anything else.

    >>> _name_operation(np.abs), _name_operation("np.exp()"), _name_operation(3)
    ('abs', 'exp', '')
    """
    name = getattr(culprit, "__name__", "") if callable(culprit) else culprit
    if not isinstance(name, str):
        return ""
    word = name.strip(" .()").lower().removeprefix("np.")
    return "abs" if word == "absolute" else word


# One slope in three ways


def logistic(x: Any) -> Any:
    """Exercise 5: l₄ of the iterated logistic map."""
    for _ in range(3):
        x = 4 * x * (1 - x)
    return x


OTHERS = (0.1, 0.6, 0.85)
WIDE = 0.01
FORMULA, CENTRAL, AD = f"by_formula(x) for x in {OTHERS}", f"by_difference(0.6, {WIDE})", "by_ad"
ALL_DIGITS = "the digits of by_ad that are right"
ON_PAPER = Refused(
    "by_formula runs l4 or AD. Find the slope on paper: write what the chain rule gives, in x alone."
)
BY_A_STEP = Refused(
    "by_formula takes a step. Find the slope on paper: write what the chain rule gives, in x alone."
)
# Names with which a program takes a difference or a complex step; the notebook defines most of them.
STEPPING = {"forward", "central", "complex_step", "by_difference", "imag"}
EXACT = tuple(grad(logistic)(x) for x in (0.3, 0.1, 0.15, 0.2, 0.35, 0.4, 0.45, 0.6, 0.7))


def differentiate_three_ways(x: float = 0.3) -> Instance:
    """Exercise 5: slopes of the iterated logistic map by formula, by a wide difference and by AD."""
    slope = grad(logistic)

    def formula(f: Any) -> dict[str, Any]:
        return {FORMULA: tuple(float(f(other)) for other in OTHERS)}

    def difference(run: float) -> dict[str, Any]:
        return {CENTRAL: float((logistic(0.6 + WIDE) - logistic(0.6 - WIDE)) / run)}

    by_formula, by_difference = formula(slope), difference(2 * WIDE)
    mistakes = {
        "one turn": formula(lambda x: 4 * (1 - 2 * x)),
        "all at x": formula(lambda x: (4 * (1 - 2 * x)) ** 3),
        "two turns": formula(grad(lambda x: 4 * (y := 4 * x * (1 - x)) * (1 - y))),
        "value by formula": formula(logistic),
        "forward quotient": {CENTRAL: float((logistic(0.6 + WIDE) - logistic(0.6)) / WIDE)},
        "run of h": difference(WIDE),
        "no difference": {CENTRAL: float(slope(0.6))},
        "difference for AD": by_formula | {ALL_DIGITS: "some"},
        "value for AD": by_formula | {AD: float(logistic(x))},
    }
    return Instance(
        {**by_formula, **by_difference, AD: slope(x), ALL_DIGITS: "all"}, mistakes=mistakes
    )


def _takes_a_step(function: Any, looked_at: set[Any]) -> bool:
    """Whether a learner's function, or another one that it calls by name, takes a difference or an imaginary step."""
    if not isinstance(function, types.FunctionType) or function in looked_at:
        return False
    looked_at.add(function)
    names = names_in(function.__code__)
    constants = (constant for code in nested_code(function.__code__) for constant in code.co_consts)
    if names & STEPPING or any(isinstance(constant, complex) for constant in constants):
        return True
    return any(_takes_a_step(function.__globals__.get(name), looked_at) for name in names)


def compare_three_ways(by_formula: Any, by_difference: Any, by_ad: Any) -> Any:
    """Exercise 5: the learner's formula at other points, their difference, and the correct digits of `by_ad`."""
    if _comes_from_the_package(by_formula):
        return ON_PAPER
    if callable(by_ad):
        return Refused(
            "by_ad is a function that computes slopes. Call it at x: by_ad = ad.grad(l4)(x)."
        )
    vet_code(by_formula, by_difference, listing=("l4",), machine="program")
    if _takes_a_step(by_formula, set()):
        return BY_A_STEP
    alone = _without_program(by_formula)
    formula = attempt(lambda: plain([alone(x) for x in OTHERS]))
    is_undefined = isinstance(formula, Crashed) and formula.kind == "NameError"
    if is_undefined and ("'l4'" in formula.message or "'ad'" in formula.message):
        return ON_PAPER
    number = plain(by_ad)
    return {
        FORMULA: formula,
        CENTRAL: attempt(lambda: plain(by_difference(0.6, WIDE))),
        AD: number,
        ALL_DIGITS: _judge_digits(number),
    }


def _comes_from_the_package(function: Any) -> bool:
    if not isinstance(function, types.FunctionType):
        return False
    return function.__globals__["__name__"].startswith("autodiff_lab")


def _without_program(function: types.FunctionType) -> types.FunctionType:
    """The same function where `l4` and AD are undefined: a formula that was found on paper needs neither."""
    names = {
        name: thing
        for name, thing in function.__globals__.items()
        if name not in ("l4", "ad", "f", "grad")
    }
    return types.FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def _judge_digits(number: Any) -> str:
    """How many digits of a slope are correct, compared with the nearest of the exact ones: all, some or none."""
    if not isinstance(number, float):
        return "none"
    error = min(abs(number - slope) / abs(slope) for slope in EXACT)
    if error <= 1e-14:
        return "all"
    return "some" if error < 1e-3 else "none"
