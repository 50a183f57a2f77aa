"""Custom derivative rules, stopped gradients, and checkpointing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..engine import primitives
from ..engine.broadcasting import shape_of
from ..engine.dispatch import apply
from ..engine.errors import InputError, MutationError, ShapeError, UnsupportedError
from ..engine.primitives import Op
from ..engine.printing import replace_bidi
from ..engine.rules.table import flat
from ..engine.transposing import call_rule
from ..engine.values import Traced, as_operand, innermost_value, zeros_like
from . import pytree
from .gradients import vjp


def custom_gradient(
    *,
    partials: Callable[..., Any] | tuple[Callable[..., Any], ...] | None = None,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function a custom derivative rule. On a tape it is one line.

    Parameters
    ----------
    partials : callable or tuple of callables
        For an elementwise function: one local partial ``partial(y, *operands)`` per operand.
    vjp : callable
        ``vjp(g, y, *operands)`` returns one contribution per operand (a tuple, or one array for one operand).
    jvp : callable
        ``jvp(tangents, y, *operands)``, the tangents as a tuple, returns the tangent of the result.

    Returns
    -------
    decorator
        For a function of numbers and arrays, passed by position. With `vjp` or `jvp` alone the other mode follows by
        transposing it. Write the rule with operators and NumPy functions, and higher derivatives follow too.

    Raises
    ------
    InputError
        If no rule is given, or partials together with one of the others.
    ShapeError
        When the rule is used, if `vjp` returns a contribution that doesn't have the operand's shape.
    UnsupportedError
        When the other mode is used with a rule that is not linear in its tangent or adjoint, such as one that clips
        gradients or compares them.

    See Also
    --------
    stop_gradient : Treat a value as a constant.
    check_grads : Compare derivatives with finite differences.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff_lab import grad
    >>> @custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
    ... def softplus(x):
    ...     return np.logaddexp(0.0, x)
    >>> grad(softplus)(800.0)
    1.0
    """
    if (partials is None) == (vjp is None and jvp is None):
        raise InputError("custom_gradient takes either partials=…, or vjp=… and/or jvp=….")

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        def compute(*operands: Any) -> Any:
            """Compute `f`, or dispatch to a lower level, which should record one line too."""
            if any(isinstance(x, Traced) for x in operands):
                return apply(op, operands)
            return as_operand(f(*operands))

        name = replace_bidi(f.__name__)
        if partials is not None:
            rules = partials if isinstance(partials, tuple) else (partials,)
            op = Op(name, compute, "elementwise", rules)
        else:
            rule = _from_vjp(vjp, f.__name__) if vjp else _from_jvp(jvp, f.__name__)  # type: ignore[arg-type]
            op = Op(name, compute, "general", (rule,), variadic=True)
        if jvp is not None:
            op.push = lambda y, operands, tangents, static: jvp(
                _fill_tangents(operands, tangents), y, *operands
            )
        op.inside = f

        @wraps(f)
        def wrapped(*operands: Any) -> Any:
            return apply(op, tuple(as_operand(x) for x in operands))

        return wrapped

    return decorate


def _from_vjp(vjp: Callable[..., Any], name: str) -> Callable[..., Any]:
    def rule(k: int, g: Any, y: Any, *operands: Any) -> Any:
        contributions = call_rule(vjp, g, y, *operands, about=f"vjp of {name}")
        if not isinstance(contributions, tuple):
            contributions = (contributions,)
        if any(isinstance(contribution, list) for contribution in contributions):
            raise UnsupportedError(
                f"The vjp of {name} returned a list. Return an array, or for several operands a tuple with an array "
                "for each."
            )
        if len(contributions) != len(operands):
            raise UnsupportedError(
                f"The vjp of {name} returned {len(contributions)} contributions for {len(operands)} operands; "
                "return a tuple with one for each."
            )
        contribution = contributions[k]
        if contribution is not None and shape_of(contribution) != shape_of(operands[k]):
            raise ShapeError(
                f"The gradient rule of {name} gave a contribution of shape {shape_of(contribution)} for operand {k}, "
                f"which has shape {shape_of(operands[k])}. Sum it over the axes along which the operand was broadcast."
            )
        return contribution

    return rule


