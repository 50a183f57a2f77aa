"""Reverse mode by a list of closures: operator overloading that prints what it does.

The design of document 0. Every operation is carried out, printed, and put on a list as a :class:`Tape`: the names of
its inputs and outputs, and a closure ``propagate`` that sends adjoints from the outputs back to the inputs. To
differentiate is to walk the list from its end, keeping the adjoints in a dict by name:

>>> tape = Recording()
>>> x, y = tape.constant(2.0, name="v-1"), tape.constant(5.0, name="v0")
v-1 = 2.0
v0 = 5.0
>>> f = Variable.log(x) + x * y - Variable.sin(y)
v1 = log(v-1)
v2 = v-1 * v0
v3 = v1 + v2
v4 = sin(v0)
v5 = v3 - v4
>>> tape.show = None
>>> grad(f, [x, y])
[5.5, 1.7163378145367738]

The products and sums of the sweep are operations like any other: they are printed and put on the list too, so the
gradient can be differentiated again.

>>> dx, dy = grad(f, [x, y])
>>> grad(dx, [x, y]), grad(dy, [x, y])
([-0.25, 1.0], [1.0, -0.9589242746631385])

There the document's own listing goes wrong. It makes the partial of ``sin`` as ``Variable(np.cos(self.value))``: the
right number, under a name of its own, but nobody wrote down where it came from. Its second derivatives are [None, 1]
and [1, None]. Here a partial is what a rule of the table returns *for the Variables themselves*. It still has one name
and is not printed, as in the document. The operations that made it are recorded all the same, inside the record of the
product it goes into (`Tape.partials`), where the next sweep finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine import printing
from ..engine.broadcasting import shape_of
from ..engine.dispatch import NO_OPTIONS, TABLE, Level, apply
from ..engine.errors import InputError, LeakError, ShapeError
from ..engine.operators import Overloaded
from ..engine.primitives import Op
from ..engine.values import as_number, as_numpy_number, to_output

__all__ = ["Recording", "Tape", "Variable", "grad"]


class Tape(NamedTuple):
    """The record of one operation in the list of closures: its input and output names, and its closure."""

    inputs: list[str]
    outputs: list[str]
    propagate: Callable[[list[Variable]], list[Variable | None]]
    partials: tuple[Tape, ...] = ()

    def __repr__(self) -> str:
        rule = f"<function {self.propagate.__qualname__}>"
        return f"Tape(inputs={self.inputs}, outputs={self.outputs}, propagate={rule})"


class Variable(Overloaded):
    """A variable of the closures: a number with a name, whose operations its recording keeps as a list of closures."""

    __slots__ = ("level", "name", "value")

    def __init__(self, level: Recording, name: str, value: Any) -> None:
        self.level, self.name, self.value = level, name, value

    def __repr__(self) -> str:
        return printing.format_value(self.value)


for _op in TABLE.values():
    # Variable.log(x), as in the document, beside np.log(x)
    if _op.partials is not None and len(_op.rules) == 1:
        setattr(Variable, _op.name, lambda self, op=_op: apply(op, (self,)))


class Recording(Level):
    """The list of closures: its records, and the names in use. It stands where the document has two global variables.

    Parameters
    ----------
    show : callable, optional
        Is given each line as it happens: ``print``, ``lines.append``, or None for silence. May be changed at any time.

    Attributes
    ----------
    records : list of Tape
        One for each line printed, in order; inputs have none.
    named : dict of str to Variable
        Every Variable, by its name. No two have the same one, so a dict of adjoints by name mixes nothing up.
    """

    __slots__ = ("_behind_the_next", "_in_a_rule", "_last_name", "named", "records", "show")

    def __init__(self, show: Callable[[str], Any] | None = print) -> None:
        super().__init__()
        self.show = show
        self.reset()

    def reset(self) -> None:
        """Clear the list of closures and start again with the first name; Variables made before are refused."""
        self.records: list[Tape] = []
        self.named: dict[str, Variable] = {}
        self._last_name = 0
        self._in_a_rule = False
        self._behind_the_next: list[Tape] = []

    # Names

    def constant(self, value: Any, name: str | None = None) -> Variable:
        """Make an input of the recording: a named Variable that no closure leads to.

        A number that lives in an array, ``a[0, ...]``, is held where it is, as the document's Variable holds whatever
        it is given: if the array is written to before the sweep, the closures read the new number. What is not one
        real number is refused with an InputError, a ShapeError or a DetachedError.
        """
        number = as_number(value, f"the input {name}" if name else "the input")
        held = isinstance(value, np.ndarray) and value.dtype == np.float64
        variable = self.variable(value if held else number, name)
        self.say(f"{variable.name} = {number}")
        return variable

    def variable(self, value: Any, name: str | None = None) -> Variable:
        """Name a number in the recording without printing it: the seed, a partial that is a mere number, a zero."""
        if name in self.named:
            raise InputError(
                f"There is already a variable named {name!r}, with the value {self.named[name]}, and adjoints are "
                "stored by name. Choose another name, leave the name out, or call reset() to start over."
            )
        while name is None or name in self.named:  # a learner may have called an input v1
            self._last_name += 1
            name = f"v{self._last_name}"
        self.named[name] = variable = Variable(self, name, value)
        return variable

    def say(self, line: str) -> None:
        """Print a line about an operation or the sweep over closures, unless a rule is making a partial."""
        if self.show is not None and not self._in_a_rule:
            self.show(line)

    def holds(self, x: Any) -> bool:
        """Whether `x` is a Variable of this list of closures. One from before a reset is refused."""
        if not (isinstance(x, Variable) and x.level is self):
            return False
        if self.named.get(x.name) is not x:
            raise LeakError(
                f"The variable {x.name} = {x} was made before reset(), which deleted its record. Make it again with "
                "constant(), or use a separate Recording for each run."
            )
        return True

    # Recording

    def process(
        self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any] = NO_OPTIONS
    ) -> Any:
        """Carry out one operation on numbers, print it, and put its closure on the list."""
        which = [k for k, x in enumerate(operands) if self.holds(x)]
        value = op.fn(
            *(as_numpy_number(x.value if k in which else x) for k, x in enumerate(operands)),
            **static,
        )
        if op.kind in ("comparison", "shape"):
            return value
        if shape_of(value) != ():
            raise ShapeError(
                f"{op.name} gave an array of shape {shape_of(value)}, but this system records operations on single "
                "numbers. Write the program for one element, or use autodiff_lab.grad, which takes arrays."
            )
        y = self.variable(to_output(value))
        names = [x.name if k in which else printing.format_value(x) for k, x in enumerate(operands)]
        self.say(f"{y.name} = {printing.format_call(op.name, op.symbol, names, dict(static))}")

        def propagate(dl_doutputs: list[Variable]) -> list[Variable | None]:
            dl_dy: Any
            (dl_dy,) = dl_doutputs
            if op.partials is None:  # np.where, floor: no partials, but a way back, or none
                return [op.pullback(k, dl_dy, y, operands, static) for k in which]
            partials = [self._partial(op, k, y, operands) for k in which]
            return [dl_dy * dy_dx for dy_dx in partials]

        propagate.__qualname__ = f"{op.name}.propagate"
        record = Tape([operands[k].name for k in which], [y.name], propagate)
        if self._in_a_rule:
            self._behind_the_next.append(record)
        else:
            self.records.append(record._replace(partials=tuple(self._behind_the_next)))
            self._behind_the_next.clear()
        return y

    def _partial(self, op: Op, k: int, y: Variable, operands: tuple[Any, ...]) -> Variable:
        """∂y/∂(operand k), by the rule of the table: named, recorded, but not printed."""
        self._in_a_rule = True
        try:
            partial = op.local_partial(k, y, *operands)
        finally:
            self._in_a_rule = False
        return (
            partial if self.holds(partial) else self.variable(to_output(as_numpy_number(partial)))
        )

    # Rewinding

    def __len__(self) -> int:
        return len(self.records)

    def backwards(self) -> Iterator[Tape]:
        """Go through the list of closures from its end, with the records of the partials in their places."""
        for record in self.records[::-1]:  # a copy: the sweep adds to the list
            yield record
            yield from reversed(record.partials)


def grad(l: Variable, results: Sequence[Variable]) -> list[Variable]:  # noqa: E741 — the document's name for the loss
    """Derivatives of `l` with respect to each of `results`, by closures; the sweep is printed and recorded too.

    Returns
    -------
    list of Variable
        0 where `l` does not depend on a result. Every one can be differentiated again.

    Raises
    ------
    InputError, LeakError
        If one of these is not a Variable of the same recording, or was made before its last reset.

    Notes
    -----
    For each record, the adjoint of an input is the sum of what arrives from its direct consumers, v̄ⱼ += v̄ᵢ · ∂vᵢ/∂vⱼ
    (Griewank and Walther, *Evaluating Derivatives*, 2008, section 3.2); not, as the document's equation has it, from
    all N intermediate variables.
    """
    tape = getattr(l, "level", None)
    if not isinstance(tape, Recording) or not all(map(tape.holds, (l, *results))):
        raise InputError(
            "grad(l, results) takes Variables of one Recording: make the inputs with tape.constant(…), and compute l "
            "from them. A plain number, or a Variable of another Recording, has no record here."
        )
    dl_d = {l.name: tape.variable(1.0)}  # dl/dv for every v reached so far
    tape.say(f"dl_d {dl_d}")
    for record in tape.backwards():
        if not all(name in dl_d for name in record.outputs):
            continue  # it does not feed l
        tape.say(repr(record))
        dl_dinputs = record.propagate([dl_d[name] for name in record.outputs])
        for name, dl_dinput in zip(record.inputs, dl_dinputs, strict=True):
            if dl_dinput is not None:
                have: Any = dl_d.get(name)
                dl_d[name] = dl_dinput if have is None else have + dl_dinput
    for name, derivative in dl_d.items():
        tape.say(f"d{l.name}_d{name} = {derivative.name}")
    return [dl_d[v.name] if v.name in dl_d else tape.variable(0.0) for v in results]
