"""Local partials as formulas, and as numbers: the engine's own rules, run on names or on values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.engine.broadcasting import keepdims_shape, shape_of
from autodiff_lab.engine.primitives import Op
from autodiff_lab.engine.tape import Tape
from autodiff_lab.text import notation, numbers
from autodiff_lab.text.messages import message
from autodiff_lab.trace.model import Number
from autodiff_lab.transforms.symbol import Symbol, SymbolLevel

_MAX_EDGE_LENGTH = _MAX_MAP_LENGTH = 44


class _NamedLevel(SymbolLevel):
    """The level of expressions with a shape, which is found by running the operation on ones.

    It is below every level of a derivative, so that a derivative treats a name like any other value.
    """

    number = float("-inf")

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        written = super().process(op, operands, static)
        if isinstance(written, NamedValue) or not isinstance(written, Symbol):
            return written
        ones = [np.ones(x.shape)[()] if isinstance(x, Symbol) else x for x in operands]
        return NamedValue(written, op.fn(*ones, **static))


class NamedValue(Symbol):
    """A named value that the rules of local partials run on: a symbol with a shape, which the maps need."""

    __slots__ = ("shape",)
    shape: tuple[int, ...]
    level = _NamedLevel()

    def __init__(self, name: str | Symbol, value: Any) -> None:
        if isinstance(name, Symbol):
            super().__init__(op=name.op, operands=name.operands, static=name.static)
        else:
            super().__init__(name)
        self.shape = np.shape(value)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # The shape is known, and "g · 0.5" is clearer than "g · size(y) / size(x)".
        if func in (np.shape, np.size, np.ndim) and len(args) == 1:
            return func(np.empty(self.shape))
        return super().__array_function__(func, types, args, kwargs)


def _names(tape: Tape, i: int, write: Callable[[str], str] = str) -> list[Any]:
    """The operands of a line as names.

    A constant number stays a number; the name of a constant array is the array written out.
    """
    names = []
    for parent, x in zip(tape.parents[i], tape.args[i], strict=True):
        if parent >= 0:
            names.append(NamedValue(tape.name(parent), x))
        elif np.ndim(x):
            names.append(NamedValue(write(numbers.number(x)), x))
        else:
            names.append(x)
    return names


def local_partial(tape: Tape, i: int, slot: int) -> Any:
    """The local partial of a line with respect to an operand, as numbers; None if its rule has none.

    For a reduction these are the weights of the operand's elements.
    """
    op = tape.operation(i)
    args = tape.args[i]
    if op.kind != "elementwise" and op.weights is None:
        return None
    partial = _apply_rule(tape, i, slot, tape.values[i], args)
    if op.kind == "elementwise":
        return partial
    return np.broadcast_to(partial, np.shape(args[0]))[()]


def _apply_rule(tape: Tape, i: int, slot: int, y: Any, args: Sequence[Any]) -> Any:
    """Run the rule for a local partial, or for the weights of a reduction, on values or on names."""
    op = tape.operation(i)
    if op.kind == "elementwise":
        return op.local_partial(slot, y, *args)
    axis = tape.kwargs.get(i, {}).get("axis")
    kept = keepdims_shape(shape_of(args[0]), axis)
    # The weights need the result with its reduced axes kept. For a name, only the shape changes.
    y = NamedValue(y.text(), np.empty(kept)) if isinstance(y, Symbol) else np.reshape(y, kept)
    assert op.weights is not None, "it is a reduction"
    return op.weights(y, args[0], axis)


def find_targets(tape: Tape, i: int) -> tuple[int, ...]:
    """Find the element of the result that each element of the operand goes to, in a reduction or an index.

    Elements are counted row by row; −1 stands for none. For any other operation nothing is returned.
    """
    op = tape.operation(i)
    shape = np.shape(tape.args[i][0])
    static = tape.kwargs.get(i, {})
    count = int(np.prod(shape))
    if op.weights is not None:
        kept = keepdims_shape(shape, static.get("axis"))
        targets = np.arange(int(np.prod(kept))).reshape(kept)
        return tuple(np.broadcast_to(targets, shape).ravel().tolist())
    if op.name != "getitem":
        return ()
    picked = np.ravel(op.fn(np.arange(float(count)).reshape(shape), **static)).astype(int)
    targets = np.full(count, -1)
    targets[picked] = np.arange(picked.size)
    return tuple(targets.tolist())


class WayBack(NamedTuple):
    """How an adjoint goes back to an operand, by the local partial or a map: a `formula`, and the same in LaTeX.

    If the map can't be written out, `formula` names it in words, as in ``transpose of cumsum``, and
    `is_name` is true; then `is_linear` says whether it is the transpose of a linear operation. `reads` has the lines
    of the tape whose values the partial is computed from.
    """

    formula: str
    latex: str
    is_name: bool = False
    reads: tuple[int, ...] = ()
    is_linear: bool = True


def write_way_back(tape: Tape, i: int, slot: int) -> WayBack:
    """Write the local partial of an operand as text and as LaTeX, by running its rule on names instead of numbers.

    For an elementwise operation this is the local partial, for a reduction the weights. For a linear
    or multilinear map it is the map applied to the line's adjoint, or if that is too long, its name.
    """
    op = tape.operation(i)
    if op.kind == "flat":
        return WayBack("0", "0")
    if op.kind == "elementwise" or op.weights is not None:
        try:
            return _partial(tape, i, slot)
        except Exception:
            # A rule that branches on its values can't run on names. Then only the numbers are shown.
            return WayBack("", "")
    try:
        text = _map(tape, i, slot)
    except Exception:
        text = ""
    is_name = not text or len(text) > _MAX_MAP_LENGTH
    is_linear = op.kind != "general"
    if is_name:
        name = message("indexing") if op.name == "getitem" else op.name
        text = message("transpose of" if is_linear else "pullback of", op=name)
    reads: set[int] = set()
    if op.kind == "multilinear":
        # The contribution to a factor is computed from the other factors.
        others = (parent for k, parent in enumerate(tape.parents[i]) if k != slot)
        reads = {parent for parent in others if parent >= 0}
    latex = notation.latex_expression(text)
    return WayBack(text, latex, is_name, tuple(sorted(reads)), is_linear)


def _partial(tape: Tape, i: int, slot: int) -> WayBack:
    y = NamedValue(tape.name(i), tape.values[i])
    partial = _apply_rule(tape, i, slot, y, _names(tape, i))
    if isinstance(partial, Symbol):
        latex = _apply_rule(tape, i, slot, y, _names(tape, i, notation.latex_value)).latex()
        names = _names_in(partial)
        lines = {line for line in (i, *tape.parents[i]) if line >= 0 and tape.name(line) in names}
        return WayBack(partial.text(), latex, reads=tuple(sorted(lines)))
    text = numbers.number(partial)
    return WayBack(text, notation.latex_value(text))


def _names_in(x: Any) -> set[str]:
    """The names that occur in an expression for a local partial."""
    if not isinstance(x, Symbol):
        return set()
    if x.op is None:
        return {x.name}
    names: set[str] = set()
    for operand in x.operands:
        names |= _names_in(operand)
    return names


_SAMPLES = 17  # points of a curve
_DIGITS = 4


class Curve(NamedTuple):
    """The curve of an operation as one operand varies: `y` at evenly spaced points from `start` to `end`.

    The other operands stay constant. `y` is None at a point where the operation has no finite value.
    The slope at the operand's own value is the local partial.
    """

    start: float
    end: float
    y: tuple[float | None, ...]


def sample_curve(tape: Tape, i: int, slot: int) -> Curve | None:
    """Sample a line's operation along one operand, around the point where its local partial is evaluated.

    None if there is no curve to draw: the operation isn't elementwise, or an operand is an array or
    isn't finite.
    """
    op = tape.operation(i)
    args = list(tape.args[i])
    if op.kind != "elementwise" or any(np.ndim(x) for x in args) or not np.isfinite(args[slot]):
        return None
    at = float(args[slot])
    reach = max(1.0, min(abs(at), 3.0))
    points = np.linspace(at - reach, at + reach, _SAMPLES)
    args[slot] = points
    try:
        with np.errstate(all="ignore"):
            y = np.broadcast_to(op.fn(*args, **tape.kwargs.get(i, {})), points.shape)
            shown = [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in y]
    except Exception:
        # An operation that a learner defined may not support arrays.
        return None
    return Curve(at - reach, at + reach, tuple(shown))


def _map(tape: Tape, i: int, slot: int) -> str:
    """The transpose of a linear or multilinear map, applied to the line's adjoint; empty if it has no formula."""
    op = tape.operation(i)
    names = _names(tape, i)
    y = NamedValue(tape.name(i), tape.values[i])
    adjoint = notation.format_adjoint(tape.name(i))
    if op.name == "matmul":
        return _through_product(tape, i, slot, [name.text() for name in names])
    if op.name == "getitem":
        # The rule's own function has no name in NumPy.
        return message("at, else 0", adjoint=adjoint, index=tape.expression(i).partition("[")[2])
    if op.kind == "general":
        return ""
    upstream = NamedValue(adjoint, tape.values[i])
    contribution = op.pullback(slot, upstream, y, tuple(names), tape.kwargs.get(i, {}))
    if contribution is None:
        return "0"
    return contribution.text() if isinstance(contribution, Symbol) else ""


