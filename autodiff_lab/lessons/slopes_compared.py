"""The exercises of notebook 01 about the other ways: the complex step, and one slope by three methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.comparing import Refused, describe, plain
from autodiff_lab.lessons.exercise import Exercise, Instance, Misconception
from autodiff_lab.lessons.running import attempt
from autodiff_lab.lessons.slopes_by_steps import SLOPE
from autodiff_lab.lessons.tape_bench import refuse
from autodiff_lab.transforms.gradients import grad

# 4. the complex step

BREAKERS = ("exp", "abs", "sin", "sqrt", "log")
CULPRIT = "abs"


def stepped_into_the_complex(complex_step: Any, culprit: Any) -> Any:
    """The learner's complex step on three functions, and the operation that it cannot pass."""
    refused = refuse(complex_step, listing=())
    if refused:
        return refused
    name = getattr(culprit, "__name__", culprit) if callable(culprit) else culprit
    word = name.strip(" .()").lower().removeprefix("np.") if isinstance(name, str) else ""
    word = "abs" if word == "absolute" else word
    if word not in BREAKERS:
        return Refused(f"You gave {describe(culprit)} as culprit. It is one of {', '.join(BREAKERS)}, in quotes.")

    def by_x2(x: Any) -> Any:
        return np.log(2.0) + 2.0 * x - np.sin(x)

    def seen(*args: Any) -> Any:
        found = attempt(lambda: plain(complex_step(*args)))
        return found if not isinstance(found, complex) else describe(found)

    return {
        "x³ at 2 with h = 0.5": seen(lambda x: x * x * x, 2.0, 0.5),
        "the slope in x2 at 5": seen(by_x2, 5.0),
        "sin at 1": seen(np.sin, 1.0),
        "the operation that breaks it": word,
    }


def _complex_step(body: str = "f(x + 1j * h).imag / h", culprit: str = CULPRIT) -> str:
    return f'def complex_step(f, x, h=1e-20):\n    return {body}\n\n\nculprit = "{culprit}"'


_AT_A_HALF = "x³ at 2 with h = 0.5"

ex_01_4 = Exercise(
    "ex_01_4",
    takes=("complex_step", "culprit"),
    expects="a function complex_step(f, x, h=1e-20), and the name of an operation",
    expected={
        _AT_A_HALF: ((2 + 0.5j) ** 3).imag / 0.5,
        "the slope in x2 at 5": SLOPE,
        "sin at 1": grad(np.sin)(1.0),
        "the operation that breaks it": CULPRIT,
    },
    tolerance=1e-15,
    observe=stepped_into_the_complex,
    cases="Each is what complex_step returns.",
    reference=_complex_step(),
    misconceptions=(
        Misconception(
            _complex_step("(f(x + h) - f(x)) / h"),
            {_AT_A_HALF: (2.5**3 - 8) / 0.5},
            "This is the forward quotient, and at h = 1e-20 it is 0: the step is lost in the sum. Step in the "
            "imaginary direction, x + 1j * h, where there is nothing that it could be lost in.",
        ),
        Misconception(
            _complex_step("f(x + 1j * h).imag"),
            {_AT_A_HALF: ((2 + 0.5j) ** 3).imag},
            "The imaginary part is the slope times h. Divide by h.",
        ),
        Misconception(
            _complex_step("f(x + 1j * h).real / h"),
            {_AT_A_HALF: ((2 + 0.5j) ** 3).real / 0.5},
            "The real part is the value of f. The slope went into the imaginary part.",
        ),
        Misconception(
            _complex_step("f(x + 1j * h) / h"),
            {_AT_A_HALF: describe((2 + 0.5j) ** 3 / 0.5)},
            "A complex number came back. Take its imaginary part, .imag, and divide that by h.",
        ),
        Misconception(
            _complex_step("(f(x + 1j * h) - f(x)).real / h"),
            {_AT_A_HALF: (((2 + 0.5j) ** 3).real - 8) / 0.5},
            "You subtracted, and took the real part. No difference is needed: f(x) is real, so the imaginary part of "
            "f(x + ih) is all slope.",
        ),
        *(
            Misconception(
                _complex_step(culprit=name),
                {"sin at 1": grad(np.sin)(1.0), "the operation that breaks it": name},
                f"Your function is right. But {name} has a complex version that keeps the imaginary part as it should "
                "be. Which of the five throws it away?",
            )
            for name in BREAKERS
            if name != CULPRIT
        ),
    ),
    hints=(
        "In Python, 1j is the imaginary unit, and z.imag is the imaginary part of z.",
        "f(x + ih) = f(x) + i h f′(x) − …: which part holds the slope, and what is it multiplied by?",
        "For the culprit: put 3 + 1e-20j into all five, in a cell of your own. Where is the imaginary part gone?",
    ),
    praise="Nothing is subtracted, so nothing cancels. It looks like a dual number, and is not quite one: i² is −1.",
)

