"""Where rules lose digits: tiny and huge operands, the ends of domains, places where a formula nearly cancels.

An entry is the function in mpmath's arithmetic, and values for each operand; each of one operand meets each of the
other. A point at which NumPy's own value, or the true slope, is no finite number is passed over, so a list need not be
careful. No value is 0, a kink, or a tie.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from . import special

mp = mpmath.mp.clone()
mp.dps = 1000
"""Digits enough for every slope that can be represented: one lost in 1000 digits of a value is below 1e-384."""


def both(*values: float) -> list[float]:
    return [sign * value for value in values for sign in (1, -1)]


SIZES = [
    1e-300,
    1e-200,
    1e-160,
    1e-16,
    1e-8,
    1e-3,
    0.3,
    1.7,
    40.0,
    1e8,
    1e16,
    1e150,
    1e160,
    1e200,
    1e300,
]
LINE = both(*SIZES)
FEW = both(1e-300, 1e-200, 1e-8, 0.3, 1.7, 1e8, 1e200, 1e300)
EXPONENTS = both(1e-300, 1e-8, 0.3, 1.7, 20.0, 40.0, 100.0, 300.0, 350.0, 700.0)
TERMS = [1e-8, 1.7, -40.0, 700.0, 1e8, -1e8, 1e16, 1e300, -1e300]
INSIDE = both(1e-300, 1e-8, 0.3, 0.999, 1 - 1e-8, 1 - 1e-12, 1 - 2e-16)
ANGLES = both(1e-300, 1e-8, 0.3, np.pi / 2, np.pi, 1.5707963, 3.14159, 1e3, 1e8, 1e15, 1e22)
DIVIDENDS, DIVISORS = both(1e-300, 0.7, 1.0, 4.1, 1e8, 1e15), both(1e-8, 0.1, 0.3, 1.7, 1e200)


def sinc(x: Any) -> Any:
    return mp.sin(mp.pi * x) / (mp.pi * x)


def truncated(a: Any, b: Any) -> Any:
    return a - b * (mp.floor(a / b) if a / b > 0 else mp.ceil(a / b))


def with_sign_of(a: Any, b: Any) -> Any:
    return abs(a) if b > 0 else -abs(a)


EXTREMES: dict[Any, tuple[Any, ...]] = {
    np.add: (lambda a, b: a + b, FEW, FEW),
    np.subtract: (lambda a, b: a - b, FEW, FEW),
    np.multiply: (lambda a, b: a * b, FEW, FEW),
    np.divide: (lambda a, b: a / b, FEW, FEW),
    np.power: (
        lambda a, b: a**b,
        [*SIZES, 1 - 1e-12, 1 + 1e-12],
        [-300.0, -2.0, -0.5, -1e-8, 1e-300, 0.5, 2.0, 1e8],
    ),
    np.float_power: (lambda a, b: a**b, SIZES, [-2.0, 0.5, 3.0]),
    np.remainder: (lambda a, b: a - b * mp.floor(a / b), DIVIDENDS, DIVISORS),
    np.fmod: (truncated, DIVIDENDS, DIVISORS),
    np.negative: (lambda x: -x, LINE),
    np.positive: (lambda x: x, LINE),
    np.square: (lambda x: x * x, LINE),
    np.reciprocal: (lambda x: 1 / x, LINE),
    np.exp: (mp.exp, EXPONENTS),
    np.exp2: (lambda x: mp.power(2, x), EXPONENTS),
    np.expm1: (mp.expm1, EXPONENTS),
    np.log: (mp.log, SIZES),
    np.log2: (lambda x: mp.log(x, 2), SIZES),
    np.log10: (mp.log10, SIZES),
    np.log1p: (
        lambda x: mp.log(1 + x),
        [*SIZES, -1e-300, -1e-8, -0.3, -1 + 1e-8, -1 + 1e-12, -1 + 2e-16],
    ),
    np.logaddexp: (lambda a, b: mp.log(mp.exp(a) + mp.exp(b)), TERMS, TERMS),
    np.logaddexp2: (lambda a, b: mp.log(mp.power(2, a) + mp.power(2, b), 2), TERMS, TERMS),
    np.sqrt: (mp.sqrt, SIZES),
    np.cbrt: (lambda x: mp.cbrt(x) if x > 0 else -mp.cbrt(-x), LINE),
    np.hypot: (mp.hypot, FEW, FEW),
    np.sin: (mp.sin, ANGLES),
    np.cos: (mp.cos, ANGLES),
    np.tan: (mp.tan, ANGLES),
    np.arcsin: (mp.asin, INSIDE),
    np.arccos: (mp.acos, INSIDE),
    np.arctan: (mp.atan, LINE),
    np.arctan2: (mp.atan2, FEW, FEW),
    np.sinh: (mp.sinh, EXPONENTS),
    np.cosh: (mp.cosh, EXPONENTS),
    np.tanh: (mp.tanh, [*EXPONENTS, *both(3.0, 5.0, 10.0, 19.0, 800.0)]),
    np.arcsinh: (mp.asinh, LINE),
    np.arccosh: (mp.acosh, [1 + 3e-16, 1 + 1e-12, 1 + 1e-8, 1.001, *SIZES[7:]]),
    np.arctanh: (mp.atanh, INSIDE),
    np.deg2rad: (mp.radians, LINE),
    np.radians: (mp.radians, LINE),
    np.rad2deg: (mp.degrees, LINE),
    np.degrees: (mp.degrees, LINE),
    np.sinc: (sinc, both(1e-300, 1e-8, 5e-3, 0.00999, 0.0101, 0.05, 0.3, 1.0, 10.5, 1e5)),
    np.absolute: (abs, LINE),
    np.fabs: (abs, LINE),
    np.maximum: (max, LINE, [1.0, -2e-300]),
    np.minimum: (min, LINE, [1.0, -2e-300]),
    np.fmax: (max, LINE, [1.0, -2e-300]),
    np.fmin: (min, LINE, [1.0, -2e-300]),
    np.copysign: (with_sign_of, FEW, FEW),
    np.heaviside: (lambda a, b: mp.mpf(a > 0), FEW, FEW),
    "clip": (lambda x, lo, hi: max(lo, min(x, hi)), LINE, [-3e8, 2e-300], [5e-9, 3e200]),
}

if special.ELEMENTWISE:
    scipy_special = special.special
    EXTREMES |= {
        scipy_special.erf: (mp.erf, both(1e-300, 1e-8, 0.3, 1.7, 5.0, 10.0, 25.0)),
        scipy_special.expit: (lambda x: 1 / (1 + mp.exp(-x)), [*EXPONENTS, *both(37.0)]),
        scipy_special.gammaln: (mp.loggamma, [1.7, 1e6, 1e8, 1e12, 1e16, 1e100, 1e300]),
        scipy_special.erfc: (mp.erfc, both(1e-300, 1e-8, 0.3, 1.7, 5.0, 10.0, 25.0)),
        scipy_special.erfcx: (
            lambda x: mp.exp(x * x) * mp.erfc(x),
            [
                *both(1e-300, 1e-8, 0.3, 1.7, 5.0, 20.0),
                30.0,
                49.9,
                50.1,
                1e3,
                1e8,
                1e15,
                1e100,
                1e150,
            ],
        ),
        scipy_special.erfinv: (mp.erfinv, [1e-300, -1e-8, 0.3, -0.9, 0.999, 1 - 1e-8]),
        scipy_special.ndtr: (mp.ncdf, both(1e-300, 1e-8, 0.3, 1.7, 5.0, 10.0, 35.0)),
        scipy_special.ndtri: (
            lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
            [1e-8, 0.01, 0.3, 0.49, 0.9, 1 - 1e-8],
        ),
        scipy_special.log_ndtr: (
            lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2),
            both(1e-300, 1e-8, 0.3, 1.7, 5.0, 10.0, 30.0, 100.0, 1e3),
        ),
        scipy_special.logit: (
            lambda x: mp.log(x / (1 - x)),
            [1e-300, 1e-8, 0.3, 0.9, 1 - 1e-8, 1 - 2e-16],
        ),
        scipy_special.log_expit: (lambda x: -mp.log(1 + mp.exp(-x)), [*EXPONENTS, *both(37.0)]),
        scipy_special.gamma: (mp.gamma, [1e-100, 1e-8, 0.3, 1.7, 5.5, 20.5, 100.5, 150.5]),
        # Not where one operand is tiny beside the other: psi(a) - psi(a + b) then loses the digits that both share.
        scipy_special.beta: (mp.beta, [0.3, 10.0], [0.3, 1.7, 10.0]),
        scipy_special.betaln: (
            lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
            [0.3, 10.0],
            [0.3, 1.7, 10.0],
        ),
        scipy_special.xlogy: (lambda a, b: a * mp.log(b), FEW, SIZES),
        scipy_special.xlog1py: (
            lambda a, b: a * mp.log(1 + b),
            FEW,
            [*SIZES, -1e-8, -0.3, -1 + 1e-8],
        ),
        scipy_special.entr: (lambda x: -x * mp.log(x), SIZES),
        scipy_special.rel_entr: (
            lambda a, b: a * mp.log(a / b),
            [1e-100, 0.3, 1.7, 1e8],
            [1e-100, 0.3, 1.7, 1e8],
        ),
        scipy_special.psi: (mp.digamma, [1e3, 1e6, 1e8, 1e12, 1e16, 1e100, 1e150]),
    }
