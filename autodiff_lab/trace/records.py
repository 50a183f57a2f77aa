"""The parts of a `Trace`: its numbers, sources, lines and steps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from autodiff_lab.text import notation, numbers
from autodiff_lab.trace.serialize import Entries, entries

_LARGEST_LIST = 64

COPIED = " → "
"""Between the shape of an operand, and the one that broadcasting copies it to."""


@dataclass(frozen=True, eq=False)
class Number:
    """A number or an array, as it is shown and as it is.

    Attributes
    ----------
    text : str
        The short form, as `text.numbers.number` writes it.
    value : float, nested tuple of float, or None
        The entries; None for an array of more than 64 entries.
    shape : tuple of int
        ``()`` for a scalar.
    short : str
        What fits into a node of the graph; empty where that is `text`.
    cells : str
        The entries of an array, row by row, as they are shown in a table: up to 12 rows and
        columns, up to 4 slices; once, where all are equal.

    >>> Number.of(np.float64(-0.28366218546322625))
    Number(text='−0.2837', value=-0.28366218546322625, shape=(), short='')
    >>> Number.of(np.arange(6.0).reshape(3, 2)).in_node
    '(3, 2) 0 … 5'
    """

    text: str
    value: Entries
    shape: tuple[int, ...] = ()
    short: str = ""
    cells: str = field(default="", repr=False)

    @classmethod
    def of(cls, x: object) -> Number:
        """Describe a float or an array."""
        array = np.asarray(x, dtype=float)
        value = entries(array.tolist()) if array.size <= _LARGEST_LIST else None
        text = numbers.number(array)
        short = numbers.short(array, text)
        return cls(text, value, array.shape, "" if short == text else short, numbers.cells(array))

    @property
    def in_node(self) -> str:
        """What a node of the graph shows."""
        return self.short or self.text

    @property
    def in_box(self) -> str:
        """What a box of the player shows of a value: of an array that cannot be written in full, its shape."""
        return str(self.shape) if self.short and self.shape else self.in_node

    @property
    def range_in_box(self) -> str:
        """What a box of the player shows of a derivative: its shape is that of the value, so the entries alone.

        >>> Number.of(np.arange(6.0).reshape(3, 2)).in_box, Number.of(np.arange(6.0).reshape(3, 2)).range_in_box
        ('(3, 2)', '0 … 5')
        """
        return self.in_node.removeprefix(f"{self.shape} ")

    def flowing(self, to: tuple[int, ...] = ()) -> str:
        """What an edge of the graph shows: the shape of what flows, and the one that it is copied to.

        >>> Number.of([1.0, 2.0, 3.0]).flowing(), Number.of([1.0, 2.0, 3.0]).flowing((2, 3)), Number.of(1.0).flowing()
        ('(3,)', '(3,) → (2, 3)', '')
        """
        return f"{self.shape}{COPIED}{to}" if to and to != self.shape else str(self.shape) if self.shape else ""

    # nan differs from itself, yet a trace that was stored and read again must equal the first one:
    # two numbers are equal when they are written alike.
    def _key(self) -> tuple:
        return self.text, numbers.spell_nonfinite(self.value), self.shape, self.cells

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Number) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


class Span(NamedTuple):
    """A stretch of a source: 0-based lines and character columns into `Source.text`."""

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Source:
    """The text of one function, dedented; `first_line` is where it stands in its file or cell.

    `ran` has for each line how often it ran, and for the head of a loop how often that turned; 0 if it is known not to
    have run, −1 where there is nothing to say. It is empty if every line ran once, or if nothing is known.
    """

    name: str
    first_line: int
    text: tuple[str, ...]
    ran: tuple[int, ...] = ()


class Turn(NamedTuple):
    """Turn `n` of `count` of the loop whose head is line `line` (0-based) of a source."""

    source: int
    line: int
    n: int
    count: int


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
    `latex` the operation in LaTeX. As people write it, the line has the `display_name` ``"v₂"`` and computes
    `expression` (``"v₋₁ · v₀"``), or with the learner's names `source_expression` (``"x1 · x2"``). JSON calls the
    last one ``"meaning"``, and the names ``"shown"``, ``"bar"`` and ``"dot"``. `where` has the outermost frame first.
    `sweep_id` is 0 for what the program does itself, and counts the sweeps of inner derivatives, whose operations are
    on the tape as well. `turns` are those of the loops that were running, the outermost first.

    The learner's source calls the value `assigned_name`, in JSON ``"called"``: that is an input's label, and the target
    of the assignment whose right-hand side the line is. A result that has none is called as in pictures: ``"y"``. Of
    several lines of this name in one source, it is number `occurrence`. `reading` is the operation in these names.
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
    display_name: str = field(default="", metadata={"key": "shown"})
    expression: str = ""
    source_expression: str = field(default="", metadata={"key": "meaning"})
    adjoint_name: str = field(default="", metadata={"key": "bar"})
    tangent_name: str = field(default="", metadata={"key": "dot"})
    sweep_id: int = field(default=0, metadata={"key": "stretch"})
    turns: tuple[Turn, ...] = ()
    assigned_name: str = field(default="", metadata={"key": "called"})
    occurrence: int = 0
    reading: str = ""

    @property
    def line_operands(self) -> list[Operand]:
        """The operands that are lines of the tape; the others are constants."""
        return [operand for operand in self.operands if operand.line is not None]

    @property
    def is_scalar(self) -> bool:
        """Whether its value is a number, and so are those of the lines that it uses."""
        return not (self.value.shape or any(operand.value.shape for operand in self.line_operands))

    @property
    def learner_name(self) -> str:
        """What the learner calls it; `display_name`, where that is nothing."""
        return self.assigned_name or self.display_name

    @property
    def clear_name(self) -> str:
        """The same, with `display_name` beside a name that several lines have: ``s (v₃)``."""
        return f"{self.assigned_name} ({self.display_name})" if self.occurrence else self.learner_name

    @property
    def row_name(self) -> str:
        """What it is called in a table of the tape: ``v₅``, and beside it the learner's name for an operation."""
        named = self.kind == "operation" and self.assigned_name
        return f"{self.display_name} = {self.assigned_name}" if named else self.display_name

    @property
    def label_or_name(self) -> str:
        """The learner's name of an input, unless it could be taken for a name of the tape; else `display_name`."""
        return self.label if self.label and notation.format_name(self.label) == self.label else self.display_name


