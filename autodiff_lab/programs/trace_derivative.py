"""From a function to one tape that holds its derivative too.

The engine nests, so a derivative can be recorded like anything else: an outer tape sees the operations of the function
*and* those of the sweep (or of the tangents), because rules are made of table rows. Nothing here knows a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dispatch import Op
from ..engine.dual import Dual, ForwardPass, dual
from ..engine.errors import ShapeError, UnsupportedError
from ..engine.values import ones, zeros
from ..engine.variable import Variable
from ..transforms import pytree
from ..transforms.jacobians import jacfwd
from ..transforms.recording import record_call, require_scalar, result_line, result_value
from .outer_tape import OuterTape

__all__ = ["Leaf", "Trace", "traced"]


class Trace(NamedTuple):
    """A recorded derivative.

    Attributes
    ----------
    tape : OuterTape
    result : nested containers
        What a call returns, with Variables of `tape` (or constants) as leaves.
    names : dict
        What the lines are called that have a name: ``v3``, ``v3_bar``, ``v3_dot``.
    turn : int
        The first line of the way back; the length of the tape where there is none.
    operations : int
        How many operations the function itself has.
    """

    tape: OuterTape
    result: Any
    names: dict[int, str]
    turn: int
    operations: int


def traced(
    f: Callable[..., Any], args: Sequence[Any], which: Sequence[int], several: bool, mode: str, labels: Sequence[str]
) -> Trace:
    """Record `f` (or its derivative, by `mode`) on an outer tape.

    Parameters
    ----------
    f : callable
    args : sequence
        The arguments; every leaf that is an input of the program is a `Leaf` around its value.
    which : sequence of int
        The positions to differentiate by.
    several : bool
        The gradient is a tuple, one for each of `which`.
    mode : {"reverse", "forward", "value"}
    labels : sequence of str
        The names of the inputs, in order.
    """
    tape = OuterTape()
    names: dict[int, str] = {}
    marks: list[int] = []
    remaining = iter(labels)

    def lifted(leaf: Any) -> Any:
        if not isinstance(leaf, Leaf):
            return leaf
        names[len(tape)] = label = next(remaining)
        return tape.input(leaf.value, label)

    inputs = [pytree.map_leaves(lifted, x) for x in args]
    way = {"reverse": _reverse, "forward": _forward, "value": _value}[mode]
    result, operations = tape.run(lambda *xs: way(f, xs, which, several, tape, names, marks), inputs)
    return Trace(tape, result, names, marks[0] if marks else len(tape), operations)


class Leaf:
    """An input of the program, before it has a line."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _value(f: Any, args: Any, which: Any, several: bool, tape: OuterTape, names: dict[int, str], marks: Any) -> Any:
    result = f(*args)
    if result is None:
        raise UnsupportedError("The function returned None. Give it a `return`.")
    for i in range(tape.n_inputs, len(tape)):
        names[i] = f"v{i - tape.n_inputs + 1}"
    return result, len(tape) - tape.n_inputs


def _reverse(
    f: Any, args: Any, which: Any, several: bool, tape: OuterTape, names: dict[int, str], marks: list[int]
) -> Any:
    """The function, then the sweep; both on the outer tape."""
    result, inner = record_call(f, args, which)
    require_scalar(result, f)
    line = result_line(result, inner)
    value = result_value(result, inner)
    first = inner.n_inputs
    role = [_input_name(names, v, k) for k, v in enumerate(inner.values[:first])]
    for i, v in enumerate(inner.values[first:], start=first):
        role.append(f"v{i - first + 1}")
        if isinstance(v, Variable):
            names.setdefault(v.index, role[i])
    marks.append(len(tape))
    adjoints: list[Any] = [None] * len(inner)
    if line is not None:
        seed = tape.constant_line(ones(_bottom(value)))
        names[seed.index] = f"{role[line]}_bar"
        holder: dict[int, int] = {}  # the outer line that holds the adjoint of an inner one, so far
        for i in inner.sweep(line, seed, adjoints):
            for j in inner.parents[i]:
                g = adjoints[j] if j >= 0 else None
                if type(g) is Variable and holder.get(j) != g.index:
                    before = holder.get(j)
                    if before is not None and names.get(before) == f"{role[j]}_bar":
                        del names[before]  # it was a first contribution, not yet the adjoint
                    holder[j] = g.index
                    names.setdefault(g.index, f"{role[j]}_bar")
    found = iter(
        zeros(_bottom(x)) if g is None else _like(g, x)
        for g, x in zip(adjoints[:first], inner.values[:first], strict=True)
    )
    of: dict[int, Any] = {}
    for k in which:
        if k not in of:
            of[k] = pytree.map_leaves(lambda _: next(found), args[k])
    gradient = tuple(of[k] for k in which)
    return (value, gradient if several else gradient[0]), len(inner) - first


