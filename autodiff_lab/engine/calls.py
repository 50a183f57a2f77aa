"""Arguments of NumPy calls: which ones are operands, which are options, and which options may be ignored.

A learner may write ``np.sum(x, 0)``, ``np.sum(a=x, axis=0)`` or ``np.sum(x, dtype=float)``; NumPy's own signature
gives the name of each argument.
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

# NumPy's names for arguments that are arrays. NumPy also takes a list there, but a rule's own operations don't.
# fmt: off
ARRAY_ARGUMENTS = frozenset({
    "a", "arr", "array", "m", "v", "b", "x", "y", "f", "p", "ary", "values", "weights", "prepend", "append",
    "xp", "fp", "x1", "x2", "start", "stop", "a_min", "a_max", "min", "max", "initial", "condition", "fill_value",
})
# fmt: on


@cache
def _parameters_of(
    function: Callable[..., Any],
) -> tuple[dict[str, inspect.Parameter], tuple[str, ...]]:
    """The parameters of a NumPy function, and the names of those that can be passed by position."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:
        return {}, ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = takewhile(lambda name: parameters[name].kind in kinds, parameters)
    # NumPy 2.0 calls the `shape` of np.reshape `newshape`.
    names = tuple("shape" if name == "newshape" else name for name in positional)
    return dict(parameters), names


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
    """Whether an option of a NumPy call may be ignored for the operand `x`, although the rule lacks it."""
    if option in NEUTRAL_OPTIONS:
        return True
    parameter = _parameters_of(function)[0].get(option)
    default = None if parameter is None else parameter.default
    if given is default:
        return True
    if option != "dtype" or not isinstance(x, Traced):
        return False
    return bool(np.dtype(given) == getattr(x, "dtype", None))


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
        if op.static.issuperset(static):  # nearly always: the rule takes every option
            return tuple(map(as_operand, args[:count])), static
    by_name = _bind_arguments(function, args, kwargs)
    if not names or op.kind in ("shape", "flat", "comparison"):
        parameters = _parameters_of(function)[0]
        required = [n for n, p in parameters.items() if p.default is p.empty and n in kwargs]
        operands = (*args, *(kwargs[name] for name in required))
        static = {name: given for name, given in kwargs.items() if name not in required}
        return tuple(map(as_operand, operands)), static
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
    """Carry out the call of a NumPy function that is composed of other operations; refuse unknown options.

    The rule has NumPy's parameters under NumPy's names and in NumPy's order, so arguments can be passed on unchanged.
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
    """The names of the parameters that a rule takes by position; None if it takes any number (``*args``)."""
    parameters, names = _parameters_of(rule)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):
        return None
    return tuple(takewhile(lambda name: name != "out", names))


@cache
def _option_names(rule: Callable[..., Any]) -> frozenset[str]:
    """The names of the parameters that a rule takes by name."""
    parameters = _parameters_of(rule)[0].values()
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return frozenset(by_name - {"out"})


def _sort_out_options(
    rule: Callable[..., Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments that a rule takes, by position and by name; refuse options that it lacks."""
    # NumPy's signature has the names; for a ufunc, or a function without a signature, we use the rule's.
    has_names = _parameters_of(function)[1] and not isinstance(function, np.ufunc)
    named = function if has_names else rule
    known = _parameters_of(rule)[0]
    positional_names = _parameters_of(named)[1]
    options = _bind_arguments(named, args, kwargs)
    by_position = _positional_names(rule)
    taken = args if by_position is None else args[: len(by_position)]
    for name in positional_names[: len(taken)]:
        del options[name]
    # The operand is passed by position, because the functions that share a rule name it differently.
    if not taken and positional_names:
        taken = (options.pop(positional_names[0]),)
    if all(p.kind is not p.VAR_KEYWORD for p in known.values()):
        for name in [name for name in options if name not in known]:
            if not _changes_nothing(function, name, options[name], taken[0]):
                _raise_unknown_option(function, name, options[name], list(known)[1:])
            del options[name]
    return taken, options


def _as_array_argument(name: str, given: Any) -> Any:
    """Convert a list given for an array to an array, unless it holds traced values, arrays to join, or axes."""
    if type(given) not in SEQUENCES or name not in ARRAY_ARGUMENTS or _has_traced(given):
        return given
    return as_operand(given)


def _has_traced(x: Any) -> bool:
    return any(map(_has_traced, x)) if isinstance(x, (list, tuple)) else isinstance(x, Traced)


def numpy_name(function: Any) -> str:
    """The name of a called NumPy or SciPy function in error messages: ``np.linalg.inv``, ``scipy.special.erf``."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc):
        module = _find_module_of_ufunc(function)
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))
    return f"{public.replace('numpy', 'np', 1)}.{function.__name__}".lstrip(".")


def _find_module_of_ufunc(ufunc: np.ufunc) -> str:
    """The module that a ufunc is from, which it doesn't record itself; empty if it is another library's."""
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), ufunc.__name__, None) is ufunc:
            return module
    return ""


def _raise_unknown_option(
    function: Callable[..., Any], option: str, given: Any, known: Sequence[str]
) -> NoReturn:
    raise UnsupportedError(
        f"{numpy_name(function)} with {option}={given!r} has no derivative rule. "
        f"Options that work here: {', '.join(known) or 'none'}. Leave `{option}` out."
    )
