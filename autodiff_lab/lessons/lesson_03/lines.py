"""The exercises of notebook 03 about the tape as it is: its lines, a new operation, its length."""

from __future__ import annotations

import re
from typing import Any

from autodiff_lab.lessons.checks import plain

# 1. predict the lines


AS_TYPED = str.maketrans(
    {
        "\N{MINUS SIGN}": "-",
        "\N{EN DASH}": "-",
        "×": "*",
        "·": "*",
        "₋": "-",
        **dict(zip("₀₁₂₃₄₅", "012345", strict=True)),
    }
)


def read_printed_lines(answer: Any) -> Any:
    """Lines without spaces; one text with line breaks will do, signs as on paper, and 2, 2. and 2.0 are the same."""
    lines = answer.strip().splitlines() if isinstance(answer, str) else plain(answer)
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return lines
    squeezed = ("".join(line.translate(AS_TYPED).split()).replace("np.", "").replace("ln(", "log(") for line in lines)
    return tuple(re.sub(r"=(\d+)\.?0*$", r"=\1.0", line) for line in squeezed)


SEVEN_LINES = (
    "v-1 = 2.0",
    "v0 = 5.0",
    "v1 = log(v-1)",
    "v2 = v-1 * v0",
    "v3 = v1 + v2",
    "v4 = sin(v0)",
    "v5 = v3 - v4",
)


# 2. a new operation


def division(
    partial_self: str = "Variable(1 / other.value)",
    partial_other: str = "Variable(-self.value / other.value**2)",
    sends: str = "[dl_dx * dx_dself, dl_dx * dx_dother]",
    end: str = "    remember([self, other], x, propagate)\n    return x",
) -> str:
    """A learner's `ops_div`: the good one, or one with a fault.

    >>> "Variable(1 / other.value)" in division()
    True
    """
    return f"""\
def ops_div(self, other):
    x = Variable(self.value / other.value)
    say(f"{{x.name}} = {{self.name}} / {{other.name}}")

    def propagate(dl_doutputs):
        (dl_dx,) = dl_doutputs
        dx_dself = {partial_self}
        dx_dother = {partial_other}
        return {sends}

{end}"""


# 3. count the tape
