"""Derivative rules of linear algebra (inverse, solve, determinant, factorizations), also for stacks of matrices.

Formulas: Giles, *Collected matrix derivative results* (2008); Walter and Lehmann, *Algorithmic differentiation of
linear algebra functions* (2010) for QR; Golub and Pereyra (1973) for the pseudo-inverse; Murray, *Differentiation of
the Cholesky decomposition* (2016).
"""

from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from ..broadcasting import shape_of, unbroadcast
from ..errors import UnsupportedError
from .kinks import everywhere, over, over_length, share_between_equals, unknown_slope
from .table import composed, flat, general

la = np.linalg


@cache
def _result_type(factorize: Callable[..., Any]) -> Callable[..., Any]:
    """The named tuple that one of NumPy's factorizations returns. It has no public name, so we look at a result."""
    return type(factorize(np.eye(1)))


def t(a: Any) -> Any:
    """The transpose of a matrix, or of each matrix in a stack."""
    return np.swapaxes(a, -1, -2)


def _add_matrix_axes(a: Any) -> Any:
    """Give one number for each matrix in a stack the two axes of a matrix, so that it broadcasts."""
    return a[..., None, None]


def _scaled_lower_triangle(a: Any, diagonal: float) -> Any:
    """The lower triangle, its diagonal multiplied by a number."""
    n = shape_of(a)[-1]
    return a * (np.tri(n, k=-1) + diagonal * np.eye(n))


# Solving

general(la.inv, lambda g, y, a: -t(y) @ g @ t(y))
general(
    la.pinv,
    lambda g, y, a: (
        -t(y) @ g @ t(y)
        + (np.eye(shape_of(a)[-2]) - a @ y) @ t(g) @ y @ t(y)
        + t(y) @ y @ t(g) @ (np.eye(shape_of(a)[-1]) - y @ a)
    ),
    call=lambda a: la.pinv(a),
)


def _solve_back(g: Any, a: Any, b: Any) -> Any:
    return la.solve(t(a), g[..., None])[..., 0] if np.ndim(b) == 1 else la.solve(t(a), g)


def _solve_left(g: Any, y: Any, a: Any, b: Any) -> Any:
    back = _solve_back(g, a, b)
    if np.ndim(b) == 1:
        return unbroadcast(-back[..., :, None] * y[..., None, :], a)
    return unbroadcast(-back @ t(y), a)


general(la.solve, _solve_left, lambda g, y, a, b: unbroadcast(_solve_back(g, a, b), b))


@composed(la.lstsq)
def _lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any, int, Any]:
    m, n = np.shape(a)
    values = la.svdvals(a)
    if rcond is None:
        rcond = np.finfo(float).eps * max(m, n)
    elif rcond == -1:
        rcond = np.finfo(float).eps
    if not everywhere(values > np.max(values) * rcond):
        raise UnsupportedError(
            "np.linalg.lstsq is differentiable at full rank only, and this matrix has (nearly) dependent columns. "
            "Leave some of them out, or add a small multiple of the identity to A.T @ A and use np.linalg.solve."
        )
    x = la.pinv(a) @ b
    residuals = np.sum((b - a @ x) ** 2, axis=0, keepdims=True) if m > n else np.zeros(0)
    return (x, residuals[0] if np.ndim(b) == 2 and m > n else residuals, min(m, n), values)


# Determinants

general(la.det, lambda g, y, a: _add_matrix_axes(g) * _cofactors(y, a))
log_determinant = general(
    "logabsdet", lambda g, y, a: _add_matrix_axes(g) * t(la.inv(a)), call=lambda a: la.slogdet(a)[1]
)


def _cofactors(y: Any, a: Any) -> Any:
    if everywhere(y != 0):
        inverse = la.inv(a)
        if np.size(a) == 0:
            return _add_matrix_axes(y) * t(inverse)
        condition_number = np.max(np.absolute(a)) * np.max(np.absolute(inverse))
        if everywhere(condition_number < 1e8):
            return _add_matrix_axes(y) * t(inverse)
    n = shape_of(a)[-1]
    rest = np.array([[j for j in range(n) if j != i] for i in range(n)], dtype=int)
    minors = la.det(a[..., rest[:, None, :, None], rest[None, :, None, :]])
    return minors * (-1.0) ** np.add.outer(range(n), range(n))


sign_of_determinant = flat("sign of det", lambda a: la.slogdet(a)[0])


@composed(la.slogdet)
def _slogdet(a: Any) -> Any:
    return _result_type(la.slogdet)(sign_of_determinant(a), log_determinant(a))


# Functions of a symmetric matrix, of which NumPy reads the lower triangle


def _of_lower_triangle(s: Any, a: Any) -> Any:
    """The adjoint `s` of a symmetric matrix. If `a` isn't symmetric, all of it goes to the triangle that was read."""
    symmetric = np.all(a == t(a), axis=(-2, -1), keepdims=True)
    if everywhere(symmetric):
        return s
    return np.where(symmetric, s, _scaled_lower_triangle(s + t(s), 0.5))


# Factorizations. One row has one result, so the parts of a factorization are packed into one array.


def _cholesky_back(g: Any, y: Any, a: Any) -> Any:
    inverse = la.inv(y)
    s = t(inverse) @ _scaled_lower_triangle(t(y) @ g, 0.5) @ inverse
    return _of_lower_triangle((s + t(s)) / 2, a)