@dataclass(frozen=True)
class Contribution:
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
class TangentTerm:
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


class StepRange(NamedTuple):
    """Steps from `first` to `last` of an excerpt are the steps of the whole run from `at` on."""

    first: int
    last: int
    at: int


@dataclass(frozen=True)
class Excerpt:
    """Which stretch of a long run a trace tells: its `number`, of all the `lines` and `steps` of the run.

    `parts` say which steps of the whole run it has; its other steps only prepare these. `said` says it in words, and
    `later` where the adjoints that have `arrived` come from. Its first lines are from `before`: these lines of the run.
    The sweep goes through each chapter of the run from a step of the whole run up to, not including, another: `swept`.
    """

    number: int
    lines: int
    steps: int
    parts: tuple[StepRange, ...]
    said: str = ""
    later: str = ""
    arrived: tuple[Number | None, ...] = ()
    before: tuple[int, ...] = ()
    swept: tuple[tuple[int, int], ...] = ()


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
    the operands bring, where there is a single direction. `sentence` says the step in words, `arithmetic` in
    numbers with the learner's names, `equations` in symbols with those of the tape. `freed_lines` are the lines that
    nobody needs any more from here on, `questions` what to foresee before it is shown.
    """

    phase: str
    line: int
    adjoint: Number | None = None
    sends: tuple[Contribution, ...] = ()
    sentence: str = ""
    equations: tuple[Equation, ...] = ()
    tangents: tuple[Number, ...] = ()
    pushes: tuple[TangentTerm, ...] = ()
    meter: Meter | None = None
    freed_lines: tuple[int, ...] = field(default=(), metadata={"key": "released"})
    questions: tuple[Question, ...] = ()
    arithmetic: Equation | None = None

    def with_equation(self, equation: Equation) -> Step:
        """The same step with one equation more."""
        return replace(self, equations=(*self.equations, equation))
