"""Eager tensors and variables, as TensorFlow's: every operation runs at once, and gradient tapes observe it.

A :class:`Tensor` is a value that never changes. A :class:`Variable` holds a value that ``assign`` can replace; reading
it returns a tensor. Unlike the engine's traced values, tensors and variables belong to no tape, because any number of
tapes may watch one of them. So they all have the same level, below that of every derivative the engine takes.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dispatch import Level
from ..engine.errors import InputError, MutationError
from ..engine.levels import StandingLevel, is_paused, open_levels, pauses
from ..engine.operators import Overloaded
from ..engine.primitives import Op
from ..engine.printing import format_value
from ..engine.values import Traced, as_operand, as_shaped, as_value, to_output
from ..transforms import custom

__all__ = ["Eager", "Recorder", "Tensor", "Variable", "constant", "custom_gradient"]


class EagerLevel(StandingLevel):
    """The level of all eager values: it computes an operation at once, and passes it to the active tapes."""

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one eager operation, and record it on each gradient tape that watches an operand."""
        operands = tuple(x.read() if isinstance(x, Variable) else x for x in operands)
        plain = [as_operand(x.value) if isinstance(x, Tensor) else x for x in operands]
        value = op.fn(*plain, **static)
        if op.kind in ("comparison", "shape"):
            return value
        result = Tensor(as_operand(value))
        if op.kind == "flat":
            return result
        for tape in active_recorders():
            if tape.watches(operands):
                tape.record(op, operands, static, result)
        return result


class Eager(Overloaded):
    """An eager value: the base class of tensors and variables."""

    __slots__ = ("number",)
    level = EagerLevel()
    number: int
    _numbers = itertools.count(1)

    def numpy(self) -> Any:
        """The eager value as a plain number or a copy of the array; gradient tapes don't record operations on it."""
        return to_output(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec) if spec else str(self)


class Tensor(Eager):
    """An eager tensor: an immutable value, with a unique number by which gradient tapes identify it."""

    __slots__ = ("__weakref__", "held")

    def __init__(self, value: Any) -> None:
        self.number = next(Eager._numbers)
        self.held = value

    @property
    def value(self) -> Any:
        """The number or array that the eager tensor holds; an array is read-only."""
        return self.held

    @value.setter
    def value(self, new: Any) -> None:
        raise MutationError(
            f"{self!r} can't be given another value: tensors never change, because tapes store them. "
            "Compute a new tensor, or keep a value that changes in a Variable: w.assign_sub(…)."
        )

    def __repr__(self) -> str:
        return f"Tensor({format_value(self.value)})"


def constant(x: Any) -> Any:
    """Make an eager tensor that holds a copy of `x`. A gradient tape doesn't watch it until ``tape.watch`` is called.

    Parameters
    ----------
    x : number, array or list
        Integers stay integers and text stays text; neither has a derivative.

    Raises
    ------
    InputError
        For complex numbers, and for anything that is not a number, array or text.

    Examples
    --------
    >>> constant([1.0, 2.0]) * 3
    Tensor([3., 6.])
    """
    if isinstance(x, Eager):
        return x.read() if isinstance(x, Variable) else x
    return Tensor(_as_plain_value(x, "the constant"))


