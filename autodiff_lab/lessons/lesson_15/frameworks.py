"""The exercises of notebook 15 at the end of the road: who does what, and a row that everything follows."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import in_small_letters

# 3. six machines

_SYSTEMS = ("d", "f", "a", "c", "e", "b")


def read_letters(answer: Any) -> Any:
    """Six letters, in one text or apart."""
    parts = [letter for letter in answer if letter.isalpha()] if isinstance(answer, str) else answer
    return in_small_letters(parts, *sorted(_SYSTEMS))


# 4. a row of the table


# 5. an operation of one's own
