"""From a function to its derivatives. Names, argument order and return order are JAX's."""

from __future__ import annotations

import inspect
import operator
from collections import deque
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from . import tree
from .broadcasting import shape_of
from .dispatch import NOTHING, Traced
from .dual import Dual, ForwardPass, dual
from .errors import InputError, LeakError, ShapeError
from .tape import Tape
from .values import as_shaped, as_value, ones, released, released_all, zeros
from .variable import Variable

__all__ = ["grad", "jvp", "record", "value_and_grad", "vjp"]

NUMBERS = frozenset({float, np.float64})


def record(f: Callable[..., Any], *args: Any, sites: bool = False) -> tuple[Any, Tape]:
    """Run `f` and write down every operation on its way.

    Parameters
    ----------
    f : callable
        Written with operators and NumPy functions.
    *args : number, array, or nested tuples, lists and dicts of these
        The inputs. Each leaf becomes one input line.
    sites : bool
        Also note where in the source each operation stands.

    Returns
    -------
    value : number or array
        What `f` returned, as a plain value.
    tape : Tape
        The record. ``tape.output`` is the line of the result.

    Raises
    ------
    InputError
        If an input is not a real number or an array of real numbers.
    ShapeError
        If `f` returns several results; :func:`vjp` takes those.

    Examples
    --------
    >>> import numpy as np
    >>> value, tape = record(lambda x: np.sin(x) * 2, 0.0)
    >>> print(tape)
    v0 = 0.0
    v1 = sin(v0)    = 0.0
    v2 = v1 * 2     = 0.0
    y = v2 = 0.0
    """
    result, tape = recorded(f, args, range(len(args)), sites=sites, named=True, copied=True)
    if tree.children(result) is not None:
        raise ShapeError(
            f"{_name(f)} returned a {type(result).__name__} of results, and a tape has one result. "
            "Return one array, np.stack([...]), or use vjp, which takes several."
        )
    tape.output, value = result_line(result, tape), result_value(result, tape)
    if tape.output is None:
        tape.constant = value
    return released(value), tape


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `f` and its pullback: one row combination of the Jacobian per call.

    Parameters
    ----------
    f : callable
    *primals : number, array, or nested tuples, lists and dicts of these

    Returns
    -------
    value
        ``f(*primals)``, of whatever structure `f` returns.
    pullback : callable
        ``pullback(cotangent)``, the cotangent shaped like `value`, returns one gradient per primal, shaped like it.
        May be called again and again.

    Raises
    ------
    InputError, ShapeError

    Examples
    --------
    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> value, pullback(1.0)
    (10.0, (5.0, 2.0))
    """
    result, tape = recorded(f, primals, range(len(primals)), copied=True)
    outputs = tree.flatten(result)
    value = tree.map_leaves(lambda y: released(result_value(y, tape)), result)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        seeds = [
            as_shaped(c, result_value(y, tape), "the cotangent")
            for c, y in zip(tree.matching(cotangent, result, "the cotangent"), outputs, strict=True)
        ]
        gradients = iter(released_all(swept(tape, outputs, seeds), tape.values[: tape.n_inputs], seeds))
        return tuple(tree.map_leaves(lambda _: next(gradients), x) for x in primals)

    return value, pullback


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns the value of `f` and its gradient, for the price of a small multiple of `f`.

    Parameters
    ----------
    f : callable
        Returns one number (a scalar).
    argnums : int or sequence of int
        Which positional arguments to differentiate; with a sequence the gradient is a tuple.
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

    Examples
    --------
    >>> import numpy as np
    >>> def f(x1, x2):
    ...     return np.log(x1) + x1 * x2 - np.sin(x2)
    >>> value_and_grad(f, argnums=(0, 1))(2.0, 5.0)
    (11.652071455223084, (5.5, 1.7163378145367738))
    """
    several = not hasattr(argnums, "__index__")

    @wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        which = chosen_arguments(argnums, args, f)
        result, tape = recorded(f, args, which, kwargs)
        aux = None
        if has_aux:
            if not isinstance(result, tuple) or len(result) != 2:
                raise ShapeError(f"has_aux=True means that {_name(f)} returns a pair (result, extra).")
            result, aux = result
            aux = tree.map_leaves(lambda y: released(result_value(y, tape)) if isinstance(y, Traced) else y, aux)
        if type(result) is not Variable or type(result.value) is not np.float64:
            _require_scalar(result, f)
        value = result_value(result, tape)
        seeds = [ones(value)]
        leaves = tape.values[: tape.n_inputs]
        gradients = iter(released_all(swept(tape, [result], seeds), leaves, seeds))
        of: dict[int, Any] = {}
        for k in which:
            if k not in of:
                of[k] = tree.map_leaves(lambda _: next(gradients), args[k])
        by_argument = tuple([of[k] for k in which])
        out = (released(value), aux) if has_aux else released(value)
        return out, by_argument if several else by_argument[0]

    return derivative


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `f`; with `has_aux`, the pair ``(gradient, extra)``.

    See :func:`value_and_grad` for the parameters and errors.

    Examples
    --------
    >>> grad(lambda x: x**3)(2.0)
    12.0
    >>> grad(grad(lambda x: x**3))(2.0)
    12.0
    >>> grad(lambda x, y: 3 * x)(1.0, 7.0), grad(lambda x, y: 3 * x, argnums=1)(1.0, 7.0)
    (3.0, 0.0)
    """
    both = value_and_grad(f, argnums, has_aux)

    @wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, g = both(*args, **kwargs)
        return (g, value[1]) if has_aux else g

    return gradient


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value of `f` and its directional derivative: one column combination of the Jacobian.

    Parameters
    ----------
    f : callable
    primals, tangents : sequences of equal length
        The arguments, and the direction in which each moves, shaped like it.

    Returns
    -------
    value, tangent
        Both shaped like the result of `f`.

    Raises
    ------
    InputError, ShapeError

    Examples
    --------
    >>> jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, 0.0))
    (10.0, 5.0)
    """
    if not isinstance(primals, list | tuple) or not isinstance(tangents, list | tuple):
        raise InputError("jvp takes the primals and the tangents as tuples: jvp(f, (x,), (t,)).")
    if len(primals) != len(tangents):
        raise ShapeError(f"jvp was given {len(primals)} primals and {len(tangents)} tangents: one each is needed.")
    forward = ForwardPass()
    inputs: list[Any] = []
    for k, (x, t) in enumerate(zip(primals, tangents, strict=True)):
        if type(x) is float and type(t) is float:
            inputs.append(dual(np.float64(x), np.float64(t), forward))
            continue
        moving = iter(tree.matching(t, x, f"tangent {k}"))
        labels = iter(tree.paths(f"{k}", x))

        def lifted(leaf: Any, labels: Any = labels, moving: Any = moving) -> Dual:
            label = next(labels)
            value = as_value(leaf, f"primal {label}")
            return dual(value, as_shaped(next(moving), value, f"tangent {label}"), forward)

        inputs.append(tree.map_leaves(lifted, x))
    result = forward.run(f, inputs)

    def split(y: Any) -> tuple[Any, Any]:
        if type(y) is Dual and y.level is forward:
            return released(y.value), released(y.tangent)
        plain = checked_result(y)
        return released(plain), released(zeros(plain))

    pairs = [split(y) for y in tree.flatten(result)]
    return tuple(tree.unflatten(result, list(part)) for part in zip(*pairs, strict=True)) if pairs else (result, result)


