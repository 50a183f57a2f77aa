"""An exercise of notebook 16 with numbers of one's own: how many turns an unrolled slope takes."""

import math

from autodiff_lab.lessons.checks import Instance


def count_turns(rate: float = 0.9, digits: int = 6) -> Instance:
    """After how many turns the relative error rateⁿ of the slope is below 10 to the −digits.

    >>> count_turns().expected
    132
    """
    exact = digits / -math.log10(rate)
    mistakes = {
        "one turn": 1,
        "one turn a digit": digits,
        "one turn short": math.floor(exact),
        "natural logarithm": math.ceil(digits / -math.log(rate)),
        "one turn too many": math.ceil(exact) + 1,
        "division by 1 − rate": round(digits / (1 - rate)),
    }
    return Instance(math.ceil(exact), mistakes=mistakes)
