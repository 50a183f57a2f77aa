"""Derivative rules of SciPy's special functions, added when one is first called: SciPy need not be installed.

SciPy's elementwise functions call a traced value's protocol, as NumPy's do; its other functions (``logsumexp``) don't.
Formulas: *NIST Digital Library of Mathematical Functions*, 5.2, 5.12, 5.15, 7.2, 7.10 and 7.12.
"""

import sys
from typing import Any

import numpy as np

from ..dispatch import TABLE, apply
from ..values import Traced
from .kinks import unless
from .table import elementwise, general

# The names of these functions in scipy.special.
# fmt: off
SPECIAL_ROWS = frozenset({
    "erf", "erfc", "erfcx", "erfinv", "expit", "logit", "log_expit", "gamma", "gammaln", "psi", "polygamma", "beta",
    "betaln", "xlogy", "xlog1py", "entr", "rel_entr", "ndtr", "log_ndtr", "ndtri",
})
# fmt: on

ROOT_PI, ROOT_TWO_PI = np.sqrt(np.pi), np.sqrt(2 * np.pi)


# The smallest positive number, used instead of a denominator of 0: then 0 / 0 is 0, and anything else is infinite.
LEAST = 5e-324


def add_special_rows() -> bool:
    """Add rules for SciPy's special functions (erf, gammaln) to the table; return whether that was done just now."""
    special: Any = sys.modules.get("scipy.special")
    if special is None or "polygamma" in TABLE:
        return False
    _add_gamma_rows(special)
    _add_error_function_rows(special)
    _add_entropy_rows(special)
    return True


def _add_gamma_rows(special: Any) -> None:
    def derivative_of_digamma(n: int, x: Any) -> Any:
        return apply(polygamma, (n, x)) if isinstance(x, Traced) else special.polygamma(n, x)

    polygamma = general(
        "polygamma",
        None,
        lambda g, y, n, x: g * derivative_of_digamma(n + 1, x),
        call=derivative_of_digamma,
    )
    psi = special.psi
    elementwise(special.gammaln, lambda y, x: psi(x))
    elementwise(psi, lambda y, x: polygamma(1, x))
    elementwise(special.gamma, lambda y, x: y * psi(x))
    elementwise(
        special.betaln, lambda y, a, b: psi(a) - psi(a + b), lambda y, a, b: psi(b) - psi(a + b)
    )
    elementwise(
        special.beta,
        lambda y, a, b: y * (psi(a) - psi(a + b)),
        lambda y, a, b: y * (psi(b) - psi(a + b)),
    )


def _add_error_function_rows(special: Any) -> None:
    elementwise(special.erf, lambda y, x: 2 / ROOT_PI * np.exp(-x * x))
    elementwise(special.erfc, lambda y, x: -2 / ROOT_PI * np.exp(-x * x))
    elementwise(
        special.erfcx,
        lambda y, x: unless(x > 50.0, _slope_of_erfcx_far_out(x), 2 * x * y - 2 / ROOT_PI),
    )
    elementwise(special.erfinv, lambda y, x: ROOT_PI / 2 * np.exp(y * y))
    elementwise(special.ndtr, lambda y, x: np.exp(-x * x / 2) / ROOT_TWO_PI)
    elementwise(special.ndtri, lambda y, x: ROOT_TWO_PI * np.exp(y * y / 2))
    # The density divided by the distribution function, both of which would be 0 from -39 on; erfcx is infinite at 38.
    elementwise(
        special.log_ndtr,
        lambda y, x: unless(
            x > 0,
            np.exp(-x * x / 2 - y) / ROOT_TWO_PI,
            np.sqrt(2 / np.pi) / special.erfcx(-unless(x > 0, 0.0, x) / np.sqrt(2.0)),
        ),
    )


def _slope_of_erfcx_far_out(x: Any) -> Any:
    """The first terms of the asymptotic series: the difference of 2xy and 2/√π would have lost all digits."""
    far = unless(x <= 50.0, 50.0, x)
    s = 0.5 / far / far
    return -2 / ROOT_PI * s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s))))


def _add_entropy_rows(special: Any) -> None:
    elementwise(special.expit, lambda y, x: y * special.expit(-x))  # 1 - y would be 0 from 37 on
    elementwise(special.log_expit, lambda y, x: special.expit(-x))
    elementwise(special.logit, lambda y, x: 1 / (x * (1 - x)))
    elementwise(
        special.xlogy, lambda y, a, b: np.log(b), lambda y, a, b: a / unless(b == 0, LEAST, b)
    )
    elementwise(
        special.xlog1py,
        lambda y, a, b: np.log1p(b),
        lambda y, a, b: a / unless(b == -1, LEAST, 1 + b),
    )
    elementwise(special.entr, lambda y, x: -1 - np.log(x))
    elementwise(special.rel_entr, lambda y, a, b: 1 + np.log(a / b), lambda y, a, b: -a / b)
