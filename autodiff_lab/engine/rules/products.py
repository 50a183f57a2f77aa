"""Derivative rules of array products (matmul, einsum, dot, convolve): each is linear in every operand."""

import math
import operator
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..broadcasting import rank_of, shape_of, unbroadcast
from ..errors import UnsupportedError
from ..values import as_operand
from .shapes import reshape, transpose
from .table import composed, multilinear

# The letters that may stand for an axis in einsum. (`string.ascii_letters` would take a millisecond to import.)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

# Matrix products


def _as_matrices(g: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Give vectors the axis that ``@`` adds for them, so that one rule serves every rank."""
    if len(shape_of(a)) == 1:
        a = np.reshape(a, (1, -1))
    if len(shape_of(b)) == 1:
        b = np.reshape(b, (-1, 1))
    rows, columns = shape_of(a)[-2], shape_of(b)[-1]
    stack = np.broadcast_shapes(shape_of(a)[:-2], shape_of(b)[:-2])
    return np.reshape(g, (*stack, rows, columns)), a, b


def _transpose_matrices(x: Any) -> Any:
    return x.T if len(shape_of(x)) == 2 else np.swapaxes(x, -1, -2)


def _matmul_left(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The adjoint of A in Y = A @ B is G Bᵀ."""
    if len(shape_of(a)) == len(shape_of(b)) == 2:
        return g @ b.T
    g, matrix, b = _as_matrices(g, a, b)
    return np.reshape(unbroadcast(np.matmul(g, _transpose_matrices(b)), matrix), shape_of(a))


def _matmul_right(g: Any, y: Any, a: Any, b: Any) -> Any:
    """The adjoint of B in Y = A @ B is Aᵀ G."""
    if len(shape_of(a)) == len(shape_of(b)) == 2:
        return a.T @ g
    g, a, matrix = _as_matrices(g, a, b)
    return np.reshape(unbroadcast(np.matmul(_transpose_matrices(a), g), matrix), shape_of(b))


def _matmul_batch(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
    """Push many tangents in one product, where the shapes allow; None where they must go one by one."""
    (a, b), (ta, tb) = operands, tangents
    na, nb = len(shape_of(a)), len(shape_of(b))
    terms = []
    if ta is not None:
        if nb > 2 and (na == 1 or na < nb):
            return None
        terms.append(np.matmul(ta, b))
    if tb is not None:
        if na > 2 and (nb == 1 or nb < na):
            return None
        terms.append(np.matmul(tb, a.T) if nb == 1 else np.matmul(a, tb))
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


multilinear(
    np.matmul, _matmul_left, _matmul_right, call=operator.matmul, symbol="@", batched=_matmul_batch
)


# Einstein summation, and products that can be written as one


@cache
def _expand_subscripts(subscripts: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """The subscripts of the operands and of the output, with a letter for every axis instead of an ellipsis."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise UnsupportedError(
            f"np.einsum({subscripts!r}) names {len(terms)} operands, but {len(ranks)} were given."
        )
    free = [c for c in LETTERS if c not in subscripts]
    hidden = [
        rank - len(term.replace("...", "")) if "..." in term else 0
        for term, rank in zip(terms, ranks, strict=True)
    ]
    dots = "".join(free[: max(hidden, default=0)])
    terms = [t.replace("...", dots[len(dots) - h :]) for t, h in zip(terms, hidden, strict=True)]
    if not arrow:
        letters = "".join(terms)
        right = dots + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    return terms, right.replace("...", dots)


def _einsum_transposed(k: int, g: Any, y: Any, *operands: Any, subscripts: str) -> Any:
    """The adjoint of operand `k`: an einsum of the adjoint `g` with the other operands.

    A letter that operand `k` repeats (a diagonal) needs an identity matrix, and a letter that only operand `k` has (a
    sum along that axis) needs a vector of ones.
    """
    left, _, out = subscripts.partition("->")
    terms = left.split(",")
    wanted, names = "", []
    extra: list[Any] = []
    free = iter(c for c in LETTERS if c not in subscripts)
    for position, letter in enumerate(terms[k]):
        new = next(free) if letter in wanted else letter
        n = shape_of(operands[k])[position]
        if new != letter:
            names.append(letter + new)
            extra.append(np.eye(n))
        elif letter not in out + "".join(terms[:k] + terms[k + 1 :]):
            names.append(letter)
            extra.append(np.ones(n))
        wanted += new
    others = operands[:k] + operands[k + 1 :]
    given = ",".join([out, *terms[:k], *terms[k + 1 :], *names])
    return unbroadcast(np.einsum(f"{given}->{wanted}", g, *others, *extra), operands[k])


def einsum_batch(operands: Sequence[Any], own: Sequence[bool], subscripts: str) -> Any:
    """An einsum product of a batch: one more letter stands for the batch axis of the operands marked in `own`."""
    left, _, out = subscripts.partition("->")
    new = next(c for c in LETTERS if c not in subscripts)
    terms = [
        new + term if moves else term for term, moves in zip(left.split(","), own, strict=True)
    ]
    return np.einsum(f"{','.join(terms)}->{new}{out}", *operands)


def _push_einsum(size: int, y: Any, operands: Any, tangents: Any, static: Any) -> Any:
    total = None
    for k, t in enumerate(tangents):
        if t is not None:
            moving = [i == k for i in range(len(operands))]
            term = einsum_batch(
                (*operands[:k], t, *operands[k + 1 :]), moving, static["subscripts"]
            )
            total = term if total is None else total + term
    return total


summed = multilinear(
    "einsum",
    _einsum_transposed,
    call=lambda *operands, subscripts: as_operand(np.einsum(subscripts, *operands)),
    variadic=True,
    batched=_push_einsum,
)


@composed(np.einsum)
def _einsum(subscripts: str, *operands: Any, optimize: Any = None) -> Any:
    if not isinstance(subscripts, str):
        raise UnsupportedError(
            'np.einsum has a derivative rule for subscripts as text: np.einsum("ij,j->i", a, x).'
        )
    terms, out = _expand_subscripts(subscripts, tuple(map(rank_of, operands)))
    return summed(*operands, subscripts=",".join(terms) + "->" + out)


@composed(np.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """As NumPy does it: one product of matrices, with the summed axes last in the left one and first in the right."""
    na, nb = rank_of(a), rank_of(b)
    if isinstance(axes, int | np.integer):
        axes = (range(na - axes, na), range(axes))
    summed_left, summed_right = (
        (axis,) if isinstance(axis, int | np.integer) else axis for axis in axes
    )
    left = [int(i) % na for i in summed_left]
    right = [int(j) % nb for j in summed_right]
    if len(left) != len(right):
        raise ValueError(
            "np.tensordot was given different numbers of axes to sum over in its two arrays."
        )
    kept_left = [i for i in range(na) if i not in left]
    kept_right = [j for j in range(nb) if j not in right]
    of_a, of_b = shape_of(a), shape_of(b)
    if [of_a[i] for i in left] != [of_b[j] for j in right]:
        raise ValueError(
            f"np.tensordot cannot sum over axes {left} of {of_a} and {right} of {of_b}: lengths differ."
        )
    n = math.prod([of_a[i] for i in left])
    rows = _arranged(a, kept_left + left, (math.prod([of_a[i] for i in kept_left]), n))
    columns = _arranged(b, right + kept_right, (n, math.prod([of_b[j] for j in kept_right])))
    shape = (*[of_a[i] for i in kept_left], *[of_b[j] for j in kept_right])
    product = rows @ columns
    return product if shape_of(product) == shape else reshape(product, shape=shape)


def _arranged(x: Any, order: Sequence[int], shape: tuple[int, int]) -> Any:
    """An array with its axes in this order, as a matrix of this shape."""
    if list(order) != sorted(order):
        x = transpose(x, axes=tuple(order))
    return x if shape_of(x) == shape else reshape(x, shape=shape)


@composed(np.dot)
def _dot(a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return a * b
    return a @ b if rank_of(b) <= 2 else np.tensordot(a, b, axes=(-1, -2))


@composed(np.inner)
def _inner(a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return a * b
    return np.tensordot(a, b, axes=(-1, -1))


@composed(np.vecdot, np.linalg.vecdot)
def _vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    if axis != -1:
        x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    return np.sum(x1 * x2, axis=-1)


composed(np.vdot)(lambda a, b: np.ravel(a) @ np.ravel(b))
composed(np.outer)(lambda a, b: np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1)))


@composed(np.kron)
def _kron(a: Any, b: Any) -> Any:
    n = max(rank_of(a), rank_of(b))
    of_a, of_b = ((1,) * (n - rank_of(x)) + tuple(np.shape(x)) for x in (a, b))
    left = np.reshape(a, [m for p in of_a for m in (p, 1)])
    right = np.reshape(b, [m for p in of_b for m in (1, p)])
    return np.reshape(left * right, tuple(p * q for p, q in zip(of_a, of_b, strict=True)))


@composed(np.cross)
def _cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    if shape_of(a)[-1] != 3 or shape_of(b)[-1] != 3:
        raise UnsupportedError(
            "np.cross has a derivative rule for vectors of three components: append a zero to shorter ones."
        )
    # (a × b)ᵢ = aⱼ bₖ - aₖ bⱼ, where (i, j, k) is a cyclic permutation of (0, 1, 2).
    j, k = np.array([1, 2, 0]), np.array([2, 0, 1])
    return np.moveaxis(a[..., j] * b[..., k] - a[..., k] * b[..., j], -1, axisc)


# Convolutions

full = multilinear(
    "convolve",
    lambda g, y, a, v: np.convolve(g, np.flip(v), "valid"),
    lambda g, y, a, v: np.convolve(g, np.flip(a), "valid"),
    call=np.convolve,
)


@composed(np.convolve)
def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    m, n = max(np.size(a), np.size(v)), min(np.size(a), np.size(v))
    slices = {"valid": (n - 1, m), "same": ((n - 1) // 2, (n - 1) // 2 + m), "full": (0, m + n - 1)}
    if mode not in slices:
        raise UnsupportedError(
            f"np.convolve and np.correlate take the modes {', '.join(slices)}, not {mode!r}."
        )
    start, stop = slices[mode]
    return full(a, v)[start:stop]


@composed(np.correlate)
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    if np.size(v) > np.size(a):
        return np.flip(np.correlate(v, a, mode))
    return np.convolve(a, np.flip(v), mode)
