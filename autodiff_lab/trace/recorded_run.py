"""The neutral record of a run: its lines and the events of its sweep, whichever engine has run it.

Our own tape is one producer of it, PyTorch and JAX are others (`frameworks`); `run_reader` makes a `Trace` from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.tape import Comparison
from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import NOT_REACHED
from autodiff_lab.trace.model import ModuleCall, Number
from autodiff_lab.transforms.recording import Outcome, Seed

_MAX_TUPLE_LENGTH = 24

# What is wrong at a step of a faulty sweep: a string of the catalogue, and the lines that it names.
Remark = tuple[str, Sequence[int]]

# The frames of the user's code that were running: code objects and places in their bytecode, outermost first.
Frames = tuple[tuple[CodeType, int], ...]


class Kept(NamedTuple):
    """A memory usage: how many numbers are kept, and the bytes they take."""

    numbers: int
    bytes: int


class RawContribution(NamedTuple):
    """One contribution of a reverse step as the engine has it, and what the parent held before and after."""

    slot: int
    parent: int
    contribution: Any
    before: Any
    after: Any
    replaces: bool = False


class SweepEvent(NamedTuple):
    """What becomes a reverse step: a line sends one contribution or none; or the sweep is seeded `again`."""

    line: int
    adjoint: Any
    sent: tuple[RawContribution, ...] = ()
    remarks: tuple[Remark, ...] = ()
    again: bool = False


class OutputTuple(tuple[Any, ...]):
    """The outputs of an operation that has several, as the value of one line; None where an adjoint has none yet."""


class NotSeen(NamedTuple):
    """A placeholder for a value that can't be observed, such as one inside PyTorch's own backward pass."""

    shape: tuple[int, ...] = ()


def number_of(x: Any) -> Number:
    """Describe a value in the record of a run as a displayed number: also several outputs, or one that wasn't observed.

    >>> number_of(OutputTuple([np.arange(3.0), None])).text, number_of(NotSeen()).text
    ('([0 1 2], ·)', 'not seen')
    """
    if isinstance(x, NotSeen):
        return Number(message("not seen"), None, x.shape)
    if not isinstance(x, OutputTuple):
        return Number.of(x)
    written = ", ".join(NOT_REACHED if each is None else number_of(each).in_node for each in x)
    text = f"({written})"
    short = message("several outputs", n=len(x))
    return Number(text, None, (), short if len(text) > _MAX_TUPLE_LENGTH else "")


def entries_of(x: Any) -> Any:
    """All numbers of a value in the record of a run, also those of several outputs; none if it wasn't observed."""
    if isinstance(x, NotSeen):
        return np.empty(0)
    if isinstance(x, OutputTuple):
        return np.concatenate(
            [np.empty(0), *(np.ravel(entries_of(each)) for each in x if each is not None)]
        )
    return x


def size_of(x: Any) -> float:
    """The size of a contribution in a reverse step: its largest entry that is a number, without the sign."""
    if isinstance(x, OutputTuple):
        return max((size_of(each) for each in x if each is not None), default=0.0)
    entries = np.abs(np.asarray(x, dtype=float))
    return float(np.max(entries, initial=0.0, where=np.isfinite(entries)))


@dataclass(frozen=True)
class RunOperand:
    """An operand in the record of a run: the line that it came from (−1: a constant), its value, its local partial.

    `partial` is None where the adjoint goes back through a map, which `formula` writes; or names, if
    `formula_is_name`. Then `is_linear` tells the transpose of a linear operation from any other pullback.
    `goes_to` and `partial_reads` are what an `Operand` of a trace has.
    """

    line: int
    value: Any
    partial: Any = None
    formula: str = ""
    latex: str = ""
    formula_is_name: bool = False
    goes_to: tuple[int, ...] = ()
    partial_reads: tuple[int, ...] = ()
    is_linear: bool = True


