"""Reverse mode by a list of closures: operator overloading that prints each operation.

This is the design of document 0. Every operation is computed, printed, and appended to a list as a :class:`Tape`: the
names of its inputs and outputs, and a closure ``propagate`` that sends adjoints from the outputs back to the inputs.
The derivative is computed by going through the list from its end, with the adjoints in a dict by name:

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

The products and sums of the sweep are operations like any other. They are printed and appended to the list too, so the
gradient can be differentiated again.

>>> dx, dy = grad(f, [x, y])
>>> grad(dx, [x, y]), grad(dy, [x, y])
([-0.25, 1.0], [1.0, -0.9589242746631385])

The document's own listing has a bug here. It computes the partial of ``sin`` as ``Variable(np.cos(self.value))``: the
number is correct and has a name, but its operation isn't recorded. So the second derivatives are [None, 1] and
[1, None]. Here, the engine's rule computes the partial *from the Variables themselves*. As in the document, the partial
has one name and isn't printed. But its operations are recorded, in the record of the product that it is a factor of
(`Tape.partials`), and the next sweep goes through them.
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
    """A variable of the closures: a number with a name; its `Recording` keeps its operations as a list of closures."""

    __slots__ = ("level", "name", "value")

    def __init__(self, level: Recording, name: str, value: Any) -> None:
        self.level = level
        self.name = name
        self.value = value

    def __repr__(self) -> str:
        return printing.format_value(self.value)


for _op in TABLE.values():
    # Variable.log(x), as in the document, in addition to np.log(x)
    if _op.partials is not None and len(_op.rules) == 1:
        setattr(Variable, _op.name, lambda self, op=_op: apply(op, (self,)))


class Recording(Level):
    """The list of closures: its records, and the names in use; the document has two global variables instead.

    Parameters
    ----------
    show : callable, optional
        Called with each line of text at once: ``print``, ``lines.append``, or None to print nothing. You can change the
        attribute at any time.

    Attributes
    ----------
    records : list of Tape
        One for each operation that was printed, in order; inputs have none.
    named : dict of str to Variable
        Every Variable, by its name. Names are unique, so a dict of adjoints by name is unambiguous.
    """

    __slots__ = ("_in_a_rule", "_last_name", "_pending_partials", "named", "records", "show")

    def __init__(self, show: Callable[[str], Any] | None = print) -> None:
        super().__init__()
        self.show = show
        self.reset()

    def reset(self) -> None:
        """Clear the list of closures and start again with the first name; using an older Variable raises an error."""
        self.records: list[Tape] = []
        self.named: dict[str, Variable] = {}
        self._last_name = 0
        self._in_a_rule = False
        self._pending_partials: list[Tape] = []

    # Names

    def constant(self, value: Any, name: str | None = None) -> Variable:
        """Make an input of the recording: a named Variable that no operation has computed.

        An element of an array, ``a[0, ...]``, is not copied, as in the document: if the array is written to before the
        sweep, the closures read the new number.

        Raises
        ------
        InputError, ShapeError, DetachedError
            If `value` is not one real number.
        """
        number = as_number(value, f"the input {name}" if name else "the input")
        is_view = isinstance(value, np.ndarray) and value.dtype == np.float64
        variable = self.variable(value if is_view else number, name)
        self.say(f"{variable.name} = {number}")
        return variable

    def variable(self, value: Any, name: str | None = None) -> Variable:
        """Name a number in the recording without printing it: the seed, a constant partial, a zero."""
        if name in self.named:
            raise InputError(
                f"There is already a variable named {name!r}, with the value {self.named[name]}, and adjoints are "
                "stored by name. Choose another name, leave the name out, or call reset() to start over."
            )
        while name is None or name in self.named:  # v1 may be the name of an input
            self._last_name += 1
            name = f"v{self._last_name}"
        variable = Variable(self, name, value)
        self.named[name] = variable
        return variable

    def say(self, line: str) -> None:
        """Print a line about an operation or the sweep over closures, unless a rule is computing a partial."""
        if self.show is not None and not self._in_a_rule:
            self.show(line)

    def holds(self, x: Any) -> bool:
        """Whether `x` is a Variable of this list of closures; raises a LeakError for one from before a reset."""
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
        """Compute one operation on numbers, print it, and append its closure to the list."""
        which = [k for k, x in enumerate(operands) if self.holds(x)]
        numbers = [as_numpy_number(x.value if k in which else x) for k, x in enumerate(operands)]
        value = op.fn(*numbers, **static)
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
            if (
                op.partials is None
            ):  # the rule of np.where has no partials; that of floor returns None
                return [op.pullback(k, dl_dy, y, operands, static) for k in which]
            partials = [self._partial(op, k, y, operands) for k in which]
            return [dl_dy * dy_dx for dy_dx in partials]

        propagate.__qualname__ = f"{op.name}.propagate"
        record = Tape([operands[k].name for k in which], [y.name], propagate)
        if self._in_a_rule:
            self._pending_partials.append(record)
        else:
            self.records.append(record._replace(partials=tuple(self._pending_partials)))
            self._pending_partials.clear()
        return y

    def _partial(self, op: Op, k: int, y: Variable, operands: tuple[Any, ...]) -> Variable:
        """Compute ∂y/∂(operand k) by the engine's rule: it is named and recorded, but not printed."""
        self._in_a_rule = True
        try:
            partial = op.local_partial(k, y, *operands)
        finally:
            self._in_a_rule = False
        if self.holds(partial):
            return partial
        return self.variable(to_output(as_numpy_number(partial)))

    # Rewinding

    def __len__(self) -> int:
        return len(self.records)

    def backwards(self) -> Iterator[Tape]:
        """Go through the list of closures from its end; after each record follow those of its partials."""
        for record in self.records[::-1]:  # a copy, because the sweep appends to the list
            yield record
            yield from reversed(record.partials)


def grad(l: Variable, results: Sequence[Variable]) -> list[Variable]:  # noqa: E741 — the document's name for the loss
    """Derivatives of `l` with respect to each of `results`, by closures; the sweep is printed and recorded too.

    Returns
    -------
    list of Variable
        The derivative is 0 if `l` does not depend on a result. All of them can be differentiated again.

    Raises
    ------
    InputError, LeakError
        If `l` or a result is not a Variable of the same recording, or was made before its last reset.

    Notes
    -----
    The adjoint of an input is the sum of the contributions from the operations that use it, v̄ⱼ += v̄ᵢ · ∂vᵢ/∂vⱼ
    (Griewank and Walther, *Evaluating Derivatives*, 2008, section 3.2), not from all N intermediate variables, as in
    the document's equation.
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
            continue  # l does not depend on it
        tape.say(repr(record))
        dl_dinputs = record.propagate([dl_d[name] for name in record.outputs])
        for name, dl_dinput in zip(record.inputs, dl_dinputs, strict=True):
            if dl_dinput is not None:
                total: Any = dl_d.get(name)
                dl_d[name] = dl_dinput if total is None else total + dl_dinput
    for name, derivative in dl_d.items():
        tape.say(f"d{l.name}_d{name} = {derivative.name}")
    return [dl_d[v.name] if v.name in dl_d else tape.variable(0.0) for v in results]
