"""The derivative rules: a table with one row per primitive operation, of one to four lines each.

An *elementwise* row gives the local partial for each operand, ``partial(y, *operands)``; `y` is the result, so a rule
may use it again (``tan``: ``1 + y * y``). A *reduction* gives the weight of each entry. A *linear* row gives its
transpose, ``transpose(g, y, *operands)``, made of other rows. A *general* row gives its pullback, and its pushforward
follows by transposing that. A *flat* row has derivative zero, and a *composed* function is made of other rows. Rules
are written with the same operators and NumPy functions a learner calls, so each runs on numbers, Variables, Duals and
Symbols alike: higher order, LaTeX and generated source follow.

Kinks follow one policy, see :func:`policy` in ``kinks.py``, which also has the guards that keep it. Derivatives as in
Griewank and Walther, *Evaluating Derivatives* (2008), chapter 2; matrix functions as in Giles, *Collected matrix
derivative results for forward and reverse mode algorithmic differentiation* (2008).
"""

from __future__ import annotations

from . import elementwise as _elementwise  # noqa: F401 — importing them fills the table
from . import grids, joining, linear_algebra, products, reductions, shapes  # noqa: F401
from .kinks import policy
from .table import (
    comparison,
    composed,
    elementwise,
    flat,
    general,
    linear,
    multilinear,
    reduction,
    shape_only,
)

__all__ = [
    "comparison",
    "composed",
    "elementwise",
    "flat",
    "general",
    "linear",
    "multilinear",
    "policy",
    "reduction",
    "shape_only",
]
