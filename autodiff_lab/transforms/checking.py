"""Gradient checking: derivatives against finite differences."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.broadcasting import shape_of
from ..engine.errors import AutodiffError, InputError
from ..engine.values import Traced, as_value
from . import pytree
from .gradients import jvp, vjp
from .recording import record_call, result_line


class CheckError(AutodiffError, AssertionError):
    """The error of a gradient check: a derivative and its finite difference disagree.

    See Also
    --------
    check_grads : Compare derivatives with finite differences.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> wrong = ad.custom_gradient(partials=lambda y, x: 3 * x)(lambda x: x * x)
    >>> try:
    ...     ad.check_grads(wrong, (2.0,), order=1)
    ... except ad.CheckError:
    ...     print("the rule is wrong")
    the rule is wrong
    """


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    rtol: float = 1e-6,
    step: float | None = None,
    seed: int = 0,
) -> None:
    """Check the gradients of `f`: compare its derivatives with central differences, in random directions.

    Parameters
    ----------
    f : callable
        The function whose derivatives are checked.
    args : sequence
        The point, as the tuple of arguments of `f`.
    order : int
        1 checks first derivatives; 2 also checks the derivatives of these, and so on.
    modes : sequence of {"fwd", "rev"}
        Forward (jvp) and reverse (vjp).
    rtol : float
        Largest relative error accepted at order 1; ten times that at order 2, and so on.
    step : float, optional
        Step of the central difference; by default (machine epsilon)^(1/3), where truncation and cancellation balance.
    seed : int
        The seed of the random directions.

    Raises
    ------
    CheckError
        If the two differ. The message says in which mode, at which order and for which argument, and by how much.

    See Also
    --------
    trace_nonfinite : Find the first NaN or infinity.
    CheckError : A derivative and its finite difference disagree.

    Notes
    -----
    The error is relative to the derivative, however small that is. But the difference quotient has an error, too: from
    curvature, which grows with the step, and from rounding, about 4e-11 if `f` computes with numbers around 1. So an
    absolute difference below `rtol` is accepted if it is no larger than that error, which is estimated from three steps
    and from all values on the tape. Smaller terms aren't checked: check a small term separately from a large one.

    Examples
    --------
    >>> import numpy as np
    >>> check_grads(lambda x: np.sin(x) * x, (0.5,), order=2)
    """
    if not isinstance(args, list | tuple):
        raise InputError("check_grads takes the arguments as a tuple: check_grads(f, (x,)).")
    if not set(modes) <= {"fwd", "rev"} or not modes:
        raise InputError(f"modes is {tuple(modes)!r}; it takes 'fwd', 'rev' or both.")
    rng = np.random.default_rng(seed)
    args = tuple(pytree.map_leaves(as_value, x) for x in args)
    if not step:
        step = float(np.finfo(float).eps ** (1 / 3))
    _check_order(f, args, 1, Plan(order, tuple(modes), rtol, step, rng))


class Plan(NamedTuple):
    """The settings of a gradient check, the same for derivatives of every order."""

    order: int
    modes: tuple[str, ...]
    rtol: float
    step: float
    rng: np.random.Generator


def _check_order(f: Callable[..., Any], args: tuple[Any, ...], order: int, plan: Plan) -> None:
    """Check the first derivative of `f`, which is of this order for the user, and then those of higher order."""

    def direction(like: Any) -> Any:
        return pytree.map_leaves(lambda x: plan.rng.standard_normal(shape_of(x))[()], like)

    tangents = direction(args)
    cotangent = direction(f(*args))

    def quotient(step: float) -> float:
        return _inner_product(cotangent, _central_difference(f, args, tangents, step))

    def estimate_quotient_error() -> float:
        """A generous bound on the error of the difference quotient."""
        found = [q for q in (quotient(k * plan.step) for k in (1, 2, 3)) if np.isfinite(q)]
        size = _rounding_scale(f, args, cotangent) if "rev" in plan.modes else 1.0
        return 10 * (max(found) - min(found) + np.finfo(float).eps * size / plan.step)

    expected = quotient(plan.step)
    accepted = plan.rtol * 10 ** (order - 1)
    for mode in plan.modes:
        got = _derivative(f, args, cotangent, tangents, mode)
        error, largest = abs(got - expected), max(abs(got), abs(expected))
        if error <= accepted * largest or (
            error <= accepted and error <= estimate_quotient_error()
        ):
            continue
        worst = _find_worst_argument(f, args, cotangent, tangents, mode, plan.step)
        raise CheckError(
            f"{'forward' if mode == 'fwd' else 'reverse'} mode, order {order}, "
            f"{worst}: the derivative in a random direction "
            f"is {got!r}, the central difference with step {plan.step:.1e} is {expected!r}; relative error "
            f"{error / largest:.1e}, accepted {accepted:.0e}. Above 1e-2 the rule is wrong; around 1e-4 look for a "
            "kink nearby, or float32; below 1e-7 it is right."
        )
    if order < plan.order:
        derivatives = {
            "fwd": lambda *x: jvp(f, x, tangents)[1],
            "rev": lambda *x: vjp(f, *x)[1](cotangent),
        }
        for mode in plan.modes:
            _check_order(derivatives[mode], args, order + 1, plan)


def _rounding_scale(f: Callable[..., Any], args: tuple[Any, ...], cotangent: Any) -> float:
    """How many machine epsilons the result may be off if each value on the tape is off by one: Σ |v · v̄|."""

    def total(*inputs: Any) -> Any:
        pairs = zip(pytree.flatten(cotangent), pytree.flatten(f(*inputs)), strict=True)
        return sum(np.sum(c * y) for c, y in pairs)

    result, tape = record_call(total, args, range(len(args)))
    line = result_line(result, tape)
    adjoints: list[Any] = [None] * len(tape)
    if line is not None:
        deque(tape.sweep(line, np.float64(1.0), adjoints), maxlen=0)
    with np.errstate(invalid="ignore"):  # the product of an infinity and an adjoint of 0
        sizes = [np.abs(v * a) for v, a in zip(tape.values, adjoints, strict=True) if a is not None]
    # A NaN that the function ignores, as np.nansum does, is not an error.
    return float(sum(map(np.nansum, sizes)))


def _derivative(
    f: Callable[..., Any], args: tuple[Any, ...], cotangent: Any, tangents: Any, mode: str
) -> float:
    """The directional derivative, projected on the cotangent: the same number in both modes."""
    if mode == "fwd":
        return _inner_product(cotangent, jvp(f, args, tangents)[1])
    return _inner_product(vjp(f, *args)[1](cotangent), tangents)


def _find_worst_argument(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    cotangent: Any,
    tangents: Any,
    mode: str,
    step: float,
) -> str:
    """The argument that disagrees most when only it moves."""
    names = [path for k, x in enumerate(args) for path in pytree.paths(f"argument {k}", x)]
    leaves = pytree.flatten(list(tangents))
    errors: list[float] = []
    for i in range(len(leaves)):
        alone = [t if j == i else t * 0.0 for j, t in enumerate(leaves)]
        direction = tuple(pytree.unflatten(list(tangents), alone))
        got = _derivative(f, args, cotangent, direction, mode)
        errors.append(
            abs(got - _inner_product(cotangent, _central_difference(f, args, direction, step)))
        )
    return names[int(np.argmax(np.nan_to_num(errors, nan=np.inf)))] if errors else "no argument"


def _central_difference(
    f: Callable[..., Any], args: tuple[Any, ...], tangents: Any, step: float
) -> Any:
    def moved(sign: float) -> list[Any]:
        moving = iter(pytree.flatten(tangents))
        return pytree.flatten(f(*pytree.map_leaves(lambda x: x + sign * step * next(moving), args)))

    return [(a - b) / (2 * step) for a, b in zip(moved(1.0), moved(-1.0), strict=True)]


def _inner_product(a: Any, b: Any) -> float:
    total = 0.0
    for x, y in zip(pytree.flatten(a), pytree.flatten(b), strict=True):
        x, y = (v.value if isinstance(v, Traced) else v for v in (x, y))
        # Otherwise the product would broadcast, and hide that a rule forgot to sum.
        if shape_of(x) != shape_of(y):
            raise CheckError(
                f"A derivative has the shape {shape_of(x)}, and {shape_of(y)} is needed. A rule has to sum over the "
                "axes along which its operand was broadcast."
            )
        total += float(np.sum(np.multiply(x, y)))
    return total
