"""Formulas for the lines of a tape: the engine's own rules, run on names instead of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_lab.engine.symbol import Symbol
from autodiff_lab.figures import notation


class _Shaped(Symbol):
    """A name that stands for an array: the rules of linear maps ask for shapes."""

    __slots__ = ("_shape",)

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(name)
        self._shape = np.shape(value)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # A question of shape has an answer: "g · 0.5" says more than "g · size(y) / size(x)".
        if func in (np.shape, np.size, np.ndim) and len(args) == 1:
            return func(np.empty(self._shape))
        return super().__array_function__(func, types, args, kwargs)


def _names(tape: Any, i: int, write: Callable[[str], str] = str) -> list[Any]:
    """The operands of a line as names; constants that are numbers stay numbers, arrays are called what they show."""
    names = []
    for parent, x in zip(tape.parents[i], tape.args[i], strict=True):
        if parent >= 0:
            names.append(_Shaped(tape.name(parent), x))
        else:
            names.append(_Shaped(write(notation.number(x)), x) if np.ndim(x) else x)
    return names


def way_back(tape: Any, i: int, slot: int) -> tuple[str, str]:
    """How the adjoint goes back, as text and as LaTeX: the rule itself, run on names instead of numbers.

    For an elementwise operation this is the local partial; for another one, the map applied to the line's adjoint.
    """
    op, names, y = tape.ops[i], _names(tape, i), _Shaped(tape.name(i), tape.values[i])
    if op.name == "matmul":
        text = _through_product(tape, i, slot, [name.text() for name in names])
        return text, notation.latex_expression(text)
    try:
        if op.kind == "elementwise":
            found = op.local_partial(slot, y, *names)
            if isinstance(found, Symbol):
                return found.text(), op.local_partial(slot, y, *_names(tape, i, notation.latex_value)).latex()
        else:
            adjoint = _Shaped(notation.pretty_adjoint(tape.name(i)), tape.values[i])
            found = op.pullback(slot, adjoint, y, tuple(names), tape.kwargs.get(i, {}))
            if isinstance(found, Symbol):
                return found.text(), notation.latex_expression(found.text())
    except Exception:
        # A learner's own rule need not run on names; then the number alone is shown.
        return ("", "") if op.kind == "elementwise" else _called(f"transpose of {op.name}")
    return _called("0" if found is None else notation.number(found))


def _called(text: str) -> tuple[str, str]:
    return text, notation.latex_value(text)


def operation(tape: Any, i: int) -> str:
    """What a line computes, in LaTeX."""
    op = tape.ops[i]
    if op is None:
        return notation.latex(tape.input_names[i] or tape.name(i))
    try:
        if op.kind == "elementwise":
            return Symbol(op=op, operands=tuple(_names(tape, i, notation.latex_value))).latex()
    except Exception:
        # A learner's own operation need not run on names.
        pass
    return notation.latex_expression(tape.expression(i))


def _through_product(tape: Any, i: int, slot: int, names: list[str]) -> str:
    """How an adjoint goes back through ``a @ b``. The rule itself reshapes vectors to matrices, which is no formula."""
    a, b = names
    rows, columns = (np.ndim(x) for x in tape.args[i])
    adjoint = notation.pretty_adjoint(tape.name(i))
    if rows == 1 and columns == 1:
        return f"{adjoint} * {(b, a)[slot]}"
    if slot == 0:
        return f"outer({adjoint}, {b})" if (rows, columns) == (2, 1) else f"{adjoint} @ {b}.T"
    return f"outer({a}, {adjoint})" if (rows, columns) == (1, 2) else f"{a}.T @ {adjoint}"
