"""Arguments of NumPy calls: which ones are operands, which are options, and which options may be ignored.

A learner may write ``np.sum(x, 0)``, ``np.sum(a=x, axis=0)`` or ``np.sum(x, dtype=float)``; NumPy's own signature says
what each argument is called.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile
from typing import Any, NoReturn

import numpy as np

from .errors import MutationError, UnsupportedError
from .primitives import Op
from .values import Traced, as_operand

# Options of NumPy's functions that change how a result is found, not what it is.
NEUTRAL_OPTIONS = frozenset({"kind", "stable", "subok"})

# What NumPy calls arguments that are arrays: a list is as good there, but not to the functions that a rule is made of.
ARRAY_ARGUMENTS = frozenset(
    {*("a", "arr", "array", "m", "v", "b", "x", "y", "f", "p", "ary", "values", "weights", "prepend", "append", "xp"),
     *("fp", "x1", "x2", "start", "stop", "a_min", "a_max", "min", "max", "initial", "condition", "fill_value")}
)  # fmt: skip


@cache
def _parameters_of(
    function: Callable[..., Any],
) -> tuple[dict[str, inspect.Parameter], tuple[str, ...]]:
    """The parameters in the signature of a called NumPy function, and the names of those before any ``*args``."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        return {}, ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = takewhile(lambda name: parameters[name].kind in kinds, parameters)
    # NumPy 2.0's reshape
    return dict(parameters), tuple("shape" if name == "newshape" else name for name in names)


def _bind_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Bind the arguments of a NumPy call to parameter names, where there are names; refuse ``out=``.

    NumPy has already checked the call against its signature, and binding it again would take five microseconds.
    """
    by_name = {**dict(zip(_parameters_of(function)[1], args, strict=False)), **kwargs}
    if by_name.get("out") is not None:
        raise MutationError(
            f"{numpy_name(function)} was asked to write a recorded value into an existing array (out=…). "
            f"Drop `out` and use the array that {numpy_name(function)} returns."
        )
    return by_name


def _changes_nothing(function: Callable[..., Any], option: str, given: Any, x: Any) -> bool:
    """Whether an option of a NumPy call may be ignored for the operand `x`, although no rule knows it."""
    parameter = _parameters_of(function)[0].get(option)
    if option in NEUTRAL_OPTIONS or given is (None if parameter is None else parameter.default):
        return True
    return (
        option == "dtype" and isinstance(x, Traced) and np.dtype(given) == getattr(x, "dtype", None)
    )


def split_arguments(
    op: Op, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Split the arguments of a NumPy call into operands and static options (``axis``, ``shape``), by its signature."""
    count = 1 if op.variadic else len(op.rules)
    if len(args) == count and not kwargs and not op.variadic:  # operands alone
        return tuple(map(as_operand, args)), kwargs
    names = _parameters_of(function)[1]
    if 0 < len(args) <= len(names) and not op.variadic:
        static = dict(zip(names[count:], args[count:]))  # noqa: B905 — `strict` costs as much as the rest
        static |= kwargs
        if op.static.issuperset(static):  # as nearly always: every option has a rule
            return tuple(map(as_operand, args[:count])), static
    by_name = _bind_arguments(function, args, kwargs)
    if not names or op.kind in ("shape", "flat", "comparison"):
        required = [
            n
            for n, p in _parameters_of(function)[0].items()
            if p.default is p.empty and n in kwargs
        ]
        operands = (*args, *(kwargs[name] for name in required))
        return tuple(map(as_operand, operands)), {
            k: given for k, given in kwargs.items() if k not in required
        }
    operands = tuple(by_name.pop(name) for name in names[:count] if name in by_name)
    if op.variadic:
        operands = tuple(operands[0])
    static = {}
    for name, given in by_name.items():
        if name in op.static:
            static[name] = given
        elif not _changes_nothing(function, name, given, operands[0]):
            _raise_unknown_option(function, name, given, sorted(op.static))
    return tuple(map(as_operand, operands)), static


