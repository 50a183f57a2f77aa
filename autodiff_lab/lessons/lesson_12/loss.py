"""The exercises of notebook 12 about the loss: its gradient, its way down, and gradients that are wrong or too long."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import plain
from autodiff_lab.lessons.lesson_12 import sandbox

# 1. softmax and cross-entropy


ONE, TWO = "one flower, all scores equal", "two flowers"
_RIGHT = sandbox.expected_score_gradients()


# 2. the series


# 3. a bug that trains


_WANTED = sandbox.expected_comparison()


def read_pair(answer: Any) -> Any:
    """A number and a word; capitals and brackets do not matter, and a heavy ball is momentum.

    >>> read_pair([1, "Heavy-ball momentum"]), read_pair((0.5, " B)"))
    ((1.0, 'momentum'), (0.5, 'b'))
    """
    parts = plain(answer)
    if not isinstance(parts, tuple):
        return parts
    return tuple(_word(part) if isinstance(part, str) else part for part in parts)


def _word(text: str) -> str:
    word = " ".join(text.casefold().replace("-", " ").strip(" .()").split())
    return "momentum" if word in {"heavy ball", "heavy ball momentum", "momentum"} else word


# 4. too long a step
