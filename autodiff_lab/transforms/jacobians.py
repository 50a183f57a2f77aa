"""Jacobians (by columns or by rows), Hessians, Hessian-vector products, and linearization.

Names, argument order and layout are JAX's: for a result of shape ``s`` and an argument of shape ``t`` the block has
shape ``s + t``, and nested results and arguments give nested blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any, NoReturn

import numpy as np

from ..engine import values
from ..engine.broadcasting import shape_of
from ..engine.dual import Dual, ForwardPass, dual
from ..engine.errors import InputError, ShapeError
from ..engine.levels import checking
from ..engine.values import (
    FLOAT64,
    as_operand,
    as_shaped,
    as_value,
    ones,
    to_output,
    to_outputs,
    zeros,
)
from . import pytree, recording
from .gradients import differentiate, grad, jvp, vjp
from .signatures import name_of, resolve_argnums


def jacfwd(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The Jacobian by columns: all basis directions are pushed forward as one batch.

    Parameters
    ----------
    f : callable
        Returns a number or an array.
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns blocks of shape ``result.shape + argument.shape``.

    See Also
    --------
    jacrev : The Jacobian by rows.
    jacobian : The whole Jacobian, in the cheaper mode.
    jvp : The value and its directional derivative.

    Examples
    --------
    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    @wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        which = resolve_argnums(argnums, args, f)
        asked = dict.fromkeys(which)
        leaves = [as_value(x, "the input") for k in asked for x in pytree.flatten(args[k])]
        sizes = [x.size for x in leaves]
        count = sum(sizes)
        # One direction needs no batch axis. Single precision keeps it: a float64 tangent without axes would make the
        # result float64.
        single = count == 1 and all(x.dtype == FLOAT64 for x in leaves)
        forward = ForwardPass(None if single else count)
        batch = () if single else (count,)
        duals: list[Any] = []
        start = 0
        for x, n in zip(leaves, sizes, strict=True):
            basis = _identity(count, n, start, x.dtype)
            shape = shape_of(x)
            duals.append(
                dual(
                    x,
                    basis if len(shape) == 1 and batch else basis.reshape((*batch, *shape))[()],
                    forward,
                )
            )
            start += n
        lifted = list(args)
        moving = iter(duals)
        for k in asked:
            lifted[k] = pytree.map_leaves(lambda _: next(moving), args[k])
        result = forward.run(f if not kwargs else lambda *inputs: f(*inputs, **kwargs), lifted)

        def block(y: Any) -> Any:
            shape = shape_of(y)
            if type(y) is Dual and y.level is forward:
                tangent = y.tangent
            else:
                tangent = np.zeros((*batch, *shape), dtype=recording.check_result(y).dtype)
            columns = (
                tangent.reshape((*shape, 1))
                if single
                else tangent.transpose((*range(1, len(shape) + 1), 0))
            )
            parts: list[Any] = []
            start = 0
            for x, n in zip(leaves, sizes, strict=True):
                part = columns if n == count else columns[..., start : start + n]
                parts.append(to_output(as_operand(part.reshape((*shape, *shape_of(x))))))
                start += n
            return recording.group_by_argument(parts, argnums, which, args)

        return pytree.map_leaves(block, result)

    return jacobian


# A larger identity is built anew each time: caching it would cost more in memory than it saves in time.
MAX_CACHED_DIRECTIONS = 128


def _identity(count: int, n: int, start: int, dtype: Any) -> Any:
    """The basis directions of one input of a Jacobian, `n` of all `count`: a read-only array."""
    make = _cached_identity if count <= MAX_CACHED_DIRECTIONS else _make_identity
    return make(count, n, start, dtype)


def _make_identity(count: int, n: int, start: int, dtype: Any) -> Any:
    basis = np.eye(count, n, -start, dtype)
    basis.flags.writeable = False
    return basis


_cached_identity = lru_cache(maxsize=8)(_make_identity)


def jacrev(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The Jacobian by rows: the function is recorded once, and each row is pulled from that tape.

    Parameters
    ----------
    f : callable
        Returns a number or an array.
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns blocks of shape ``result.shape + argument.shape``.

    See Also
    --------
    jacfwd : The Jacobian by columns.
    jacobian : The whole Jacobian, in the cheaper mode.
    vjp : The value and its pullback.

    Examples
    --------
    >>> import numpy as np
    >>> jacrev(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    @wraps(f)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        which = resolve_argnums(argnums, args, f)
        result, tape = recording.record_call(f, args, which, kwargs)

        def block(y: Any) -> Any:
            value = recording.result_value(y, tape)
            shape = shape_of(value)
            rows = []
            for entry in range(math.prod(shape)):
                seed = np.zeros(shape, dtype=value.dtype)
                seed.flat[entry] = 1.0
                rows.append(recording.sweep_tape(tape, [y], [seed[()]]))
            inputs = tape.values[: tape.n_inputs]
            if not rows:
                parts = [np.zeros((*shape, *shape_of(x)), dtype=x.dtype) for x in inputs]
            elif not shape:
                parts = to_outputs(rows[0], inputs)
            else:
                stacked = [
                    np.reshape(np.stack(g), (*shape, *shape_of(g[0])))
                    for g in zip(*rows, strict=True)
                ]
                parts = [
                    g.astype(x.dtype, copy=False) for g, x in zip(stacked, inputs, strict=True)
                ]
            return recording.group_by_argument(parts, argnums, which, args)

        return pytree.map_leaves(block, result)

    return jacobian


def jacobian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The Jacobian in the cheaper mode: rows if there are fewer results than inputs, otherwise columns.

    Parameters
    ----------
    f : callable
        Returns a number or an array.
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns blocks of shape ``result.shape + argument.shape``.

    See Also
    --------
    jacrev : The Jacobian by rows.
    jacfwd : The Jacobian by columns.
    plot_jacobian : The Jacobian as a picture.

    Examples
    --------
    >>> import numpy as np
    >>> jacobian(lambda x: np.stack([x[0] * x[1], x[0] - x[1]]))(np.array([3.0, 2.0]))
    array([[ 2.,  3.],
           [ 1., -1.]])
    """

    @wraps(f)
    def cheaper(*args: Any, **kwargs: Any) -> Any:
        which = resolve_argnums(argnums, args, f)
        inputs = sum(
            math.prod(shape_of(as_value(x)))
            for k in dict.fromkeys(which)
            for x in pytree.flatten(args[k])
        )
        outputs = sum(math.prod(shape_of(y)) for y in pytree.flatten(f(*args, **kwargs)))
        return (jacrev if outputs < inputs else jacfwd)(f, argnums)(*args, **kwargs)

    return cheaper


