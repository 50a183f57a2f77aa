"""Signatures: the names of a function and of its arguments, and which keywords are options of the package."""

import inspect
import operator
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar, overload

from ..engine.errors import AutodiffError, InputError
from ..engine.printing import replace_bidi

F = TypeVar("F", bound=Callable[..., Any])

# (0,), (0, 1), …: the tuples that `argnums` nearly always is, if it isn't one number.
FIRST_ARGUMENTS = frozenset(tuple(range(n)) for n in range(1, 20))


@overload
def check_keywords(public: F) -> F: ...
@overload
def check_keywords(*, more: Sequence[str]) -> Callable[[F], F]: ...
def check_keywords(public: F | None = None, *, more: Sequence[str] = ()) -> Any:
    """Decorate a public function that takes `f`, so that its errors show how to pass keyword arguments to `f`.

    Parameters
    ----------
    public : callable
        It has a parameter ``f``, and a parameter ``kwargs`` for the keyword arguments of `f`.
    more : sequence of str
        The options that it takes as ``**options``.

    Raises
    ------
    InputError
        If an unknown option is passed.

    Examples
    --------
    >>> @check_keywords
    ... def show(f, *args, kwargs=None, scale="normal"):
    ...     return f(*args, **(kwargs or {}))
    >>> show(lambda x, width: x * width, 3.0, width=5.0)
    Traceback (most recent call last):
    autodiff_lab.engine.errors.InputError: show has no option 'width'; it has scale. For an argument of <lambda> itself, write show(f, …, kwargs={'width': 5.0}).
    """  # noqa: E501
    if public is None:
        return partial(check_keywords, more=more)
    parameters = inspect.signature(public).parameters
    own = [
        *(p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.name != "kwargs"),
        *more,
    ]
    place = [*parameters].index("f")

    @wraps(public)
    def call(*args: Any, **options: Any) -> Any:
        f = args[place] if len(args) > place else None
        unknown = [name for name in options if name not in own and name not in parameters]
        if unknown:
            name = public.__qualname__
            known = ", ".join(own)
            hint = _hint_kwargs(name, f, unknown, options)
            raise InputError(f"{name} has no option {unknown[0]!r}; it has {known}.{hint}")
        try:
            return public(*args, **options)
        except AutodiffError as error:
            shared = [name for name in options if name in parameter_names(f)]
            if shared and error.args:
                hint = _hint_kwargs(public.__qualname__, f, shared, options)
                error.args = (f"{error.args[0]}{hint}", *error.args[1:])
            raise

    return call


def _hint_kwargs(public: str, f: Any, names: Sequence[str], options: dict[str, Any]) -> str:
    if not callable(f):
        return ""
    theirs = {name: options[name] for name in names}
    return f" For an argument of {name_of(f)} itself, write {public}({spell_function(f)}, …, kwargs={theirs!r})."


def spell_function(f: Any) -> str:
    """Spell a function in the hint on keyword arguments: its name if that is valid Python source, otherwise ``f``."""
    name = name_of(f)
    return name if name.isidentifier() else "f"


def parameter_names(f: Any) -> Sequence[str]:
    """The names of a function's parameters; empty if they are not known."""
    try:
        return [*inspect.signature(f).parameters]
    except (TypeError, ValueError):
        return []


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` arguments of `f`; ``args[0]`` if it accepts any number, ``x1`` if unknown."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [f"x{k + 1}" for k in range(count)]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "x")
    return (names + [f"{rest}[{k}]" for k in range(max(0, count - len(names)))])[:count]


def resolve_argnums(
    argnums: int | Sequence[int], args: Sequence[Any], f: Callable[..., Any]
) -> Sequence[int]:
    """Resolve `argnums`, which arguments are differentiated, to positions counted from the front."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return (argnums,)
    if type(argnums) is tuple and argnums in FIRST_ARGUMENTS and len(argnums) <= len(args):
        return argnums
    try:
        which = [*map(operator.index, (argnums,) if hasattr(argnums, "__index__") else argnums)]
    except TypeError:
        raise InputError(
            f"argnums is {argnums!r}; it takes a position (0, 1, …) or a tuple of positions."
        ) from None
    for k in which:
        if not -len(args) <= k < len(args):
            raise InputError(
                f"argnums asks for argument {k!r}, but {name_of(f)} was called with {len(args)} positional "
                f"argument{'s' if len(args) != 1 else ''}. Pass by position what is to be differentiated."
            )
    return [k % len(args) for k in which]


_DERIVATIVES = frozenset(
    {"grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "hessian", "elementwise_grad"}
)


def derivative_name(f: Callable[..., Any]) -> str:
    """The name of the transform that made a function, ``"grad"``, ``"jacobian"``, …; empty if none did."""
    code = getattr(f, "__code__", None)
    if (
        code is None
        or not hasattr(f, "__wrapped__")
        or not f.__globals__["__name__"].startswith(f"{__package__}.")
    ):
        return ""
    maker = code.co_qualname.partition(".<locals>.")[0]
    return maker if maker in _DERIVATIVES else ""


def name_of(f: Callable[..., Any]) -> str:
    """The name of a function, for titles and messages. A gradient has a prime.

    >>> from autodiff_lab import grad, jacobian
    >>> name_of(partial(pow, 2)), name_of(lambda x: x), name_of(grad(grad(abs))), name_of(jacobian(grad(abs)))
    ('pow', '<lambda>', 'abs′′', 'jacobian(abs′)')
    """
    if isinstance(f, partial):
        return name_of(f.func)
    maker = derivative_name(f)
    if maker:
        inner = name_of(f.__wrapped__)  # type: ignore[attr-defined]
        return f"{inner}′" if maker == "grad" else f"{maker}({inner})"
    return replace_bidi(getattr(f, "__name__", None) or type(f).__name__)
