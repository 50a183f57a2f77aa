"""The birth of a NaN in a traced sweep, as NaNDetective finds it: a step that a trace marks as one, and its factors."""

from collections.abc import Sequence
from typing import NamedTuple

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
        if step.birth:
            (send,) = step.sends
            return Birth(place, step, send, trace.lines[step.line].operands[send.slot].partial)
    return None
