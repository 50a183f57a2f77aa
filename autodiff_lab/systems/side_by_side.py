"""Tape designs side by side: what each of them stores, and, found out by trying, what else it can do.

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

The inputs are in an array, and each design gets views of its elements. So you can see what happens if the array is
written to after the run. A cell has already computed its partials and no longer needs the inputs. A closure, and a tape
that doesn't copy its inputs, reads them during the sweep, and finds the new numbers.
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
    """The names and numbers that a design stores for one operation, in a side-by-side comparison."""

    names: tuple[str, ...]
    numbers: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a trial in a side-by-side comparison: a verdict, the numbers found, and an exception's message."""

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
        One element for each operation of the program.
    numbers, bytes : int
        How many different numbers are stored, and their size as float64, without the overhead of Python's objects. A
        value that several closures or lines refer to is stored once and counts once.
    closures : int
        How many are alive after the run.
    mutated : Outcome
        The gradient after the array of inputs was written to: it ``"survives"``, ``"changes"`` or ``"raises"``.
    again : Outcome
        The gradient differentiated again: ``"yes"`` with the Hessian, ``"wrong"``, or ``"no"`` with the message.
    replay : Outcome
        The program replayed at new inputs: ``"yes"`` with its value there, or ``"no"`` with the wrong number or the
        message.
    shares : bool
        Whether a number that several operations need is stored only once.
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
        """How many numbers the design stores for the first `operations` operations of the program."""
        return _count_new(self.ledger[:operations], self.shares)

    def mark_new(self) -> list[list[bool]]:
        """Which numbers of the `ledger` are stored there for the first time; `numbers` counts these."""
        return _mark_new(self.ledger, self.shares)

    def list_new(self) -> list[tuple[str, ...]]:
        """The names of the numbers that each operation adds; numbers that an earlier one has stored are left out.

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
        rows = [heading]
        for c in self.columns:
            counts = [str(c.numbers), str(c.bytes), str(c.closures)]
            verdicts = [c.mutated.verdict, c.again.verdict, c.replay.verdict]
            rows.append([c.design, *counts, *verdicts])
        return rows

    def table(self) -> str:
        """The side-by-side comparison as a table of text, with aligned columns."""
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)) for row in rows]
        return "\n".join(line.rstrip() for line in lines)


def compare(
    f: Program,
    *inputs: Any,
    written: float = 0.0,
    elsewhere: tuple[float, ...] | None = None,
    designs: dict[str, Design] = DESIGNS,
) -> Comparison:
    """Compare tape designs side by side on a program: record it in each, and try what can be done with the record.

    Parameters
    ----------
    f : callable
        Takes numbers, and returns one number computed from them with operators and NumPy functions.
    *inputs : float
        The numbers to record it with.
    written : float
        The number that is written into every input after the run.
    elsewhere : tuple of float, optional
        The inputs to replay it at; by default, each input plus 0.5.
    designs : dict of str to Design
        The designs to compare, by name.

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
    there = at + 0.5
    if elsewhere is not None:
        there = np.array([as_number(x, "elsewhere") for x in elsewhere])
    _, program = record(f, *at.tolist())
    lines = [
        f"{program.name(i)} = {program.expression(i)}"
        for i in range(program.n_inputs, len(program))
    ]

    def column(name: str, design: Design) -> Column:
        run = design(f, entry_views(at))
        ledger = []
        for stored in run.list_stored(program):
            names = tuple(name for name, _ in stored)
            ledger.append(Stored(names, tuple(float(x) for _, x in stored)))
        gradient = run.gradient()
        count = _count_new(ledger, run.shares)
        inputs_to_change = at.copy()
        changed = design(f, entry_views(inputs_to_change))
        inputs_to_change[:] = written
        again = design(f, entry_views(at))
        replayed = design(f, entry_views(at.copy()))
        return Column(
            design=name,
            value=run.value,
            gradient=tuple(gradient),
            ledger=tuple(ledger),
            numbers=count,
            bytes=count * np.dtype(float).itemsize,
            closures=run.closures,
            mutated=_try(changed.gradient, gradient, "survives", "changes", "raises"),
            again=_try(again.hessian, true_hessian, "yes", "wrong", "no"),
            replay=_try(
                lambda: [replayed.replay(there.tolist())], [true_value_there], "yes", "no", "no"
            ),
            shares=run.shares,
        )

    with np.errstate(all="ignore"):  # the number that is written may be outside the domain
        true_hessian = hessian(f, argnums=tuple(range(len(at))))(*at.tolist())
        true_value_there = float(f(*map(np.float64, there)))
        columns = tuple(column(name, design) for name, design in designs.items())
    return Comparison(
        tuple(at.tolist()), (written,) * len(at), tuple(there.tolist()), tuple(lines), columns
    )


def _count_new(ledger: Sequence[Stored], shares: bool) -> int:
    return sum(sum(marks) for marks in _mark_new(ledger, shares))


def _mark_new(ledger: Sequence[Stored], shares: bool) -> list[list[bool]]:
    """Mark the numbers that are stored for the first time; without `shares`, all of them are."""
    seen: set[tuple[str, str]] = set()
    marks = []
    for stored in ledger:
        row = []
        for name, x in zip(stored.names, stored.numbers, strict=True):
            # The name alone is not enough, because all constants are called "constant".
            number = (name, repr(x))
            row.append(not shares or number not in seen)
            seen.add(number)
        marks.append(row)
    return marks


def _try(
    trial: Callable[[], list[Any]], truth: Any, correct: str, wrong: str, raised: str
) -> Outcome:
    """Run a trial and compare its result with the truth; the last three arguments are the possible verdicts."""
    try:
        found = trial()
    except (AutodiffError, AttributeError) as error:
        return Outcome(raised, says=f"{type(error).__name__}: {error}")
    verdict = correct if _equal(found, truth) else wrong
    return Outcome(verdict, tuple(tuple(x) if isinstance(x, list) else x for x in found))


def _equal(a: Any, b: Any) -> bool:
    a = np.array(a, dtype=float)
    b = np.array(b, dtype=float)
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))
