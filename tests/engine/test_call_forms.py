"""Unusual but legal ways to write a call: keyword operands, every position, options that change nothing, methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff_lab import check_grads, vjp

from ..about import for_each
from .jacobians import one_array

pytestmark = pytest.mark.filterwarnings("error")

M = np.array([[0.3, -1.2, 2.1, 0.7], [1.1, 0.4, -0.6, 1.9], [-0.8, 1.6, 0.9, -1.4]])
B = np.array([[0.5, 1.0], [-1.5, 0.2], [0.1, 2.0], [1.2, -0.3]])
C = np.cos(np.arange(24.0)).reshape(2, 3, 4)
P = np.array([[4.0, 0.5, 0.2], [0.5, 3.0, -0.4], [0.2, -0.4, 5.0]])

FORMS = """
np.sum(a=x)
np.sum(x, 0, None, None, True)
np.sum(x, dtype=float)
np.mean(a=x, axis=(0,))
np.prod(a=x, axis=1)
np.max(a=x, axis=0)
np.ptp(a=x, axis=1)
np.var(x, 0, None, None, 1)
np.std(x, 1, None, None, 1, True)
np.std(x, axis=1, correction=1)
np.cumsum(x, axis=1, dtype=np.float64)
np.average(x, axis=0, weights=[1, 2, 3])
np.average(x, returned=True)[1] * x
np.average(x, axis=0, weights=[1.0, 2, 3], returned=True)
np.average(C, axis=(1, 2), weights=np.exp(x))
np.average(C, axis=(2, 1), weights=np.exp(x).T, keepdims=True)
np.median(x, axis=(0, 1))
np.median(x, axis=[0, 1])
np.median(x, 0, None, False, True)
np.sort(a=x)
np.sort(x, kind="stable")
np.sort(x, 0, "mergesort")
np.sort(x, stable=True)
np.clip(x, min=-0.5)
np.clip(x, None, 0.5)
np.clip(a=x, a_min=-1, a_max=1)
np.clip(x, -1, 1, dtype=float)
np.take(x, [0, 5], axis=1, mode="wrap")
np.take(a=x, indices=[[0, 1], [1, 2]], axis=0)
np.take_along_axis(arr=x, indices=np.argsort(a=x, axis=0), axis=0)
np.pad(array=x, pad_width=((1, 2), (0, 1)))
np.pad(x, 2, mode="reflect", reflect_type="even")
np.diff(a=x, n=2, axis=0)
np.diff(x, axis=0, prepend=0, append=1.0)
np.diff(x, append=x[:, :1])
np.gradient(x, 2.0, 0.5)
np.gradient(x, np.array([0.0, 1, 3]), np.array([0.0, 1, 4, 6]))
np.gradient(x, axis=[0, 1])
np.gradient(f=x, axis=1, edge_order=2)
np.linalg.norm(x=x, ord=0.5, axis=-1)
np.linalg.norm(x, ord=2, axis=(1, 0))
np.linalg.norm(x, -1, axis=1, keepdims=True)
np.linalg.norm(C * x, 2, axis=(0, 2))
np.einsum("ij,jk->ik", x, B, optimize="greedy")
np.einsum("ij,kj->ik", x, x, optimize=["einsum_path", (0, 1)])
np.tensordot(a=x, b=B, axes=1)
np.tensordot(x, B, axes=(-1, 0))
np.tensordot(x, x, axes=([0, 1], [0, 1]))
np.dot(a=x, b=B)
np.outer(a=x, b=x)
np.kron(a=B, b=x)
np.cross(a=x[:, :3], b=x[:, 1:], axis=1)
np.diag(v=x, k=1)
np.diag(k=1, v=x)
np.triu(m=x, k=1)
np.trace(a=x, offset=1)
np.ravel(a=x, order="F")
np.transpose(a=x, axes=[1, 0])
np.moveaxis(a=x, source=[0, 1], destination=[1, 0])
np.squeeze(a=x[None])
np.expand_dims(a=x, axis=(0, 2))
np.atleast_1d(x[0], x[1])
np.broadcast_to(array=x, shape=(2, 3, 4), subok=True)
np.stack(arrays=(x, x), axis=1)
np.vstack(tup=(x, x))
np.split(ary=x, indices_or_sections=[1], axis=0)
np.flip(m=x, axis=(0, 1))
np.roll(a=x, shift=(1, 2), axis=(0, 1))
np.rot90(m=x, k=1, axes=(1, 0))
np.tile(A=x, reps=(2, 1))
np.repeat(a=x, repeats=[1, 2, 0], axis=0)
np.round(a=x, decimals=1) + x
np.ones_like(a=x) + x
np.searchsorted([0.0, 1.0], v=x) + x
np.full_like(a=x, fill_value=2.0) + x
np.linspace(start=x, stop=2.0, num=3, axis=1)
np.trapezoid(y=x, x=[0.0, 1, 3], axis=0)
np.polyval(p=[1.0, 2, 3], x=x)
np.select(condlist=[x > 0], choicelist=[x], default=1.0)
np.block(arrays=[[x, x], [x, x]])
np.vecdot(x, x, axis=0)
np.linalg.vecdot(x, x, axis=0)
np.copy(a=x)
np.reshape(x, shape=(4, 3), order="F")
np.add.reduce(x, 1, None, None, True)
np.multiply.reduce(array=x, axis=0)
np.add.outer(x, [1.0, 2.0])
np.multiply.outer(x, x)
np.hypot.outer([2.0, 3.0], x[0])
x.sum(0)
x.clip(0, 1)
x.clip(max=0.5)
x.dot(B)
x.take([0, 1], axis=1)
x.repeat(2, axis=0)
x.std(ddof=1)
x.std(0, ddof=1)
x.T.copy()
x.copy(order="F")
x.astype(float)
x.astype(np.float64, copy=False)
x.flatten("F")
x.reshape(4, 3, order="C")
np.average([1.0, 2.0, 3.0, 4.0], weights=np.exp(x[0]))
np.average(C.tolist(), axis=(1, 2), weights=np.exp(x))
np.average([1, 2, 3, 4], None, np.exp(x[0]), returned=True)
np.diff([1.0, 2.0, 4.0], prepend=x[0, 0])
np.diff([1, 2, 4], append=x[0, :2], n=2)
np.diff(x[0], prepend=[1.0, 2.0])
np.diff((1.0, 2.0, 4.0), prepend=x[0, 0], append=[5.0])
np.append([1.0, 2.0], x)
np.append(x, [[1.0, 2.0, 3.0, 4.0]], axis=0)
np.clip([0.5, 1.0, 2.0, 3.0], x, 2.5)
np.clip(x, [-1.0, 0.0, 0.5, 0.0], [2.0, 2.0, 2.0, 3.0])
np.dot([1.0, 2.0, 3.0], x)
np.inner([1.0, 2.0, 3.0, 4.0], x)
np.outer([1.0, 2.0], x)
np.kron([1.0, 2.0], x)
np.vdot([1.0, 2.0, 3.0, 4.0], x[0])
np.tensordot([1.0, 2.0, 3.0], x, axes=1)
np.cross([1.0, 2.0, 3.0], x[:, 0])
np.convolve([1.0, 2.0], x[0])
np.correlate([1.0, 2.0], x[0], "full")
np.trapezoid([1.0, 2.0, 4.0, 5.0], x=x[0])
np.polyval([1.0, 2.0, 3.0], x)
np.polyval([x[0, 0], 2.0, x[0, 1]], x)
np.interp([0.1, 0.5], np.cumsum(np.exp(x[0])), [1.0, 2.0, 4.0, 3.0])
np.interp(x, [0.0, 1.0, 2.0], [1.0, 2.0, 4.0])
np.linspace([0.0, 1.0, 2.0, 3.0], x[0], 3)
np.concatenate([[1.0, 2.0], x[0]])
np.hstack([[1.0, 2.0], x[0]])
np.vstack([[1.0, 2.0, 3.0, 4.0], x])
np.column_stack([[1.0, 2.0, 3.0], x])
np.stack([[1.0, 2.0, 3.0, 4.0], x[0]])
np.where([True, False, True, False], x, [1.0, 2.0, 3.0, 4.0])
np.select([[True, False, True, False]], [x[0]], 1.0)
np.einsum("i,ij", [1.0, 2.0, 3.0], x)
np.vecdot([1.0, 2.0, 3.0, 4.0], x)
np.float_power([2.0, 3.0, 4.0, 5.0], x)
"""

MATRICES = """
np.linalg.inv(a=x)
np.linalg.solve(a=x, b=P)
np.linalg.eigh(x @ x.T, "L")[0]
np.linalg.eigh(a=x @ x.T, UPLO="U").eigenvalues
np.linalg.eigvalsh(x @ x.T, UPLO="U")
np.linalg.svd(x, False, False)
np.linalg.matrix_power(a=x, n=3)
np.linalg.solve([[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 1.0, 2.0]], x)
np.linalg.solve(x, [1.0, 2.0, 3.0])
np.linalg.lstsq([[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 1.0, 2.0]], x[0])[0]
np.linalg.lstsq(x, [1.0, 2.0, 3.0])[0]
np.linalg.multi_dot([[1.0, 2.0, 3.0], x, x])
"""


def cases(text: str, x: np.ndarray) -> list[Any]:
    return [pytest.param(line, x, id=line) for line in text.strip().splitlines()]


@for_each("source,x", cases(FORMS, M) + cases(MATRICES, P))
def test_a_call_in_any_form_has_its_derivative(source: str, x: np.ndarray) -> None:
    f = one_array(eval(f"lambda x: {source}", globals()))
    np.testing.assert_allclose(vjp(f, x)[0], f(x), rtol=1e-13, atol=1e-14)
    check_grads(lambda x: np.sum(np.sin(f(x) / 3 + np.arange(f(x).size).reshape(f(x).shape))), (x,), order=2)
