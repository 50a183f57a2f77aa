"""Tape designs side by side: what each stores, and what it can do besides, found out by trying.

>>> comparison = compare(lambda x, y: np.sin(x) + x * y, 3.0, 1.0)
>>> print(comparison.table())
design                      numbers  bytes  closures  written to  differentiated again  replayed
partials                    5        40     0         survives    no                    no
closures                    2        16     3         changes     yes                   no
operations                  5        40     0         changes     yes                   yes
operations, inputs copied   5        40     0         survives    yes                   yes
operations, inputs checked  5        40     0         raises      yes                   yes
>>> for operation, *kept in zip(comparison.program, *(c.ledger for c in comparison.columns[:3]), strict=True):
...     print(operation, *(stored.names for stored in kept), sep=" | ")
v1 = sin(v-1) | ('∂v1/∂v-1',) | ('v-1',) | ('v-1', 'v1')
v2 = v-1 * v0 | ('∂v2/∂v-1', '∂v2/∂v0') | ('v-1', 'v0') | ('v-1', 'v0', 'v2')
v3 = v1 + v2 | ('∂v3/∂v1', '∂v3/∂v2') | () | ('v1', 'v2', 'v3')

The inputs live in an array, and each design is given their places in it. So writing into the array after the run does
to each what it does: a cell has made its numbers out of the inputs and needs them no more; a closure, and a tape that
does not copy, look there when the sweep comes, and find something else.
"""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.errors import AutodiffError, InputError
from ..engine.values import as_number
from ..transforms.jacobians import hessian
from ..transforms.recording import record
from .designs import DESIGNS, Design, Program, entry_views

__all__ = ["Column", "Comparison", "Outcome", "Stored", "compare"]


@dataclasses.dataclass(frozen=True)
class Stored:
    """An entry of a side-by-side comparison: the names and numbers that a design stores for one operation."""

    names: tuple[str, ...]
    numbers: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a trial in a side-by-side comparison: a verdict, the numbers found, an exception's message."""

    verdict: str
    numbers: tuple[Any, ...] = ()
    says: str = ""


