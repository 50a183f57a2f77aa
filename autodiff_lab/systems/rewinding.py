"""Rewinding a gradient tape, its reverse sweep: a count of missing contributions, and a stack of ready records.

It follows ``PrepareBackprop`` and ``ComputeGradient`` in TensorFlow's ``c/eager/tape.h``, which source text 2 explains,
with three improvements: a source may depend on another source, a target may depend on another target, and records that
lead to no source are left out.
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
    """The record of one operation on a gradient tape: what rewinding needs to send an adjoint back through it.

    Attributes
    ----------
    op : Op
        The primitive, with its derivative rule.
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
        copied_static = {name: copy_constant(x) for name, x in static.items()}
        return cls(op, copy_constant(operands), copied_static, result)

    @property
    def inputs(self) -> list[Any]:
        """The tensors among the operands of a record; rewinding sends adjoints to them."""
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


# The operation that a tape records when a Variable is read; its result is a tensor with the Variable's value.
READ = Op("read", Variable.read, "elementwise", (unit_partial,))


def tensor_name(number: int, made_by: Mapping[int, int | None], names: Mapping[int, str]) -> str:
    """The name of a tensor on the rewound tape: its own name or x1, x2, … if watched, v1, v2, … if recorded."""
    place = made_by[number]
    return names[number] if place is None else f"v{place + 1}"


def unused_name(wish: str | None, names: Mapping[int, str]) -> str:
    """Choose a name for a watched tensor, for the steps of rewinding; a prime is added to a name that is taken."""
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
        The adjoint of the result; None if nothing arrived.
    sent : tuple of (name, contribution)
        For each operand on a path to a source; the contribution is None if the derivative is zero everywhere.
    missing : dict
        How many contributions are still missing, by name: for all tensors in the first step, then for the operands.
    ready : tuple of int
        The records that have become ready: no contribution is missing any more. The last one is rewound first.
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
        By the number of a tensor on the tape: the place of the record that made it; None if it is watched.
    names : mapping of int to str
        The names of the watched tensors, by their numbers.
    recorded : mapping of int to Record
        The tape's records, by place.
    targets, sources : sequences of Tensor and Variable

    Attributes
    ----------
    records : dict
        The records on a path from a source to a target that have not been rewound yet.
    missing : dict
        By the number of a tensor: how many of its uses in these records have not sent their contribution yet.
    ready : list of int
        The stack of records whose result has received all its contributions.
    adjoints : dict
        By the number of a tensor: the sum of the contributions so far. It is freed once it has been sent on, except
        that of a source.
    """

    def __init__(
        self,
        made_by: Mapping[int, int | None],
        names: Mapping[int, str],
        recorded: Mapping[int, Record],
        targets: Sequence[Eager],
        sources: Sequence[Eager],
    ) -> None:
        self.made_by = made_by
        self.names = names
        self.sources = {x.number for x in sources if x.number in self.made_by}
        self.records: dict[int, Record] = {}
        self.missing: dict[int, int] = {}
        self.adjoints: dict[int, Tensor] = {}
        depends_on_source = set(self.sources)
        # In the order of recording, a result comes before its uses.
        for place in sorted(self._find_reachable(recorded, targets)):
            record = recorded[place]
            used = [x.number for x in record.inputs if x.number in depends_on_source]
            if not used:
                continue
            self.records[place] = record
            depends_on_source.add(record.result.number)
            for number in used:
                self.missing[number] = self.missing.get(number, 0) + 1
        self.ready = [
            place
            for place, record in self.records.items()
            if record.result.number not in self.missing
        ]

    def _find_reachable(self, recorded: Mapping[int, Record], targets: Sequence[Eager]) -> set[int]:
        """Find the places of the records that can be reached when rewinding from the targets."""
        reached: set[int] = set()
        todo = [y.number for y in targets]
        while todo:
            place = self.made_by.get(todo.pop())
            if place is not None and place not in reached:
                reached.add(place)
                todo += [x.number for x in recorded[place].inputs]
        return reached

    def seed(self, target: Eager, adjoint: Tensor) -> None:
        """Seed the rewinding with the adjoint of a target; one that is not on the gradient tape is left out."""
        if target.number in self.made_by:
            self._add(target.number, adjoint)

    def _add(self, number: int, contribution: Tensor) -> None:
        total: Any = self.adjoints.get(number)
        self.adjoints[number] = contribution if total is None else total + contribution

    def steps(self) -> Iterator[Step]:
        """Rewind step by step: first a step with all counts of missing contributions, then one for each record."""
        counts = {
            tensor_name(number, self.made_by, self.names): count
            for number, count in self.missing.items()
        }
        yield Step(None, "", None, (), counts, tuple(self.ready))
        while self.ready:
            place = self.ready.pop()
            # No name refers to the record, so it is freed before the next step.
            yield self._send(place, self.records.pop(place))

    def _send(self, place: int, record: Record) -> Step:
        """Send the adjoint of a record's result to its operands; push the records that become ready onto the stack."""
        number = record.result.number
        is_source = number in self.sources
        g = self.adjoints.get(number) if is_source else self.adjoints.pop(number, None)
        n_ready = len(self.ready)
        sent = []
        counts = {}
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
        newly_ready = tuple(self.ready[n_ready:])
        return Step(place, record.op.name, adjoint, tuple(sent), counts, newly_ready)
