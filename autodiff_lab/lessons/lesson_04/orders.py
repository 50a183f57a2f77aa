"""The exercises of notebook 04 about order: which cell waits for which; the same operand twice; calls of backward."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Refused, describe, plain
from autodiff_lab.lessons.lesson_04.sandbox import expected_orders

# 6. valid orders

VALID = ("ybca", "ycba")
WRONG, MISSING, YOURS = "wrong orders in your list", "valid orders that are missing", "your orders"


def read_orders(answer: Any) -> Any:
    """How many of these orders are valid, however they are written."""
    found = plain(sorted(answer) if isinstance(answer, set) else answer)
    if isinstance(found, tuple):
        found = tuple("".join(map(str, order)) if isinstance(order, tuple) else order for order in found)
    if not isinstance(found, tuple) or not all(isinstance(order, str) for order in found):
        return Refused(f"You gave {describe(answer)}.")
    given = sorted({"".join(char for char in order.lower() if char.isalpha()) for order in found} - {""})
    odd = next((order for order in given if sorted(order) != sorted(VALID[0])), None)
    if odd is not None:
        return Refused(f"An order has each of y, b, c and a once, and {describe(odd)} does not.")
    wrong = len(set(given) - set(VALID))
    return {WRONG: wrong, MISSING: len(set(VALID) - set(given)), YOURS: tuple(given)}


# 7. a topological order


FIRST, _, _, _, BESIDE, *_, MANY = expected_orders()


# 8. one operation, the same operand twice


# 9. three times backward
