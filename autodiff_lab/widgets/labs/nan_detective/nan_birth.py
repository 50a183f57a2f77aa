"""The first NaN or infinity of a sweep: the step of the trace that produces it, and the two factors of the product."""

from collections.abc import Sequence
from typing import NamedTuple

from autodiff_lab.trace.model import Contribution, Number, Step, Trace


class Birth(NamedTuple):
    """The product in which the first NaN or infinity of a sweep appears: its step, and its local partial."""

    # The number of steps of the sweep up to this one.
    place: int
    step: Step
    send: Contribution
    partial: Number | None

    @property
    def adjoint(self) -> Number:
        """The adjoint in the product, its other factor."""
        assert self.step.adjoint is not None, "a step that sends has an adjoint"
        return self.step.adjoint


def find_birth(trace: Trace, sweep: Sequence[Step]) -> Birth | None:
    """Find the product that is the first NaN or infinity of a sweep; None if every adjoint is finite."""
    for place, step in enumerate(sweep, 1):
        if step.birth:
            (send,) = step.sends
            operand = trace.lines[step.line].operands[send.slot]
            return Birth(place, step, send, operand.partial)
    return None