class Variable(Eager):
    """A variable of the eager engine, which can be assigned to. A gradient tape watches a trainable one that is read.

    Parameters
    ----------
    value : number, array or list
        The initial value, which is copied. With an integer, the Variable holds integers, which have no derivative:
        write ``5.0`` for ``5``.
    trainable : bool
    name : str, optional
        The name in listings and messages.

    Examples
    --------
    >>> w = Variable(5.0, name="w")
    >>> w.assign_sub(0.5)
    Variable('w', 4.5)
    """

    __slots__ = ("__weakref__", "held", "name", "trainable")

    def __init__(self, value: Any, trainable: bool = True, name: str | None = None) -> None:
        self.number = next(Eager._numbers)
        self.trainable = trainable
        self.name = name
        self.held = _as_plain_value(value, f"the value of the Variable {name or ''}".rstrip())

    @property
    def value(self) -> Any:
        """The eager variable's current value as a plain number or array; setting it is the same as :meth:`assign`.

        Gradient tapes don't record operations on the plain value. An array is read-only, because tapes store it: for
        ``w.value -= change``, write ``w.assign_sub(change)``.
        """
        return self.held

    @value.setter
    def value(self, new: Any) -> None:
        self.assign(new)

    def read(self) -> Tensor:
        """Read the eager variable's current value as a tensor, and note that on every active gradient tape."""
        tensor = Tensor(self.value)
        for tape in active_recorders():
            tape.note_read(self, tensor)
        return tensor

    def assign(self, value: Any) -> Variable:
        """Assign an eager variable another value of the same shape. Gradient tapes keep the old one.

        The assignment is not recorded: to a tape, the new value is a constant.

        Raises
        ------
        ShapeError
            If the new value has another shape.
        InputError
            If the value does not fit the type: a float for a Variable of integers.
        """
        what = f"the value for {self!r}"
        new = _as_plain_value(value, what)
        if not np.can_cast(new.dtype, self.dtype, "same_kind"):
            raise InputError(
                f"{what} has dtype {new.dtype}, but the Variable holds {self.dtype}, which would change the value. "
                "Make the Variable with a float: Variable(5.0) instead of Variable(5)."
            )
        holds_floats = self.dtype.kind == "f"
        if holds_floats or shape_of(new) != self.shape:
            new = as_shaped(new, self.value, what)  # raises if the shape is another one
        else:
            new = new.astype(self.dtype)
        self.held = _freeze(new)
        return self

    def assign_add(self, change: Any) -> Variable:
        """Add a change to the eager variable's value, in place: ``w.assign_add(1.0)``."""
        return self.assign(self.value + _as_plain_value(change, "the change"))

    def assign_sub(self, change: Any) -> Variable:
        """Subtract a change from the eager variable's value, in place: ``w.assign_sub(0.1 * gradient)``."""
        return self.assign(self.value - _as_plain_value(change, "the change"))

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"Variable({name}{format_value(self.value)})"

    # The value may be assigned to later, so +w and w.copy() return a tensor, and copy.copy(w) makes another Variable.

    def __pos__(self) -> Tensor:
        return self.read()

    def copy(self, order: Any = "C") -> Tensor:
        """Copy an eager variable's current value into a tensor."""
        return self.read()

    def __copy__(self) -> Variable:
        return Variable(self.value, self.trainable, self.name)

    def __deepcopy__(self, memo: Any) -> Variable:
        return self.__copy__()


class Recorder(Level):
    """The base class of gradient tapes: a level that records the eager operations of its thread.

    ``watches(operands)`` returns whether an operation is to be recorded; then ``record(op, operands, static, result)``
    records it. ``note_read(variable, tensor)`` is called when a Variable has been read as a tensor.
    """

    thread = 0
    watches: Callable[[tuple[Any, ...]], bool]
    record: Callable[[Op, tuple[Any, ...], Mapping[str, Any], Tensor], None]
    note_read: Callable[[Variable, Tensor], None]


def active_recorders() -> list[Recorder]:
    """The gradient tapes that record eager operations in this thread now."""
    here = threading.get_ident()
    tapes = [
        level
        for level in open_levels
        if isinstance(level, Recorder) and level.open and level.thread == here
    ]
    if pauses:
        tapes = [tape for tape in tapes if not is_paused(tape)]
    return tapes


def custom_gradient(f: Callable[..., tuple[Any, Callable[[Any], Any]]]) -> Callable[..., Any]:
    """Give a function of eager tensors a custom gradient: `f` returns its result, and a function of the adjoint.

    A call of the function is one record on the tape. Its rule is made anew in each call, so it can use the values that
    `f` has computed.

    Examples
    --------
    >>> @custom_gradient
    ... def softplus(x):
    ...     e = np.exp(x)
    ...     return np.log(1 + e), lambda g: g * (1 - 1 / (1 + e))
    >>> x = Variable(100.0)
    >>> from autodiff_lab.systems.gradient_tape import GradientTape
    >>> with GradientTape() as tape:
    ...     y = softplus(x)
    >>> tape.gradient(y, x)
    Tensor(1.0)
    """

    @wraps(f)
    def recorded(*operands: Any) -> Any:
        operands = tuple(constant(x) for x in operands)
        result, gradients = f(*operands)
        value = constant(result).value
        bound = custom.custom_gradient(vjp=lambda g, _, *operands: gradients(g))
        return bound(wraps(f)(lambda *plain: value))(*operands)

    return recorded


def _as_plain_value(x: Any, what: str) -> Any:
    if isinstance(x, Eager):
        return x.value
    if isinstance(x, Traced):
        raise InputError(
            f"{what} is {x!r}, which grad or another derivative is tracing; inside a tensor its derivative would be "
            "lost. Take the derivative with one system: either a GradientTape or grad."
        )
    array = np.array(x)
    if array.dtype.kind in "biuSU":
        return _freeze(array[()])
    return _freeze(as_value(array, what))


def _freeze(x: Any) -> Any:
    """Make an array read-only, because tapes store it without a copy."""
    if type(x) is np.ndarray:
        x.setflags(write=False)
    return x