def call_composed(
    op: Op, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Carry out the call of a NumPy function whose rule is composed of other rows; refuse options it does not know.

    A rule has its parameters in NumPy's order and under NumPy's names, so that arguments can be passed on as they are.
    """
    rule = op.fn
    names = _positional_names(rule)
    fits = names is None or len(args) <= len(names)
    if kwargs:
        fits = fits and len(args) > 0 and _option_names(rule).issuperset(kwargs)
    if not fits:
        args, kwargs = _sort_out_options(rule, function, args, kwargs)
    if names is not None and not SEQUENCES.isdisjoint(map(type, args)):
        args = tuple([_as_array_argument(name, x) for name, x in zip(names, args, strict=False)])
    if kwargs and names is not None:
        kwargs = {name: _as_array_argument(name, x) for name, x in kwargs.items()}
    return rule(*args, **kwargs)


SEQUENCES = frozenset({list, tuple})


@cache
def _positional_names(rule: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of what a rule takes by position; None for a rule that takes any number of arguments, as they are."""
    parameters, names = _parameters_of(rule)
    takes_any_number = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    return None if takes_any_number else tuple(takewhile(lambda name: name != "out", names))


@cache
def _option_names(rule: Callable[..., Any]) -> frozenset[str]:
    """The names of what a rule takes by name."""
    parameters = _parameters_of(rule)[0].values()
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return frozenset(by_name - {"out"})


def _sort_out_options(
    rule: Callable[..., Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Sort out the options of a NumPy call that its rule knows: the arguments by position, and those by name."""
    # what NumPy calls them
    tells = _parameters_of(function)[1] and not isinstance(function, np.ufunc)
    named = function if tells else rule
    known, theirs = _parameters_of(rule)[0], _parameters_of(named)[1]
    options = _bind_arguments(named, args, kwargs)
    by_position = _positional_names(rule)
    taken = args if by_position is None else args[: len(by_position)]
    for name in theirs[: len(taken)]:
        del options[name]
    # the operand is passed by position, whatever a family of rules calls it
    if not taken and theirs:
        taken = (options.pop(theirs[0]),)
    if all(p.kind is not p.VAR_KEYWORD for p in known.values()):
        for name in [name for name in options if name not in known]:
            if not _changes_nothing(function, name, options[name], taken[0]):
                _raise_unknown_option(function, name, options[name], list(known)[1:])
            del options[name]
    return taken, options


def _as_array_argument(name: str, given: Any) -> Any:
    """Convert a list given for an array to one; a list of traced values, of arrays to be joined, of axes, stays."""
    if type(given) not in SEQUENCES or name not in ARRAY_ARGUMENTS or _has_traced(given):
        return given
    return as_operand(given)


def _has_traced(x: Any) -> bool:
    return any(map(_has_traced, x)) if isinstance(x, (list, tuple)) else isinstance(x, Traced)


def numpy_name(function: Any) -> str:
    """The name of a called NumPy or SciPy function in error messages: ``np.linalg.inv``, ``scipy.special.erf``."""
    name, module = function.__name__, getattr(function, "__module__", None)
    if isinstance(function, np.ufunc):  # it does not say where it is from
        homes = ("numpy", "scipy.special")
        module = next(
            (home for home in homes if getattr(sys.modules.get(home), name, None) is function), ""
        )
    public = ".".join(part for part in (module or "").split(".") if not part.startswith("_"))
    return f"{public.replace('numpy', 'np', 1)}.{name}".lstrip(".")


def _raise_unknown_option(
    function: Callable[..., Any], option: str, given: Any, known: Sequence[str]
) -> NoReturn:
    raise UnsupportedError(
        f"{numpy_name(function)} with {option}={given!r} has no derivative rule. "
        f"Options that work here: {', '.join(known) or 'none'}. Leave `{option}` out."
    )