def edge_label(formula: str, partial: Number | None) -> tuple[str, str]:
    """Write a local partial as the label of a graph's edge, shortened and in full: ``cos x2 = 0.2837``.

    For an array it is the formula, if that is short enough.
    """
    if partial is None:
        whole = edge = formula
    elif formula in ("", partial.text):
        whole, edge = partial.text, partial.in_node
    else:
        whole = edge = f"{formula} = {partial.text}"
        if partial.shape:
            edge = formula if len(formula) <= _MAX_EDGE_LENGTH else partial.in_node
    return notation.shorten(edge, _MAX_EDGE_LENGTH), whole


def operation_latex(tape: Tape, i: int) -> str:
    """Write the operation of a line in LaTeX, in the names that its local partials use."""
    op = tape.ops[i]
    if op is None:
        return notation.latex(tape.input_names[i] or tape.name(i))
    try:
        if op.kind == "elementwise":
            return Symbol(op=op, operands=tuple(_names(tape, i, notation.latex_value))).latex()
    except Exception:
        # An operation that a learner defined may not support names.
        pass
    return notation.latex_expression(tape.expression(i))


def _through_product(tape: Tape, i: int, slot: int, names: list[str]) -> str:
    """How an adjoint goes back through ``a @ b``; empty for stacks of matrices.

    The rule itself can't run on names here: it reshapes vectors to matrices, which has no formula.
    """
    a, b = names
    a_ndim, b_ndim = (np.ndim(x) for x in tape.args[i])
    if max(a_ndim, b_ndim) > 2:
        return ""
    adjoint = notation.format_adjoint(tape.name(i))
    if a_ndim == 1 and b_ndim == 1:
        return f"{adjoint} * {(b, a)[slot]}"
    if slot == 0:
        return f"outer({adjoint}, {b})" if (a_ndim, b_ndim) == (2, 1) else f"{adjoint} @ {b}.T"
    return f"outer({a}, {adjoint})" if (a_ndim, b_ndim) == (1, 2) else f"{a}.T @ {adjoint}"
