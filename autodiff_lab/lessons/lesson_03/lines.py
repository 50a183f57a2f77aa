"""The exercises of notebook 03 about the tape as it is: its lines, a new operation, its length."""

from __future__ import annotations

import re
from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise, plain
from autodiff_lab.lessons.lesson_03.sandbox import divide

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
SINE_FIRST = (*SEVEN_LINES[:4], "v3 = sin(v0)", "v4 = v1 + v2", "v5 = v4 - v3")
PRODUCT_FIRST = (*SEVEN_LINES[:2], "v1 = v-1 * v0", "v2 = log(v-1)", "v3 = v2 + v1", *SEVEN_LINES[5:])
COUNTED_FROM_ONE = (
    "v1 = 2.0", "v2 = 5.0", "v3 = log(v1)", "v4 = v1 * v2", "v5 = v3 + v4", "v6 = sin(v2)", "v7 = v5 - v6",
)  # fmt: skip
OWN_NAMES = ("x = 2.0", "y = 5.0", "v1 = log(x)", "v2 = x * y", "v3 = v1 + v2", "v4 = sin(y)", "v5 = v3 - v4")


def _as_cell(lines: tuple[str, ...]) -> str:
    return "answer = [\n" + "".join(f'    "{line}",\n' for line in lines) + "]"


