"""The two exercises of notebook 13 with data of one's own: where a NaN is born, and what a clip sends back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab import grad
from autodiff_lab.lessons.checks import Instance, plain
from autodiff_lab.trace.model import Trace

PROGRAMS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "where(x > 0, log(x), 0) at x = 0": (lambda x: np.where(x > 0, np.log(x), 0.0), 0.0),
    "sqrt(x * x) ** 2 at x = 0": (lambda x: np.sqrt(x * x) ** 2, 0.0),
    "where(x > 1, sqrt(x - 1), 0) at x = 1": (lambda x: np.where(x > 1, np.sqrt(x - 1), 0.0), 1.0),
    "log(1 + exp(x)) at x = 800": (lambda x: np.log(1 + np.exp(x)), 800.0),
    "1 / (1 + exp(-x)) at x = -800": (lambda x: 1 / (1 + np.exp(-x)), -800.0),
    "x * log(x) at x = 0": (lambda x: x * np.log(x), 0.0),
    "arccos(cos(x)) at x = 0": (lambda x: np.arccos(np.cos(x)), 0.0),
}
"""Each with one input, so that the rows are v0, v1, v2, …"""
DRAWS = {"program": tuple(PROGRAMS)}


_PLAIN = str.maketrans({**dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)), "∞": "inf", "−": "-", "_": None})
"""The lab and the tables write v₁ for v1, and ∞ for inf."""


def read_birthplace(answer: Any) -> Any:
    """Row, adjoint and local partial, all in words: nan and the infinities compare as words only.

    >>> read_birthplace(("v1", 0, np.inf)), read_birthplace(("v2", -0.0, np.nan))
    (('v1', '0', 'inf'), ('v2', '0', 'nan'))
    >>> read_birthplace(("v₁", "0.0", "−∞"))
    ('v1', '0', '-inf')
    """
    seen = plain(answer)
    if not isinstance(seen, tuple) or not seen:
        return seen
    row, *numbers = [part.strip().lower().translate(_PLAIN) if isinstance(part, str) else part for part in seen]
    return (row, *map(_in_words, numbers))


def _in_words(part: Any) -> Any:
    try:
        return f"{float(part) + 0.0:g}"
    except (TypeError, ValueError):
        return part


def find_birthplace(program: str = "where(x > 0, log(x), 0) at x = 0") -> Instance:
    """The row that makes the first adjoint that is not finite, by the engine; and five ways to miss it."""
    f, x = PROGRAMS[program]
    with np.errstate(all="ignore"):
        trace = Trace.of(f, x)
    sweep = [step for step in trace.steps if step.phase == "sweep"]
    step, send = next((step, send) for step in sweep for send in step.sends if not np.isfinite(send.contribution.value))
    line = trace.lines[step.line]
    row, last = line.name, trace.lines[-1].name
    adjoint, partial = step.adjoint.value + 0.0, line.operands[send.slot].partial.value + 0.0  # type: ignore[union-attr]
    mistakes = {
        "the product": (row, adjoint, send.contribution.value + 0.0),
        "value of the row": (row, adjoint, line.value.value + 0.0),
        "seed as the adjoint": (row, 1.0, partial),
        "factors exchanged": (row, partial, adjoint),
        "where it is seen": ("v0", adjoint, partial),
        "v0 and nan twice": ("v0", np.nan, np.nan),
        "last row": (last, 1.0, 0.0),
    }
    right = plain((row, adjoint, partial))
    words = {"row": row, "last": last}
    return Instance(read_birthplace(right), reference=f"answer = {right!r}", mistakes=mistakes, words=words)


def differentiate_clip(e1: float = -2.0, e2: float = 0.3, e3: float = 5.0) -> Instance:
    """What comes back through a clip, for three errors: of the sum, and of half the sum of squares."""
    errors = np.array([e1, e2, e3])
    clipped, inside = plain(np.clip(errors, -1.0, 1.0)), np.abs(errors) < 1
    of_sum = plain(grad(lambda e: np.sum(np.clip(e, -1.0, 1.0)))(errors))
    of_squares = plain(grad(lambda e: 0.5 * np.sum(np.clip(e, -1.0, 1.0) ** 2))(errors) + 0.0)
    right = (of_sum, of_squares)
    mistakes = {
        "clipped errors": (of_sum, clipped),
        "clip passed over": ((1.0, 1.0, 1.0), clipped),
        "no clip": ((1.0, 1.0, 1.0), errors),
        "inside out": (1.0 * ~inside, clipped * ~inside),
        "the sum twice": (of_sum, of_sum),
    }
    return Instance(right, mistakes=mistakes)