general(la.cholesky, _cholesky_back, call=lambda a: la.cholesky(a))


def _qr_back(g: Any, y: Any, a: Any) -> Any:
    m = shape_of(a)[-2]
    q, r = y[..., :m, :], y[..., m:, :]
    gq, gr = g[..., :m, :], g[..., m:, :]
    middle = r @ t(gr) - t(gq) @ q
    below = _scaled_lower_triangle(middle, 0.0)
    symmetric = below + t(below) + middle * np.eye(shape_of(r)[-1])
    return t(la.solve(r, t(gq + q @ symmetric)))


packed_qr = general("qr", _qr_back, call=lambda a: np.concatenate(la.qr(a), axis=-2))


@composed(la.qr)
def _qr(a: Any, mode: str = "reduced") -> Any:
    m, n = shape_of(a)[-2:]
    if mode != "reduced" or m < n:
        raise UnsupportedError(
            "np.linalg.qr is differentiable only with mode='reduced', and only if the matrix has at least as many "
            "rows as columns."
        )
    both = packed_qr(a)
    return _result_type(la.qr)(both[..., :m, :], both[..., m:, :])


def _packed_eigh(a: Any) -> Any:
    w, v = la.eigh(a)
    return np.concatenate([w[..., None, :], v], axis=-2)


def _eigh_back(g: Any, y: Any, a: Any) -> Any:
    w, v = y[..., 0, :], y[..., 1:, :]
    gw, gv = g[..., 0, :], g[..., 1:, :]
    diagonal = np.eye(shape_of(w)[-1])
    gaps = w[..., None, :] - w[..., :, None]
    equal = gaps == 0  # on the diagonal, too
    if everywhere(equal == diagonal):
        between = t(v) @ gv / (gaps + np.where(diagonal == 1, np.inf, 0.0))
    else:
        between = _between_equals(gv, v, gaps, equal)
    s = v @ (between + share_between_equals(gw, w)[..., None, :] * diagonal) @ t(v)
    return _of_lower_triangle((s + t(s)) / 2, a)


def _between_equals(gv: Any, v: Any, gaps: Any, equal: Any) -> Any:
    """The contribution of the eigenvectors' adjoints, in the eigenbasis, where some eigenvalues are equal.

    Equal eigenvalues have no unique eigenvectors, so a result that depends on theirs has no derivative. If one of these
    vectors has an adjoint other than 0, all entries that belong to the group are NaN.
    """
    repeated = np.sum(equal, axis=-1) > 1
    simple = np.eye(shape_of(gaps)[-1]) * np.where(repeated, 0.0, 1.0)[..., None, :] > 0
    inner = t(v) @ gv
    total = np.sum(np.absolute(inner), axis=-2, keepdims=True) @ np.where(equal, 1.0, 0.0)
    return over(np.where(equal, total, inner), np.where(simple, np.inf, gaps))


packed_eigh = general("eigh", _eigh_back, call=_packed_eigh)


@composed(la.eigh)
def _eigh(a: Any, UPLO: str = "L") -> Any:
    if UPLO.upper() not in ("L", "U"):
        raise ValueError(
            f"np.linalg.eigh reads the lower or the upper triangle, UPLO='L' or 'U', not {UPLO!r}."
        )
    both = packed_eigh(t(a) if UPLO.upper() == "U" else a)
    return _result_type(la.eigh)(both[..., 0, :], both[..., 1:, :])


composed(la.eigvalsh)(lambda a, UPLO="L": la.eigh(a, UPLO)[0])


def _svdvals_back(g: Any, y: Any, a: Any) -> Any:
    if shape_of(a)[-2] < shape_of(a)[-1]:
        return t(_svdvals_back(g, y, t(a)))
    w, v = la.eigh(t(a) @ a)
    v = v[..., ::-1]
    equal = w[..., ::-1, None] == w[..., None, ::-1]
    repeated = (np.sum(equal, axis=-1) > 1)[..., None, :]
    # Vectors of equal values have no unique basis, so a second derivative is NaN, even times 0.
    if not everywhere(np.logical_not(repeated)):
        v = v + unknown_slope(repeated, v)
    u = over_length(a @ v, y[..., None, :])
    return (u * share_between_equals(g, y)[..., None, :]) @ t(v)


singular_values = general("svdvals", _svdvals_back, call=lambda a: la.svd(a, compute_uv=False))
composed(la.svdvals)(lambda x: singular_values(x))


@composed(la.svd)
def _svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    if compute_uv:
        raise UnsupportedError(
            "np.linalg.svd has a derivative rule for its values alone: write np.linalg.svd(a, compute_uv=False). Its "
            "vectors are eigenvectors: of np.linalg.eigh(a.T @ a) on the right, of np.linalg.eigh(a @ a.T) on the left."
        )
    return singular_values(a)


# Powers and chains


@composed(la.matrix_power)
def _matrix_power(a: Any, n: int) -> Any:
    if n < 0:
        return la.matrix_power(la.inv(a), -n)
    if n == 0:
        return np.zeros_like(a) + np.eye(shape_of(a)[-1], dtype=a.dtype)
    if n == 1:
        return a
    half = la.matrix_power(a, n // 2)
    return half @ half @ a if n % 2 else half @ half


composed(la.multi_dot)(lambda arrays: reduce(np.matmul, arrays))
