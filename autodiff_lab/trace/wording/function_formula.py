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

_LARGEST = 5000
_DEEPEST = 200


@dataclass(frozen=True, repr=False)
class Formula:
    """The formula of a function: what a program computes, as one expression.

    Attributes
    ----------
    result : Symbol, number, or nested tuples, lists and dicts of these
        What the function returned when it was given names.
    size : int
        How many names, numbers and operations one has to write; the tape has a line for each operation once.

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
        """The formula of a function as one writes it in a line."""
        return self._join_leaves(spell)

    @property
    def python(self) -> str:
        """The formula of a function as Python source, with NumPy as ``np``."""
        return self._join_leaves(partial(spell, prefix="np."))

    @property
    def latex(self) -> str:
        """The formula of a function as LaTeX, for use between dollar signs."""
        write = self._join_leaves(
            lambda x: x.latex() if isinstance(x, Symbol) else latex_value(spell(x)), r",\; "
        )
        return write if pytree.children(self.result) is None else rf"\left{write[:-1]}\right)"

    def _join_leaves(self, write: Callable[[Any], str], comma: str = ", ") -> str:
        leaves = list(map(write, pytree.flatten(self.result)))
        return leaves[0] if pytree.children(self.result) is None else f"({comma.join(leaves)})"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex}$"


def formula(f: Callable[..., Any], *names: Any) -> Formula:
    """Write a function as a formula: run it on names instead of numbers, and give what comes out.

    Parameters
    ----------
    f : callable
        A function, or a derivative of one: ``formula(grad(f))``.
    *names : str, number, or nested tuples, lists and dicts of these
        What to call the arguments; a number stays a number. By default the names that `f` itself uses.

    Returns
    -------
    Formula
        A notebook shows it in LaTeX; see also `Formula.text` and `Formula.python`.

    Raises
    ------
    UnsupportedError
        If what the function does depends on the values (``if x > 0``), if it needs arrays, or the formula is too long
        to be read.
    InputError
        If a name cannot be the name of a variable, or `f` takes any number of arguments and none is named.

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
        # The values beside the names are ones, at which a formula need not be defined.
        with np.errstate(all="ignore"):
            result = f(*arguments)
    except (AutodiffError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        if not _fit(f, names):
            raise  # Python says which argument is missing
        cause = error.__cause__ if hides_own_error(error) else error
        said = (
            str(cause)
            if isinstance(cause, AutodiffError)
            else f"{type(cause).__name__}: {cause}".rstrip(".") + "."
        )
        raise UnsupportedError(
            f"{name_of(f)} cannot be written as one formula: each name in it stands for a single number, which has no "
            f"value yet, and with those it fails. {said} To see what one run computes: table({name_of(f)}, …) with "
            "numbers and arrays."
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


def _call(f: Callable[..., Any], names: Sequence[Any]) -> str:
    return f"formula({', '.join([spell_function(f), *map(repr, names)])})"


def _parameters(f: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters of a function, as far as Python knows them."""
    try:
        return list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return None


def _positional(f: Callable[..., Any]) -> int:
    """How many arguments a function takes by position and has no default for."""
    parameters = _parameters(f)
    if parameters is None:
        return 1
    return sum(
        p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
        for p in parameters
    )


def _fit(f: Callable[..., Any], names: tuple[Any, ...]) -> bool:
    """Whether `f` can be called with these arguments, as far as Python knows."""
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
            f"{name!r} cannot be the name of a variable in a formula. Use letters and digits, as in 'x1'."
        )
    return NamedValue(name, 1.0)


def _measure_formula(result: Any) -> tuple[int, int]:
    """The size of a formula written out, and how deep it nests; each operation is looked at once."""
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
        known[id(x)] = (
            1 + sum(size for size, _ in parts),
            1 + max((depth for _, depth in parts), default=0),
        )
    leaves = [known[id(leaf)] for leaf in pytree.flatten(result)]
    return sum(size for size, _ in leaves), max((depth for _, depth in leaves), default=0)
