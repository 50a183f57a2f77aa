"""Derivative rules of elementwise functions (arithmetic, exp, sin, maximum, clip): a local partial per operand."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcasting import align_axes, shape_of, unbroadcast
from ..errors import MutationError, UnsupportedError
from ..primitives import unit_partial
from ..values import Traced, as_numpy_number
from .kinks import over_length, unless
from .table import comparison, composed, elementwise, flat, linear, shape_only

# Arithmetic


def _power_left(y: Any, a: Any, b: Any) -> Any:
    # Squares are the most common power, and a ** 1 would add an operation.
    if type(b) is int and b == 2:
        return 2 * a
    return b * a ** unless(b == 0, 1.0, b - 1)


elementwise(np.add, unit_partial, unit_partial, call=operator.add, symbol="+")
elementwise(np.subtract, unit_partial, lambda y, a, b: -1.0, call=operator.sub, symbol="-")
elementwise(np.multiply, lambda y, a, b: b, lambda y, a, b: a, call=operator.mul, symbol="*")
elementwise(
    np.divide,
    lambda y, a, b: 1 / as_numpy_number(b),
    lambda y, a, b: -y / b,
    call=operator.truediv,
    symbol="/",
)
elementwise(
    np.power,
    _power_left,
    lambda y, a, b: y * np.log(unless(a == 0, 1.0, a)),
    call=operator.pow,
    symbol="**",
)
elementwise(
    np.remainder,
    unit_partial,
    lambda y, a, b: -np.floor_divide(a, b),
    call=operator.mod,
    symbol="%",
)
# Not np.floor_divide(a, b): 1 / 0.1 is rounded to 10, but 0.1 fits into 1 only 9 times.
elementwise(np.fmod, unit_partial, lambda y, a, b: -np.rint((a - y) / b))
elementwise(np.negative, lambda y, x: -1.0, call=operator.neg)
elementwise(np.positive, unit_partial)
elementwise(np.square, lambda y, x: 2 * x)
elementwise(np.reciprocal, lambda y, x: -y * y)
composed(np.float_power)(lambda x1, x2: np.power(x1, x2))


def _scale(x: Any, places: Any) -> Any:
    """``x * 2.0**places``, also where ``2.0**places`` alone would overflow; refuse floats as places."""
    if isinstance(places, float) or getattr(places, "dtype", np.dtype(int)).kind == "f":
        raise UnsupportedError(
            "np.ldexp takes a whole number of places, which has no derivative: write x * 2.0**n."
        )
    return np.ldexp(x, places)


def _scale_batch(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
    x, places = operands
    return unbroadcast(np.ldexp(align_axes(tangents[0], shape_of(x), shape_of(y)), places), y, size)


scaled = linear(
    np.ldexp, lambda g, y, x, places: unbroadcast(np.ldexp(g, places), x), None, call=_scale
)
scaled.batched = _scale_batch

# Exponentials and roots


def _share(p: Any, q: Any) -> Any:
    return p / (p + q)  # the rounding error of y is in both p and q, so it cancels


elementwise(np.exp, lambda y, x: y)
elementwise(np.exp2, lambda y, x: y * np.log(2.0))
elementwise(np.expm1, lambda y, x: np.exp(x))
elementwise(np.log, lambda y, x: 1 / x)
elementwise(np.log2, lambda y, x: 1 / (x * np.log(2.0)))
elementwise(np.log10, lambda y, x: 1 / (x * np.log(10.0)))
elementwise(np.log1p, lambda y, x: 1 / (1 + x))
for log_of_sum, exp in ((np.logaddexp, np.exp), (np.logaddexp2, np.exp2)):
    elementwise(
        log_of_sum,
        lambda y, a, b, exp=exp: _share(exp(a - y), exp(b - y)),
        lambda y, a, b, exp=exp: _share(exp(b - y), exp(a - y)),
    )
elementwise(np.sqrt, lambda y, x: 0.5 / y)
elementwise(np.cbrt, lambda y, x: 1 / (3 * y * y))
elementwise(np.hypot, lambda y, a, b: over_length(a, y), lambda y, a, b: over_length(b, y))

# Angles


def _one_minus_square(x: Any) -> Any:
    # Near 1 and -1, rounding the square would lose digits of the difference.
    return unless(np.absolute(x) > 0.5, (1 - x) * (1 + x), 1 - x * x)


def _over_square(a: Any, r: Any) -> Any:
    return a / r / r  # r * r would be infinite, or 0, long before the quotient is


def _over_cosh(x: Any) -> Any:
    """``1 / cosh(x)``. From 711 on, cosh is infinite and the quotient 0, but its own derivative would be 0 · ∞."""
    if type(x) is np.ndarray:  # plain numbers, whose derivative is not needed
        with np.errstate(over="ignore"):
            return 1 / np.cosh(x)
    return 1 / np.cosh(unless(np.absolute(x) > 400.0, 400.0, x))


elementwise(np.sin, lambda y, x: np.cos(x))
elementwise(np.cos, lambda y, x: -np.sin(x))
elementwise(np.tan, lambda y, x: 1 + y * y)
elementwise(np.arcsin, lambda y, x: 1 / np.sqrt(_one_minus_square(x)))
elementwise(np.arccos, lambda y, x: -1 / np.sqrt(_one_minus_square(x)))
elementwise(np.arctan, lambda y, x: 1 / (1 + x * x))
elementwise(
    np.arctan2,
    lambda y, a, b: _over_square(b, np.hypot(a, b)),
    lambda y, a, b: _over_square(-a, np.hypot(a, b)),
)
elementwise(np.sinh, lambda y, x: np.cosh(x))
elementwise(np.cosh, lambda y, x: np.sinh(x))
elementwise(np.tanh, lambda y, x: _over_cosh(x) ** 2)  # 1 - y * y would be 0 from 19 on
elementwise(np.arcsinh, lambda y, x: 1 / np.cosh(y))
elementwise(np.arccosh, lambda y, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)))
elementwise(np.arctanh, lambda y, x: 1 / _one_minus_square(x))
for to_radians, to_degrees in ((np.deg2rad, np.rad2deg), (np.radians, np.degrees)):
    elementwise(to_radians, lambda y, x: np.pi / 180)
    elementwise(to_degrees, lambda y, x: 180 / np.pi)


@composed(np.sinc)
def _sinc(x: Any) -> Any:
    u = np.pi * x
    square = u * u
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))
    small = np.absolute(x) < 1e-2
    return unless(small, series, np.sin(u) / unless(small, 1.0, u))


# Kinks

elementwise(np.absolute, lambda y, x: np.sign(x))
elementwise(np.fabs, lambda y, x: np.sign(x))
elementwise(
    np.maximum, lambda y, a, b: (a > b) + (a == b) / 2, lambda y, a, b: (b > a) + (a == b) / 2
)
elementwise(
    np.minimum, lambda y, a, b: (a < b) + (a == b) / 2, lambda y, a, b: (b < a) + (a == b) / 2
)
elementwise(
    np.fmax, lambda y, a, b: (y == a) - (a == b) / 2, lambda y, a, b: (y == b) - (a == b) / 2
)
elementwise(
    np.fmin, lambda y, a, b: (y == a) - (a == b) / 2, lambda y, a, b: (y == b) - (a == b) / 2
)
elementwise(np.copysign, lambda y, a, b: np.sign(a) * np.copysign(1.0, b), lambda y, a, b: 0.0)
elementwise(np.heaviside, lambda y, a, b: 0.0, lambda y, a, b: 1.0 * (a == 0))
between = elementwise(
    "clip",
    lambda y, x, lo, hi: (lo < x) * 1.0 * (x < hi),
    lambda y, x, lo, hi: 1.0 * (x <= lo),
    lambda y, x, lo, hi: 1.0 * (x >= hi),
    call=np.clip,
)


@composed(np.clip)
def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    return between(a, -np.inf if low is None else low, np.inf if high is None else high)


replaced = flat(
    "nan_to_num", lambda x, nan, posinf, neginf: np.nan_to_num(x, True, nan, posinf, neginf)
)


@composed(np.nan_to_num)
def _nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    return np.where(np.isfinite(x), x, replaced(x, nan=nan, posinf=posinf, neginf=neginf))


flat(np.floor_divide, operator.floordiv, symbol="//")
for step in (np.sign, np.floor, np.ceil, np.rint, np.trunc, np.round, np.around):
    flat(step)

# Functions with a discrete result, or one that depends on shape only


def _of_masks(symbol: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operator between masks whose error message for floats says what to write."""

    def combine(a: Any, b: Any) -> Any:
        try:
            return compute(a, b)
        except TypeError:
            raise TypeError(
                f"{symbol} combines masks or whole numbers, and one of its operands is a float. Compare first, as in "
                f"(x > 0) {symbol} (x < 1)."
            ) from None

    return combine


