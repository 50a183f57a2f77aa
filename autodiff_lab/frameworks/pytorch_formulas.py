"""The notation of PyTorch's operations in the player, with formulas for local partials and for linear maps.

The value of a local partial is computed by PyTorch. A formula that one of our derivative rules writes is shown only
if it gives the same numbers; those in `PARTIALS` and `MAPS` are shown as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.frameworks.pytorch_recording import SeenTensor, map_arguments
from autodiff_lab.text import notation
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.partials import NamedValue
from autodiff_lab.transforms.symbol import Symbol

# For PyTorch's elementwise operations, the NumPy functions whose derivative rules write their local partials.
FUNCTIONS = {
    "abs": np.absolute,
    "add": np.add,
    "atan": np.arctan,
    "cos": np.cos,
    "cosh": np.cosh,
    "div": np.divide,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mul": np.multiply,
    "neg": np.negative,
    "pow": np.power,
    "reciprocal": np.reciprocal,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "sub": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
}

# Local partials of elementwise operations for which no derivative rule writes the usual formula: one for each operand,
# "" if it has none. {y} is the result, {0} the first operand.
PARTIALS = {
    "tanh": ("1 - {y} ** 2",),
    "sigmoid": ("{y} * (1 - {y})",),
    "relu": ("({0} > 0)",),
    "threshold": ("({0} > {1})",),
    "rsqrt": ("-{y} ** 3 / 2",),
    "where": ("", "{0}", "1 - {0}"),
}

# For linear maps, how the adjoint {g} goes back to each tensor among the arguments; {0} is the first argument.
MAPS = {
    "mm": ("{g} @ {1}.T", "{0}.T @ {g}"),
    "bmm": ("{g} @ {1}.mT", "{0}.mT @ {g}"),
    "mv": ("outer({g}, {1})", "{0}.T @ {g}"),
    "dot": ("{g} * {1}", "{g} * {0}"),
    "addmm": ("sum({g}, axis=0)", "{g} @ {2}.T", "{1}.T @ {g}"),
    "t": ("{g}.T",),
    "clone": ("{g}",),
    "alias": ("{g}",),
    "_to_copy": ("{g}",),
}

# The names of PyTorch's operations in our pictures, which have the symbols for these names.
_OURS = {
    "abs": "absolute",
    "bmm": "matmul",
    "div": "divide",
    "mm": "matmul",
    "mul": "multiply",
    "mv": "matmul",
    "neg": "negative",
    "pow": "power",
    "sub": "subtract",
    "t": "transpose",
    "_to_copy": "to",
    "_unsafe_view": "view",
    "nll_loss_forward": "nll_loss",
}
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "power": "**"}


class Written(NamedTuple):
    """The notation of an operation of PyTorch: its name and its symbol in our pictures, and the full expression."""

    op: str
    symbol: str
    text: str


def write_operation(name: str, words: Sequence[str]) -> Written:
    """Write an operation of PyTorch, with its arguments, in the notation of our pictures.

    >>> write_operation("mul", ["v-1", "v0"]).text, write_operation("t", ["v1"]).text
    ('v-1 * v0', 'transpose(v1)')
    """
    op = _OURS.get(name, name.strip("_"))
    if op in _SIGNS and len(words) == 2:
        left, right = words
        if op == "power" and right.startswith("-"):
            right = f"({right})"
        return Written(op, notation.symbol(op), f"{left} {_SIGNS[op]} {right}")
    if op == "negative" and len(words) == 1:
        return Written(op, notation.symbol(op), f"-{words[0]}")
    if name == "rsub" and len(words) == 2:
        return Written("subtract", notation.symbol("subtract"), f"{words[1]} - {words[0]}")
    symbol = ".T" if op == "transpose" else notation.symbol(op)
    return Written(op, symbol, f"{op}({', '.join(words)})")


def write_partial(
    name: str, slot: int, y: tuple[str, Any], operands: Sequence[tuple[str, Any]], true_partial: Any
) -> tuple[str, str]:
    """Write a local partial as a formula, as text and in LaTeX; both empty if there is no formula for it.

    Parameters
    ----------
    name : str
    slot : int
        The place of the operand that the partial is taken with respect to.
    y : tuple
        The name of the result, and its value.
    operands : sequence of tuple
        The names of the operands, and their values; the name of a constant is its number.
    true_partial : number or array
        The local partial, computed by PyTorch.
    """
    if name in PARTIALS:
        patterns = PARTIALS[name]
        names = [word for word, _ in operands]
        text = patterns[slot].format(*names, y=y[0]) if slot < len(patterns) else ""
        return text, notation.latex_expression(text) if text else ""
    op = TABLE.get(FUNCTIONS.get(name))
    if op is None or slot >= len(operands):
        return "", ""
    try:
        values = [np.asarray(value, dtype=float)[()] for _, value in operands]
        found = op.local_partial(slot, np.asarray(y[1], dtype=float)[()], *values)
        if not np.allclose(found, true_partial, rtol=1e-3, atol=1e-5, equal_nan=True):
            return "", ""
        names = [_name(word, value) for word, value in operands]
        written = op.local_partial(slot, NamedValue(*y), *names)
    except Exception:
        # Not every rule works with names in place of numbers.
        return "", ""
    if isinstance(written, Symbol):
        return written.text(), written.latex()
    text = number(written)
    return text, notation.latex_value(text)


def _name(word: str, value: Any) -> Any:
    """Return the operand of a formula: a line or an array under its name, a number as itself."""
    if word.startswith("v") or np.ndim(value):
        return NamedValue(word, value)
    return np.asarray(value, dtype=float)[()]


def write_map(name: str, place: int, adjoint: str, words: Sequence[str]) -> str:
    """Write how an adjoint goes back through a linear map; empty if `MAPS` has no formula for it."""
    patterns = MAPS.get(name, ())
    if place >= len(patterns) or len(words) < len(patterns):
        return ""
    return patterns[place].format(*words, g=adjoint)


def compute_partials(kernel: Any) -> list[torch.Tensor | None]:
    """Compute the local partials of an elementwise kernel, or of a sum or mean, with respect to its tensors.

    PyTorch differentiates an elementwise kernel. It runs again on broadcast copies of its operands, so the learner's
    run isn't touched. The partials are None for any other kernel, and for one that draws random numbers.
    """
    given = kernel.tensors
    nothing: list[torch.Tensor | None] = [None] * len(given)
    tags = kernel.func.tags
    if torch.Tag.nondeterministic_seeded in tags or not kernel.outs or kernel.outs[0] is None:
        return nothing
    shape = kernel.outs[0].shape
    if kernel.name in ("sum", "mean") and len(given) == 1:
        operand = given[0].value
        weight = 1.0 if kernel.name == "sum" else kernel.outs[0].numel() / max(1, operand.numel())
        return [torch.full_like(operand, weight)]
    if torch.Tag.pointwise not in tags:
        return nothing
    copies = [one.value.broadcast_to(shape).clone().requires_grad_(one.is_float) for one in given]
    remaining = iter(copies)
    args, kwargs = map_arguments(
        lambda one: next(remaining) if isinstance(one, SeenTensor) else one,
        [kernel.args, kernel.kwargs],
    )
    try:
        with torch.enable_grad():
            result = _functional(kernel.func)(*args, **kwargs)
            differentiable = [one for one in copies if one.requires_grad]
            found = iter(
                torch.autograd.grad(
                    result, differentiable, torch.ones_like(result), allow_unused=True
                )
            )
    except (RuntimeError, NotImplementedError):
        return nothing
    return [next(found) if one.requires_grad else None for one in copies]


def _functional(func: Any) -> Any:
    """Return the version of an in-place operation that doesn't change its operand; other operations as they are."""
    if not func._schema.is_mutable:
        return func
    namespace, name = func._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.removesuffix("_"))
    return getattr(packet, func._schema.overload_name or "default")
