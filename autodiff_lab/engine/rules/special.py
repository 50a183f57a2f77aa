"""Derivative rules of SciPy's special functions, added when a traced value meets one: SciPy need not be installed.

SciPy's functions of each entry ask a traced value what to do, as NumPy's do; its others (``logsumexp``) do not.
Formulas: *NIST Digital Library of Mathematical Functions*, 5.2, 5.15 and 7.2.
"""

import sys
from typing import Any

import numpy as np

from ..dispatch import TABLE, apply
from ..values import Traced
from .table import elementwise, general

# Their names, which SciPy's module `special` has too.
SPECIAL_ROWS = frozenset({"erf", "expit", "gammaln", "psi", "polygamma"})


def add_special_rows() -> bool:
    """Add rules for SciPy's special functions (erf, gammaln) to the table; return whether that was done just now."""
    special: Any = sys.modules.get("scipy.special")
    if special is None or "polygamma" in TABLE:
        return False

    def derivative_of_digamma(n: int, x: Any) -> Any:
        return apply(polygamma, (n, x)) if isinstance(x, Traced) else special.polygamma(n, x)

    polygamma = general(
        "polygamma", None, lambda g, y, n, x: g * derivative_of_digamma(n + 1, x), call=derivative_of_digamma
    )
    elementwise(special.erf, lambda y, x: 2 / np.sqrt(np.pi) * np.exp(-x * x))
    elementwise(special.expit, lambda y, x: y * special.expit(-x))  # 1 - y would be 0 from 37 on
    elementwise(special.gammaln, lambda y, x: special.psi(x))
    elementwise(special.psi, lambda y, x: polygamma(1, x))
    return True