@dataclasses.dataclass(frozen=True)
class Column:
    """One design's column in a side-by-side comparison: what it stores, and the outcome of each trial.

    Attributes
    ----------
    design : str
    value : float
    gradient : tuple of float
    ledger : tuple of Stored
        One entry for each operation of the program.
    numbers, bytes : int
        How many different numbers that makes, and what they take as float64; Python's own objects come on top. A value
        that several closures hold, or several lines name, is kept once and counts once.
    closures : int
        How many are alive after the run.
    mutated : Outcome
        After writing into the array of inputs: the gradient ``"survives"``, it ``"changes"``, or asking ``"raises"``.
    again : Outcome
        The gradient differentiated: ``"yes"`` with the Hessian, ``"wrong"``, or ``"no"`` and why not.
    replay : Outcome
        The record at a new input: ``"yes"`` with f there, or ``"no"`` with the wrong number or the message.
    shares : bool
        Whether a number kept for several operations is kept once.
    """

    design: str
    value: float
    gradient: tuple[float, ...]
    ledger: tuple[Stored, ...]
    numbers: int
    bytes: int
    closures: int
    mutated: Outcome
    again: Outcome
    replay: Outcome
    shares: bool

    def count_kept(self, operations: int) -> int:
        """Side by side with others, how many numbers a design keeps after the first so many operations."""
        return sum(map(sum, _mark_new(self.ledger[:operations], self.shares)))

    def mark_new(self) -> list[list[bool]]:
        """Side by side with `ledger`, which of its numbers are kept there first: `numbers` counts these."""
        return _mark_new(self.ledger, self.shares)

    def list_new(self) -> list[tuple[str, ...]]:
        """List what each operation adds to what a design keeps, by name: numbers that an earlier one kept are left out.

        >>> [column.list_new() for column in compare(lambda x: np.sin(x) * x, 3.0).columns[1:3]]
        [[('v0',), ('v1',)], [('v0', 'v1'), ('v2',)]]
        """
        rows = zip(self.ledger, self.mark_new(), strict=True)
        return [tuple(itertools.compress(stored.names, marks)) for stored, marks in rows]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A side-by-side comparison of the tape designs on one program: a column for each design."""

    inputs: tuple[float, ...]
    written: tuple[float, ...]
    elsewhere: tuple[float, ...]
    program: tuple[str, ...]
    columns: tuple[Column, ...]

    def snapshot(self) -> dict[str, Any]:
        """The side-by-side comparison as plain data: dictionaries, tuples, numbers and text."""
        return dataclasses.asdict(self)

    def rows(self) -> list[list[str]]:
        """The side-by-side comparison as rows of text: a heading, and a row for each design."""
        heading = [
            "design",
            "numbers",
            "bytes",
            "closures",
            "written to",
            "differentiated again",
            "replayed",
        ]
        return [heading] + [
            [c.design, str(c.numbers), str(c.bytes), str(c.closures)]
            + [outcome.verdict for outcome in (c.mutated, c.again, c.replay)]
            for c in self.columns
        ]

    def table(self) -> str:
        """The side-by-side comparison as a table of text, with aligned columns."""
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def compare(
    f: Program,
    *inputs: Any,
    written: float = 0.0,
    elsewhere: tuple[float, ...] | None = None,
    designs: dict[str, Design] = DESIGNS,
) -> Comparison:
    """Compare tape designs side by side on a program: record it in each, and try what the record can do.

    Parameters
    ----------
    f : callable
        Takes numbers, and returns one number computed from them with operators and NumPy functions.
    *inputs : float
        Where to run it.
    written : float
        What to write into every input after the run.
    elsewhere : tuple of float, optional
        Where to replay it; half a step to the right of `inputs` unless given.
    designs : dict of str to Design
        Which designs, by name.

    Raises
    ------
    AutodiffError
        If the program cannot be recorded in one of the designs: cells and closures hold numbers, not arrays.

    Examples
    --------
    >>> cells, *_ = compare(lambda w, x, b: np.tanh(w * x + b), 0.5, 2.0, 0.1).columns
    >>> cells.numbers, cells.mutated.verdict, cells.again.verdict
    (5, 'survives', 'no')
    """
    if not inputs:
        raise InputError(
            "compare(f, *inputs) needs at least one input: a number for each parameter of f."
        )
    at = np.array([as_number(x, f"the input {k + 1}") for k, x in enumerate(inputs)])
    there = (
        at + 0.5 if elsewhere is None else np.array([as_number(x, "elsewhere") for x in elsewhere])
    )
    _, program = record(f, *at.tolist())
    lines = [
        f"{program.name(i)} = {program.expression(i)}"
        for i in range(program.n_inputs, len(program))
    ]

    def column(name: str, design: Design) -> Column:
        run = design(f, entry_views(at))
        ledger = [
            Stored(tuple(n for n, _ in kept), tuple(float(x) for _, x in kept))
            for kept in run.list_stored(program)
        ]
        gradient, own = run.gradient(), at.copy()
        count = sum(map(sum, _mark_new(ledger, run.shares)))
        changed = design(f, entry_views(own))
        own[:] = written
        replayed = design(f, entry_views(at.copy()))
        return Column(
            name,
            run.value,
            tuple(gradient),
            tuple(ledger),
            count,
            count * np.dtype(float).itemsize,
            run.closures,
            _try(changed.gradient, gradient, "survives", "changes", "raises"),
            _try(design(f, entry_views(at)).hessian, second, "yes", "wrong", "no"),
            _try(
                lambda: [replayed.replay(there.tolist())],
                [float(f(*map(np.float64, there)))],
                "yes",
                "no",
                "no",
            ),
            run.shares,
        )

    with np.errstate(all="ignore"):  # a number written at random may lie outside the domain
        second = hessian(f, argnums=tuple(range(len(at))))(*at.tolist())
        columns = tuple(column(name, design) for name, design in designs.items())
    return Comparison(
        tuple(at.tolist()), (written,) * len(at), tuple(there.tolist()), tuple(lines), columns
    )


def _mark_new(ledger: Sequence[Stored], shares: bool) -> list[list[bool]]:
    seen: set[tuple[str, str]] = set()
    marks = []
    for stored in ledger:
        row = []
        for name, x in zip(stored.names, stored.numbers, strict=True):
            kept = (name, repr(x))  # two constants have one name
            row.append(not shares or kept not in seen)
            seen.add(kept)
        marks.append(row)
    return marks


def _try(
    trial: Callable[[], list[Any]], truth: Any, right: str, wrong: str, refused: str
) -> Outcome:
    """Run a trial and compare what it finds with the truth: one of three verdicts."""
    try:
        found = trial()
    except (AutodiffError, AttributeError) as error:
        return Outcome(refused, says=f"{type(error).__name__}: {error}")
    verdict = right if _equal(found, truth) else wrong
    return Outcome(verdict, tuple(tuple(x) if isinstance(x, list) else x for x in found))


def _equal(a: Any, b: Any) -> bool:
    return bool(
        np.allclose(
            np.array(a, dtype=float),
            np.array(b, dtype=float),
            rtol=1e-9,
            atol=1e-12,
            equal_nan=True,
        )
    )
