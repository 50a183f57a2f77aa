"""Exercises of notebook 01, what it means to differentiate a program."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from autodiff_lab.engine.transforms import grad
from autodiff_lab.lessons.comparing import Refused, describe, plain
from autodiff_lab.lessons.course import lesson
from autodiff_lab.lessons.dual_bench import example
from autodiff_lab.lessons.exercise import Exercise, Instance, Misconception
from autodiff_lab.lessons.running import attempt
from autodiff_lab.widgets.labs.v_curve import METHODS

progress, seed = lesson("01", "What does it mean to differentiate a program?")

# 1. the slopes of the error curves

ex_01_1 = Exercise(
    "ex_01_1",
    expects="a pair of numbers, the slopes of the forward and of the central curve",
    expected=(1, 2),
    tolerance=0.1,
    reference="answer = (1, 2)",
    misconceptions=(
        Misconception(
            "answer = (-1, -1)",
            (-1.0, -1.0),
            "That is the cancellation side, left of the lowest point. Look to the right of it, where h is large and "
            "the curves are smooth.",
        ),
        Misconception(
            "answer = (2, 1)", (2.0, 1.0), "Both slopes are there, in the wrong order: first forward, then central."
        ),
        Misconception(
            "answer = (1, 1)",
            (1.0, 1.0),
            "The forward curve is right. The central one is steeper: it falls by four decades while h falls by two.",
        ),
        Misconception(
            "answer = (10, 100)",
            (10.0, 100.0),
            "That is how much the error falls when h falls by a factor of 10. On logarithmic axes a factor of 10 is "
            "one step.",
        ),
    ),
    hints=(
        "Slope is rise over run, both counted in decades: from 1e-4 to 1e-3 is one.",
        "Compare the error at h = 1e-4 and at h = 1e-2. By how many decades does each curve rise over these two?",
    ),
    praise="The forward error is proportional to h, the central one to h². So is the first term that Taylor drops.",
)

# 2. a good step

SLOPE = grad(example, argnums=1)(2.0, 5.0)
GOOD = {"forward": 1e-7, "central": 1e-9}
BEST = {"forward": 1e-8, "central": 3e-5}


def judged_steps(answer: Any) -> Any:
    """For each formula: whether its error is small enough, or on which side of the V the step is."""
    seen = plain(answer)
    if not isinstance(seen, tuple) or len(seen) != 2 or not all(isinstance(h, float) for h in seen):
        return seen
    if not all(h > 0 for h in seen):
        return Refused("A step is a positive number.")
    return {name: _judged(name, h) for name, h in zip(GOOD, seen, strict=True)}


def _judged(name: str, h: float) -> str:
    with np.errstate(all="ignore"):
        found = METHODS[name].quotient(lambda x2: example(2.0, x2), 5.0, h)
    if abs(found - SLOPE) < GOOD[name] * SLOPE:
        return "small enough"
    return "too large a step" if h > BEST[name] else "too small a step"


ex_01_2 = Exercise(
    "ex_01_2",
    expects="a pair of steps, (h for the forward quotient, h for the central one)",
    expected={"forward": "small enough", "central": "small enough"},
    observe=judged_steps,
    cases="That is what comes out of your step.",
    reference="answer = (1e-8, 1e-5)",
    misconceptions=(
        Misconception(
            "answer = (1e-15, 1e-15)",
            {"forward": "too small a step", "central": "too small a step"},
            "Both steps are too small: of sixteen digits nearly all cancel in the difference. Smaller is not better; "
            "look for the lowest points of the two curves.",
        ),
        Misconception(
            "answer = (1e-8, 1e-8)",
            {"forward": "small enough", "central": "too small a step"},
            "The forward step is good. The same step is too small for the central quotient: it is accurate at larger "
            "steps, and there fewer digits cancel.",
        ),
        Misconception(
            "answer = (1e-5, 1e-5)",
            {"forward": "too large a step", "central": "small enough"},
            "The central step is good. The forward quotient is still on its truncation side there.",
        ),
        Misconception(
            "answer = (0.1, 0.1)",
            {"forward": "too large a step", "central": "too large a step"},
            "Both steps are too large: over such a way the curve bends, and the quotient cuts it short.",
        ),
    ),
    hints=(
        "In the lab, move h until the mark of one curve is at its lowest point. Then do the same for the other.",
        "The best forward step is near the square root of 1e-16, the best central one near its third root.",
    ),
    praise="Neither comes near sixteen digits. The best that a difference of two doubles can do is a compromise.",
)

# 3. a parabola


def number_and_word(answer: Any) -> Any:
    """A number and a word, the word small and without its full stop."""
    seen = plain(answer)
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[1], str):
        return (seen[0], seen[1].strip(" .!").lower())
    return seen


ex_01_3 = Exercise(
    "ex_01_3",
    expects='a number and a word, such as (0.25, "yes")',
    expected=(0.0, "no"),
    observe=number_and_word,
    reference='answer = (0.0, "no")',
    misconceptions=(
        Misconception(
            'answer = (1.0, "yes")',
            (1.0, "yes"),
            "That is the forward quotient: (2² − 1²) / 1 = 3, and the slope is 2. The central one takes a step to "
            "each side.",
        ),
        Misconception(
            'answer = (0.0, "yes")',
            (0.0, "yes"),
            "The number is right. What should a smaller step improve, if the error is 0? It can only add rounding.",
        ),
        Misconception(
            'answer = (2.0, "no")',
            (2.0, "no"),
            "2 is the slope, and the central quotient is 2 as well. Asked for is the error: the difference of the two.",
        ),
        Misconception(
            'answer = (1.0, "no")',
            (1.0, "no"),
            "That is the error of the forward quotient. Compute ((1 + h)² − (1 − h)²) / 2h at h = 1.",
        ),
    ),
    hints=(
        "Multiply (1 + h)² − (1 − h)² out, and divide by 2h.",
        "What is left does not contain h at all. So which h is best?",
    ),
    praise="For a parabola the central quotient is the slope at any h. Its error comes from the third derivative.",
)

# 4. the complex step

BREAKERS = ("exp", "abs", "sin", "sqrt", "log")
CULPRIT = "abs"


def stepped_into_the_complex(complex_step: Any, culprit: Any) -> Any:
    """The learner's complex step on three functions, and the operation that it cannot pass."""
    if not isinstance(complex_step, types.FunctionType):
        return Refused(f"You gave {describe(complex_step)} as complex_step. Hand over the function itself.")
    word = plain(culprit)

    def by_x2(x: Any) -> Any:
        return np.log(2.0) + 2.0 * x - np.sin(x)

    def seen(*args: Any) -> Any:
        found = attempt(lambda: plain(complex_step(*args)))
        return found if not isinstance(found, complex) else describe(found)

    return {
        "x³ at 2 with h = 0.5": seen(lambda x: x * x * x, 2.0, 0.5),
        "the slope in x2 at 5": seen(by_x2, 5.0),
        "sin at 1": seen(np.sin, 1.0),
        "the operation that breaks it": word.strip(" .()").lower().removeprefix("np.")
        if isinstance(word, str)
        else word,
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
        "For the culprit: what is abs(3 + 1e-20j)? Try all five in a cell of your own.",
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