# The one way in and the one way back


def recorded(
    f: Callable[..., Any],
    args: Sequence[Any],
    which: Sequence[int],
    kwargs: dict[str, Any] | None = None,
    sites: bool = False,
    named: bool = False,
    copied: bool = False,
) -> tuple[Any, Tape]:
    """Call `f` with the chosen arguments as inputs of a new tape; the tape is closed when this returns.

    A tape that outlives the call keeps its own copy of the inputs, in case the caller changes them.
    """
    tape = Tape(sites)
    inputs, names = list(args), None
    for n, k in enumerate(which):
        if not named and type(inputs[k]) in NUMBERS:  # nobody will read the names, and finding them costs
            inputs[k] = tape.input(np.float64(args[k]))
            continue
        if k in which[:n]:  # asked for twice: one input all the same
            continue
        names = names or argument_names(f, len(args))
        labels = iter(tree.paths(names[k], args[k]))

        def lifted(leaf: Any, labels: Any = labels) -> Variable:
            label = next(labels)
            value = as_value(leaf, f"the input {label}")
            return tape.input(value.copy() if copied and value is leaf and type(leaf) is np.ndarray else value, label)

        inputs[k] = tree.map_leaves(lifted, args[k])
    call = f if not kwargs else lambda *inputs: f(*inputs, **kwargs)
    return tape.run(call, inputs), tape


