"""The exercise of notebook 08 about a loop that stops when its value is good enough."""

from __future__ import annotations

from typing import Any

from autodiff_lab import record, value_and_grad
from autodiff_lab.lessons.checks import Refused, attempt, run_cases

STARTS = {"√9 from 3": (9.0, 3.0), "√2 from 1": (2.0, 1.0), "√2 from 1.5": (2.0, 1.5), "√1000000 from 1": (1e6, 1.0)}
AT_THE_ROOT, FROM_ONE, _, FAR = STARTS
TABLE = {"sqrt", "cbrt", "power", "exp", "log"}


def expected_roots() -> dict[str, Any]:
    """√x and 1 / (2√x)."""
    return {case: (x**0.5, 0.5 / x**0.5) for case, (x, _) in STARTS.items()}


def find_roots(root: Any) -> Any:
    """Value and slope of the learner's loop, from several starts."""
    found = run_cases(lambda names, x, start: value_and_grad(lambda x: root(x, start))(x), STARTS, root)
    if len(found) < len(STARTS):
        return found
    recorded = attempt(lambda: record(lambda x: root(x, 1.0), 2.0)[1].ops)
    if isinstance(recorded, list) and any(op is not None and op.name in TABLE for op in recorded):
        return Refused("That takes the root from the table of rules. Here it is to be found by the loop, with + and /.")
    return found
