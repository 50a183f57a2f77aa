"""Samples for `rules/linear_algebra.py`: functions of matrices and of stacks of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

la = np.linalg

TALL, WIDE = array(4, 3), array(2, 4)
SQUARE = array(3, 3) + 2.5 * np.eye(3)
STACK = np.stack([SQUARE, SQUARE.T + np.eye(3)])
STACKS = np.stack([STACK, STACK[::-1] + 0.5 * np.eye(3)])
ONE = np.array([[2.5]])
NO_MATRICES = np.zeros((0, 2, 2))
V, M = array(3), array(3, 2)


def _symmetric(x: Any) -> Any:
    return x + np.swapaxes(x, -1, -2)


def _positive(x: Any) -> Any:
    return x @ np.swapaxes(x, -1, -2) + np.eye(np.shape(x)[-1])


SINGULAR = [
    np.array([[1.0, 2.0], [2.0, 4.0]]),
    np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]),
    np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]),  # singular but for rounding
    np.zeros((3, 3)),
    np.array([[0.0]]),
    np.stack([np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[3.0, 1.0], [0.5, 2.0]])]),
]

CALLS: dict[Any, list[Call]] = {
    la.inv: [Call(lambda a: la.inv(a), (x,)) for x in (SQUARE, STACK, STACKS, ONE, NO_MATRICES)],
    la.pinv: [
        Call(lambda a: la.pinv(a), (x,))
        for x in (SQUARE, TALL, WIDE, np.stack([TALL, TALL[::-1] + 1]))
    ],
    la.solve: [
        Call(lambda a, b: la.solve(a, b), (SQUARE, V)),
        Call(lambda a, b: la.solve(a, b), (SQUARE, M)),
        Call(lambda a, b: la.solve(a, b), (STACK, np.stack([M, M + 1]))),
        Call(lambda a, b: la.solve(a, b), (STACK, M)),
        Call(lambda a, b: la.solve(a, b), (SQUARE, np.stack([M, M + 1]))),
        Call(lambda a, b: la.solve(a, b), (STACK, V)),
        Call(lambda a, b: la.solve(a, b), (ONE, np.array([1.5]))),
        Call(lambda a: la.solve(a, a @ a), (SQUARE,)),
        Call(lambda b: la.solve(SQUARE, b), (V,)),
    ],
    la.lstsq: [
        Call(lambda a, b: la.lstsq(a, b)[0], (TALL, array(4) + 0.5)),
        Call(lambda a, b: la.lstsq(a, b, rcond=None)[0], (TALL, array(4, 2) + 0.5)),
        Call(lambda a, b: la.lstsq(a, b)[1], (TALL, array(4) + 0.5)),
        Call(lambda a, b: la.lstsq(a, b)[1], (TALL, array(4, 2) + 0.5)),
        Call(lambda a, b: la.lstsq(a, b)[3] + b[0] * la.lstsq(a, b)[2], (TALL, array(4))),
        Call(lambda a, b: la.lstsq(a, b)[0], (WIDE, array(2) + 0.5)),
    ],
    la.det: [
        *(Call(lambda a: la.det(a), (x,)) for x in (SQUARE, STACK, STACKS, ONE, NO_MATRICES)),
        *(Call(lambda a: la.det(a), (x,)) for x in SINGULAR),
    ],
    la.slogdet: [
        *(Call(lambda a: la.slogdet(a)[1], (x,)) for x in (SQUARE, STACK, -STACKS, ONE)),
        Call(lambda a: la.slogdet(a).logabsdet * la.slogdet(a)[0], (-SQUARE,)),
        Call(lambda a: la.slogdet(a)[0] * np.exp(la.slogdet(a)[1]), (STACK,)),
    ],
    la.cholesky: [
        Call(lambda a: la.cholesky(_positive(a)), (x,)) for x in (SQUARE, STACK, ONE, NO_MATRICES)
    ]
    + [
        Call(lambda a: la.cholesky(a), (np.tril(_positive(SQUARE)),)),
        Call(lambda a: la.cholesky(a), (_positive(STACK) + np.triu(STACK, 1),)),
    ],
    la.eigh: [
        *(Call(lambda a: la.eigh(_symmetric(a))[0], (x,)) for x in (SQUARE, STACK, ONE)),
        Call(lambda a: np.abs(la.eigh(_symmetric(a))[1]), (SQUARE,)),
        Call(lambda a: la.eigh(_symmetric(a)).eigenvectors ** 2, (STACK,)),
        Call(lambda a: np.sum(la.eigh(_symmetric(a)).eigenvalues ** 3), (SQUARE,)),
        Call(lambda a: la.eigh(_symmetric(a), UPLO="U")[1] ** 2, (STACK,)),
        Call(lambda a: la.eigh(_symmetric(a), "L").eigenvalues, (SQUARE,)),
        # which is not symmetric
        *(Call(lambda a, part=part: la.eigh(a, part)[0], (SQUARE,)) for part in "LU"),
        Call(lambda a: la.eigh(a, "U")[1] ** 2, (STACK,)),
        Call(lambda a: la.eigh(np.tril(a))[0], (SQUARE,)),
    ],
    la.eigvalsh: [Call(lambda a: la.eigvalsh(_symmetric(a)), (x,)) for x in (SQUARE, STACK)],
    la.qr: [
        *(
            Call(lambda a: list(la.qr(a)), (x,))
            for x in (SQUARE, TALL, np.stack([TALL, TALL[::-1] + 1]))
        ),
        Call(lambda a: la.qr(a).R, (TALL,)),
        Call(lambda a: la.qr(a, mode="reduced")[0] ** 2, (TALL,)),
    ],
    la.svdvals: [Call(lambda a: la.svdvals(a), (x,)) for x in (SQUARE, TALL, WIDE, STACK)],
    la.svd: [
        Call(lambda a: la.svd(a, compute_uv=False), (TALL,)),
        Call(lambda a: la.svd(a, False, False), (WIDE,)),
    ],
    la.matrix_power: [
        Call(lambda a, n=n: la.matrix_power(a, n), (SQUARE,)) for n in (-3, -1, 0, 1, 2, 3, 6)
    ]
    + [Call(lambda a: la.matrix_power(a, 3), (STACK,))],
    la.multi_dot: [
        Call(lambda a, b: la.multi_dot([a, b, a]), (WIDE, array(4, 2))),
        Call(lambda a, b: la.multi_dot([V, a, b]), (SQUARE, V)),
    ],
}
