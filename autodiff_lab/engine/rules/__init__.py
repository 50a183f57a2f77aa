"""The derivative rules: a table with one row per primitive operation, of one to four lines each.

An *elementwise* row gives the local partial for each operand, ``partial(y, *operands)``; `y` is the result, so a rule
may use it again (``tan``: ``1 + y * y``). A *reduction* gives the weight of each entry. A *linear* row gives its
transpose, ``transpose(g, y, *operands)``, made of other rows. A *general* row gives its pullback, and its pushforward
follows by transposing that. A *flat* row has derivative zero, and a *composed* function is made of other rows. Rules
are written with the same operators and NumPy functions a learner calls, so each runs on numbers, Variables, Duals and
Symbols alike: higher order, LaTeX and generated source follow.

Kinks follow one policy, see :func:`policy`. Derivatives as in Griewank and Walther, *Evaluating Derivatives* (2008),
chapter 2; matrix functions as in Giles, *Collected matrix derivative results for forward and reverse mode algorithmic
differentiation* (2008).
"""

from __future__ import annotations

from . import elementwise as _elementwise  # noqa: F401 — reading a room fills the table
from . import grids, joining, linear_algebra, products, reductions, shapes  # noqa: F401
from .table import comparison, composed, elementwise, flat, general, linear, multilinear, reduction, shape_only

__all__ = ["comparison", "composed", "elementwise", "flat", "general", "linear", "multilinear", "policy"]
__all__ += ["reduction", "shape_only"]


def policy() -> str:
    """The convention that the derivative rules follow at kinks and ties, as text.

    Returns
    -------
    str
        One line per kink. Print it.

    See Also
    --------
    custom_gradient : A derivative rule of your own.
    trace_nonfinite : Find the first NaN or infinity.

    Examples
    --------
    >>> print(policy().splitlines()[1])
    |x|                0 at 0
    """
    return "\n".join(
        (
            "Where a function has a kink, its derivative is taken to be:",
            "|x|                0 at 0",
            "maximum, minimum   a tie is split evenly; so in max, min and median",
            "sort               equal entries keep their order, and each has its own place",
            "clip               0 in x at its edges; the edge takes it",
            "norm, hypot, std   0 at 0, and svdvals; a second derivative is NaN there, also of norm(x) ** 2",
            "eigvalsh, svdvals  equal values share evenly; a second derivative that turns their vectors is NaN",
            "eigh               NaN where a result depends on the vectors of equal eigenvalues: any basis would do",
            "x ** 0             0 everywhere, at x = 0 too",
            "0 ** b             0 in b",
            "steps              0 everywhere: sign, floor, round, heaviside, comparisons",
            "Second derivatives are those of these conventions: of |x| ** 2 it is 0 at 0, and not 2.",
        )
    )
