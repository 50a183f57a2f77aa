"""The exercises of notebook 07 about the package's tape: what it hears, how often it answers, and `minimize`."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import in_small_letters, plain
from autodiff_lab.lessons.lesson_07.sandbox import STEPS, after

# 4. the truth table


# 5. rewound once

_TWICE, _AFTERWARDS = "the two gradients", "what the tape says to one question more"


# 6. None or zero

NONE_OR_ZERO = ("zero", "none", "zero", "none")


def read_policies(answer: Any) -> Any:
    """Words in small letters; None and 0 themselves will do."""
    seen = plain(answer)
    if not isinstance(seen, tuple):
        return seen
    spelled = {None: "none", 0.0: "zero"}
    said = [spelled.get(part, part) if part is None or isinstance(part, float) else part for part in seen]
    return in_small_letters(
        [part.lower().replace("zeros", "zero") if isinstance(part, str) else part for part in said], *NONE_OR_ZERO[:2]
    )


# 7. minimize


def _shrinking(factor: float) -> dict[str, Any]:
    """What the loss is after each step if each multiplies it by this factor: it begins with 68."""
    return {after(k): 68 * factor**k for k in range(STEPS + 1)}
