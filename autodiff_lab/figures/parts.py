"""The parts of a `Trace`: its numbers, sources, lines and steps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autodiff_lab.figures import notation, numerals
from autodiff_lab.figures.plaindata import Entries, entries, spelled

_LARGEST_LIST = 64


@dataclass(frozen=True, eq=False)
class Number:
    """A number or an array, as it is shown and as it is.

    Attributes
    ----------
    text : str
        The short form, as `numerals.number` writes it.
    value : float, nested tuple of float, or None
        The entries; None for an array of more than 64 entries.
    shape : tuple of int
        ``()`` for a scalar.
    short : str
        What fits into a node of the graph; empty where that is `text`.

    >>> Number.of(np.float64(-0.28366218546322625))
    Number(text='−0.2837', value=-0.28366218546322625, shape=(), short='')
    >>> Number.of(np.arange(6.0).reshape(3, 2)).in_node
    '(3, 2) 0 … 5'
    """

    text: str
    value: Entries
    shape: tuple[int, ...] = ()
    short: str = ""

    @classmethod
    def of(cls, x: object) -> Number:
        """Describe a float or an array."""
        array = np.asarray(x, dtype=float)
        value = entries(array.tolist()) if array.size <= _LARGEST_LIST else None
        text = numerals.number(array)
        short = numerals.short(array, text)
        return cls(text, value, array.shape, "" if short == text else short)

    @property
    def in_node(self) -> str:
        """What a node of the graph shows."""
        return self.short or self.text

    # nan differs from itself, yet a trace that was stored and read again must equal the first one:
    # two numbers are equal when they are written alike.
    def _key(self) -> tuple:
        return self.text, spelled(self.value), self.shape

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
    """The text of one function, dedented; `first_line` is where it stands in its file or cell."""

    name: str
    first_line: int
    text: tuple[str, ...]


@dataclass(frozen=True)
class Operand:
    """One operand of an operation, with the local partial that carries the adjoint back to it.

    `line` and `partial` are None for a constant. `partial` is an array of weights for a reduction. It is None also
    where the adjoint goes back through a map that has no table of partials, which `formula` then writes or names.
    `edge` is what the edge of a graph says, and `edge_title` the whole of it where `edge` is shortened.
    """

    line: int | None
    name: str
    value: Number
    partial: Number | None = None
    formula: str = ""
    latex: str = ""
    edge: str = ""
    edge_title: str = ""


@dataclass(frozen=True)
class Line:
    """One line of the tape: an input (`kind` is ``"input"``, `label` its parameter) or an ``"operation"``.

    `text` is the engine's own spelling (``"v-1 * v0"``), `symbol` what a node of the graph shows (``"×"``), and
    `latex` the operation in LaTeX. As people write it, the line is called `shown` (``"v₂"``), and computes
    `expression` (``"v₋₁ · v₀"``), or with the learner's names `meaning` (``"x1 · x2"``). `where` has the outermost
    frame first.
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

    @property
    def called(self) -> str:
        """The learner's name of an input, unless it could be taken for a name of the tape; else `shown`."""
        return self.label if self.label and notation.pretty(self.label) == self.label else self.shown


@dataclass(frozen=True)
class Send:
    """A contribution on its way from a line to one of its parents; `before` is None if nothing had arrived."""

    slot: int
    parent: int
    contribution: Number
    after: Number
    before: Number | None = None


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

    `phase` is ``"record"``, ``"seed"`` or ``"sweep"``; `adjoint` is the line's own, and None while recording.
    `sentence` says the step in words, `equations` in numbers.
    """

    phase: str
    line: int
    adjoint: Number | None = None
    sends: tuple[Send, ...] = ()
    sentence: str = ""
    equations: tuple[Equation, ...] = ()
