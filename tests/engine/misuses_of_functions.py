"""Misuses of NumPy's functions: without a rule, with an option or an operand that has none.

To add one, add one entry; the tests find it by themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab import AutodiffError
from autodiff_lab.engine.errors import DetachedError, UnsupportedError


class Misuse(NamedTuple):
    """A program of one input that must not give a number."""

    f: Callable[[Any], Any]
    error: type[Exception] | tuple[type[Exception], ...]
    says: str  # a regular expression for the remedy
    array: bool = False  # whether the input is an array


U, D = UnsupportedError, DetachedError
A, FFT = np.array([0.5, 1.0, 2.5]), r"complex numbers.*np\.cos\(angles\)"

# A smooth function of numbers that has no row in the table: the example of all tests. If it gets one, put another here.
NO_ROW = np.i0
NAME = NO_ROW.__name__

WITHOUT_RULE: dict[str, Misuse] = {
    # No row in the table: named, and told in two lines how to add one
    f"np.{NAME}(x)": Misuse(
        lambda x: NO_ROW(x),
        U,
        rf"np\.{NAME} has no derivative rule .*\n.*\n    general\(np\.{NAME},",
    ),
    "divmod(x, 2)": Misuse(lambda x: divmod(x, 2), U, r"divmod.*write a // b and a % b"),
    "divmod(7, x)": Misuse(lambda x: divmod(7, x)[1], U, r"divmod.*write a // b and a % b"),
    "x & 1": Misuse(lambda x: x & 1, TypeError, r"&"),
    "np.nextafter(x, 1)": Misuse(
        lambda x: np.nextafter(x, 1.0),
        U,
        r"\n    elementwise\(np\.nextafter, lambda y, a, b: \.\.\., lambda y, a, b:",
    ),
    "np.modf(x)": Misuse(
        lambda x: np.modf(x)[0], U, r"^np\.modf has .* Write it with functions that have one\.$"
    ),
    "np.unwrap(x)": Misuse(
        lambda x: np.unwrap(x), U, r"import general\n    general\(np\.unwrap, lambda g, y, x:", True
    ),
    "np.linalg.cond(x)": Misuse(
        lambda x: np.linalg.cond(np.outer(x, x)), U, r"^np\.linalg\.cond has no", True
    ),
    "np.linalg.matrix_norm": Misuse(
        lambda x: np.linalg.matrix_norm(np.outer(x, x)), U, r"^np\.linalg\.matrix_n", True
    ),
    "np.fft.fft(x)": Misuse(lambda x: np.fft.fft(x), U, r"np\.fft\.fft", True),
    "np.add.at": Misuse(
        lambda x: np.add.at(np.zeros(3), [0], x), U, r"np\.add\.at.*Call np\.add\("
    ),
    "np.add.reduceat": Misuse(
        lambda x: np.add.reduceat(x, [0, 1]), U, r"np\.add\.reduceat.*Call np\.add\(", True
    ),
    "np.subtract.reduce": Misuse(
        lambda x: np.subtract.reduce(x), U, r"np\.subtract\.reduce.*Call np\.subtract\(", True
    ),
    "np.maximum.reduce(x, initial=)": Misuse(
        lambda x: np.maximum.reduce(x, initial=3.0),
        U,
        r"np\.maximum\.reduce with initial=.*Leave `initial` out",
        True,
    ),
    "np.multiply.outer(x, x, dtype=)": Misuse(
        lambda x: np.multiply.outer(x, x, dtype=np.float32),
        U,
        r"np\.multiply\.outer with dtype=",
        True,
    ),
    "np.sin(x, dtype=)": Misuse(
        lambda x: np.sin(x, dtype=np.float32), U, r"np\.sin with dtype=.*without options"
    ),
    "np.add(x, 1, where=)": Misuse(
        lambda x: np.add(x, 1.0, where=False), U, r"np\.add with where=.*without options"
    ),
    "np.float_power(x, 2, dtype=)": Misuse(
        lambda x: np.float_power(x, 2.0, dtype=np.float32),
        U,
        r"^np\.float_power with dtype=.*Leave `dtype` out",
    ),
    "np.vecdot(x, x, keepdims=)": Misuse(
        lambda x: np.vecdot(x, x, keepdims=True),
        U,
        r"^np\.vecdot with keepdims=True.*that work here: .*axis",
        True,
    ),
    "np.sin(x, casting=)": Misuse(
        lambda x: np.sin(x, casting="unsafe"), U, r"np\.sin with casting="
    ),
    "np.sum(x, dtype=)": Misuse(
        lambda x: np.sum(x, dtype=np.float32), U, r"np\.sum with dtype=.*Leave `dtype` out", True
    ),
    "np.sum(x, where=)": Misuse(
        lambda x: np.sum(x, where=np.array([True, False, True])), U, r"Leave `where` out", True
    ),
    "np.sum(x, initial=)": Misuse(
        lambda x: np.sum(x, initial=5.0), U, r"Options that work here: axis, keepdims", True
    ),
    "np.mean(x, where=)": Misuse(lambda x: np.mean(x, where=x > 0), U, r"Leave `where` out", True),
    "np.add.reduce(x, initial=)": Misuse(
        lambda x: np.add.reduce(x, initial=5.0), U, r"initial", True
    ),
    "np.reshape(x, order='A')": Misuse(
        lambda x: np.reshape(x, (3, 1), order="A"), U, r"write 'C' or 'F'", True
    ),
    "np.ravel(x, order='K')": Misuse(
        lambda x: np.ravel(x, order="K"), U, r"np\.ravel.*write 'C' or 'F'", True
    ),
    "np.stack([x], dtype=)": Misuse(
        lambda x: np.stack([x, x], dtype=np.float32), U, r"Leave `dtype` out", True
    ),
    "np.real(x)": Misuse(lambda x: np.real(x), U, r"np\.real"),
    "np.conj(x)": Misuse(lambda x: np.conj(x), U, r"np\.conjugate"),
    "np.emath.sqrt(x)": Misuse(lambda x: np.emath.sqrt(x), U, r"sqrt"),
    "np.linalg.eig": Misuse(lambda x: np.linalg.eig(np.outer(x, x)), U, r"np\.linalg\.eig", True),
    "np.frompyfunc": Misuse(
        lambda x: np.frompyfunc(lambda v: v * 2, 1, 1)(x), U, r"no derivative rule"
    ),
    "np.fft.rfft(x)": Misuse(lambda x: np.fft.rfft(x), U, FFT, True),
    "np.fft.ifft(x)": Misuse(lambda x: np.fft.ifft(x), U, FFT, True),
    "np.fft.fft2": Misuse(lambda x: np.fft.fft2(np.outer(x, x)), U, FFT, True),
    "np.hypot.accumulate": Misuse(lambda x: np.hypot.accumulate(x), U, r"Call np\.hypot\(", True),
    "np.multiply.at": Misuse(
        lambda x: np.multiply.at(np.ones(3), [0], x), U, r"Call np\.multiply\("
    ),
    # Options without a rule
    "np.max(x, initial=)": Misuse(
        lambda x: np.max(x, initial=9.0), U, r"Leave `initial` out", True
    ),
    "np.prod(x, where=)": Misuse(lambda x: np.prod(x, where=x > 0), U, r"Leave `where` out", True),
    "np.var(x, where=)": Misuse(lambda x: np.var(x, where=x > 0), U, r"Leave `where` out", True),
    "np.var(x, dtype=)": Misuse(
        lambda x: np.var(x, dtype=np.float32), U, r"Leave `dtype` out", True
    ),
    "np.cumsum(x, dtype=)": Misuse(
        lambda x: np.cumsum(x, dtype=np.float32), U, r"Leave `dtype` out", True
    ),
    "np.clip(x, dtype=)": Misuse(
        lambda x: np.clip(x, 0, 1, dtype=np.float32), U, r"Leave `dtype` out", True
    ),
    "np.sort(x, order=)": Misuse(lambda x: np.sort(x, order="a"), U, r"Leave `order` out", True),
    "np.median(x, overwrite_input=)": Misuse(
        lambda x: np.median(x, overwrite_input=True), U, r"Leave `overwrite_input` out", True
    ),
    "np.where(x)": Misuse(lambda x: np.where(x), U, r"np\.nonzero\(x\)", True),
    "np.einsum(x, [0])": Misuse(
        lambda x: np.einsum(x, [0], x, [0]), U, r"np\.einsum\(\"ij,j->i\"", True
    ),
    "np.einsum, an operand missing": Misuse(
        lambda x: np.einsum("i,i", x), U, r"names 2 operands, but 1", True
    ),
    "np.full_like(x, shape=)": Misuse(
        lambda x: np.full_like(x, 2, shape=(2,)), U, r"Leave `shape` out", True
    ),
    "np.pad(mode='linear_ramp')": Misuse(
        lambda x: np.pad(x, 1, mode="linear_ramp"), U, r"reflect", True
    ),
    "np.pad(reflect_type='odd')": Misuse(
        lambda x: np.pad(x, 1, mode="symmetric", reflect_type="odd"), U, r"'even' has", True
    ),
    "np.convolve(mode=)": Misuse(
        lambda x: np.convolve(x, A, "wide"), U, r"valid, same, full", True
    ),
    "np.pad, two constants": Misuse(
        lambda x: np.pad(x, 1, constant_values=(1, 2)), U, r"one at a time", True
    ),
    "np.interp(period=)": Misuse(lambda x: np.interp(x, A, A, period=2.0), U, r"np\.mod"),
    "np.gradient(a, x)": Misuse(lambda x: np.gradient(A, x), U, r"divide by it yourself"),
    "np.gradient(x, x)": Misuse(lambda x: np.gradient(x * A, x), U, r"divide by it yourself"),
    "np.quantile(a, x)": Misuse(
        lambda x: np.quantile(A, x), U, r"write np\.interp\(q, np\.linspace\(0, 1, "
    ),
    "np.percentile(a, x)": Misuse(
        lambda x: np.percentile(A, x), U, r"np\.percentile.*write np\.interp\(q"
    ),
    "np.quantile(weights=)": Misuse(
        lambda x: np.quantile(x, 0.3, weights=A, method="inverted_cdf"),
        U,
        r"leave `weights` out",
        True,
    ),
    "np.nanquantile(method=)": Misuse(
        lambda x: np.nanquantile(x, 0.3, method="lower"),
        U,
        r"np\.quantile\(x\[~np\.isnan\(x\)\], q",
        True,
    ),
    "np.nanmax(x, where=)": Misuse(
        lambda x: np.nanmax(x, where=A > 0, initial=0), U, r"Leave `.*` out", True
    ),
    "np.cov(aweights=)": Misuse(
        lambda x: np.cov(x, aweights=A), U, r"np\.average\(x, axis=1, weights=w", True
    ),
    "np.cov of three axes": Misuse(
        lambda x: np.cov(x[:, None, None]), ValueError, r"a row for each variable", True
    ),
    "np.maximum.accumulate(x, dtype=)": Misuse(
        lambda x: np.maximum.accumulate(x, dtype=np.float32), U, r"Leave `dtype` out", True
    ),
    "np.ldexp(1, x)": Misuse(lambda x: np.ldexp(1.0, x), U, r"write x \* 2\.0\*\*n"),
    "np.insert([1, 2], 0, x)": Misuse(
        lambda x: np.insert([1, 2], 0, x), U, r"arr\.astype\(float\)"
    ),
    "np.piecewise, too few": Misuse(
        lambda x: np.piecewise(x, [x < 0, x > 1], [np.sin]),
        ValueError,
        r"a function for each of 2 conditions",
        True,
    ),
    "np.choose(x, ...)": Misuse(lambda x: np.choose(x, [1.0, 2.0]), U, r"np\.where\("),
    "np.choose, out of range": Misuse(lambda x: np.choose([5], [x, x]), IndexError, r"2 given"),
    "np.choose(mode=)": Misuse(
        lambda x: np.choose([5], [x, x], mode="wrap"), U, r"Leave `mode` out"
    ),
    "np.cross of two components": Misuse(
        lambda x: np.cross(x[:2], x[:2]), U, r"append a zero", True
    ),
    "np.linalg.eigh(UPLO='X')": Misuse(
        lambda x: np.linalg.eigh(np.outer(x, x), "X"), ValueError, r"'L' or 'U'", True
    ),
    "np.linalg.svd": Misuse(lambda x: np.linalg.svd(np.outer(x, x)), U, r"compute_uv=False", True),
    "np.linalg.qr(mode=)": Misuse(
        lambda x: np.linalg.qr(np.outer(x, x), "complete"), U, r"mode='reduced'", True
    ),
    "np.linalg.qr, wide": Misuse(
        lambda x: np.linalg.qr(x[None, :]), U, r"at least as many rows", True
    ),
    "np.linalg.norm(ord=0)": Misuse(lambda x: np.linalg.norm(x, 0), U, r"ord=0", True),
    "np.linalg.norm(ord='?')": Misuse(lambda x: np.linalg.norm(x, "?"), U, r"ord='\?'", True),
    "np.linalg.pinv(rcond=)": Misuse(
        lambda x: np.linalg.pinv(np.outer(x, x), rcond=1e-3),
        U,
        r"np\.linalg\.pinv.*Leave `rcond` out",
        True,
    ),
    "np.linalg.inv, singular": Misuse(
        lambda x: np.linalg.inv(np.outer(x, x) * 0), np.linalg.LinAlgError, r"", True
    ),
    # Operands without one
    "np.sin(1j)": Misuse(lambda x: np.add(x, np.array([1j])), AutodiffError, r"complex"),
    "np.clip(x, 1j, 2j)": Misuse(
        lambda x: np.clip(x, 0, np.array([1j, 1j, 1j])), (AutodiffError, TypeError), r"", True
    ),
    "np.concatenate([x, 1j])": Misuse(
        lambda x: np.concatenate([x, [1j]]), AutodiffError, r"complex", True
    ),
    "np.dot(x, 1j)": Misuse(
        lambda x: np.dot(x, np.array([1j, 0, 0])), AutodiffError, r"complex", True
    ),
    "np.linalg.solve(1j, x)": Misuse(
        lambda x: np.linalg.solve(np.eye(3) * 1j, x), AutodiffError, r"complex", True
    ),
    "np.outer(x, object)": Misuse(
        lambda x: np.outer(x, np.array([1.0, None])), (AutodiffError, TypeError), r"", True
    ),
    "x.real": Misuse(lambda x: x.real, AttributeError, r"no `\.real`"),
    "x.astype(complex)": Misuse(lambda x: x.astype(complex), D, r"complex128"),
}
