"""THE TABLE: one row per primitive, one to four lines a row.

An *elementwise* row gives the local partial for each operand, ``partial(y, *operands)``; `y` is the result, so a rule
may use it again (``tanh``: ``1 - y * y``). A *linear* row gives its transpose, ``transpose(g, y, *operands)``, made of
other rows. A *flat* row has derivative zero. Rules are written with the same operators and NumPy functions a learner
calls, so each runs on numbers, Variables, Duals and Symbols alike: higher order, LaTeX and generated source follow.

Kinks follow one policy, see :func:`policy`. Derivatives as in Griewank and Walther, *Evaluating Derivatives* (2008),
chapter 2; matrix products as in Giles, *Collected matrix derivative results* (2008).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .dispatch import TABLE, Op, as_operand, one, shape_of, unbroadcast

__all__ = ["comparison", "elementwise", "flat", "linear", "multilinear", "policy", "shape_only"]

Rule = Callable[..., Any]


# How a row is written


def _row(kind: str, key: Any, rules: tuple[Any, ...], call: Any, **options: Any) -> Op:
    signature = None
    if kind != "elementwise" and not isinstance(key, np.ufunc | str):
        with suppress(ValueError):  # some functions written in C tell nothing; then operands come first, by position
            signature = inspect.signature(key)
    name = key if isinstance(key, str) else key.__name__
    op = TABLE[key] = Op(name, call or key, kind, rules, signature=signature, **options)
    return op


def elementwise(key: Any, *partials: Rule, call: Any = None, symbol: str | None = None) -> Op:
    """A row for a function of each entry: one local partial ``partial(y, *operands)`` per operand.

    >>> import numpy as np
    >>> elementwise(np.tanh, lambda y, x: 1 - y * y)
    Op('tanh', elementwise)
    """
    return _row("elementwise", key, partials, call, symbol=symbol)


def linear(key: Any, *transposes: Rule | None, call: Any = None, variadic: bool = False) -> Op:
    """A row for a linear map: ``transpose(g, y, *operands, **static)`` carries an adjoint back to each operand."""
    return _row("linear", key, transposes, call, variadic=variadic)


def multilinear(key: Any, *transposes: Rule, call: Any = None, symbol: str | None = None) -> Op:
    """A row for a map linear in each operand while the others are held (a product)."""
    return _row("multilinear", key, transposes, call, symbol=symbol)


def flat(key: Any, call: Any = None) -> Op:
    """A row for a function whose derivative is zero wherever it has one."""
    return _row("flat", key, (), call)


def comparison(key: Any, symbol: str, call: Any = None) -> Op:
    """A row for a question with a yes or no for each entry."""
    return _row("comparison", key, (), call, symbol=symbol)


def shape_only(key: Any) -> Op:
    """A row for a function that looks at shape or type only."""
    return _row("shape", key, (), None)


# Guards: the places where a formula alone would give 0 · ∞


def _where(condition: Any, a: Any, b: Any) -> Any:
    return as_operand(np.where(condition, a, b))


def _unless(condition: Any, instead: Any, value: Any) -> Any:
    if isinstance(condition, bool | np.bool_):
        return instead if condition else value
    return _where(condition, instead, value)


_CHOICES = (
    None,
    lambda g, y, c, a, b: unbroadcast(np.where(c, g, 0.0), a),
    lambda g, y, c, a, b: unbroadcast(np.where(c, 0.0, g), b),
)
unless = _row("linear", "unless", _CHOICES, _unless)
"""``unless(condition, instead, value)``: `value`, and `instead` where the condition holds. A formula shows `value`."""


# Arithmetic

elementwise(np.add, one, one, call=operator.add, symbol="+")
elementwise(np.subtract, one, lambda y, a, b: -1.0, call=operator.sub, symbol="-")
elementwise(np.multiply, lambda y, a, b: b, lambda y, a, b: a, call=operator.mul, symbol="*")
elementwise(np.divide, lambda y, a, b: 1 / b, lambda y, a, b: -y / b, call=operator.truediv, symbol="/")
elementwise(
    np.power,
    lambda y, a, b: b * a ** unless(b == 0, 1.0, b - 1),
    lambda y, a, b: y * np.log(unless(a == 0, 1.0, a)),
    call=operator.pow,
    symbol="**",
)
elementwise(np.negative, lambda y, x: -1.0, call=operator.neg)
elementwise(np.square, lambda y, x: 2 * x)
elementwise(np.reciprocal, lambda y, x: -y * y)

# Functions

elementwise(np.exp, lambda y, x: y)
elementwise(np.log, lambda y, x: 1 / x)
elementwise(np.sqrt, lambda y, x: 0.5 / y)
elementwise(np.sin, lambda y, x: np.cos(x))
elementwise(np.cos, lambda y, x: -np.sin(x))
elementwise(np.tan, lambda y, x: 1 + y * y)
elementwise(np.tanh, lambda y, x: 1 - y * y)

# Kinks

elementwise(np.absolute, lambda y, x: np.sign(x))
elementwise(np.maximum, lambda y, a, b: (a > b) + (a == b) / 2, lambda y, a, b: (b > a) + (a == b) / 2)
elementwise(np.minimum, lambda y, a, b: (a < b) + (a == b) / 2, lambda y, a, b: (b < a) + (a == b) / 2)
flat(np.sign)

# Comparisons and questions of shape

comparison(np.less, "<", operator.lt)
comparison(np.less_equal, "<=", operator.le)
comparison(np.greater, ">", operator.gt)
comparison(np.greater_equal, ">=", operator.ge)
comparison(np.equal, "==", operator.eq)
comparison(np.not_equal, "!=", operator.ne)
for question in (np.shape, np.size, np.ndim, np.zeros_like, np.ones_like):
    shape_only(question)

# Linear maps: each transpose is made of other rows, so the set is closed


def _spread(g: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """Copy the adjoint of a reduction back along the reduced axes of `x`."""
    shape = shape_of(x)
    if not shape:
        return g
    if axis is not None and not keepdims:
        axes = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        g = np.reshape(g, tuple(1 if i in axes else n for i, n in enumerate(shape)))
    return np.broadcast_to(g, shape)


def _scatter(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape`, with `g` added at `index`: the transpose of ``x[index]``, repeated indices included."""
    out = np.zeros(shape, dtype=getattr(g, "dtype", float))
    np.add.at(out, index, g)
    return out


