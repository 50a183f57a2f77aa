"""Samples for `rules/special.py`, SciPy's functions; empty if SciPy is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.engine.rules.special import add_special_rows

from .call import Call

try:
    from scipy import special
except ImportError:
    special = None

ELEMENTWISE: dict[Any, tuple[list[float], ...]] = {}
CALLS: dict[Any, list[Call]] = {}

if special is not None:
    add_special_rows()
    ELEMENTWISE = {
        special.erf: ([0.3, -1.2, 1.5],),
        special.expit: ([0.3, -1.2, 1.5],),
        special.erfc: ([0.3, -1.2, 1.5],),
        special.erfcx: ([0.3, -1.2, 60.0],),
        special.erfinv: ([0.3, -0.7, 0.9],),
        special.ndtr: ([0.3, -1.2, 1.5],),
        special.log_ndtr: ([0.3, -5.2, 1.5],),
        special.ndtri: ([0.3, 0.7, 0.9],),
        special.logit: ([0.3, 0.7, 0.9],),
        special.log_expit: ([0.3, -1.2, 1.5],),
        special.gamma: ([0.3, -1.2, 4.5],),
        special.beta: ([0.3, 1.2, 4.5], [2.5, 0.8, 1.7]),
        special.betaln: ([0.3, 1.2, 4.5], [2.5, 0.8, 1.7]),
        special.xlogy: ([0.3, 1.2, 1.5], [2.5, 0.8, 1.7]),
        special.xlog1py: ([0.3, 1.2, 1.5], [2.5, -0.3, 1.7]),
        special.entr: ([0.3, 1.2, 1.5],),
        special.rel_entr: ([0.3, 1.2, 1.5], [2.5, 0.8, 1.7]),
        special.gammaln: ([0.3, -1.2, 4.5],),
        special.psi: ([0.3, -1.2, 4.5],),
    }

    def _polygamma(n: int) -> Call:
        return Call(
            lambda x: TABLE["polygamma"](n, x),
            (np.array([0.3, 1.2, 4.5]),),
            lambda x: special.polygamma(n, x),
        )

    CALLS = {"polygamma": [_polygamma(n) for n in (0, 1, 2)]}
