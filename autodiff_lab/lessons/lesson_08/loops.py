"""The exercise of notebook 08 about a loop that stops when its value is good enough."""

from __future__ import annotations

from typing import Any

from autodiff_lab import record, value_and_grad
from autodiff_lab.lessons.checks import Exercise, Refused, attempt, run_cases

STARTS = {"√9 from 3": (9.0, 3.0), "√2 from 1": (2.0, 1.0), "√2 from 1.5": (2.0, 1.5), "√1000000 from 1": (1e6, 1.0)}
AT_THE_ROOT, FROM_ONE, _, FAR = STARTS
TABLE = {"sqrt", "cbrt", "power", "exp", "log"}


def expected_roots() -> dict[str, Any]:
    """√x and 1 / (2√x)."""
    return {case: (x**0.5, 0.5 / x**0.5) for case, (x, _) in STARTS.items()}


def run_turns(x: float, start: float, turns: int) -> tuple[float, float]:
    """Value and slope in x after so many turns of the Babylonian loop.

    >>> run_turns(2.0, 1.0, 1)
    (1.5, 0.5)
    """

    def loop(x: Any) -> Any:
        t = start
        for _ in range(turns):
            t = (t + x / t) / 2
        return t

    return value_and_grad(loop)(x)


def find_roots(root: Any) -> Any:
    """Value and slope of the learner's loop, from several starts."""
    found = run_cases(lambda names, x, start: value_and_grad(lambda x: root(x, start))(x), STARTS, root)
    if len(found) < len(STARTS):
        return found
    recorded = attempt(lambda: record(lambda x: root(x, 1.0), 2.0)[1].ops)
    if isinstance(recorded, list) and any(op is not None and op.name in TABLE for op in recorded):
        return Refused("That takes the root from the table of rules. Here it is to be found by the loop, with + and /.")
    return found


def _root(*body: str) -> str:
    lines = "\n    ".join(body)
    return f"def root(x, start):\n    {lines}"


_LOOP = ("t = start", "while abs(t * t - x) > 1e-12 * x:", "    t = (t + x / t) / 2")

ex_08_5 = Exercise(
    expects="a function root(x, start)",
    expected=expected_roots(),
    tolerance=1e-9,
    observe=find_roots,
    cases="These are value and slope.",
    reference=_root(*_LOOP, "return (t + x / t) / 2"),
    misconceptions={
        _root(*_LOOP, "return t"): (
            {AT_THE_ROOT: (3.0, 0.0)},
            "From 3 the loop does not turn at all: 3 · 3 is 9 already. The value is perfect and x is not on the tape.",
        ),
        _root(*_LOOP, "return x / t"): (
            {AT_THE_ROOT: (3.0, 1 / 3)},
            "The value is right. With t as a constant, the slope of x / t is 1 / t, twice what it should be. Take a "
            "whole turn of the loop.",
        ),
        _root("return (start + x / start) / 2"): (
            {AT_THE_ROOT: (3.0, 1 / 6), FROM_ONE: (1.5, 0.5)},
            "One turn is enough for the slope when the value is right. From elsewhere the value has to be found first.",
        ),
        _root("t = start", "for _ in range(6):", "    t = (t + x / t) / 2", "return t"): (
            {AT_THE_ROOT: (3.0, 1 / 6), FAR: run_turns(1e6, 1.0, 6)},
            "Six turns are enough from near by. From 1 to the root of a million it is a long way: turn until the "
            "value is good.",
        ),
        _root(*_LOOP, "    break", "return (t + x / t) / 2"): (
            {AT_THE_ROOT: (3.0, 1 / 6), FROM_ONE: run_turns(2.0, 1.0, 2)},
            "The loop is left after its first turn.",
        ),
    },
    hints=(
        "When the value is right, what is the slope of one more turn, (t + x / t) / 2, with t as a constant?",
        "It is 1 / (2t), and that is the slope of the root. So no slope from the turns before is needed.",
        "Loop as before; then return not t, but one turn more.",
    ),
    praise="One turn of this loop at the root has the slope of the root, whatever came before: there the turn does not "
    "move with t. Most other loops have no such turn; the next cell shows two.",
)
