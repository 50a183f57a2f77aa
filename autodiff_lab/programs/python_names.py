"""What the rows of the table are called in Python: operators, functions of `math`, functions of `np`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import rules  # noqa: F401 — fills the table
from ..engine.dispatch import TABLE, Op

__all__ = ["ATOM", "CHOICE", "INFIX", "IN_NUMPY", "MATH", "NAMES", "POWER", "PRODUCT", "QUESTION", "SIGN", "SUM"]

# How tightly an expression holds together; a looser one is put in parentheses.
CHOICE, QUESTION, SUM, PRODUCT, SIGN, POWER, ATOM = 1, 5, 10, 20, 30, 40, 100

INFIX: dict[Op, tuple[str, int, int, int]] = {
    TABLE[f]: (TABLE[f].symbol or "", level, level + (level == QUESTION), level + 1)
    for level, functions in (
        (SUM, (np.add, np.subtract)),
        (PRODUCT, (np.multiply, np.divide, np.remainder, np.floor_divide, np.matmul)),
        (QUESTION, (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)),
    )
    for f in functions
}
"""The symbol, how tightly it holds, and how tightly its operands must."""

MATH: dict[Op, str] = {
    TABLE[f]: f"math.{f.__name__}"
    for f in (
        *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.hypot),
        *(np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.degrees, np.radians, np.fabs, np.copysign, np.fmod),
        *(np.isfinite, np.isinf, np.isnan),
    )
}
MATH |= {
    TABLE[getattr(np, f"arc{name}")]: f"math.a{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")
}
MATH |= {TABLE[np.deg2rad]: "math.radians", TABLE[np.rad2deg]: "math.degrees", TABLE[np.absolute]: "abs"}

_KEYS = {op: key for key, op in TABLE.items()}

IN_NUMPY: dict[str, Any] = {text[5:]: _KEYS[op] for op, text in MATH.items() if text.startswith("math.")}
IN_NUMPY |= {"pow": np.power, "inf": np.inf, "nan": np.nan}
"""What stands for `math` when a program is run again in NumPy's arithmetic."""

NAMES = {
    op: f"np{'.linalg' if 'linalg' in getattr(key, '__module__', '') else ''}.{key.__name__}"
    for op, key in _KEYS.items()
    if not isinstance(key, str) and (hasattr(np, key.__name__) or hasattr(np.linalg, key.__name__))  # not SciPy's
}
NAMES |= {TABLE[name]: f"np.{name}" for name in ("clip", "concatenate", "convolve")}
NAMES |= {TABLE["unless"]: "np.where", TABLE["norm"]: "np.linalg.norm"}
"""What NumPy calls the rows that it has a function for."""
