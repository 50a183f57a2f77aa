"""Gradients, vector-Jacobian and Jacobian-vector products of a function. Names and argument order are JAX's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.dual import Dual, ForwardPass, dual
from ..engine.errors import InputError, ShapeError
from ..engine.fast_sweep import sweep_fast
from ..engine.tape import Tape
from ..engine.values import FLOAT64, Traced, as_shaped, as_value, ones, to_output, to_outputs, zeros
from ..engine.variable import Variable
from . import pytree, recording
from .signatures import name_of, resolve_argnums


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `f` and its pullback, which gives gradients: one vector-Jacobian product per call.

    Parameters
    ----------
    f : callable
        Returns numbers, arrays, or several of these.
    *primals : number, array, or nested tuples, lists and dicts of these
        The point.

    Returns
    -------
    value
        ``f(*primals)``, of whatever structure `f` returns.
    pullback : callable
        ``pullback(cotangent)``, the cotangent shaped like `value`, returns one gradient per primal, shaped like it.
        May be called again and again.

    Raises
    ------
    InputError
        If a primal is not made of numbers.
    ShapeError
        If a cotangent is not shaped like the value.

    See Also
    --------
    grad : The gradient alone.
    jvp : The value and its directional derivative.
    jacrev : The Jacobian by rows.

    Examples
    --------
    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> value, pullback(1.0)
    (10.0, (5.0, 2.0))
    """
    everywhere = range(len(primals))
    result, tape = recording.record_call(f, primals, everywhere, copied=True)
    outputs = pytree.flatten(result)
    value = pytree.map_leaves(lambda y: to_output(recording.result_value(y, tape)), result)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        seeds = [
            as_shaped(c, recording.result_value(y, tape), "the cotangent")
            for c, y in zip(
                pytree.match_leaves(cotangent, result, "the cotangent"), outputs, strict=True
            )
        ]
        gradients = to_outputs(
            recording.sweep_tape(tape, outputs, seeds), tape.values[: tape.n_inputs], seeds
        )
        by_argument: tuple[Any, ...] = recording.group_by_argument(
            gradients, everywhere, everywhere, primals
        )
        return by_argument

    return value, pullback


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns the value of `f` and its gradient, at a small multiple of the cost of `f`.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to; with a sequence the gradient is a tuple.
    has_aux : bool
        `f` returns ``(result, extra)``; the value is then that pair, `extra` as plain values.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns ``(value, gradient)``, the gradient shaped like the argument.

    Raises
    ------
    ShapeError
        If the result is not a scalar.

    See Also
    --------
    grad : The gradient alone.
    jvp : The value and its directional derivative.
    program : Compile a derivative.

    Notes
    -----
    The arrays that you pass are not copied, so `f` must not write into them. It may overwrite other arrays at any time.

    Examples
    --------
    >>> import numpy as np
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> value_and_grad(f, argnums=(0, 1))(2.0, 5.0)
    (11.652071455223084, (5.5, 1.7163378145367738))
    """

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        value, gradient, aux = differentiate(f, argnums, has_aux, args, kwargs)
        return (value, aux) if has_aux else value, gradient

    return derivative


def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns the gradient of `f`; with `has_aux`, the pair ``(gradient, extra)``.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to; with a sequence the gradient is a tuple.
    has_aux : bool
        `f` returns ``(result, extra)``; `extra` is returned as plain values.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns the gradient, shaped like the argument.

    Raises
    ------
    ShapeError
        If the result is not a scalar.

    See Also
    --------
    value_and_grad : The value and the gradient.
    vjp : The value and its pullback.
    jacobian : The whole Jacobian, in the cheaper mode.

    Examples
    --------
    >>> grad(lambda x: x**3)(2.0)
    12.0
    >>> grad(grad(lambda x: x**3))(2.0)
    12.0
    >>> grad(lambda x, y: 3 * x)(1.0, 7.0), grad(lambda x, y: 3 * x, argnums=1)(1.0, 7.0)
    (3.0, 0.0)
    """

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        _, gradient, aux = differentiate(f, argnums, has_aux, args, kwargs)
        return (gradient, aux) if has_aux else gradient

    return derivative


def require_scalar(result: Any, f: Callable[..., Any]) -> None:
    """Raise an error if a result is not one number, because then it has no gradient."""
    entries = pytree.children(result)
    if shape_of(result) != () or entries is not None:
        returned = f"an array of shape {shape_of(result)}"
        if entries is not None:
            returned = f"a {type(result).__name__} of {len(entries)} results"
        raise ShapeError(
            f"{name_of(f)} returned {returned}, and a gradient belongs to one number. "
            "Reduce it (np.sum, np.mean), or use vjp with a cotangent of the result's shape."
        )


