"""The exercises of notebook 15 about programs: a tape written down as Python, and a guard that notices another way."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_15 import sandbox
from autodiff_lab.lessons.lesson_15.sandbox import FIRST, PROGRAMS

COURSE, SQUARE, TAN, _, ALONE, UNUSED = PROGRAMS

# 1. compile a tape


def _compiler(
    seed: str = 'f"{bar[tape.output]} = 1.0"',
    sent: str = 'f"{bar[j]} += {bar[i]} * ({written(partial)})"',
    result: str = "f\"return {name(tape, tape.output)}, ({', '.join(bar[: tape.n_inputs])})\"",
) -> str:
    return f"""\
def compile_tape(tape):
    bar = [f"{{name(tape, i)}}_bar" for i in range(len(tape))]
    lines = [*forward_lines(tape), f"{{' = '.join(bar)}} = 0.0"]
    lines.append({seed})
    for i in reversed(range(tape.n_inputs, len(tape))):
        y, operands = ad.Symbol(name(tape, i)), symbols(tape, tape.parents[i], tape.args[i])
        for k, j in enumerate(tape.parents[i]):
            if j >= 0:
                partial = tape.ops[i].local_partial(k, y, *operands)
                lines.append({sent})
    lines.append({result})
    head = f"def compiled({{', '.join(tape.input_names)}}):"
    return "\\n    ".join([head, *lines])"""


X1, X2 = FIRST
_OUT = 3.0 + math.tan(X1 / X2) ** 2
"""3 · (1 + tan²) without its brackets."""


def _slopes(case: str, **wrong: float) -> tuple[float, tuple[float, float]]:
    """Value and slopes of a case, some of them wrong."""
    value, (x1, x2) = sandbox.expected_compiled()[case]
    return value, (wrong.get("x1", x1), wrong.get("x2", x2))


_ONE = sandbox.expected_compiled()[ALONE]
_VALUE, (_X1_SLOPE, _X2_SLOPE) = sandbox.expected_compiled()[COURSE]

ex_15_1 = Exercise(
    formerly="ex_14_4",
    expects="a function compile_tape(tape) that returns source text, in which a function `compiled` is defined",
    expected=sandbox.expected_compiled(),
    observe=sandbox.compile_and_run,
    cases="I compared value and slopes, a tuple if there are two inputs, and I counted how many of 100 inputs agree.",
    reference=_compiler(),
    misconceptions={
        _compiler(sent='f"{bar[j]} = {bar[i]} * ({written(partial)})"'): (
            {COURSE: _slopes(COURSE, x1=0.5, x2=2.0)},
            "x1 and x2 are used twice each, and one contribution has overwritten the other. Add each to the rest: +=.",
        ),
        _compiler(sent='f"{bar[j]} += {bar[i]} * {written(partial)}"'): (
            {COURSE: _slopes(COURSE), TAN: _slopes(TAN, x1=_OUT / X2, x2=-_OUT * X1 / X2**2)},
            "Right for sums and products. But a partial can be a sum itself, such as 1 + v2 · v2, and a product in "
            "front of it takes its first part only. Put the partial in brackets.",
        ),
        _compiler(sent='f"{bar[j]} += {written(partial)}"'): (
            {SQUARE: _slopes(SQUARE, x1=4.0)},
            "These are local partials only. What a line sends is its own adjoint times the partial.",
        ),
        _compiler(seed='f"{bar[tape.output]} = 0.0"'): (
            {COURSE: _slopes(COURSE, x1=0.0, x2=0.0)},
            "All slopes are 0. Does the adjoint of the result, bar[tape.output], begin with 1? And does line i send "
            "to line j, and not the other way?",
        ),
        _compiler(seed='f"{bar[-1]} = 1.0"'): (
            {COURSE: _slopes(COURSE), UNUSED: (X1**2, math.cos(X1))},
            "The result is not always on the last line: a function may go on with something that it does not return. "
            "Its line is tape.output.",
        ),
        _compiler(seed='f"{bar[tape.output]} = {name(tape, tape.output)}"'): (
            {COURSE: _slopes(COURSE, x1=_VALUE * _X1_SLOPE, x2=_VALUE * _X2_SLOPE)},
            "Your slopes are too large by the factor y. The adjoint of the result is the derivative of y with respect "
            "to y itself: 1, and not the value of y.",
        ),
        _compiler(sent='f"{bar[j]} += {bar[i]} * ({partial})"'): (
            {COURSE: Crashed("NameError", "Symbol")},
            "A Symbol shows itself as Symbol('…'), and that is no Python line. Use written(partial).",
        ),
        _compiler(result='f"{name(tape, tape.output)}"'): (
            {COURSE: Crashed("TypeError", "cannot unpack")},
            "What you compile does not return value and slopes. The last line begins with return: return value, "
            "(slope, slope).",
        ),
        _compiler(seed="1.0"): (
            {COURSE: Crashed("TypeError", "expected str instance")},
            "One of your three lines is no text. Each is an f-string, a line of Python.",
        ),
        _compiler(result="f\"return {', '.join(bar[: tape.n_inputs])}\""): (
            {COURSE: (5.5, 1.7163378145367738)},
            "These are the slopes. Return the value as well, first: value, (slope, slope).",
        ),
        _compiler(result="f\"return {name(tape, tape.output)}, ({', '.join(bar[-tape.n_inputs :])})\""): (
            {COURSE: _slopes(COURSE, x1=-1.0, x2=1.0)},
            "Returned are the adjoints of the last lines. The inputs are the first lines of a tape.",
        ),
        _compiler(result="f\"return {name(tape, tape.output)}, ({', '.join(bar[: tape.n_inputs])},)\""): (
            {COURSE: _slopes(COURSE), ALONE: (_ONE[0], (_ONE[1],))},
            "Right for two inputs. For a single one (x1_bar,) is a tuple with one slope in it, where "
            "ad.value_and_grad gives the slope itself: leave the last comma away, and (x1_bar) is that number.",
        ),
    },
    hints=(
        "Each blank is one line of Python as text: an f-string with the names of adjoints in it. bar[j] is the name of "
        "the adjoint of line j.",
        "The line in the middle is the rule of the sweep: operand's adjoint += own adjoint * (partial).",
        'The first sets bar[tape.output] to 1.0. The last begins with "return", then the name of the result, then the '
        "adjoints of the first tape.n_inputs lines in brackets.",
    ),
    praise="The sweep has become text: all its decisions were made while writing, and none is left for running.",
)

# 2. a guard


_TRIED = """\
        if compiled is not None:
            try:
                return compiled(x)
            except Changed:
                pass