@dataclass(frozen=True)
class RunLine:
    """A line in the record of a run: an input, if it has no `op`, or an operation with its operands.

    `text` is spelt with the names of the lines (``"v-1 * v0"``). An operation that `is_elementwise` copies its operands
    to the shape of its value. `arguments` are the numbers that it takes in addition to its operands, such as the number
    that `masked_fill` writes.
    """

    value: Any
    text: str
    label: str = ""
    op: str = ""
    symbol: str = ""
    latex: str = ""
    operands: tuple[RunOperand, ...] = ()
    is_elementwise: bool = False
    modules: tuple[ModuleCall, ...] = ()
    arguments: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The neutral record of one run: columns with one entry for each line, and how to read the rest when it is needed.

    Attributes
    ----------
    names : sequence of str
        What the lines are called: ``"v-1"``, ``"v0"``, ``"v1"``, …
    parents : sequence of sequence of int
        The lines that each line uses; −1 for a constant.
    input_names : sequence of str
        What the inputs are called, which are the first lines.
    output : int or None
        The line of the result, or the last one of several; None if it depends on no input.
    outcome : Outcome
        What was returned: the value, which of several results that is, or what was raised.
    seeds : sequence of Seed
        The lines that the sweep begins with, and their adjoints: the result, or several; none if `output` is None.
    read_line : callable
        Describe a line, by its number.
    read_partial : callable
        Return the local partial of a line for an operand, by the numbers of both.
    sweep : callable
        Return the events of the reverse sweep, in the engine's order.
    count_held : callable
        Count what the first n lines keep in memory, for n from 0 to all of them.
    call_stacks, execution_log
        As a `Tape` has them.
    sweep_ids : sequence of float
        For each line the number of the inner derivative whose sweep has written it; 0 for the program's own.
    constants : mapping
        The arguments that stay constant.
    comparisons : sequence of Comparison
        As a `Tape` has them.
    notes : tuple of str
        What is unusual about this run.
    engine : str
        Who ran it: ``"PyTorch 2.13.0"``; empty for our own.
    title, function : str
        What the run and its function are called, where that is not the function's own name.
    """

    names: Sequence[str]
    parents: Sequence[Sequence[int]]
    input_names: Sequence[str]
    output: int | None
    outcome: Outcome
    seeds: Sequence[Seed]
    read_line: Callable[[int], RunLine]
    read_partial: Callable[[int, int], Any]
    sweep: Callable[[], Iterable[SweepEvent]]
    count_held: Callable[[], Sequence[Kept]]
    call_stacks: Sequence[Frames] | None = None
    execution_log: Any = None
    sweep_ids: Sequence[float] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    comparisons: Sequence[Comparison] = ()
    notes: tuple[str, ...] = ()
    engine: str = ""
    title: str = ""
    function: str = ""

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def value(self) -> Any:
        """What the function of a recorded run returned, or the one of its results that is followed."""
        return self.outcome.value

    def number_of(self, x: Any) -> Number:
        """Describe a value of a recorded run as a displayed number; each array of the run is written once.

        The same array is an operand, a value, a contribution and a sum, and to write its entries takes long.
        """
        if not isinstance(x, np.ndarray):
            return number_of(x)
        if id(x) not in self._written:
            self._written[id(x)] = x, number_of(x)
        return self._written[id(x)][1]

    @functools.cached_property
    def _written(self) -> dict[int, tuple[np.ndarray, Number]]:
        """The arrays that were described, by their ids; they are kept, so that no id is given away again."""
        return {}

    @property
    def output_line(self) -> int:
        """The line of the result of a recorded run, which is no constant."""
        assert self.output is not None, "the result is a constant"
        return self.output

    @property
    def seeded_adjoints(self) -> dict[int, Any]:
        """The adjoints of a recorded run before its sweep, by line: the seeds; of one line they are added."""
        adjoints: dict[int, Any] = {}
        for seed in self.seeds:
            before = adjoints.get(seed.line)
            adjoints[seed.line] = seed.adjoint if before is None else before + seed.adjoint
        return adjoints

    @property
    def n_inputs(self) -> int:
        """How many lines of a recorded run are inputs."""
        return len(self.input_names)

    @functools.cached_property
    def events(self) -> list[SweepEvent]:
        """The events of a recorded run's sweep; none if the result is constant."""
        return [] if self.output is None else list(self.sweep())

    @functools.cached_property
    def held(self) -> Sequence[Kept]:
        """What the first n lines of a recorded run keep in memory, for n from 0 to all of them."""
        return self.count_held()
