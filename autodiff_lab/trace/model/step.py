"""A step of a trace: what is recorded, sent or moved, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from autodiff_lab.trace.model.equation import Equation
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.question import Question

Phase = Literal["record", "forward", "seed", "sweep"]


@dataclass(frozen=True)
class Contribution:
    """A contribution that a step of a `Trace` sends from a line to a parent; `before` is None if nothing had arrived.

    `term` is the product that it is (``"(−1) × 0.2837"``), `share` its size beside the largest of the run: 0 to 1. A
    faulty engine may let it take the place of what was there: it `replaces` that. Where an operand was copied to the
    shape of the result, `copies` are the contributions of all copies, whose sum it is.
    """

    slot: int
    parent: int
    contribution: Number
    after: Number
    before: Number | None = None
    term: str = ""
    share: float = 0.0
    replaces: bool = False
    copies: Number | None = None


@dataclass(frozen=True)
class TangentTerm:
    """A term of a tangent in a step of a `Trace`: the tangent of one operand times its local partial."""

    slot: int
    parent: int
    contribution: Number
    term: str = ""
    share: float = 0.0


class Meter(NamedTuple):
    """The memory usage at a step, and what the run has cost up to there.

    `operations` counts lines that were computed, `products` multiplications by a local partial (one for each edge and
    direction), `kept` the numbers that are still needed, which take so many `bytes`.
    """

    operations: int
    products: int
    kept: int
    bytes: int


@dataclass(frozen=True)
class Step:
    """One step of a `Trace`: a line is recorded, the sweep is seeded, or a line sends its contributions.

    `phase` is ``"record"``, ``"seed"`` or ``"sweep"``; `adjoint` is the line's own, and None while recording. In
    forward mode it is ``"forward"``: a line is computed, and with it one tangent for each direction; `pushes` are what
    the operands bring, where there is a single direction. `sentence` says the step in words, `arithmetic` in
    numbers with the learner's names, `equations` in symbols with those of the tape. `freed_lines` are the lines that
    nobody needs any more from here on, `questions` what to foresee before it is shown. `birth` says why a NaN or an
    infinity is born in this step, if one is; the sentence says it too.

    A view that plays the step says its `announcement` while numbers are on their way, which gives no result away, and
    `shown_sentence` once they have arrived. That is the `outcome`, which says something else than `arithmetic` does,
    or where it is empty the sentence.
    """

    phase: Phase
    line: int
    adjoint: Number | None = None
    sends: tuple[Contribution, ...] = ()
    sentence: str = ""
    equations: tuple[Equation, ...] = ()
    tangents: tuple[Number, ...] = ()
    pushes: tuple[TangentTerm, ...] = ()
    meter: Meter | None = None
    freed_lines: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()
    arithmetic: Equation | None = None
    birth: str = ""
    announcement: str = ""
    outcome: str = ""

    @property
    def shown_sentence(self) -> str:
        """What stands below the arithmetic once this step of a `Trace` has been played."""
        return self.outcome or self.sentence

    def with_equation(self, equation: Equation) -> Step:
        """The same step of a `Trace` with one equation more."""
        return replace(self, equations=(*self.equations, equation))