ex_03_1 = Exercise(
    expects="a list of seven strings, one for each printed line",
    expected=SEVEN_LINES,
    observe=read_printed_lines,
    reference=_as_cell(SEVEN_LINES),
    misconceptions={
        SINE_FIRST: "You compute all three terms first and then combine them, as one does on paper. Python reads a + "
        "b - c as (a + b) - c: the sum is computed before the sine.",
        PRODUCT_FIRST: "The product binds more tightly than the sum, that is right. But Python evaluates the left "
        "operand of the + before the right one, so the logarithm runs first.",
        COUNTED_FROM_ONE: "You let the inputs draw fresh names. They come with names of their own, v-1 and v0; the "
        "counter is not touched until the first operation.",
        OWN_NAMES: "x and y are names in your Python program, and a Variable cannot see them. It prints the name that "
        "was given to it: v-1, v0.",
        SEVEN_LINES[2:]: "The five operations are right. Variable.constant prints as well, so two lines come before "
        "them.",
    },
    hints=(
        "Two lines for the two inputs, then one line for each operation, in the order in which Python runs them.",
        "Set the brackets Python sees: (log(x) + (x * y)) - sin(y). The left side of each operator runs first.",
        "The third and fourth lines are v1 = log(v-1) and v2 = v-1 * v0. What can Python do next?",
    ),
    praise="The tape has the order in which Python ran, and every line uses only lines above it.",
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


ex_03_2 = Exercise(
    expects="a function of two Variables that returns a Variable",
    expected={"x / y": (-2.5, -2.0, -5.0), "(x / y) * x": (-3.125, -5.0, -6.25)},
    observe=divide,
    cases="These are the value, and the derivatives with respect to x and y, at (1.25, -0.5).",
    reference=division(),
    misconceptions={
        division(partial_other="Variable(self.value / other.value**2)"): (
            {"x / y": (-2.5, -2.0, 5.0)},
            "The derivative with respect to y has the wrong sign. A larger divisor makes the quotient smaller.",
        ),
        division(partial_other="Variable(-self.value / other.value)"): (
            {"x / y": (-2.5, -2.0, 2.5)},
            "The square is missing: the derivative of 1 / y is -1 / y**2, not -1 / y.",
        ),
        division(partial_self="other", partial_other="self"): (
            {"x / y": (-2.5, -0.5, 1.25)},
            "These are the partials of the product. Division has its own: differentiate x / y once with y held still, "
            "once with x held still.",
        ),
        division(sends="[dl_dx * dx_dother, dl_dx * dx_dself]"): (
            {"x / y": (-2.5, -5.0, -2.0)},
            "Both numbers are there, in the wrong order. propagate returns contributions in the order of "
            "the record's inputs: self first, then other.",
        ),
        division(end="    return x"): (
            {"x / y": (-2.5, None, None)},
            "The value is right, and nothing came back along the tape. Was the operation written down? See remember.",
        ),
        division(end="    remember([self, other], x, propagate)"): (
            {"x / y": None},
            "ops_div returns None. End it with return x.",
        ),
        division(sends="None").replace("return None", "[dl_dx * dx_dself, dl_dx * dx_dother]"): (
            {"x / y": Crashed("TypeError", "itera", is_theirs=False)},
            "Your propagate returns nothing. Its last line hands the two contributions back: return [...].",
        ),
        division(sends="[dl_dx * dx_dself]"): (
            {"x / y": Crashed("ValueError", is_theirs=False)},
            "Your propagate returns fewer or more contributions than ops_div has inputs. It needs two: one for self, "
            "one for other.",
        ),
        division(sends="[dl_dx.value / other.value, -dl_dx.value * self.value / other.value**2]"): (
            {"x / y": Crashed("AttributeError", "no attribute 'name'", is_theirs=False)},
            "What your propagate returns are no Variables. grad adds them to Variables, and prints the name of each: "
            "multiply Variables, dl_dx * Variable(...).",
        ),
        "def ops_div(self, other):\n    return self.value / other.value": (
            {"x / y": -2.5},
            "ops_div returns a bare number. Wrap it, x = Variable(...), or the tape loses its trail here.",
        ),
        division(partial_self="1 / other.value", partial_other="-self.value / other.value**2"): (
            {"x / y": Crashed("AttributeError", "'float' object has no attribute 'value'")},
            "A plain number reached ops_mul: a partial is multiplied with dl_dx, a Variable, and has to be one too. "
            "Wrap it, Variable(...).",
        ),
        division(sends="[dx_dself, dx_dother]"): (
            {"x / y": (-2.5, -2.0, -5.0), "(x / y) * x": (-3.125, -4.5, -5.0)},
            "x / y alone is right, and (x / y) * x is not. Your propagate hands on its own partials and forgets what "
            "came in: every partial is multiplied by dl_dx. Alone, dl_dx is 1, and the fault does not show.",
        ),
    },
    hints=(
        "Start from a copy of ops_mul. Three lines change: the value, the print, the partials.",
        "The partials of x / y are 1 / y with respect to x and -x / y**2 with respect to y. "
        "Inside ops_div, x is self.value and y is other.value.",
        "dx_dself = Variable(1 / other.value). Now dx_dother in the same manner; the rest is as in ops_mul.",
    ),
    praise="The machine has a new operation, and grad did not change: it calls propagate, whatever the operation is.",
)

# 3. count the tape

ex_03_3 = Exercise(
    expects="a pair of whole numbers, (before, after)",
    expected=(5, 15),
    misconceptions={
        (5, 5): "The backward pass does not only read the tape. Look at what it printed: v9 = v6 * v7 is an "
        "operation on Variables, and every such operation is recorded.",
        (7, 17): "You counted the two inputs. Variable.constant prints a line and does not append a record.",
        (5, 10): "One backward operation for each forward one is too few: an operation with two operands sends two "
        "contributions.",
        (5, 13): "You counted the eight products. Twice a second contribution arrived and had to be added: += is an "
        "operation too.",
        (5, 22): "The names go up to v22, but a Variable such as v7 = 1.0 is made without an operation. Count printed "
        "lines.",
        (0, 5): "The tape is written while the function runs, not by grad: it is full before grad is called.",
    },
    hints=(
        "A record is appended by remember, and every operation calls it. Which printed lines come from operations?",
        "Forward: the lines with an operation on the right. Backward: count the lines that begin with v9, v10, v12 …",
        "Each operand that an operation has gets one product. And twice something was there already, so += added.",
    ),
    praise="The sweep added ten lines of its own to the tape. A second call of grad fails on them: see section 10.",
)
