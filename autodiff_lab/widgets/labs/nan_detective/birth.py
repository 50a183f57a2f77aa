"""The birth of a NaN: the first product of a sweep that makes an adjoint that is not finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autodiff_lab.trace.model import Contribution, Number, Step, Trace


class Birth(NamedTuple):
    """The product that makes the first adjoint that is not finite."""

    step: int
    """Which step of the sweep forms it."""
    line: int
    adjoint: Number
    partial: Number | None
    send: Contribution


def find_birth(trace: Trace, sweep: Sequence[Step]) -> Birth | None:
    """Find the guilty product among the steps of a sweep; None if every adjoint is finite."""
    for place, step in enumerate(sweep, 1):
        for send in step.sends:
            if not (is_finite(send.contribution) and is_finite(send.after)):
                assert step.adjoint is not None
                partial = trace.lines[step.line].operands[send.slot].partial
                return Birth(place, step.line, step.adjoint, partial, send)
    return None


def explain_birth(birth: Birth, row: str) -> str:
    """Say what is special about the two factors."""
    if is_finite(birth.send.contribution):
        return "It is finite; the sum with what was there already is not."
    if birth.partial is None:
        return ""
    factors = {"adjoint": birth.adjoint, "local partial": birth.partial}
    odd = [name for name, factor in factors.items() if not is_finite(factor)]
    if np.any(np.isnan(birth.send.contribution.value)) and odd:
        return (
            f"What arrived at {row} is {birth.adjoint.text}, its local partial is {birth.partial.text}: 0 × ∞ is NaN."
        )
    return f"Its {' and its '.join(odd)} is not finite." if odd else "Both are finite, and their product overflows."


def is_finite(x: Number) -> bool:
    """Whether all entries of a value are finite."""
    return bool(np.all(np.isfinite(np.asarray(x.value, dtype=float))))