def swept(tape: Tape, outputs: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
    """Sweep from the outputs; the adjoints of the inputs, zeros where nothing arrived."""
    adjoints: list[Any] = [None] * len(tape.ops)
    last = -1
    for y, seed in zip(outputs, seeds, strict=True):
        line = result_line(y, tape)
        if line is not None:
            adjoints[line] = seed if adjoints[line] is None else adjoints[line] + seed
            last = max(last, line)
    if last >= 0:
        deque(tape.sweep(last, adjoints[last], adjoints, keep=False), maxlen=0)
    return [zeros(tape.values[i]) if adjoints[i] is None else adjoints[i] for i in range(tape.n_inputs)]


def linearized(f: Callable[..., Any], primals: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
    """See :func:`autodiff_lab.linearize`: one recording, and a push along its lines for each set of tangents."""
    result, tape = recorded(f, primals, range(len(primals)), copied=True)

    def push(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ShapeError(f"The linear map takes {len(primals)} tangents, and was given {len(tangents)}.")
        leaves = [t for k, x in enumerate(primals) for t in tree.matching(tangents[k], x, f"tangent {k}")]
        moving = [as_shaped(t, x, "the tangent") for t, x in zip(leaves, tape.values, strict=False)]
        for i in range(tape.n_inputs, len(tape)):
            of_operands = tuple(moving[j] if j >= 0 else None for j in tape.parents[i])
            op: Any = tape.ops[i]
            idle = all(t is None for t in of_operands)
            static = tape.kwargs.get(i, NOTHING)
            moving.append(None if idle else op.pushforward(tape.values[i], tape.args[i], of_operands, static))

        def tangent(y: Any) -> Any:
            line = result_line(y, tape)
            found = None if line is None else moving[line]
            return released(zeros(result_value(y, tape)) if found is None else found)

        return tree.map_leaves(tangent, result)

    return tree.map_leaves(lambda y: released(result_value(y, tape)), result), push


def result_line(y: Any, tape: Tape) -> int | None:
    """The line of a result on this tape; None if it does not depend on the inputs."""
    return y.index if type(y) is Variable and y.tape is tape else None


def result_value(y: Any, tape: Tape) -> Any:
    """A result one level down: what a lower level, or the caller, should see."""
    if type(y) is Variable and y.tape is tape:
        return y.value
    return checked_result(y)


def checked_result(y: Any) -> Any:
    """A result that does not belong to the derivative just taken: of a lower level, or a plain number."""
    if isinstance(y, Traced) and not y.level.open:
        raise LeakError(
            f"The function returned {y!r}, which belongs to a derivative call that has already ended. "
            "Return it from that call instead of keeping it outside."
        )
    if y is None:
        raise InputError("The function returned None. Give it a `return`.")
    return as_value(y, "the result")


def chosen_arguments(argnums: int | Sequence[int], args: Sequence[Any], f: Callable[..., Any]) -> list[int]:
    """The positions that `argnums` asks for, counted from the front."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return [argnums]
    try:
        which = [operator.index(k) for k in ((argnums,) if hasattr(argnums, "__index__") else argnums)]
    except TypeError:
        raise InputError(f"argnums is {argnums!r}; it takes a position (0, 1, …) or a tuple of positions.") from None
    for k in which:
        if not -len(args) <= k < len(args):
            raise InputError(
                f"argnums asks for argument {k!r}, but {_name(f)} was called with {len(args)} positional "
                f"argument{'s' if len(args) != 1 else ''}. Pass by position what is to be differentiated."
            )
    return [k % len(args) for k in which]


def argument_names(f: Callable[..., Any], count: int) -> list[str]:
    """What `f` calls its positional arguments; ``args[0]`` where it takes any number, ``x1`` where nobody knows."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return [f"x{k + 1}" for k in range(count)]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "x")
    return (names + [f"{rest}[{k}]" for k in range(max(0, count - len(names)))])[:count]


def _require_scalar(result: Any, f: Callable[..., Any]) -> None:
    if shape_of(result) != () or tree.children(result) is not None:
        raise ShapeError(
            f"{_name(f)} returned {_described(result)}, and a gradient belongs to one number. "
            "Reduce it (np.sum, np.mean), or use vjp with a cotangent of the result's shape."
        )


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", type(f).__name__)


def _described(result: Any) -> str:
    entries = tree.children(result)
    if entries is not None:
        return f"a {type(result).__name__} of {len(entries)} results"
    return f"an array of shape {shape_of(result)}"
