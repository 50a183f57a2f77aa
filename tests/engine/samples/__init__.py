"""Sample arguments for every row of the table. A row without an entry here fails the suite.

To add a rule, add its row to the table and one entry here, under the same key, in the file named like that of the
rule; the tests find both by themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import elementwise, grids, joining, linear_algebra, products, reductions, shapes, special
from .call import Call
from .elementwise import FLAT, QUESTIONS, SMALL_WHOLE_NUMBERS

__all__ = [
    "CALLS",
    "ELEMENTWISE",
    "FLAT",
    "QUESTIONS",
    "REFUSED",
    "SMALL_WHOLE_NUMBERS",
    "Call",
    "all_calls",
    "callable_of",
    "title",
]

ROOMS = (elementwise, reductions, shapes, joining, grids, products, linear_algebra, special)
CALLS: dict[Any, list[Call]] = {key: calls for room in ROOMS for key, calls in room.CALLS.items()}
ELEMENTWISE = elementwise.ELEMENTWISE | special.ELEMENTWISE

# rows that only say what to write instead; see misuses.py
REFUSED = {np.copyto, np.put, np.putmask, np.place}


def title(key: Any) -> str:
    """A row's key as the name of a test."""
    return key if isinstance(key, str) else key.__name__


def callable_of(key: Any) -> Any:
    """How a learner calls an elementwise row: the rows with a name of their own are reached through NumPy too."""
    return getattr(np, key) if isinstance(key, str) else key


def all_calls() -> list[tuple[str, Call]]:
    """Every call, with a name."""
    return [
        (f"{title(key)}-{i}", call) for key, calls in CALLS.items() for i, call in enumerate(calls)
    ]