"""
_LINE = 'f"if {question(tape, asked)} != {bool(asked.outcome)}: raise Changed"'


def _guarded(line: str = _LINE, tried: str = _TRIED, kept: str = "compiled") -> str:
    return f"""\
def guard(tape, asked):
    return {line}


def rerecording(f):
    compiled = None

    def run(x):
        nonlocal compiled
{tried}\
        _, tape = ad.record(f, x)
        {kept} = load(with_guards(tape))
        return {kept}(x)

    return run"""


_KEEPS_THE_FIRST = _guarded().replace(
    "        compiled = load(with_guards(tape))\n        return compiled(x)",
    "        fresh = load(with_guards(tape))\n        compiled = compiled or fresh\n        return fresh(x)",
)

ex_15_2 = Exercise(
    formerly="ex_14_5",
    expects="two functions: guard(tape, asked) gives a line of Python, rerecording(f) gives a function of x",
    expected=sandbox.expected_guarded(),
    observe=sandbox.run_guarded,
    cases="The program is called at these inputs one after the other.",
    reference=_guarded(),
    misconceptions={
        _guarded(line='"pass"'): (
            {sandbox.answer_at(2): (1.6**6, 6 * 1.6**5)},
            "At 1.6 the old tape was run: six factors, where the loop stops at five. The guard has to ask the "
            "question again, with the new numbers, and load gets the text that has the guards in it: "
            "with_guards(tape).",
        ),
        _guarded(line=_LINE.replace("!=", "==")): (
            {sandbox.answer_at(0): Crashed("Changed")},
            "The guard stops where the answer is the recorded one. It should stop where the answer is another one, and "
            "find out while the program runs: the `if` belongs into the text.",
        ),
        _guarded(tried=""): (
            {sandbox.recordings_after(1): 2},
            "Every call records again, so nothing is gained. Keep what was compiled, and record only where there is "
            "nothing yet or the guard has raised Changed.",
        ),
        _KEEPS_THE_FIRST: (
            {sandbox.recordings_after(1): 1, sandbox.recordings_after(3): 3},
            "At 1.6 and at 1.62 it recorded, though one tape serves both: what was compiled at 1.6 was not kept.",
        ),
        _guarded(tried="        if compiled is not None:\n            return compiled(x)\n"): (
            {sandbox.answer_at(2): Crashed("Changed")},
            "The guard has raised Changed, and nobody caught it. Then is the moment to record again.",
        ),
    },
    hints=(
        "question(tape, asked) is the comparison as text, and asked.outcome is what it said when it was recorded.",
        f"The guard is one line: {_LINE}.",
        "The driver keeps one compiled function. It tries that; on Changed, or where there is none, it records, "
        "compiles with load(with_guards(tape)), and runs the new one.",
    ),
    praise="A traced function is one path of the function. The guard says where the path ends.",
)
