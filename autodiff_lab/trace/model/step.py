"""A step of a trace: the line that is recorded, or the contributions that are sent, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from autodiff_lab.trace.model.equation import Equation
from autodiff_lab.trace.model.number import Number
from autodiff_lab.trace.model.question import Question

Phase = Literal["record", "forward", "seed", "sweep"]


@dataclass(frozen=True)
class Contribution:
    """A contribution that a step of a `Trace` sends from a line to a parent, to be added to its adjoint.

    Attributes
    ----------
    slot : int
        The position of the operand in the operation.
    parent : int
        The operand's line.
    contribution : Number
        The upstream gradient times the local partial.
    before, after : Number
        The parent's adjoint before and after; `before` is None if nothing had arrived yet.
    term : str
        The product in numbers, as in ``"(−1) × 0.2837"``.
    share : float
        The magnitude of the contribution relative to the largest one of the run, from 0 to 1.
    replaces : bool
        Whether the contribution overwrites the adjoint instead of being added, as in a faulty engine.
    copies : Number or None
        If the operand was broadcast, the contributions of all its copies, of which this is the sum.
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
    """The memory usage at a step, and the cost of the run so far.

    `operations` counts the lines computed so far, and `products` the multiplications by a local partial
    (one for each edge and direction). `kept` counts the numbers that are still needed, and `bytes` is
    the memory they take.
    """

    operations: int
    products: int
    kept: int
    bytes: int


@dataclass(frozen=True)
class Step:
    """One step of a `Trace`: a line is recorded, the sweep is seeded, or a line sends its contributions.

    In reverse mode, `phase` is ``"record"``, ``"seed"`` or ``"sweep"``; `adjoint` is the line's adjoint,
    None while recording. In forward mode, `phase` is ``"forward"``: a line is computed together with its
    `tangents`, one for each direction. For a single direction, `pushes` are the terms of the tangent.

    Three attributes explain the step: `sentence` in words, `arithmetic` in numbers with the learner's
    names, and `equations` in symbols with the names of the tape. If the step produces a NaN or an
    infinity, `birth` explains where it comes from, and the sentence includes that. `freed_lines` are
    the lines that are no longer needed after this step. `questions` let the reader predict the step's
    numbers.

    While the numbers move, a player shows the `announcement`, which doesn't reveal the result. Once
    they have arrived, it shows `shown_sentence`: the `outcome`, which doesn't repeat `arithmetic`, or
    the sentence if there is no outcome.
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
        """The text below the arithmetic once this step of a `Trace` has been played."""
        return self.outcome or self.sentence

    def with_equation(self, equation: Equation) -> Step:
        """Return this step of a `Trace` with one more equation."""
        return replace(self, equations=(*self.equations, equation))
