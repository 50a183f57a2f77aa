"""The birth of a NaN in a traced sweep, as NaNDetective finds it and explains it by its two factors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autodiff_lab.trace.model import Contribution, Number, Step, Trace


class Birth(NamedTuple):
    """The birth of the first NaN or infinity in a sweep: which step sends which product, with which local partial."""

    # How many products have been sent with it.
    place: int
    step: Step
    send: Contribution
    partial: Number | None

    @property
    def adjoint(self) -> Number:
        """The adjoint in the product that gives birth to the first NaN or infinity."""
        assert self.step.adjoint is not None, "a step that sends has an adjoint"
        return self.step.adjoint


def find_birth(trace: Trace, sweep: Sequence[Step]) -> Birth | None:
    """Find the product that gives birth to the first NaN or infinity of a sweep; None if every adjoint is finite."""
    for place, step in enumerate(sweep, 1):
        for send in step.sends:
            if not (is_finite(send.contribution) and is_finite(send.after)):
                return Birth(place, step, send, trace.lines[step.line].operands[send.slot].partial)
    return None


def explain_birth(birth: Birth, row: str) -> str:
    """Explain a NaN's birth by its two factors: which is not finite, or whether it is 0 × ∞."""
    adjoint, partial = birth.adjoint, birth.partial
    if is_finite(birth.send.contribution):
        return "It is finite; the sum with what was there already is not."
    if partial is None:
        return ""
    odd = [name for name, x in (("adjoint", adjoint), ("local partial", partial)) if not is_finite(x)]
    if odd and np.any(np.isnan(_entries(birth.send.contribution))):
        return f"What arrived at {row} is {adjoint.text}, its local partial is {partial.text}: 0 × ∞ is NaN."
    return f"Its {' and its '.join(odd)} is not finite." if odd else "Both are finite, and their product overflows."


def is_finite(x: Number) -> bool:
    """Whether no NaN or infinity has been born in a value or adjoint: all its entries are finite."""
    return bool(np.all(np.isfinite(_entries(x))))


def _entries(x: Number) -> np.ndarray:
    return np.asarray(x.value, dtype=float)
