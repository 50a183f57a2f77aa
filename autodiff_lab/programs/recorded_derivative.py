"""A recorded derivative: from a function to one tape that holds its sweep or its tangents too.

The engine nests, so a derivative can be recorded like anything else: an outer tape sees the operations of the function
*and* those of the sweep (or of the tangents), because rules are made of table rows. Nothing here knows a formula.

On that tape a comparison is two things at once. A rule computes with its answer (``(a > b) * 1.0``): then the answer
is a line of the program, and follows the inputs. A learner's ``if`` asks for it: then it is a decision, and the program
has to check it. The same holds for integers: in ``table[np.floor(x).astype(int) + 1]`` the conversion and the sum are
lines, and the index is a decision.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partialmethod
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dispatch import NO_OPTIONS, TABLE, apply
from ..engine.dual import Dual, ForwardPass, dual
from ..engine.errors import AutodiffError, UnsupportedError
from ..engine.frames import INTERNAL_MODULES, describe_line, is_user_frame
from ..engine.operators import OPERATORS, Overloaded
from ..engine.primitives import Op
from ..engine.tape import Tape
from ..engine.values import (
    FLOAT64,
    as_operand,
    as_shaped,
    copy_constant,
    innermost_value,
    ones,
    zeros,
)
from ..engine.variable import Variable
from ..transforms import pytree, recording
from ..transforms.gradients import require_scalar
from ..transforms.jacobians import jacfwd
from ..transforms.signatures import resolve_argnums


class Leaf:
    """Of a derivative to be recorded, a leaf of the arguments that will be an input, a line of its own."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class RecordedDerivative:
    """A recorded derivative: one tape that holds a function, and its sweep or its tangents.

    Parameters
    ----------
    f : callable
    args : sequence
        The arguments; every leaf that is an input of the program is a `Leaf` around its value.
    argnums : int or sequence of int
        By which arguments to differentiate; for a sequence the gradient is a tuple.
    mode : {"reverse", "forward", "value"}
    labels : sequence of str
        The names of the inputs, in order.

    Attributes
    ----------
    tape : OuterTape
    result : nested containers
        What a call returns, with Variables of `tape` (or constants) as leaves.
    argnums, which
        By which arguments to differentiate: as asked for, and as positions.
    names : dict
        What the lines are called that have a name: ``v3``, ``v3_bar``, ``v3_dot``.
    turn : int
        The first line of the way back; the length of the tape where there is none.
    operations : int
        How many operations the function itself has.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        argnums: Any,
        mode: str,
        labels: Sequence[str],
    ) -> None:
        self.tape, self.names = OuterTape(), dict(enumerate(labels))
        self.argnums, self.which = argnums, resolve_argnums(argnums, args, f)
        self.turn, self.operations = -1, 0
        remaining = iter(labels)

        def add_input(leaf: Any) -> Any:
            return self.tape.input(leaf.value, next(remaining)) if isinstance(leaf, Leaf) else leaf

        inputs = [pytree.map_leaves(add_input, x) for x in args]
        record = {
            "reverse": self._record_reverse,
            "forward": self._record_forward,
            "value": self._record_value,
        }[mode]
        self.result = self.tape.run(lambda *xs: record(f, xs), inputs)
        self.turn = self.turn if self.turn >= 0 else len(self.tape)

    def _record_value(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function alone."""
        result = f(*args)
        if result is None:
            raise UnsupportedError("The function returned None. Give it a `return`.")
        self.operations = self._name_operations()
        return result

    def _name_operations(self) -> int:
        """Name the lines in their order, and count them."""
        first = self.tape.n_inputs
        self.names |= {i: f"v{i - first + 1}" for i in range(first, len(self.tape))}
        return len(self.tape) - first

    def _record_reverse(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function, then the sweep."""
        tape, names = self.tape, self.names
        result, inner = recording.record_call(f, args, self.which)
        require_scalar(result, f)
        line, value, first = (
            recording.result_line(result, inner),
            recording.result_value(result, inner),
            inner.n_inputs,
        )
        inputs = inner.values[:first]
        role = [names[v.index] for v in inputs]
        for i, v in enumerate(inner.values[first:], start=first):
            role.append(f"v{i - first + 1}")
            if isinstance(v, Variable):
                names.setdefault(v.index, role[i])
        self.turn, self.operations = len(tape), len(inner) - first
        adjoints: list[Any] = [None] * len(inner)
        if line is not None:
            seed = tape.constant_line(ones(innermost_value(value)))
            names[seed.index] = f"{role[line]}_bar"
            # the outer line that holds the adjoint of an inner one, so far
            holder: dict[int, int] = {}
            for i in inner.sweep(line, seed, adjoints):
                for j in inner.parents[i]:
                    g = adjoints[j] if j >= 0 else None
                    if type(g) is Variable and holder.get(j) != g.index:
                        before = holder.get(j)
                        if before is not None and names.get(before) == f"{role[j]}_bar":
                            del names[before]  # it was a first contribution, not yet the adjoint
                        holder[j] = g.index
                        names.setdefault(g.index, f"{role[j]}_bar")
        pairs = zip(adjoints[:first], inputs, strict=True)
        found = [
            zeros(innermost_value(x)) if g is None else as_shaped(g, x, "the gradient")
            for g, x in pairs
        ]
        return value, recording.group_by_argument(found, self.argnums, self.which, args)

    def _record_forward(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function with its tangents: one pass per number; for arrays all directions in one batch."""
        names, which = self.names, self.which
        if not all(type(args[k]) is Variable and shape_of(args[k]) == () for k in which):
            before = len(self.tape)
            value = f(*args)
            self.operations = len(self.tape) - before
            jacobian = jacfwd(f, self.argnums)(*args)
            self._name_operations()
            return value, jacobian
        tangents: dict[int, Any] = {}
        for k in dict.fromkeys(which):
            forward = NamingPass(
                names, f"_dot_{names[args[k].index]}" if len(which) > 1 else "_dot"
            )
            result = forward.run(
                f, [dual(x, np.float64(1.0), forward) if j == k else x for j, x in enumerate(args)]
            )
            leaves = [forward.split(y) for y in pytree.flatten(result)]
            values, tangents[k] = [y for y, _ in leaves], [t for _, t in leaves]
            self.operations = self.operations or forward.operations
        one = hasattr(self.argnums, "__index__")
        blocks = tangents[which[0]] if one else zip(*(tangents[k] for k in which), strict=True)
        return pytree.unflatten(result, values), pytree.unflatten(result, list(blocks))


class NamingPass(ForwardPass):
    """The forward pass for recording a derivative: it names the lines, ``v2``, and ``v2_dot`` for its tangent."""

    has_fast_path = False

    def __init__(self, names: dict[int, str], suffix: str) -> None:
        super().__init__()
        self.names, self.suffix, self.operations = names, suffix, 0

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute an operation and the tangent of its result, and name both lines of the recorded derivative."""
        y = super().process(op, operands, static)
        if op.kind not in ("comparison", "shape"):
            self.operations += 1
            value = y.value if type(y) is Dual and y.level is self else y
            if isinstance(value, Variable):
                name = self.names.setdefault(value.index, f"v{self.operations}")
                if value is not y and isinstance(y.tangent, Variable):
                    self.names.setdefault(y.tangent.index, name + self.suffix)
        return y

    def split(self, y: Any) -> tuple[Any, Any]:
        """Split a result that the forward pass has recorded into its value and its tangent, 0 for a constant."""
        if type(y) is Dual and y.level is self:
            return y.value, y.tangent
        return y, zeros(innermost_value(recording.check_result(y)))


# Questions whose answers are positions: they are used as indices, so asking is deciding.
POSITION_ROWS = {
    "argmax",
    "argmin",
    "argsort",
    "nonzero",
    "flatnonzero",
    "argwhere",
    "searchsorted",
    "digitize",
}
POSITION_ROWS |= {"argpartition"}


class Decision(NamedTuple):
    """In a recorded derivative, a decision that control flow depended on: its line, its outcome, who asked."""

    before: int  # the line that was recorded next
    line: int
    outcome: Any
    asked: str


# On booleans `&` and its like are the logical rows, which the program computes; on integers the table has no row.
LOGICAL_ROWS: dict[np.ufunc, np.ufunc] = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
    np.invert: np.logical_not,
}


class Answer(Variable):
    """Booleans or integers in a recorded derivative: data in arithmetic, a decision once they are asked for.

    A comparison gives one, so does ``astype(int)``, and so does arithmetic on such integers. Its plain value is asked
    for by an ``if``, by an index, and by whatever the table has no row for.
    """

    __slots__ = ()
    tape: OuterTape

    def decide(self) -> Any:
        """The plain booleans or integers; from now on the recorded derivative holds for this outcome only."""
        self.tape.note_decision(self)
        return self.value

    def __bool__(self) -> bool:
        return super().__bool__() if self.shape else bool(self.decide())

    def __index__(self) -> int:
        return operator.index(self.decide())

    def __int__(self) -> int:
        return int(self.decide())

    def __float__(self) -> float:
        return float(self.decide())

    def __round__(self, digits: int | None = None) -> int:
        rounded: int = round(self.decide(), digits)
        return rounded

    def __hash__(self) -> int:
        return hash(self.decide())  # the key of a dict

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.decide(), dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.decide(), name)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc in LOGICAL_ROWS and all(
            getattr(x, "dtype", type(x)) in (bool, np.bool_) for x in inputs
        ):
            ufunc = LOGICAL_ROWS[ufunc]
        if method == "__call__" and ufunc in TABLE and not kwargs:
            return apply(TABLE[ufunc], tuple(map(as_operand, inputs)))
        return getattr(ufunc, method)(*map(_decide_all, inputs), **kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        caught = self.tape.caught
        try:
            return super().__array_function__(func, types, args, kwargs)
        except AutodiffError:  # what has no row is asked of the plain answers
            self.tape.caught = caught
            return func(
                *map(_decide_all, args), **{name: _decide_all(x) for name, x in kwargs.items()}
            )

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """The array method ``x.astype(dtype)`` on booleans or integers of a recorded derivative: still data."""
        return self * 1.0 if np.dtype(dtype) == np.float64 else super().astype(dtype)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    __invert__ = partialmethod(np.invert)
    __and__ = __rand__ = partialmethod(np.bitwise_and)
    __or__ = __ror__ = partialmethod(np.bitwise_or)
    __xor__ = __rxor__ = partialmethod(np.bitwise_xor)
    __lshift__ = partialmethod(np.left_shift)
    __rshift__ = partialmethod(np.right_shift)
    __getitem__ = Overloaded.__getitem__


for _name in OPERATORS:  # by the dispatch, for the fast paths make Variables of whatever comes out
    for _way in (f"__{_name}__", f"__r{_name}__"):
        setattr(Answer, _way, getattr(Overloaded, _way))


class OuterTape(Tape):
    """The outer tape that records a derivative: comparisons are lines too, and own rules are taken apart."""

    pausable = False  # what a learner does not record is computed anew all the same

    def __init__(self) -> None:
        super().__init__()
        self.decisions: list[Decision] = []
        self.known: dict[int, Any] = {}  # lines that hold a constant: the seed

    def constant_line(self, value: Any) -> Variable:
        """Add a constant (the seed) as a line, so that the derivative records what is computed from it."""
        v = self.append(None, (), (), value, NO_OPTIONS)
        self.known[v.index] = value
        return v

    def append(
        self,
        op: Op | None,
        args: tuple[Any, ...],
        parents: tuple[int, ...],
        value: Any,
        static: Mapping[str, Any] = NO_OPTIONS,
    ) -> Variable:
        """Add a line; what its options (the index ``i:``) ask of a comparison or of integers is a decision."""
        if static:
            static = {name: _decide_all(x) for name, x in static.items()}
        return super().append(op, args, parents, value, static)

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation of the function or its derivative, and record it as a line of the outer tape."""
        lines = tuple(
            [x.index if isinstance(x, Variable) and x.tape is self else -1 for x in operands]
        )
        args = tuple(
            [
                x.value if line >= 0 else copy_constant(x)
                for line, x in zip(lines, operands, strict=True)
            ]
        )
        if op.kind == "shape":
            return op.fn(*args, **static)
        if op.inside is not None:
            apart = self._record_inside(op, operands)
            if apart is not None:
                return apart
        if static:
            static = {name: copy_constant(_decide_all(x)) for name, x in static.items()}
        value = op.fn(*args, **static)
        if type(value) is float:  # of a learner's own function
            value = np.float64(value)
        if op.kind != "comparison" and getattr(value, "dtype", FLOAT64).kind not in "biu":
            return self.append(op, args, lines, as_operand(value), static)
        answer = Answer()
        answer.tape, answer.value = (
            self,
            as_operand(value) if not isinstance(value, tuple) else value,
        )
        answer.index = self.append(op, args, lines, answer.value, static).index
        return answer.decide() if op.name in POSITION_ROWS else answer

    def _record_inside(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """What the function does inside, recorded; None if something in there has no row in the table."""
        before, decisions, caught = len(self.ops), len(self.decisions), self.caught
        try:
            return as_operand(op.inside(*operands))  # type: ignore[misc]
        except AutodiffError:
            for column in (self.ops, self.args, self.parents, self.values):
                del column[before:]
            for line in [i for i in self.kwargs if i >= before]:
                del self.kwargs[line]
            del self.decisions[decisions:]
            self.caught = caught
            return None

    def note_decision(self, answer: Answer) -> None:
        """Note a decision: the recorded derivative holds only while this comparison comes out the same."""
        if self.open and all(d.line != answer.index for d in self.decisions[-3:]):
            value = answer.value.copy() if isinstance(answer.value, np.ndarray) else answer.value
            self.decisions.append(Decision(len(self.ops), answer.index, value, _find_asking_line()))


def _decide_all(x: Any) -> Any:
    if isinstance(x, Answer):
        return x.decide()
    if type(x) in (tuple, list):
        return type(x)(map(_decide_all, x))
    if type(x) is slice:
        return slice(_decide_all(x.start), _decide_all(x.stop), _decide_all(x.step))
    return x


_MACHINERY = (*INTERNAL_MODULES, f"{__name__}.", "contextlib.")


def _find_asking_line() -> str:
    """The learner's line that is running, as ``line 3: while y < 10:``; empty where it is the sweep that asks."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        # one of our own has called the program: then nobody asked
        if is_user_frame(frame, _MACHINERY):
            return describe_line(frame) if is_user_frame(frame, ("autodiff_lab.programs.",)) else ""
        frame = frame.f_back
    return ""
