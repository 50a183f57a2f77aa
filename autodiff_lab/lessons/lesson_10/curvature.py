"""The exercises of notebook 10 about what second derivatives say: convexity, mixed partials, negative curvature."""

from __future__ import annotations

from functools import partial

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_10.sandbox import (
    CURVATURES,
    ON_A_TAPE,
    differentiate_on_tape,
    expected_on_a_tape,
    expected_steps,
    one_step,
    take_steps,
    truncated,
)
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

# 7. negative curvature


def _truncated(stop: str = "p @ Hp <= 0", found: str = "s if np.any(s) else p") -> str:
    return f"""\
def truncated_cg(gradient, hessian_times):
    s, r = np.zeros_like(gradient), -gradient
    p = r
    while r @ r > 1e-20:
        Hp = hessian_times(p)
        if {stop}:
            return {found}
        alpha = (r @ r) / (p @ Hp)
        s, r_next = s + alpha * p, r - alpha * Hp
        p = r_next + (r_next @ r_next) / (r @ r) * p
        r = r_next
    return s"""


_BOTH, _FIRST, _SECOND, _LEVEL, _THREE = CURVATURES
_DOWN = tuple(-g for g in CURVATURES[_FIRST][0])

ex_10_7 = Exercise(
    expects="a function truncated_cg(gradient, hessian_times) that returns a step, an array like gradient",
    expected=expected_steps(),
    observe=take_steps,
    cases="Each is a step.",
    reference=f"import numpy as np\n\n\n{_truncated()}",
    misconceptions={
        _truncated(found="s"): (
            {_FIRST: (0.0, 0.0)},
            "If the curvature is negative along the very first direction, s is still 0: your step stays where it is, "
            "and the next one will too. The direction p itself goes downhill.",
        ),
        _truncated(found="p"): (
            {_FIRST: _DOWN, _SECOND: one_step(partial(truncated, so_far=lambda s, p: p), *CURVATURES[_SECOND])},
            "Right for the first direction. Later something has been found already: the sum s of the steps so far.",
        ),
        _truncated(found="-p"): (
            {_FIRST: tuple(-x for x in _DOWN)},
            "That goes uphill: p begins as −gradient, the direction in which f falls.",
        ),
        _truncated(stop="p @ Hp < 0"): (
            {_FIRST: _DOWN, _LEVEL: Crashed("FloatingPointError")},
            "Negative curvature is caught. What happens to α = r·r / p·Hp if the curvature is exactly 0?",
        ),
        _truncated(stop="p @ Hp > 0"): (
            {_BOTH: tuple(-g for g in CURVATURES[_BOTH][0])},
            "Here you stop where the curvature is positive. There conjugate gradients are right and go on.",
        ),
    },
    hints=(
        "The curvature along p is the number p · Hp, the second derivative of f along p.",
        "Stop if it is 0 or negative. What has been found by then, and is there anything yet?",
        "if p @ Hp <= 0: return s, unless s is still all zeros; then return p.",
    ),
    praise="Each piece of s goes downhill, so what has been found is a descent direction wherever you stop.",
)
