"""`Trace`: one run of a function and its reverse sweep, as plain data.

Everything that a view shows (a table, a drawing, the player, a sentence) is a function of a `Trace` and a step
number. A trace holds numbers and text only, never an array or an engine object; so it can be stored, compared and
sent to a browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.figures import notation
from autodiff_lab.figures.plaindata import Entries, Pool, build, entries, plain, spelled

VERSION = 2
_LARGEST_LIST = 64


@dataclass(frozen=True, eq=False)
class Number:
    """A number or an array, as it is shown and as it is.

    Attributes
    ----------
    text : str
        The short form, as `notation.number` writes it.
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
        text = notation.number(array)
        short = notation.short(array, text)
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


@dataclass(frozen=True)
class Trace:
    """One run of a function, recorded line by line, and its reverse sweep.

    Attributes
    ----------
    lines : tuple of Line
        The tape; `result` is the one that is returned, called `result_name` in pictures.
    steps : tuple of Step
        What happens, in order; `opening` is said before the first.
    sources : tuple of Source
        The learner's functions; `note` says what is unusual about this run.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace.of(lambda x1, x2: np.log(x1) + x1 * x2 - np.sin(x2), 2.0, 5.0)
    >>> trace.lines[6].text, trace.value.text
    ('v3 - v4', '11.6521')
    >>> [step.phase for step in trace.steps].count("sweep")
    5
    >>> trace.gradient[0].text, trace.gradient[1].text
    ('5.5', '1.7163')
    >>> print(trace.steps[9].sentence)
    v₄ = sin x2 sends −1 · cos 5 = −0.2837 to x2 (v₀); v₀ now holds −0.2837. x2 is also used in v₂: one more contribution is still to come.
    >>> Trace.from_json(trace.to_json()) == trace
    True
    """  # noqa: E501

    title: str
    function: str
    parameters: tuple[str, ...]
    sources: tuple[Source, ...]
    note: str
    lines: tuple[Line, ...]
    steps: tuple[Step, ...]
    result: int | None
    value: Number
    result_name: str = "y"
    opening: str = ""

    @classmethod
    def of(cls, f: Callable[..., Any], *args: Any) -> Trace:
        """Run ``f(*args)``, record it and sweep it in reverse.

        Parameters
        ----------
        f : callable
            The function to look at.
        *args : float or array_like
            Where to run it.

        Returns
        -------
        Trace
            When the result is an array, the sum of its entries is differentiated, and `note` says so.
        """
        from autodiff_lab.engine.transforms import record

        value, tape = record(f, *args, sites=True)
        return cls.from_tape(tape, f, value=value)

    @classmethod
    def from_tape(cls, tape: Any, f: Callable[..., Any], *, value: Any = None) -> Trace:
        """Describe a tape that was recorded from `f`; give `value` if the result is not a line of the tape."""
        from autodiff_lab.figures.reading import read_tape

        return read_tape(tape, f, value)

    @property
    def inputs(self) -> tuple[int, ...]:
        """The lines that are inputs."""
        return tuple(i for i, line in enumerate(self.lines) if line.kind == "input")

    @property
    def gradient(self) -> tuple[Number | None, ...]:
        """The adjoints of the inputs after the last step; None for an input that the sweep never reached."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(last[i] for i in self.inputs)

    @property
    def unreached(self) -> tuple[int, ...]:
        """The lines that get no adjoint: the result does not depend on them."""
        last = self.adjoints_at(len(self.steps) - 1)
        return tuple(i for i, adjoint in enumerate(last) if adjoint is None)

    def recorded_at(self, step: int) -> int:
        """Count the lines on the tape once step `step` is done (−1: before the first)."""
        return sum(1 for done in self.steps[: step + 1] if done.phase == "record")

    def adjoints_at(self, step: int) -> list[Number | None]:
        """Give the adjoint of every line once step `step` is done; None where nothing has arrived."""
        adjoints: list[Number | None] = [None] * len(self.lines)
        for done in self.steps[: step + 1]:
            if done.phase == "seed":
                adjoints[done.line] = done.adjoint
            for send in done.sends:
                adjoints[send.parent] = send.after
        return adjoints

    def to_dict(self) -> dict[str, Any]:
        """Give the trace as dictionaries, lists, strings, numbers and None: what JSON knows.

        Fields that have their default are left out. Each number is written once, in the list ``"numbers"``; wherever
        a trace holds a `Number`, its place in that list stands.
        """
        pool = Pool(Number)
        data = plain(self, pool)
        return {"version": VERSION, "numbers": [plain(number) for number in pool.values], **data}

    def to_json(self) -> str:
        """Give the trace as JSON; nan and the infinities are the strings ``"nan"``, ``"inf"`` and ``"-inf"``."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError
            If the text was written by a version of the package with another form of trace.
        """
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("version") != VERSION:
            found = data.get("version") if isinstance(data, dict) else None
            raise ValueError(
                f"This is not a trace of version {VERSION} (found {found!r}). Make it again with Trace.of(f, *args)."
            )
        return build(cls, data, Pool(Number, [build(Number, number) for number in data["numbers"]]))

    def __repr__(self) -> str:
        return f"<Trace of {self.title}: {len(self.lines)} lines, {len(self.steps)} steps>"
