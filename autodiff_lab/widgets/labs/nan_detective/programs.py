"""The programs of NaNDetective, and the product in a run of one with which its first NaN is born.

In each pair of programs one makes a NaN, and one of the same function does not.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.trace.model import Contribution, Number, Step, Trace
from autodiff_lab.widgets.labs.expression import parse_expression

MOST_ROWS = 7
"""The rows for which there is room."""


class Program(NamedTuple):
    """A program in which a NaN may be born, the x at which that happens, and its inputs beside x."""

    run: Callable[..., Any]
    trap: float
    others: tuple[float, ...] = ()


def double_where(x: Any) -> Any:
    """Return log x where x > 0, else 0, without a NaN: a second where gives the log a harmless operand."""
    safe = np.where(x > 0, x, 1.0)
    return np.where(x > 0, np.log(safe), 0.0)


PROGRAMS = {
    "where(x > 0, log(x), 0)": Program(lambda x: np.where(x > 0, np.log(x), 0.0), 0.0),
    "… with a second where inside": Program(double_where, 0.0),
    "‖(x, y)‖² by the norm, y = 0": Program(lambda x, y: np.sqrt(x * x + y * y) ** 2, 0.0, (0.0,)),
    "‖(x, y)‖² by squares, y = 0": Program(lambda x, y: x * x + y * y, 0.0, (0.0,)),
    "softplus: log(1 + exp(x))": Program(lambda x: np.log(1 + np.exp(x)), 800.0),
    "softplus: logaddexp(0, x)": Program(lambda x: np.logaddexp(0.0, x), 800.0),
    "sigmoid: 1 / (1 + exp(−x))": Program(lambda x: 1 / (1 + np.exp(-x)), -800.0),
    "sigmoid: (1 + tanh(x / 2)) / 2": Program(lambda x: 0.5 * (1 + np.tanh(x / 2)), -800.0),
    "x · log(x)": Program(lambda x: x * np.log(x), 0.0),
}


@functools.lru_cache(maxsize=256)
def trace_program(program: str, expression: str, x: float) -> Trace:
    """Run a program at x and sweep it, for the NaN detective; an expression that was typed goes first."""
    f, _, others = Program(parse_expression(expression, ("x",)), x) if expression else PROGRAMS[program]
    with np.errstate(all="ignore"):
        return Trace.of(f, x, *others)


def find_complaint(expression: str, x: float) -> str:
    """Say why the NaN detective cannot follow an expression that was typed; nothing if it can.

    >>> find_complaint("sqrt(x * x)", 0.0), find_complaint("2.0", 0.0)
    ('', "'2.0' computes nothing from x, so there is nothing to sweep.")
    """
    try:
        trace = trace_program("", expression, x)
    except AutodiffError as problem:
        return str(problem)
    if trace.result is None or trace.lines[trace.result].kind == "input":
        return f"{expression!r} computes nothing from x, so there is nothing to sweep."
    if len(trace.lines) > MOST_ROWS:
        return f"{expression!r} has {len(trace.lines)} rows, and there is room for {MOST_ROWS}. Type a shorter one."
    return ""


class Birth(NamedTuple):
    """The birth of the first NaN or infinity in a sweep: which step sends which product, with which local partial."""

    place: int
    """How many products have been sent with it."""
    step: Step
    send: Contribution
    partial: Number | None


def find_birth(trace: Trace, sweep: Sequence[Step]) -> Birth | None:
    """Find the product that gives birth to the first NaN or infinity of a sweep; None if every adjoint is finite."""
    for place, step in enumerate(sweep, 1):
        for send in step.sends:
            if not (is_finite(send.contribution) and is_finite(send.after)):
                return Birth(place, step, send, trace.lines[step.line].operands[send.slot].partial)
    return None


def explain_birth(birth: Birth, row: str) -> str:
    """Explain a NaN's birth by its two factors: which is not finite, or whether it is 0 × ∞."""
    adjoint, partial = birth.step.adjoint, birth.partial
    assert adjoint is not None
    if is_finite(birth.send.contribution):
        return "It is finite; the sum with what was there already is not."
    if partial is None:
        return ""
    odd = [name for name, x in (("adjoint", adjoint), ("local partial", partial)) if not is_finite(x)]
    if odd and np.any(np.isnan(birth.send.contribution.value)):
        return f"What arrived at {row} is {adjoint.text}, its local partial is {partial.text}: 0 × ∞ is NaN."
    return f"Its {' and its '.join(odd)} is not finite." if odd else "Both are finite, and their product overflows."


def is_finite(x: Number) -> bool:
    """Whether all entries of a value are finite: none is NaN or infinite."""
    return bool(np.all(np.isfinite(np.asarray(x.value, dtype=float))))