def _inverse(axes: Any) -> Any:
    return None if axes is None else tuple(int(i) for i in np.argsort([a % len(axes) for a in axes]))


def _stack(*arrays: Any, axis: int = 0) -> Any:
    return np.stack(arrays, axis=axis)


def _along(axis: int, k: int, y: Any) -> tuple[Any, ...]:
    return (slice(None),) * (axis % len(shape_of(y))) + (k,)


linear(np.sum, lambda g, y, x, axis=None, keepdims=False: _spread(g, x, axis, keepdims))
linear(
    np.mean,
    lambda g, y, x, axis=None, keepdims=False: _spread(g * (np.size(y) / np.size(x)), x, axis, keepdims),
)
linear(np.reshape, lambda g, y, x, shape: np.reshape(g, shape_of(x)))
linear(np.transpose, lambda g, y, x, axes=None: np.transpose(g, _inverse(axes)))
linear(np.swapaxes, lambda g, y, x, axis1, axis2: np.swapaxes(g, axis1, axis2))
linear(np.broadcast_to, lambda g, y, x, shape: unbroadcast(g, x))
linear(np.stack, lambda k, g, y, *arrays, axis=0: g[_along(axis, k, y)], call=_stack, variadic=True)
linear(np.where, *_CHOICES, call=_where)
linear(
    "getitem",
    lambda g, y, x, index: TABLE["scatter"](g, index=index, shape=shape_of(x)),
    call=lambda x, index: x[index],
)
linear("scatter", lambda g, y, x, index, shape: g[index], call=_scatter)

# Products


def _as_matrices(g: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Give vectors the axis that ``@`` adds for them, so that one rule serves every rank."""
    if len(shape_of(a)) == 1:
        a = np.reshape(a, (1, -1))
    if len(shape_of(b)) == 1:
        b = np.reshape(b, (-1, 1))
    rows, columns = shape_of(a)[-2], shape_of(b)[-1]
    return np.reshape(g, (*np.broadcast_shapes(shape_of(a)[:-2], shape_of(b)[:-2]), rows, columns)), a, b


def _matmul_left(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The adjoint of A in Y = A @ B is G Bᵀ."""
    g, matrix, b = _as_matrices(g, a, b)
    return np.reshape(unbroadcast(np.matmul(g, np.swapaxes(b, -1, -2)), matrix), shape_of(a))


def _matmul_right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The adjoint of B in Y = A @ B is Aᵀ G."""
    g, a, matrix = _as_matrices(g, a, b)
    return np.reshape(unbroadcast(np.matmul(np.swapaxes(a, -1, -2), g), matrix), shape_of(b))


multilinear(np.matmul, _matmul_left, _matmul_right, call=operator.matmul, symbol="@")


def policy() -> str:
    """What the derivative is where there is none, in one place.

    Returns
    -------
    str
        One line per kink. Print it.

    Examples
    --------
    >>> print(policy().splitlines()[1])
    |x|                0 at 0
    """
    return "\n".join(
        (
            "Where a function has a kink, its derivative is taken to be:",
            "|x|                0 at 0",
            "maximum, minimum   a tie is split evenly",
            "x ** 0             0 everywhere, at x = 0 too",
            "0 ** b             0 in b",
            "sign, comparisons  0 everywhere",
        )
    )