def _forward(f: Any, args: Any, which: Any, several: bool, tape: OuterTape, names: dict[int, str], marks: Any) -> Any:
    """The function with its tangents: one pass per number; for arrays all directions in one batch."""
    single = [k for k in which if type(args[k]) is Variable and shape_of(args[k]) == ()]
    if len(single) < len(which):
        before = len(tape)
        value, jacobian = f(*args), None
        operations = len(tape) - before
        jacobian = jacfwd(f, tuple(which) if several else which[0])(*args)
        for i in range(tape.n_inputs, len(tape)):
            names[i] = f"v{i - tape.n_inputs + 1}"
        return (value, jacobian), operations
    parts, value, operations = {}, None, 0
    for k in dict.fromkeys(which):
        forward = NotingPass(names, f"_dot_{names[args[k].index]}" if len(which) > 1 else "_dot", tape)
        lifted = list(args)
        lifted[k] = dual(args[k], np.float64(1.0), forward)
        result = forward.run(f, lifted)
        own = lambda y, forward=forward: type(y) is Dual and y.level is forward  # noqa: E731
        value = pytree.map_leaves(lambda y, own=own: y.value if own(y) else y, result)
        parts[k] = pytree.map_leaves(lambda y, own=own: y.tangent if own(y) else zeros(_bottom(y)), result)
        operations = operations or forward.operations
    tangents = tuple(parts[k] for k in which)
    if not several:
        return (value, tangents[0]), operations
    leaves = [pytree.flatten(t) for t in tangents]
    blocks = [tuple(column) for column in zip(*leaves, strict=True)]
    return (value, pytree.unflatten(value, blocks)), operations


class NotingPass(ForwardPass):
    """A forward pass that notes which line is the tangent of which."""

    __slots__ = ("names", "operations", "suffix", "tape")
    has_fast_path = False

    def __init__(self, names: dict[int, str], suffix: str, tape: OuterTape) -> None:
        super().__init__()
        self.names, self.suffix, self.tape, self.fast, self.operations = names, suffix, tape, False, 0

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Compute one operation and the tangent of its result."""
        y = super().process(op, operands, static)
        if op.kind not in ("comparison", "shape"):
            self.operations += 1
            value = y.value if type(y) is Dual and y.level is self else y
            if isinstance(value, Variable):
                name = self.names.setdefault(value.index, f"v{self.operations}")
                if value is not y and isinstance(y.tangent, Variable):
                    self.names.setdefault(y.tangent.index, name + self.suffix)
        return y


def _bottom(x: Any) -> Any:
    while isinstance(x, (Variable, Dual)):
        x = x.value
    return x


def _input_name(names: dict[int, str], v: Any, k: int) -> str:
    return names.get(v.index, f"x{k + 1}") if isinstance(v, Variable) else f"x{k + 1}"


def _like(g: Any, x: Any) -> Any:
    """A gradient in the shape of its input: what the engine hands out has it, and so must the program."""
    if shape_of(g) != shape_of(x):
        _raise_shape(g, x)
    return g


def _raise_shape(g: Any, x: Any) -> NoReturn:
    raise ShapeError(f"The gradient has shape {shape_of(g)}, and its input {shape_of(x)}.")
