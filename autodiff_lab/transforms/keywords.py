"""Keyword arguments: telling the options of a public function from the keywords of the function it is given."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar

from ..engine.errors import AutodiffError, InputError
from .recording import name_of

F = TypeVar("F", bound=Callable[..., Any])


def check_keywords(public: F | None = None, *, more: Sequence[str] = ()) -> Any:
    """Decorate a public function that takes `f`, so that its errors say where keyword arguments of `f` belong.

    Parameters
    ----------
    public : callable
        It has a parameter ``f``, and one ``kwargs`` for what is passed on.
    more : sequence of str
        The options that it takes as ``**options``.

    Raises
    ------
    InputError
        If there is no such option.

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
    own = [*(p.name for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.name != "kwargs"), *more]
    place = [*parameters].index("f")

    @wraps(public)
    def call(*args: Any, **options: Any) -> Any:
        f = args[place] if len(args) > place else None
        strange = [name for name in options if name not in own and name not in parameters]
        if strange:
            name, there = public.__qualname__, ", ".join(own)
            hint = _hint_kwargs(name, f, strange, options)
            raise InputError(f"{name} has no option {strange[0]!r}; it has {there}.{hint}")
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
    """The parameters that a function takes by keyword or position, by name; empty where they are not known."""
    try:
        return [*inspect.signature(f).parameters]
    except (TypeError, ValueError):
        return []
