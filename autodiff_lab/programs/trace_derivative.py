"""From a function to one tape that holds its derivative too.

The engine nests, so a derivative can be recorded like anything else: an outer tape sees the operations of the function
*and* those of the sweep (or of the tangents), because rules are made of table rows. Nothing here knows a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dispatch import Op
from ..engine.dual import Dual, ForwardPass, dual
from ..engine.errors import UnsupportedError
from ..engine.values import as_shaped, ones, zeros
from ..engine.variable import Variable
from ..transforms import pytree
from ..transforms.jacobians import jacfwd
from ..transforms.recording import chosen_arguments, plainest, recorded, require_scalar, result_line, result_value
from .outer_tape import OuterTape

__all__ = ["Leaf", "RecordedDerivative"]


class Leaf:
    """An input of the program, before it has a line."""

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
    which : list of int
        The positions to differentiate by.
    names : dict
        What the lines are called that have a name: ``v3``, ``v3_bar``, ``v3_dot``.
    turn : int
        The first line of the way back; the length of the tape where there is none.
    operations : int
        How many operations the function itself has.
    """

    def __init__(
        self, f: Callable[..., Any], args: Sequence[Any], argnums: Any, mode: str, labels: Sequence[str]
    ) -> None:
        self.tape, self.names = OuterTape(), dict(enumerate(labels))
        self.which = chosen_arguments(argnums, args, f)
        self.turn, self.operations = -1, 0
        self._as_tuple = not hasattr(argnums, "__index__")
        remaining = iter(labels)

        def add_input(leaf: Any) -> Any:
            return self.tape.input(leaf.value, next(remaining)) if isinstance(leaf, Leaf) else leaf

        inputs = [pytree.map_leaves(add_input, x) for x in args]
        record = {"reverse": self._record_reverse, "forward": self._record_forward, "value": self._record_value}[mode]
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
        result, inner = recorded(f, args, self.which)
        require_scalar(result, f)
        line, value, first = result_line(result, inner), result_value(result, inner), inner.n_inputs
        inputs = inner.values[:first]
        role = [names[v.index] for v in inputs]
        for i, v in enumerate(inner.values[first:], start=first):
            role.append(f"v{i - first + 1}")
            if isinstance(v, Variable):
                names.setdefault(v.index, role[i])
        self.turn, self.operations = len(tape), len(inner) - first
        adjoints: list[Any] = [None] * len(inner)
        if line is not None:
            seed = tape.constant_line(ones(plainest(value)))
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
        pairs = zip(adjoints[:first], inputs, strict=True)
        found = iter([zeros(plainest(x)) if g is None else as_shaped(g, x, "the gradient") for g, x in pairs])
        of = {k: pytree.map_leaves(lambda _: next(found), args[k]) for k in dict.fromkeys(self.which)}
        gradient = tuple(of[k] for k in self.which)
        return value, gradient if self._as_tuple else gradient[0]

    def _record_forward(self, f: Any, args: Sequence[Any]) -> Any:
        """Record the function with its tangents: one pass per number; for arrays all directions in one batch."""
        names, which = self.names, self.which
        if not all(type(args[k]) is Variable and shape_of(args[k]) == () for k in which):
            before = len(self.tape)
            value = f(*args)
            self.operations = len(self.tape) - before
            jacobian = jacfwd(f, tuple(which) if self._as_tuple else which[0])(*args)
            self._name_operations()
            return value, jacobian
        tangents: dict[int, Any] = {}
        for k in dict.fromkeys(which):
            forward = NamingPass(names, f"_dot_{names[args[k].index]}" if len(which) > 1 else "_dot")
            result = forward.run(f, [dual(x, np.float64(1.0), forward) if j == k else x for j, x in enumerate(args)])
            own = lambda y, forward=forward: type(y) is Dual and y.level is forward  # noqa: E731
            value = pytree.map_leaves(lambda y, own=own: y.value if own(y) else y, result)
            tangents[k] = pytree.map_leaves(lambda y, own=own: y.tangent if own(y) else zeros(plainest(y)), result)
            self.operations = self.operations or forward.operations
        if not self._as_tuple:
            return value, tangents[which[0]]
        blocks = zip(*(pytree.flatten(tangents[k]) for k in which), strict=True)
        return value, pytree.unflatten(value, list(blocks))


class NamingPass(ForwardPass):
    """A forward pass that names the lines: ``v2``, and ``v2_dot`` for its tangent."""

    __slots__ = ("names", "operations", "suffix")
    simple = False

    def __init__(self, names: dict[int, str], suffix: str) -> None:
        super().__init__()
        self.names, self.suffix, self.plain, self.operations = names, suffix, False, 0

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