def differentiate(
    f: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Record `f` and sweep back; return its value, its gradient shaped like the arguments, and the extra result."""
    which = resolve_argnums(argnums, args, f)
    result, tape = recording.record_call(f, args, which, kwargs)
    aux = None
    if has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise ShapeError(
                f"has_aux=True means that {name_of(f)} returns a pair (result, extra)."
            )
        result, aux = result
        aux = pytree.map_leaves(
            lambda y: to_output(recording.result_value(y, tape)) if isinstance(y, Traced) else y,
            aux,
        )
    if type(result) is not Variable or type(result.value) is not np.float64:
        require_scalar(result, f)
    elif (
        result.tape is tape
        and len(which) == tape.n_inputs
        and recording.NUMBER_TYPES.issuperset(map(type, args))
    ):
        # All inputs are plain numbers: nothing to convert, copy or regroup.
        slopes = _sweep_numbers(tape, result.index)
        return float(result.value), slopes[0] if hasattr(argnums, "__index__") else slopes, aux
    value = recording.result_value(result, tape)
    seeds = (ones(value),)
    gradients = to_outputs(
        recording.sweep_tape(tape, (result,), seeds, use_up=True), tape.values, seeds
    )
    return to_output(value), recording.group_by_argument(gradients, argnums, which, args), aux


_ONE = np.float64(1.0)


def _sweep_numbers(tape: Tape, line: int) -> tuple[float, ...]:
    """Sweep back from a line of a tape whose inputs are all plain numbers: the fast path of `differentiate`."""
    adjoints: list[Any] = [None] * len(tape.ops)
    adjoints[line] = _ONE
    sweep_fast(tape, line, adjoints)
    return tuple([0.0 if g is None else float(g) for g in adjoints[: tape.n_inputs]])


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of `f` and its directional derivative: in forward mode what `vjp` and `grad` are in reverse mode.

    Parameters
    ----------
    f : callable
        Returns numbers, arrays, or several of these.
    primals, tangents : sequences of equal length
        The arguments, and the direction in which each moves, shaped like it.

    Returns
    -------
    value, tangent
        Both shaped like the result of `f`.

    Raises
    ------
    InputError
        If a primal is not made of numbers.
    ShapeError
        If there are not as many tangents as primals, or one is not shaped like its primal.

    See Also
    --------
    vjp : The value and its pullback.
    linearize : The linear map at a point, recorded once.
    jacfwd : The Jacobian by columns.

    Examples
    --------
    >>> jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, 0.0))
    (10.0, 5.0)
    """
    if not isinstance(primals, (list, tuple)) or not isinstance(tangents, (list, tuple)):
        raise InputError("jvp takes the primals and the tangents as tuples: jvp(f, (x,), (t,)).")
    if len(primals) != len(tangents):
        raise ShapeError(
            f"jvp was given {len(primals)} primals and {len(tangents)} tangents: one each is needed."
        )
    forward = ForwardPass()
    inputs: list[Any] = []
    for k, x in enumerate(primals):
        t = tangents[k]
        if type(x) is float and type(t) is float:
            inputs.append(dual(np.float64(x), np.float64(t), forward))
            continue
        if (
            type(x) is type(t) is np.ndarray
            and x.dtype == t.dtype == FLOAT64
            and x.shape == t.shape != ()
        ):
            inputs.append(dual(x, t, forward))  # nothing to convert or to check
            continue
        duals: list[Any] = []
        moving = pytree.match_leaves(t, x, f"tangent {k}")
        for label, leaf, tangent in zip(
            pytree.paths(f"{k}", x), pytree.flatten(x), moving, strict=True
        ):
            value = as_value(leaf, f"primal {label}")
            duals.append(dual(value, as_shaped(tangent, value, f"tangent {label}"), forward))
        inputs.append(pytree.unflatten(x, duals))
    result = forward.run(f, inputs)
    if type(result) is Dual and result.level is forward:
        return to_output(result.value), to_output(result.tangent)

    def split(y: Any) -> tuple[Any, Any]:
        if type(y) is Dual and y.level is forward:
            return to_output(y.value), to_output(y.tangent)
        plain = recording.check_result(y)
        return to_output(plain), to_output(zeros(plain))

    pairs = [split(y) for y in pytree.flatten(result)]
    value = pytree.unflatten(result, [y for y, _ in pairs])
    tangent = pytree.unflatten(result, [t for _, t in pairs])
    return value, tangent