def _from_jvp(jvp: Callable[..., Any], name: str) -> Callable[..., Any]:
    def rule(k: int, g: Any, y: Any, *operands: Any) -> Any:
        def along(t: Any) -> Any:
            def push(t: Any) -> Any:
                only = tuple(t if i == k else None for i in range(len(operands)))
                return jvp(_fill_tangents(operands, only), y, *operands)

            return call_rule(push, t, about=f"jvp of {name}")

        return primitives.apply_transpose(along, operands[k], g)

    return rule


def _fill_tangents(operands: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(zeros_like(x) if t is None else t for x, t in zip(operands, tangents, strict=True))


# Applied at every level, so that no outer derivative sees the value move either.
_stop: Op = flat("stop_gradient", lambda x: apply(_stop, (x,)) if isinstance(x, Traced) else x)


def stop_gradient(x: Any) -> Any:
    """Treat `x` as a constant, by a custom derivative rule that gives 0 (its value is unchanged).

    Parameters
    ----------
    x : number, array, or nested tuples, lists and dicts of these
        The value to treat as constant.

    Returns
    -------
    number, array, or the same structure
        The value of `x`.

    See Also
    --------
    no_recording : Treat a block as constant.
    custom_gradient : A derivative rule of your own.

    Examples
    --------
    >>> from autodiff_lab import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return pytree.map_leaves(lambda leaf: apply(_stop, (leaf,)), x)


def checkpoint(f: Callable[..., Any]) -> Callable[..., Any]:
    """Record a call of `f` as one line: only its arguments are stored, and the backward pass runs `f` again.

    This trades time (one more run of `f`) for memory (nothing inside `f` is stored). Derivatives are unchanged.

    Parameters
    ----------
    f : callable
        Takes numbers, arrays or nested containers by position; returns one number or array. Every value with respect
        to which you differentiate must be an argument.

    Returns
    -------
    callable
        A function of the same arguments with the same result and derivatives.

    Raises
    ------
    UnsupportedError
        If `f` uses a recorded value that is not an argument, or returns several results.
    MutationError
        If `f` gives another result when it is run again (random numbers, an array that was written to).

    See Also
    --------
    record : Run a function and keep its tape.
    custom_gradient : A derivative rule of your own.

    Examples
    --------
    >>> import numpy as np
    >>> from autodiff_lab import grad
    >>> grad(checkpoint(lambda x: np.sin(x) * x))(0.5) == grad(lambda x: np.sin(x) * x)(0.5)
    True
    """

    @wraps(f)
    def one_line(*args: Any) -> Any:
        leaves = pytree.flatten(list(args))

        def on_leaves(*operands: Any) -> Any:
            return f(*pytree.unflatten(list(args), list(operands)))

        def compute(*operands: Any) -> Any:
            if any(isinstance(x, Traced) for x in operands):
                return apply(op, operands)
            y = on_leaves(*operands)
            if isinstance(y, Traced) or pytree.children(y) is not None:
                raise UnsupportedError(
                    f"checkpoint({getattr(f, '__name__', 'f')}) gave {y!r}. A checkpointed function takes every value "
                    "that is differentiated as an argument (not from around it) and returns one number or array."
                )
            return y

        def pull_back(k: int, g: Any, y: Any, *operands: Any) -> Any:
            value, pullback = vjp(on_leaves, *operands)
            if not np.allclose(
                innermost_value(value), innermost_value(y), rtol=1e-9, atol=1e-9, equal_nan=True
            ):
                raise MutationError(
                    f"checkpoint({getattr(f, '__name__', 'f')}) runs the function again for the sweep, and now it gave "
                    "another result: something that it reads has changed in between. Pass it as an argument."
                )
            return pullback(g)[k]

        name = replace_bidi(getattr(f, "__name__", "checkpoint"))
        op = Op(name, compute, "general", (pull_back,), variadic=True)
        op.inside = on_leaves
        return apply(op, tuple(as_operand(x) for x in leaves))

    return one_line
