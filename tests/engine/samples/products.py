"""Samples for `rules/products.py`: products of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call import Call, array

V, M, T = array(3), array(2, 3), array(2, 3, 4)
S, W = array(3, 3), array(4) - 0.3


def _einsum(subscripts: str, *shapes: tuple[int, ...]) -> Call:
    return Call(
        lambda *operands: np.einsum(subscripts, *operands),
        tuple(array(*s) + k for k, s in enumerate(shapes)),
    )


CALLS: dict[Any, list[Call]] = {
    np.matmul: [
        Call(lambda a, b: a @ b, (V, array(3) + 1)),
        Call(lambda a, b: a @ b, (M, V)),
        Call(lambda a, b: a @ b, (array(2), M)),
        Call(lambda a, b: a @ b, (M, array(3, 4))),
        Call(lambda a, b: np.matmul(a, b), (T, array(2, 4, 2))),
        Call(lambda a, b: a @ b, (T, array(4))),
        Call(lambda a, b: a @ b, (array(3), T)),
        Call(lambda a, b: a @ b, (T, array(4, 2))),
        Call(lambda a, b: a @ b, (array(2, 3), array(2, 3, 2))),
        Call(lambda a, b: a @ b, (array(1, 3, 4), array(5, 1, 4, 2))),
        Call(lambda a: a @ array(3, 2), (M,)),
        Call(lambda b: M @ b, (V,)),
        Call(lambda a: a @ a, (V,)),
        Call(lambda a: a @ a, (array(3, 3),)),
        Call(lambda a: a.T @ a, (M,)),
        Call(lambda a, b: a @ b, (np.zeros((2, 0)), np.zeros((0, 3)))),
        Call(lambda a, b: a @ b, (array(1, 1), array(1, 1))),
    ],
    np.einsum: [
        _einsum("ij,jk->ik", (2, 3), (3, 2)),
        _einsum("ij->ji", (2, 3)),
        _einsum("ij->", (2, 3)),
        _einsum("ij->j", (2, 3)),
        _einsum("ii", (3, 3)),
        _einsum("ii->i", (3, 3)),
        _einsum("iij->j", (3, 3, 2)),
        _einsum("iii->i", (2, 2, 2)),
        _einsum("ij,j", (2, 3), (3,)),
        _einsum("i,i->", (3,), (3,)),
        _einsum("i,j->ij", (2,), (3,)),
        _einsum("ij,ij->ij", (2, 3), (1, 3)),
        _einsum("...ij,jk->...ik", (2, 3, 2), (2, 2)),
        _einsum("...i,...i", (2, 3), (3,)),
        _einsum(" i j , j ", (2, 3), (3,)),
        _einsum("ij,ik,il->jkl", (2, 3), (2, 2), (2, 1)),
        _einsum("ij,jk,kl,lm->im", (2, 2), (2, 2), (2, 2), (2, 2)),
        _einsum("ba", (2, 3)),
        _einsum("ij,jk->ik", (0, 3), (3, 2)),
        Call(lambda x: np.einsum("i,i,i->i", x, x, x), (V,)),
        Call(lambda x: np.einsum("ij,j->i", M, x), (V,)),
        Call(lambda x: np.einsum("ij,j->i", M, x, optimize=True), (V,)),
    ],
    np.tensordot: [
        Call(lambda a, b: np.tensordot(a, b, axes=([1, 2], [1, 0])), (T, array(4, 3, 2))),
        Call(lambda a, b: np.tensordot(a, b, 1), (T, array(4, 2))),
        Call(lambda a, b: np.tensordot(a, b, 0), (V, array(2))),
        Call(lambda a, b: np.tensordot(a, b), (M, array(2, 3) + 1)),
        Call(lambda a, b: np.tensordot(a, b, axes=(0, -1)), (M, array(3, 2))),
    ],
    np.dot: [
        Call(lambda a, b: np.dot(a, b), (V, array(3) + 1)),
        Call(lambda a, b: np.dot(a, b), (M, array(3, 2))),
        Call(lambda a, b: np.dot(a, b), (T, array(4, 2))),
        Call(lambda a, b: np.dot(a, b), (T, array(2, 4, 3))),
        Call(lambda a, b: np.dot(a, b), (V, array(2, 3, 4))),
        Call(lambda a, b: np.dot(a, b), (M, 2.5)),
        Call(lambda a, b: np.dot(a, b), (1.5, 2.5)),
        Call(lambda a: a.dot(a), (V,)),
        Call(lambda a: np.dot(M, a), (V,)),
    ],
    np.inner: [
        Call(lambda a, b: np.inner(a, b), (M, array(4, 3))),
        Call(lambda a, b: np.inner(a, b), (T, array(4))),
        Call(lambda a, b: np.inner(a, b), (M, 2.5)),
        Call(lambda a: np.inner(a, a), (V,)),
    ],
    np.vdot: [
        Call(lambda a, b: np.vdot(a, b), (M, array(2, 3) + 1)),
        Call(lambda a: np.vdot(a, a), (V,)),
    ],
    np.vecdot: [
        Call(lambda a, b: np.vecdot(a, b), (M, V)),
        Call(lambda a, b: np.vecdot(a, b, axis=0), (T, M[:, :, None])),
        Call(lambda a: np.vecdot(a, a), (V,)),
    ],
    np.linalg.vecdot: [Call(lambda a, b: np.linalg.vecdot(a, b, axis=1), (T, array(2, 3, 1)))],
    np.outer: [
        Call(lambda a, b: np.outer(a, b), (V, array(2))),
        Call(lambda a, b: np.outer(a, b), (M, 2.5)),
        Call(lambda a: np.outer(a, a), (V,)),
    ],
    np.kron: [
        Call(lambda a, b: np.kron(a, b), (M, array(2, 2))),
        Call(lambda a, b: np.kron(a, b), (M, V)),
        Call(lambda a, b: np.kron(a, b), (V, array(2))),
        Call(lambda a, b: np.kron(a, b), (M, 2.5)),
        Call(lambda a: np.kron(a, a), (V,)),
    ],
    np.cross: [
        Call(lambda a, b: np.cross(a, b), (V, array(3)[::-1] + 1)),
        Call(lambda a, b: np.cross(a, b, axis=0), (array(3, 2), array(3, 2)[::-1] + 1)),
        Call(lambda a, b: np.cross(a, b, axisa=0, axisc=0), (array(3, 2), array(2, 3) + 1)),
        Call(lambda a, b: np.cross(a, b), (array(2, 3), V)),
        Call(lambda a: np.cross(a, a), (V,)),
    ],
    np.convolve: [
        Call(lambda a, b: np.convolve(a, b), (array(5), V)),
        *(
            Call(lambda a, b, m=m: np.convolve(a, b, m), (array(p), array(q) + 1))
            for m in ("full", "same", "valid")
            for p, q in ((5, 3), (3, 5), (5, 4), (4, 4), (1, 3))
        ),
        Call(lambda a: np.convolve(a, a), (V,)),
    ],
    np.correlate: [
        Call(lambda a, b: np.correlate(a, b), (array(5), V)),
        *(
            Call(lambda a, b, m=m: np.correlate(a, b, m), (array(p), array(q) + 1))
            for m in ("full", "same", "valid")
            for p, q in ((5, 3), (3, 5), (5, 4), (4, 5))
        ),
        Call(lambda a: np.correlate(a, a, "full"), (V,)),
    ],
}