comparison(np.less, "<", operator.lt)
comparison(np.less_equal, "<=", operator.le)
comparison(np.greater, ">", operator.gt)
comparison(np.greater_equal, ">=", operator.ge)
comparison(np.equal, "==", operator.eq)
comparison(np.not_equal, "!=", operator.ne)
comparison(np.bitwise_and, call=_of_masks("&", operator.and_))
comparison(np.bitwise_or, call=_of_masks("|", operator.or_))
comparison(np.bitwise_xor, call=_of_masks("^", operator.xor))
comparison(np.invert, call=operator.invert)
for discrete in (
    np.isfinite,
    np.isnan,
    np.isinf,
    np.signbit,
    np.logical_and,
    np.logical_or,
    np.logical_not,
    np.logical_xor,
    np.any,
    np.all,
    np.argmax,
    np.argmin,
    np.argsort,
    np.nonzero,
    np.flatnonzero,
    np.argwhere,
    np.count_nonzero,
    np.isclose,
    np.allclose,
    np.array_equal,
    np.searchsorted,
    np.digitize,
    np.argpartition,
):
    comparison(discrete)
for of_shape in (
    np.shape,
    np.size,
    np.ndim,
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.iscomplexobj,
    np.isrealobj,
):
    shape_only(of_shape)


@composed(np.full_like)
def _full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    if isinstance(fill_value, Traced):
        return np.broadcast_to(fill_value, np.shape(a))
    return np.zeros_like(a) + fill_value


@composed(np.copyto, np.put, np.putmask, np.place)
def _written_in_place(*args: Any, **options: Any) -> Any:
    raise MutationError(
        "NumPy was asked to write a recorded value into an existing array (np.full_like, np.copyto, np.put, …), which "
        "would lose its derivative. Write np.broadcast_to(x, shape), np.where(mask, new, x) or np.stack([...])."
    )
