"""The formula of a whole function: what it returns when it is run on names, by the engine's operations and rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import AutodiffError, InputError, UnsupportedError
from autodiff_lab.engine.tracebacks import hides_own_error
from autodiff_lab.text.notation import latex_value
from autodiff_lab.trace.partials import NamedValue
from autodiff_lab.transforms import pytree
from autodiff_lab.transforms.signatures import argument_names, name_of, spell_function
from autodiff_lab.transforms.symbol import Symbol, spell

# A longer or deeper formula can't be read.
_LARGEST = 5000
_DEEPEST = 200


@dataclass(frozen=True, repr=False)
class Formula:
    """The formula of a function: what a program computes, as one expression.

    Attributes
    ----------
    result : Symbol, number, or nested tuples, lists and dicts of these
        What the function returned for the names.
    size : int
        The number of names, numbers and operations in the formula. It can be much larger than the
        tape, because a value that is used twice is written twice.

    See Also
    --------
    formula : Write a function as a formula.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> found = ad.formula(lambda x: x * x + 1, "x")
    >>> type(found).__name__, found.size
    ('Formula', 5)
    """

    result: Any
    size: int

    @property
    def text(self) -> str:
        """The formula of a function as a line of plain text."""
        return self._join_leaves(spell)

    @property
    def python(self) -> str:
        """The formula of a function as Python source, with NumPy as ``np``."""
        return self._join_leaves(partial(spell, prefix="np."))

    @property
    def latex(self) -> str:
        """The formula of a function as LaTeX, for use between dollar signs."""
        written = self._join_leaves(_leaf_latex, r",\; ")
        if pytree.children(self.result) is None:
            return written
        inside = written[1:-1]
        return rf"\left({inside}\right)"

    def _join_leaves(self, write: Callable[[Any], str], comma: str = ", ") -> str:
        leaves = [write(leaf) for leaf in pytree.flatten(self.result)]
        if pytree.children(self.result) is None:
            return leaves[0]
        return f"({comma.join(leaves)})"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex}$"


def _leaf_latex(leaf: Any) -> str:
    return leaf.latex() if isinstance(leaf, Symbol) else latex_value(spell(leaf))


def formula(f: Callable[..., Any], *names: Any) -> Formula:
    """Write a function as a formula: run it on names instead of numbers, and return the expression.

    Parameters
    ----------
    f : callable
        A function, or a derivative of one: ``formula(grad(f))``.
    *names : str, number, or nested tuples, lists and dicts of these
        The names of the arguments, by default those in the signature of `f`; a number stays a number.

    Returns
    -------
    Formula
        A notebook shows it in LaTeX; see also `Formula.text` and `Formula.python`.

    Raises
    ------
    UnsupportedError
        If the function branches on a value (``if x > 0``) or needs arrays, or if the formula would be
        too long to read.
    InputError
        If a name isn't a valid variable name, if no argument is named, or if the function returns None.

    See Also
    --------
    Formula : What `formula` returns.
    Symbol : A name in a formula.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff_lab import grad
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> formula(f)
    Formula('log(x1) + x1 * x2 - sin(x2)')
    >>> print(formula(f, "a", 2.0).python)
    np.log(a) + a * 2 - 0.9092974268256817
    >>> print(formula(grad(f)))
    x2 + 1 / x1
    """
    if not names and any(p.kind is p.VAR_POSITIONAL for p in _parameters(f) or ()):
        raise InputError(
            f"{name_of(f)} takes any number of arguments; name those you mean: formula(f, 'x1', 'x2')."
        )
    own = argument_names(f, max(_positional(f), len(names)))
    if names and not any(isinstance(name, str) for name in pytree.flatten(names)):
        raise InputError(
            f"A number stays a number in a formula, and {_call(f, names)} names no argument: what comes out is one "
            f"number. Write {_call(f, ())} for the formula in the names of {name_of(f)}, or name an argument: "
            f"{_call(f, own[: len(names)])}."
        )
    names = names or tuple(own)
    arguments = pytree.map_leaves(_name_value, names)
    try:
        # To find the shapes, the operations also run on ones, where they may be undefined.
        with np.errstate(all="ignore"):
            result = f(*arguments)
    except (AutodiffError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        if not _fit(f, names):
            raise  # Python's own message names the missing argument
        cause = error.__cause__ if hides_own_error(error) else error
        raise UnsupportedError(
            f"{name_of(f)} cannot be written as one formula: each name in it stands for a single number, which has no "
            f"value yet, and with those it fails. {_quote(cause)} "
            f"To see what one run computes: table({name_of(f)}, …) with numbers and arrays."
        ) from cause
    if any(x is None for x in pytree.flatten(result)):
        raise InputError(
            f"{name_of(f)} returned None, and a formula needs a result. Give it a `return`."
        )
    size, depth = _measure_formula(result)
    if size > _LARGEST or depth > _DEEPEST:
        what = f"{size:,} signs" if size < 10**9 else f"{float(size):.1e} signs"
        raise UnsupportedError(
            f"The formula of {name_of(f)} would have {what}, {depth} operations inside one another: values that are "
            f"used again are written out again. A tape keeps each of them once: record({name_of(f)}, …)."
        )
    return Formula(result, size)


def _quote(error: BaseException | None) -> str:
    """The message of an error as a sentence; one of Python's or NumPy's starts with its type."""
    if isinstance(error, AutodiffError):
        return str(error)
    return f"{type(error).__name__}: {error}".rstrip(".") + "."


def _call(f: Callable[..., Any], names: Sequence[Any]) -> str:
    return f"formula({', '.join([spell_function(f), *map(repr, names)])})"


def _parameters(f: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters of a function; None if it has no signature, like some built-in functions."""
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None


def _positional(f: Callable[..., Any]) -> int:
    """Count the positional arguments of a function that have no default; 1 if it has no signature."""
    parameters = _parameters(f)
    if parameters is None:
        return 1
    count = 0
    for p in parameters:
        is_positional = p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        if is_positional and p.default is p.empty:
            count += 1
    return count


def _fit(f: Callable[..., Any], names: tuple[Any, ...]) -> bool:
    """Whether `f` can be called with these arguments; true if it has no signature to check."""
    try:
        inspect.signature(f).bind(*names)
    except ValueError:  # it has no signature
        return True
    except TypeError:
        return False
    return True


def _name_value(name: Any) -> Any:
    if not isinstance(name, str):
        return name
    if not name.isidentifier():
        raise InputError(
            f"{name!r} can't be the name of a variable in a formula. Use letters and digits, as in 'x1'."
        )
    return NamedValue(name, 1.0)


def _measure_formula(result: Any) -> tuple[int, int]:
    """Return the size of a formula written out, and how deep it nests.

    Each operation is visited once, however often it is written: its size can grow exponentially.
    """
    known: dict[int, tuple[int, int]] = {}
    waiting = list(pytree.flatten(result))
    while waiting:
        x = waiting[-1]
        operands = x.operands if isinstance(x, Symbol) else ()
        unknown = [operand for operand in operands if id(operand) not in known]
        if unknown:
            waiting += unknown
            continue
        waiting.pop()
        parts = [known[id(operand)] for operand in operands]
        size, depth = _join_measures(parts)
        known[id(x)] = (1 + size, 1 + depth)
    return _join_measures([known[id(leaf)] for leaf in pytree.flatten(result)])


def _join_measures(parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The size and the depth of several expressions together."""
    size = sum(size for size, _ in parts)
    depth = max((depth for _, depth in parts), default=0)
    return size, depth