# 5. the logistic map, three ways


def logistic(x: Any) -> Any:
    """l₄ of the iterated logistic map."""
    for _ in range(3):
        x = 4 * x * (1 - x)
    return x


def _three_ways(x: float = 0.3) -> Instance:
    slope, value = grad(logistic)(x), float(logistic(x))
    first = grad(lambda x: 4 * x * (1 - x))(x)
    until_three = grad(lambda x: 4 * (y := 4 * x * (1 - x)) * (1 - y))(x)
    h = 1e-15
    too_small = float((logistic(x + h) - logistic(x - h)) / (2 * h))
    central = float((logistic(x + 1e-5) - logistic(x - 1e-5)) / 2e-5)

    def wrong(answer: tuple[float, ...], hint: str, **seen: Any) -> Misconception:
        return Misconception(f"answer = {answer}", seen or _three_seen(answer), hint)

    def _three_seen(answer: tuple[float, ...]) -> dict[str, Any]:
        return dict(zip(("formula", "difference", "AD"), answer, strict=True))

    return Instance(
        expected=_three_seen((slope, slope, slope)) | {"AD, in its last digits": "right"},
        reference=f"""\
x = {x}
lx = [x]
for _ in range(2):
    lx.append(4 * lx[-1] * (1 - lx[-1]))
by_formula = np.prod([4 * (1 - 2 * v) for v in lx])
by_difference = (l4(x + 1e-5) - l4(x - 1e-5)) / 2e-5
answer = (by_formula, by_difference, ad.grad(l4)(x))""",
        misconceptions=(
            wrong(
                (first, central, slope),
                "The formula has the slope of the first turn only. Each of the three turns contributes a factor "
                "4(1 − 2l), taken at its own l.",
            ),
            wrong(
                (until_three, central, slope),
                "The formula stops one turn too early: that is l₃′. There are three turns between l₁ = x and l₄.",
            ),
            wrong((value, central, slope), "The first number is l₄ itself. Asked for is its slope, three times."),
            wrong(
                (slope, too_small, slope),
                "The difference has lost its digits: the step is too small. For a central quotient take about 1e-5.",
            ),
            Misconception(
                f"answer = {(slope, central, central)}",
                _three_seen((slope, slope, slope)) | {"AD, in its last digits": "wrong"},
                "The third number is right to some digits, as a difference is. AD gives all of them: ad.grad(l4)(x).",
            ),
        ),
    )


def three_numbers(answer: Any) -> Any:
    """The three numbers by their origin, and whether the last is right in all its digits; for any x that is drawn."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 3:
        return seen
    exact = [grad(logistic)(x) for x in (0.3, *DRAWN)]
    last = seen[2] if isinstance(seen[2], float) else float("nan")
    right = any(abs(last - slope) <= 1e-14 * abs(slope) for slope in exact)
    named = dict(zip(("formula", "difference", "AD"), seen, strict=True))
    return named | {"AD, in its last digits": "right" if right else "wrong"}


DRAWN = (0.1, 0.15, 0.2, 0.35, 0.4, 0.45, 0.6, 0.7)

ex_01_5 = Exercise(
    "ex_01_5",
    expects="three numbers: by the formula, by a central difference, by AD",
    make=_three_ways,
    draws={"x": DRAWN},
    observe=three_numbers,
    cases="All three are the same slope.",
    hints=(
        "On paper: lₙ₊₁ = 4 lₙ (1 − lₙ) has the slope 4(1 − 2lₙ) in lₙ. The chain rule multiplies the three.",
        "by_difference = (l4(x + h) - l4(x - h)) / (2 * h), with an h from section 3.",
        "AD takes one line: ad.grad(l4)(x).",
    ),
    praise="Three ways, one number. You differentiated on paper, with a step, and by running the program.",
)
