"""A recorded derivative: one tape that holds a function together with its backward pass or its tangents.

The engine nests, so a derivative can be recorded like any other computation. The rules are written in terms of
primitives, so an outer tape records the operations of the function *and* those of the sweep (or of the tangents). This
module contains no derivative formula.

On that tape, the result of a comparison can be used in two ways. If a rule computes with it, as in ``(a > b) * 1.0``,
the comparison is a line of the program, and is evaluated again in each call. If an ``if`` of the user's function tests
it, it is a decision, and the program has to check that it comes out the same. Integers are treated likewise: in
``table[np.floor(x).astype(int) + 1]``, the conversion and the sum are lines, and the index is a decision.
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
    """A leaf of the arguments that becomes an input of the recorded derivative, with its own line on the tape."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class RecordedDerivative:
    """A recorded derivative: one tape that holds a function and, by `mode`, its sweep, its tangents or nothing more.

    Parameters
    ----------
    f : callable
    args : sequence
        The arguments; each leaf that is an input of the program is wrapped in a `Leaf`.
    argnums : int or sequence of int
        Which arguments to differentiate with respect to; for a sequence, the gradient is a tuple.
    mode : {"reverse", "forward", "value"}
    labels : sequence of str
        The names of the inputs, in order.

    Attributes
    ----------
    tape : OuterTape
    result : nested containers
        What a call returns, with Variables of `tape` (or constants) as leaves.
    argnums, which
        Which arguments to differentiate with respect to: as given, and as a list of positions.
    names : dict
        The names of the lines that have one: ``v3``, ``v3_bar``, ``v3_dot``.
    backward_start : int
        The first line of the backward pass; the length of the tape if there is none.
    operations : int
        The number of operations of the function itself.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: Sequence[Any],
        argnums: Any,
        mode: str,
        labels: Sequence[str],
    ) -> None:
        self.tape = OuterTape()
        self.names = dict(enumerate(labels))
        self.argnums = argnums
        self.which = resolve_argnums(argnums, args, f)
        self.backward_start = -1
        self.operations = 0
        remaining_labels = iter(labels)

        def add_input(leaf: Any) -> Any:
            if isinstance(leaf, Leaf):
                return self.tape.input(leaf.value, next(remaining_labels))
            return leaf

        inputs = [pytree.map_leaves(add_input, x) for x in args]
        record = {
            "reverse": self._record_reverse,
            "forward": self._record_forward,
            "value": self._record_value,
        }[mode]
        self.result = self.tape.run(lambda *xs: record(f, xs), inputs)
        if self.backward_start < 0:
            self.backward_start = len(self.tape)

    def _record_value(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function alone."""
        result = f(*args)
        if result is None:
            raise UnsupportedError("The function returned None. Give it a `return`.")
        self.operations = self._name_operations()
        return result

    def _name_operations(self) -> int:
        """Name the lines ``v1``, ``v2``, … in order, and return how many there are."""
        first = self.tape.n_inputs
        self.names |= {i: f"v{i - first + 1}" for i in range(first, len(self.tape))}
        return len(self.tape) - first

    def _record_reverse(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function, then the sweep."""
        result, inner = recording.record_call(f, args, self.which)
        require_scalar(result, f)
        line = recording.result_line(result, inner)
        value = recording.result_value(result, inner)
        n_inputs = inner.n_inputs
        inputs = inner.values[:n_inputs]
        inner_names = self._name_forward_pass(inner)
        self.backward_start = len(self.tape)
        self.operations = len(inner) - n_inputs
        adjoints: list[Any] = [None] * len(inner)
        if line is not None:
            seed = self.tape.constant_line(ones(innermost_value(value)))
            self.names[seed.index] = f"{inner_names[line]}_bar"
            self._sweep_and_name(inner, line, seed, adjoints, inner_names)
        gradients = []
        for g, x in zip(adjoints[:n_inputs], inputs, strict=True):
            if g is None:
                gradients.append(zeros(innermost_value(x)))
            else:
                gradients.append(as_shaped(g, x, "the gradient"))
        return value, recording.group_by_argument(gradients, self.argnums, self.which, args)

    def _name_forward_pass(self, inner: Tape) -> list[str]:
        """Name the lines of the inner tape; give the same name to the outer line that holds the value of each."""
        n_inputs = inner.n_inputs
        inner_names = [self.names[v.index] for v in inner.values[:n_inputs]]
        for number, v in enumerate(inner.values[n_inputs:], start=1):
            inner_names.append(f"v{number}")
            if isinstance(v, Variable):
                self.names.setdefault(v.index, f"v{number}")
        return inner_names

    def _sweep_and_name(
        self, inner: Tape, line: int, seed: Any, adjoints: list[Any], inner_names: list[str]
    ) -> None:
        """Sweep the inner tape, and name each outer line that holds an adjoint after the inner line: ``v3_bar``."""
        names = self.names
        # for each inner line, the outer line that holds its adjoint so far
        holder: dict[int, int] = {}
        for i in inner.sweep(line, seed, adjoints):
            for j in inner.parents[i]:
                g = adjoints[j] if j >= 0 else None
                if type(g) is not Variable or holder.get(j) == g.index:
                    continue
                adjoint_name = f"{inner_names[j]}_bar"
                before = holder.get(j)
                if before is not None and names.get(before) == adjoint_name:
                    # The adjoint has just grown: the line before held only its first contributions.
                    del names[before]
                holder[j] = g.index
                names.setdefault(g.index, adjoint_name)

    def _record_forward(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function with its tangents: one pass per number; for arrays, all directions in one batch."""
        if not all(type(args[k]) is Variable and shape_of(args[k]) == () for k in self.which):
            return self._record_batch(f, args)
        names, which = self.names, self.which
        tangents: dict[int, list[Any]] = {}
        for k in dict.fromkeys(which):
            suffix = f"_dot_{names[args[k].index]}" if len(which) > 1 else "_dot"
            forward = NamingPass(names, suffix)
            duals = list(args)
            duals[k] = dual(args[k], np.float64(1.0), forward)
            result = forward.run(f, duals)
            leaves = [forward.split(y) for y in pytree.flatten(result)]
            values = [value for value, _ in leaves]
            tangents[k] = [tangent for _, tangent in leaves]
            self.operations = self.operations or forward.operations
        derivatives: list[Any]
        if hasattr(self.argnums, "__index__"):
            derivatives = tangents[which[0]]
        else:
            derivatives = list(zip(*(tangents[k] for k in which), strict=True))
        return pytree.unflatten(result, values), pytree.unflatten(result, derivatives)

    def _record_batch(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function, then its Jacobian, whose pass takes all directions at once."""
        before = len(self.tape)
        value = f(*args)
        self.operations = len(self.tape) - before
        jacobian = jacfwd(f, self.argnums)(*args)
        self._name_operations()
        return value, jacobian


class NamingPass(ForwardPass):
    """The forward pass for recording a derivative; it names the lines: ``v2``, and ``v2_dot`` for its tangent."""

    has_fast_path = False

    def __init__(self, names: dict[int, str], suffix: str) -> None:
        super().__init__()
        self.names = names
        self.suffix = suffix
        self.operations = 0

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute an operation and the tangent of its result, and name both lines of the recorded derivative."""
        y = super().process(op, operands, static)
        if op.kind in ("comparison", "shape"):
            return y
        self.operations += 1
        is_dual = type(y) is Dual and y.level is self
        value = y.value if is_dual else y
        if not isinstance(value, Variable):
            return y
        name = self.names.setdefault(value.index, f"v{self.operations}")
        if is_dual and isinstance(y.tangent, Variable):
            self.names.setdefault(y.tangent.index, name + self.suffix)
        return y

    def split(self, y: Any) -> tuple[Any, Any]:
        """Split a result of this pass into its value and its tangent; the tangent of a constant is 0."""
        if type(y) is Dual and y.level is self:
            return y.value, y.tangent
        return y, zeros(innermost_value(recording.check_result(y)))


# Primitives that return positions. These are used as indices, so calling one of them is already a decision.
POSITION_PRIMITIVES = {
    "argmax",
    "argmin",
    "argsort",
    "argpartition",
    "nonzero",
    "flatnonzero",
    "argwhere",
    "searchsorted",
    "digitize",
}


class Decision(NamedTuple):
    """A decision that control flow depended on in a recorded derivative: its line, its outcome, and where it was made.

    Attributes
    ----------
    before : int
        The line that was recorded next.
    line : int
    outcome : bool, int, array or tuple
    asked : str
        The user's line that tested it, as ``line 3: while y < 10:``; empty if it was not a line of theirs.
    """

    before: int
    line: int
    outcome: Any
    asked: str


# On booleans, `&` and the like are logical primitives, which the program computes. On integers they have no rule.
LOGICAL_PRIMITIVES: dict[np.ufunc, np.ufunc] = {
    np.bitwise_and: np.logical_and,
    np.bitwise_or: np.logical_or,
    np.bitwise_xor: np.logical_xor,
    np.invert: np.logical_not,
}


class Answer(Variable):
    """Booleans or integers in a recorded derivative: data in arithmetic, a decision once their plain value is needed.

    A comparison returns one, and so do ``astype(int)`` and arithmetic on such integers. An ``if``, an index, and every
    function without a rule need the plain value.
    """

    __slots__ = ()
    tape: OuterTape

    def decide(self) -> Any:
        """Return the plain booleans or integers; from then on, the recorded derivative holds for this outcome only."""
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
        if ufunc in LOGICAL_PRIMITIVES:
            dtypes = [getattr(x, "dtype", type(x)) for x in inputs]
            if all(dtype in (bool, np.bool_) for dtype in dtypes):
                ufunc = LOGICAL_PRIMITIVES[ufunc]
        if method == "__call__" and ufunc in TABLE and not kwargs:
            return apply(TABLE[ufunc], tuple(map(as_operand, inputs)))
        return getattr(ufunc, method)(*map(_decide_all, inputs), **kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        caught = self.tape.caught
        try:
            return super().__array_function__(func, types, args, kwargs)
        except AutodiffError:
            # A function without a rule is called with the plain values.
            self.tape.caught = caught
            plain_kwargs = {name: _decide_all(x) for name, x in kwargs.items()}
            return func(*map(_decide_all, args), **plain_kwargs)

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """The array method ``x.astype(dtype)`` on booleans or integers of a recorded derivative: not a decision."""
        if np.dtype(dtype) == np.float64:
            return self * 1.0
        return super().astype(dtype)

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


# The operators go through the dispatch, because the fast paths of `Variable` would return Variables, not Answers.
for _name in OPERATORS:
    for _method in (f"__{_name}__", f"__r{_name}__"):
        setattr(Answer, _method, getattr(Overloaded, _method))


class OuterTape(Tape):
    """The outer tape that records a derivative: it also records comparisons, and the inside of custom rules.

    Attributes
    ----------
    decisions : list of Decision
        In the order in which they were made.
    known : dict
        The values of the lines that hold a constant: the seed.
    """

    # The program has to compute everything in each call, also what the user's function does not record.
    pausable = False

    def __init__(self) -> None:
        super().__init__()
        self.decisions: list[Decision] = []
        self.known: dict[int, Any] = {}

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
        """Add a line; an Answer in its options, as in the index ``x[i:]``, becomes a decision."""
        if static:
            static = {name: _decide_all(x) for name, x in static.items()}
        return super().append(op, args, parents, value, static)

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation of the function or its derivative, and record it as a line of the outer tape."""
        lines = []
        args = []
        for x in operands:
            if isinstance(x, Variable) and x.tape is self:
                lines.append(x.index)
                args.append(x.value)
            else:
                lines.append(-1)
                args.append(copy_constant(x))
        if op.kind == "shape":
            return op.fn(*args, **static)
        if op.inside is not None:
            result = self._record_inside(op, operands)
            if result is not None:
                return result
        if static:
            static = {name: copy_constant(_decide_all(x)) for name, x in static.items()}
        value = op.fn(*args, **static)
        if type(value) is float:  # from a user's own primitive
            value = np.float64(value)
        if op.kind != "comparison" and getattr(value, "dtype", FLOAT64).kind not in "biu":
            return self.append(op, tuple(args), tuple(lines), as_operand(value), static)
        answer = Answer()
        answer.tape = self
        answer.value = value if isinstance(value, tuple) else as_operand(value)
        answer.index = self.append(op, tuple(args), tuple(lines), answer.value, static).index
        return answer.decide() if op.name in POSITION_PRIMITIVES else answer

    def _record_inside(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """Record the operations inside a custom rule's function; None if one of them has no rule."""
        n_lines = len(self.ops)
        n_decisions = len(self.decisions)
        caught = self.caught
        try:
            return as_operand(op.inside(*operands))  # type: ignore[misc]
        except AutodiffError:
            for column in (self.ops, self.args, self.parents, self.values):
                del column[n_lines:]
            for line in [i for i in self.kwargs if i >= n_lines]:
                del self.kwargs[line]
            del self.decisions[n_decisions:]
            self.caught = caught
            return None

    def note_decision(self, answer: Answer) -> None:
        """Note a decision: the recorded derivative holds only while this comparison comes out the same."""
        was_just_noted = any(d.line == answer.index for d in self.decisions[-3:])
        if not self.open or was_just_noted:
            return
        value = answer.value.copy() if isinstance(answer.value, np.ndarray) else answer.value
        self.decisions.append(Decision(len(self.ops), answer.index, value, _find_asking_line()))


def _decide_all(x: Any) -> Any:
    """Replace each Answer in an argument, also inside tuples, lists and slices, by its plain value."""
    if isinstance(x, Answer):
        return x.decide()
    if type(x) in (tuple, list):
        return type(x)(map(_decide_all, x))
    if type(x) is slice:
        return slice(_decide_all(x.start), _decide_all(x.stop), _decide_all(x.step))
    return x


_MODULES_TO_SKIP = (*INTERNAL_MODULES, f"{__name__}.", "contextlib.")


def _find_asking_line() -> str:
    """Describe the user's line that is running, as ``line 3: while y < 10:``; empty if the sweep made the decision."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if is_user_frame(frame, _MODULES_TO_SKIP):
            # If this is a module of the compiler, it recorded the derivative, and no line of the user's was running.
            return describe_line(frame) if is_user_frame(frame, ("autodiff_lab.programs.",)) else ""
        frame = frame.f_back
    return ""
