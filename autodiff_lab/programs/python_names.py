"""What the rows of the table are called in Python: operators, functions of `math`, functions of `np`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import rules  # noqa: F401 — fills the table
from ..engine.dispatch import TABLE, Op

__all__ = [
    "ATOM",
    "CHOICE",
    "INFIX",
    "IN_NUMPY",
    "KEYS",
    "MATH",
    "NAMES",
    "POWER",
    "PRODUCT",
    "QUESTION",
    "SIGN",
    "SUM",
]

# How tightly an expression holds together; a looser one is put in parentheses.
CHOICE, QUESTION, SUM, PRODUCT, SIGN, POWER, ATOM = 1, 5, 10, 20, 30, 40, 100

KEYS = {op: key for key, op in TABLE.items()}

NAMES = {"clip": "np.clip", "unless": "np.where", "norm": "np.linalg.norm"}
NAMES |= {name: f"np.{name}" for name in ("concatenate", "convolve")}
"""What NumPy calls the rows that have a name of their own."""

INFIX: dict[Op, tuple[str, int, int, int]] = {}
"""The symbol, how tightly it holds, and how tightly its operands must."""
for _key, _symbol, _level in (
    (np.add, "+", SUM),
    (np.subtract, "-", SUM),
    (np.multiply, "*", PRODUCT),
    (np.divide, "/", PRODUCT),
    (np.remainder, "%", PRODUCT),
    (np.floor_divide, "//", PRODUCT),
    (np.matmul, "@", PRODUCT),
):
    INFIX[TABLE[_key]] = (_symbol, _level, _level, _level + 1)
for _key, _symbol in (
    *((np.less, "<"), (np.less_equal, "<="), (np.greater, ">"), (np.greater_equal, ">=")),
    *((np.equal, "=="), (np.not_equal, "!=")),
):
    INFIX[TABLE[_key]] = (_symbol, QUESTION, QUESTION + 1, QUESTION + 1)

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

IN_NUMPY: dict[str, Any] = {
    text.removeprefix("math."): KEYS[op] for op, text in MATH.items() if text.startswith("math.")
} | {"pow": np.power, "inf": np.inf, "nan": np.nan}
"""What stands for `math` when a program is run again in NumPy's arithmetic."""
