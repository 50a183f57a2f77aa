"""Rewinding a gradient tape, its reverse sweep: a count of missing contributions, and a stack of ready records.

After ``PrepareBackprop`` and ``ComputeGradient`` in TensorFlow's ``c/eager/tape.h``, which source text 2 walks
through, with three repairs: a source may depend on another source, a target on another target, and records that lead
to no source are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..engine.broadcasting import shape_of
from ..engine.errors import ShapeError
from ..engine.primitives import Op, unit_partial
from ..engine.values import copy_constant
from .eager import Eager, Tensor, Variable, constant


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Record:
    """What rewinding a gradient tape needs of one operation, to send an adjoint back through it.

    Attributes
    ----------
    op : Op
        The row of the table.
    operands : tuple
        Tensors, and plain numbers and arrays.
    static : mapping
        ``axis``, ``shape``, ….
    result : Tensor
    """

    op: Op
    operands: tuple[Any, ...]
    static: Mapping[str, Any]
    result: Tensor

    @classmethod
    def of(
        cls, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any], result: Tensor
    ) -> Record:
        """Make a record for rewinding, with its own copies of the arrays, in case the caller changes them."""
        return cls(
            op,
            copy_constant(operands),
            {name: copy_constant(x) for name, x in static.items()},
            result,
        )

    @property
    def inputs(self) -> list[Any]:
        """The tensors among the operands of a record, to which rewinding sends adjoints."""
        return [x for x in self.operands if isinstance(x, Eager)]

    def pullback(self, k: int, g: Tensor) -> Tensor | None:
        """Rewind the record for operand `k`: the vector-Jacobian product with the adjoint `g`, in eager operations."""
        c = self.op.pullback(k, g, self.result, self.operands, self.static)
        if c is None:
            return None
        if shape_of(c) != shape_of(self.operands[k]):
            raise ShapeError(
                f"The gradient rule of {self.op.name} gave a contribution of shape {shape_of(c)} for operand {k}, "
                f"which has shape {shape_of(self.operands[k])}. A rule returns one gradient per operand, of its shape."
            )
        return constant(c)


# What a tape records when a Variable is read: the tensor is what the Variable held.
READ = Op("read", Variable.read, "elementwise", (unit_partial,))


def tensor_name(number: int, made_by: Mapping[int, int | None], names: Mapping[int, str]) -> str:
    """The name of a tensor on the tape that is rewound: its own, x1, x2, … if watched, v1, v2, … if recorded."""
    place = made_by[number]
    return names[number] if place is None else f"v{place + 1}"


def unused_name(wish: str | None, names: Mapping[int, str]) -> str:
    """Choose a name, for the steps of rewinding, for a tensor that is watched; a name that is taken gets a prime."""
    name = wish or f"x{len(names) + 1}"
    while name in names.values() or re.fullmatch(r"v\d+", name):
        name += "′"
    return name


class Step(NamedTuple):
    """One step of rewinding a gradient tape, as plain data.

    Attributes
    ----------
    place : int or None
        The record's place on the tape; None for the first step, which sends nothing.
    operation : str
    adjoint : number or array
        Of the result; None if nothing arrived.
    sent : tuple of (name, contribution)
        For each operand on the way to a source; the contribution is None where nothing flows.
    missing : dict
        How many contributions are still missing, by name: of all tensors in the first step, then of the operands.
    ready : tuple of int
        The records that nothing is missing for any more. What is put on the stack last goes first.
    """

    place: int | None
    operation: str
    adjoint: Any
    sent: tuple[tuple[str, Any], ...]
    missing: dict[str, int]
    ready: tuple[int, ...]


class Sweep:
    """The reverse sweep that rewinds the part of a gradient tape between sources and targets.

    Parameters
    ----------
    made_by : mapping of int to int or None
        By the number of a tensor that the tape knows: the place of the record that made it; None if it is watched.
    names : mapping of int to str
        What the tape calls the tensors that it watches, by their numbers.
    recorded : mapping of int to Record
        The tape's records, by place.
    targets, sources : sequences of Tensor and Variable

    Attributes
    ----------
    records : dict
        The records that lie on a way from a source to a target, and have not been rewound.
    missing : dict
        By the number of a tensor: how many of its uses there have not sent their contribution.
    ready : list of int
        The stack of records that nothing is missing for.
    adjoints : dict
        By the number of a tensor: the sum of what has arrived. Dropped once it has been sent on, except at a source.
    """

    def __init__(
        self,
        made_by: Mapping[int, int | None],
        names: Mapping[int, str],
        recorded: Mapping[int, Record],
        targets: Sequence[Eager],
        sources: Sequence[Eager],
    ) -> None:
        self.made_by, self.names = made_by, names
        self.sources = {x.number for x in sources if x.number in self.made_by}
        self.records: dict[int, Record] = {}
        self.missing: dict[int, int] = {}
        self.adjoints: dict[int, Tensor] = {}
        depends = set(self.sources)
        # as recorded: results come before their uses
        for place in sorted(self._find_reachable(recorded, targets)):
            used = [x.number for x in recorded[place].inputs if x.number in depends]
            if used:
                self.records[place] = recorded[place]
                depends.add(recorded[place].result.number)
            for number in used:
                self.missing[number] = self.missing.get(number, 0) + 1
        self.ready = [
            place
            for place, record in self.records.items()
            if record.result.number not in self.missing
        ]

    def _find_reachable(self, recorded: Mapping[int, Record], targets: Sequence[Eager]) -> set[int]:
        """Find the records that can be reached when rewinding from the targets."""
        reached: set[int] = set()
        ahead = [y.number for y in targets]
        while ahead:
            place = self.made_by.get(ahead.pop())
            if place is not None and place not in reached:
                reached.add(place)
                ahead += [x.number for x in recorded[place].inputs]
        return reached

    def seed(self, target: Eager, adjoint: Tensor) -> None:
        """Seed the rewinding with the adjoint of a target, if the gradient tape knows it."""
        if target.number in self.made_by:
            self._add(target.number, adjoint)

    def _add(self, number: int, contribution: Tensor) -> None:
        have: Any = self.adjoints.get(number)
        self.adjoints[number] = contribution if have is None else have + contribution

    def steps(self) -> Iterator[Step]:
        """Rewind step by step: first the missing counts, then one step for each record; a gradient exhausts this."""
        counts = {
            tensor_name(number, self.made_by, self.names): count
            for number, count in self.missing.items()
        }
        yield Step(None, "", None, (), counts, tuple(self.ready))
        while self.ready:
            place = self.ready.pop()
            # nobody else holds the record: it is gone before the next
            yield self._send(place, self.records.pop(place))

    def _send(self, place: int, record: Record) -> Step:
        """Send the adjoint of a record's result on to its operands, and note what becomes ready by that."""
        made, before = record.result.number, len(self.ready)
        g = self.adjoints.get(made) if made in self.sources else self.adjoints.pop(made, None)
        sent, counts = [], {}
        for k, x in enumerate(record.operands):
            if not isinstance(x, Eager) or x.number not in self.missing:
                continue
            c = None if g is None else record.pullback(k, g)
            if c is not None:
                self._add(x.number, c)
            name = tensor_name(x.number, self.made_by, self.names)
            sent.append((name, None if c is None else c.value))
            self.missing[x.number] -= 1
            counts[name] = self.missing[x.number]
            maker = self.made_by[x.number]
            if counts[name] == 0 and maker in self.records:
                self.ready.append(maker)
        adjoint = None if g is None else g.value
        return Step(place, record.op.name, adjoint, tuple(sent), counts, tuple(self.ready[before:]))
