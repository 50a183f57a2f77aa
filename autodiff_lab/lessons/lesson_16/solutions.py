"""The exercises of notebook 16 about solutions: slopes of roots, forward, reverse, and by turns."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Instance

# 1. a root


# 2. forward


# 3. reverse


# 4. a few turns


def _turns(rate: float = 0.9, digits: int = 6) -> Instance:
    exact = digits / -math.log10(rate)
    return Instance(
        expected=math.ceil(exact),
        misconceptions={
            1: "One turn is enough where ∂turn/∂z is 0, as in Newton's method. Here it leaves an error of "
            f"{rate:g}, relative to the right slope.",
            digits: f"Each turn multiplies the error by {rate:g}; it does not win a digit.",
            math.floor(exact): "Nearly. That many turns leave the error a little above the limit; one more is needed.",
            math.ceil(digits / -math.log(rate)): "You divided digits by a natural logarithm. Take the same logarithm "
            f"of both: log 1e-{digits} / log {rate:g}.",
            math.ceil(exact) + 1: "One too many: after n turns the relative error is the n-th power of the rate.",
            round(digits / (1 - rate)): "The rate near 1 suggests a division by 1 − rate, but the error falls as a "
            "power: solve "
            f"{rate:g}ⁿ < 1e-{digits}.",
        },
    )


# 6. the adjoint by the same loop
