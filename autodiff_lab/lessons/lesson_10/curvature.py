"""The exercises of notebook 10 about what second derivatives say: convexity, mixed partials, and a slope of 0."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_10.sandbox import ON_A_TAPE, differentiate_on_tape, expected_on_a_tape
from autodiff_lab.lessons.lesson_10.variants import coefficients, convexity

# 4. convex or not

ex_10_4 = Exercise(
    expects="three things: is it convex (True or False), and the ends between which f″ > 0, left and right; "
    "(True, None, None) if f″ > 0 everywhere",
    make=convexity,
    draws={"centre": (2.0, 3.0, 5.0, 8.0), "width": (4.0, 5.0, 6.0, 9.0, 12.0)},
    tolerance=1e-4,
    hints=(
        "With u = x − centre the slope is 2u/(u² + b). Differentiate once more, by the quotient rule.",
        "The numerator of f″ is 2(u² + b) − 4u². Where is it 0?",
        "f″ > 0 for u² < b. The ends lie a square root of b to each side of the centre.",
    ),
    praise="One minimum, and everywhere downhill to it: gradient descent needs no more. Newton's method needs f″ > 0.",
)

# 5. the mixed partial

ex_10_5 = Exercise(
    expects="four numbers, what stands before 1, ε₁, ε₂ and ε₁ε₂",
    make=coefficients,
    draws={"x": (0.5, 1.5, 2.0, 4.0), "y": (1.5, 2.0, 3.0, 5.0)},
    hints=(
        "(x + ε₁)² = x² + 2x ε₁, since ε₁² = 0. The same for (y + ε₂)³.",
        "Multiply (x² + 2x ε₁)(y³ + 3y² ε₂) out: four terms, and none of them is dropped.",
        "Before ε₁ε₂ stands the product of 2x and 3y².",
    ),
    praise="Value, both slopes and the mixed second derivative, in one pass, with no tape. Such numbers are called "
    "hyper-dual.",
)

# 6. a slope of 0


def _derivative(
    slope: str = "grad(f(y), y)", y: str = "x * one", answer: str = "{zero} if slope is None else slope"
) -> str:
    return f"""\
def derivative(f, x):
    y = {y}
    slope = {slope}
    return {answer.format(zero="Variable(0.0)")}"""


_ONCE, _TWICE, _ALONE, _FOURTH, _OUTSIDE, _SAME = ON_A_TAPE

ex_10_6 = Exercise(
    expects="a function derivative(f, x) that returns a Variable",
    expected=expected_on_a_tape(),
    observe=differentiate_on_tape,
    reference=_derivative(),
    misconceptions={
        _derivative(answer="slope"): (
            {_ONCE: 27.0, _ALONE: None},
            "None says that nothing arrived. Asked was a slope, and what does not move has the slope 0: a Variable "
            "with the value 0.0.",
        ),
        _derivative(answer="0.0 if slope is None else slope"): (
            {_ALONE: 0.0, _OUTSIDE: Crashed("AttributeError", "value")},
            "0.0 is the right number, but in x * derivative(…) your Variables need another Variable. Wrap it.",
        ),
        _derivative(answer="Variable(0.0 if slope is None else slope.value)"): (
            {_ONCE: 27.0, _TWICE: 0.0},
            "You took the number out of the slope and made a new Variable of it: it has no past. Then the second "
            "derivative is the derivative of a number.",
        ),
        _derivative(answer="{zero}"): (
            {_ONCE: 0.0},
            "Now every slope is 0. Only if nothing has arrived it is.",
        ),
        _derivative(y="x"): (
            {_TWICE: 18.0, _SAME: 12.0},
            "The line with `x * one` is there for a reason: if the inner derivative is taken at the outer x itself, "
            "one Variable serves both, and the inner slope counts the outer uses too. That is confusion again, on a "
            "tape.",
        ),
    },
    hints=(
        "grad returns None where nothing has arrived. Which slope does that mean?",
        "The result goes into other operations: it must be a Variable in both cases, and the slope as it is.",
    ),
    praise="None is a remark about the record, 0 is a number. Around a derivative there may be another one, and it "
    "computes with what you return.",
)