def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The matrix of second derivatives of a scalar function: all directions pushed through one reverse sweep.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    argnums : int or sequence of int
        Which positional arguments to differentiate with respect to, twice.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns blocks of shape ``argument.shape + argument.shape``.

    See Also
    --------
    hvp : The Hessian times a vector.
    plot_hessian : The Hessian as a picture.

    Examples
    --------
    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 2.0]))
    array([[4., 6.],
           [6., 0.]])
    """
    matrix = jacfwd(grad(f, argnums), argnums)

    @wraps(f)
    def second(*args: Any, **kwargs: Any) -> Any:
        return matrix(*args, **kwargs)

    return second


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The Hessian of a scalar function times a vector, without the Hessian: forward over reverse.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    primals, tangents : sequences of equal length
        The point, and the vector, shaped like it.

    Returns
    -------
    number, array, or a tuple of these
        One per primal, shaped like it; not in a tuple when there is one primal.

    See Also
    --------
    hessian : The whole matrix of second derivatives.
    jvp : The value and its directional derivative.

    Examples
    --------
    >>> import numpy as np
    >>> hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    array([6., 0.])
    """
    argnums: Any = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(lambda *x: differentiate(f, argnums, False, x, {})[1], primals, tangents)[1]


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `f`, and its Jacobian as a linear map from tangents to tangents, recorded once at this point.

    Parameters
    ----------
    f : callable
        The function to record.
    *primals : number, array, or nested tuples, lists and dicts of these
        The point.

    Returns
    -------
    value
        ``f(*primals)``.
    push : callable
        ``push(*tangents)``, one tangent per primal and shaped like it, returns the tangent of the value.

    See Also
    --------
    jvp : The value and its directional derivative.
    record : Run a function and keep its tape.

    Examples
    --------
    >>> value, push = linearize(lambda x, y: x * y, 2.0, 5.0)
    >>> value, push(1.0, 0.0), push(0.0, 1.0)
    (10.0, 5.0, 2.0)
    """
    result, tape = recording.record_call(f, primals, range(len(primals)), copied=True)

    def push(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ShapeError(
                f"The linear map takes {len(primals)} tangents, and was given {len(tangents)}."
            )
        leaves = [
            t
            for k, x in enumerate(primals)
            for t in pytree.match_leaves(tangents[k], x, f"tangent {k}")
        ]
        seeds = [as_shaped(t, x, "the tangent") for t, x in zip(leaves, tape.values, strict=False)]
        moving = recording.push_tangents(tape, seeds)

        def tangent(y: Any) -> Any:
            line = recording.result_line(y, tape)
            found = None if line is None else moving[line]
            return to_output(zeros(recording.result_value(y, tape)) if found is None else found)

        return pytree.map_leaves(tangent, result)

    return pytree.map_leaves(lambda y: to_output(recording.result_value(y, tape)), result), push


def elementwise_grad(f: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The diagonal of the Jacobian of a function that works entry by entry: its derivative at every entry at once.

    Parameters
    ----------
    f : callable
        Each entry of its result depends on the same entry of the argument alone.
    argnums : int
        Which positional argument to differentiate with respect to.

    Returns
    -------
    callable
        Takes the arguments of `f`; returns an array shaped like the argument.

    Raises
    ------
    InputError
        If `argnums` is not the position of one argument that was passed.
    ShapeError
        If an entry of the result depends on other entries of the argument than its own.

    See Also
    --------
    grad : The gradient alone.
    jacobian : The whole Jacobian, in the cheaper mode.

    Examples
    --------
    >>> import numpy as np
    >>> elementwise_grad(np.square)(np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        if not hasattr(argnums, "__index__"):
            raise InputError(
                f"argnums is {argnums!r}; elementwise_grad takes the position of one argument (0, 1, …). Call it once "
                "for each argument."
            )
        (k,) = resolve_argnums(argnums, args, f)

        def of_one(x: Any) -> Any:
            return f(*args[:k], x, *args[k + 1 :], **kwargs)

        point = args[k]
        value, pullback = vjp(of_one, point)
        slopes = pullback(pytree.map_leaves(lambda y: ones(as_value(y)), value))[0]
        for y, x in zip(
            pytree.match_leaves(value, point, "the result"), pytree.flatten(point), strict=True
        ):
            if shape_of(y) != shape_of(as_value(x)):
                _refuse_mixed(f)
        with checking():
            _require_elementwise(f, value, pullback, slopes)
        return slopes

    return derivative


def _require_elementwise(
    f: Callable[..., Any], value: Any, pullback: Callable[..., Any], slopes: Any
) -> None:
    """Raise an error if the Jacobian is not diagonal, checked with a few weighted pullbacks.

    The weights are powers of two, which don't round. In each round they encode another digit of an entry's position, so
    any two entries have different weights in at least one round.
    """
    digits = 6
    most = max((math.prod(shape_of(y)) for y in pytree.flatten(value)), default=0)
    for k in range(0, (most - 1).bit_length(), digits):

        def weights(y: Any, k: int = k) -> Any:
            places = np.arange(math.prod(shape_of(y))).reshape(shape_of(y))
            return (2.0 ** (places >> k & 2**digits - 1))[()]

        weighted = pullback(pytree.map_leaves(weights, value))[0]
        for g, slope in zip(pytree.flatten(weighted), pytree.flatten(slopes), strict=True):
            expected = values.innermost_value(slope * weights(slope))
            least = np.finfo(expected.dtype).tiny * 2.0**2**digits  # smaller numbers lose digits
            if not np.allclose(
                values.innermost_value(g), expected, rtol=1e-5, atol=least, equal_nan=True
            ):
                _refuse_mixed(f)


def _refuse_mixed(f: Callable[..., Any]) -> NoReturn:
    raise ShapeError(
        f"{name_of(f)} does not work entry by entry: an entry of its result depends on other entries of the "
        "argument than its own, or has no entry of its own. Use jacobian for all these derivatives, or vjp for a "
        "weighted sum."
    )
