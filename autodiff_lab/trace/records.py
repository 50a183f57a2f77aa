"""The parts of a `Trace`: its numbers, sources, lines and steps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from autodiff_lab.text import notation
from autodiff_lab.trace.recorded_values import COPIED, Number
from autodiff_lab.trace.source_positions import Source, Span, Turn

__all__ = [
    "Cost",
    "Direction",
    "Equation",
    "Excerpt",
    "Hint",
    "Line",
    "Meter",
    "Mistake",
    "Number",
    "Operand",
    "Part",
    "Push",
    "Question",
    "Send",
    "Source",
    "Span",
    "Step",
    "Turn",
]


@dataclass(frozen=True)
class Operand:
    """One operand of an operation, with the local partial that carries the adjoint back to it.

    `line` and `partial` are None for a constant. `partial` is an array of weights for a reduction. It is None also
    where the adjoint goes back through a map that has no table of partials, which `formula` then writes or names.
    `edge` is what the edge of a graph says, and `edge_title` the whole of it where `edge` is shortened. `shapes` is
    what it says of an array: its shape, and where broadcasting copies it, the shape of its copies.
    """

    line: int | None
    name: str
    value: Number
    partial: Number | None = None
    formula: str = ""
    latex: str = ""
    edge: str = ""
    edge_title: str = ""
    shapes: str = ""

    @property
    def is_copied(self) -> bool:
        """Whether broadcasting copies it to the shape of the result."""
        return COPIED in self.shapes


@dataclass(frozen=True)
class Line:
    """One line of the tape: an input (`kind` is ``"input"``, `label` its parameter) or an ``"operation"``.

    `text` is the engine's own spelling (``"v-1 * v0"``), `symbol` what a node of the graph shows (``"×"``), and
    `latex` the operation in LaTeX. As people write it, the line is called `shown` (``"v₂"``), and computes
    `expression` (``"v₋₁ · v₀"``), or with the learner's names `meaning` (``"x1 · x2"``). Its adjoint is called `bar`,
    its tangent `dot`. `where` has the outermost frame first. `stretch` is 0 for what the program does itself; it counts
    the sweeps of inner derivatives, whose operations are on the tape as well. `turns` are those of the loops that were
    running, the outermost first.
    """

    name: str
    kind: str
    value: Number
    label: str = ""
    op: str = ""
    symbol: str = ""
    text: str = ""
    operands: tuple[Operand, ...] = ()
    where: tuple[Span, ...] = ()
    latex: str = ""
    shown: str = ""
    expression: str = ""
    meaning: str = ""
    bar: str = ""
    dot: str = ""
    stretch: int = 0
    turns: tuple[Turn, ...] = ()

    @property
    def called(self) -> str:
        """The learner's name of an input, unless it could be taken for a name of the tape; else `shown`."""
        return self.label if self.label and notation.pretty(self.label) == self.label else self.shown


@dataclass(frozen=True)
class Send:
    """A contribution on its way from a line to one of its parents; `before` is None if nothing had arrived.

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
class Push:
    """What one operand brings to a tangent, in one direction: its own tangent times the local partial."""

    slot: int
    parent: int
    contribution: Number
    term: str = ""
    share: float = 0.0


class Meter(NamedTuple):
    """What a run has cost up to a step, and what it has to remember there.

    `operations` counts lines that were computed, `products` multiplications by a local partial (one for each edge and
    direction), `kept` the numbers that are still needed, which take so many `bytes`.
    """

    operations: int
    products: int
    kept: int
    bytes: int


class Cost(NamedTuple):
    """What the whole gradient costs in one mode: so many `passes` (a run, and in reverse its sweep) in all.

    `kept` is the most that has to be remembered at any step.
    """

    passes: int
    operations: int
    products: int
    kept: int
    bytes: int


class Part(NamedTuple):
    """Steps from `first` to `last` of an excerpt are the steps of the whole run from `at` on."""

    first: int
    last: int
    at: int


@dataclass(frozen=True)
class Excerpt:
    """Which stretch of a long run a trace tells: its `number`, of all the `lines` and `steps` of the run.

    `parts` say which steps of the whole run it has; its other steps only prepare these. `said` says it in words, and
    `later` where the adjoints that have `arrived` come from. Its first lines are from `before`: these lines of the run.
    """

    number: int
    lines: int
    steps: int
    parts: tuple[Part, ...]
    said: str = ""
    later: str = ""
    arrived: tuple[Number | None, ...] = ()
    before: tuple[int, ...] = ()


@dataclass(frozen=True)
class Direction:
    """A direction for the inputs: the tangent of each, called `name` in a menu; `shown` writes it out."""

    name: str
    shown: str
    seeds: tuple[Number, ...]


class Mistake(NamedTuple):
    """A wrong answer that can be recognised, and what `kind` of mistake leads to it."""

    kind: str
    value: float


class Hint(NamedTuple):
    """What is said about a kind of mistake."""

    kind: str
    text: str


@dataclass(frozen=True)
class Question:
    """Something to foresee before a step is shown: a ``"value"``, ``"partial"``, ``"adjoint"`` or ``"tangent"``."""

    kind: str
    ask: str
    answer: Number
    mistakes: tuple[Mistake, ...] = ()


class Equation(NamedTuple):
    """A line of arithmetic: its `form`, and the `pieces` that stand for the letters in it.

    The letters say what a piece is, see `equations.KINDS`; a sign such as ``=`` stands for itself.

    >>> Equation("n=p=w", ("v₁", "log v₋₁", "0.6931")).text
    'v₁ = log v₋₁ = 0.6931'
    """

    form: str
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        pieces = iter(self.pieces)
        return "".join(next(pieces) if kind.isalpha() else f" {kind} " for kind in self.form)


@dataclass(frozen=True)
class Step:
    """One step: a line is recorded, the sweep is seeded, or a line sends its contributions.

    `phase` is ``"record"``, ``"seed"`` or ``"sweep"``; `adjoint` is the line's own, and None while recording. In
    forward mode it is ``"forward"``: a line is computed, and with it one tangent for each direction; `pushes` are what
    the operands bring, where there is a single direction. `sentence` says the step in words, `equations` in numbers.
    `released` are the lines that nobody needs any more from here on, `questions` what to foresee before it is shown.
    """

    phase: str
    line: int
    adjoint: Number | None = None
    sends: tuple[Send, ...] = ()
    sentence: str = ""
    equations: tuple[Equation, ...] = ()
    tangents: tuple[Number, ...] = ()
    pushes: tuple[Push, ...] = ()
    meter: Meter | None = None
    released: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()
